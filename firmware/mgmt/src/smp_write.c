/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The commands of op write. */

#include <string.h>

#include <zcbor_encode.h>

#include "ranvier/prof.h"

#include "smp_internal.h"

const bool rnv_smp_is_read_only = false;

static int begin_upload(const struct rnv_smp *smp, struct rnv_smp_request *request,
			uint32_t *offset)
{
	struct rnv_ota_request *offer = &request->offer;

	if (request->off != 0u || (request->found & RNV_SMP_HAS(LEN)) == 0u ||
	    request->sha.bytes != sizeof(offer->sha256) || request->hdr.bytes != RNV_HEADER_BYTES) {
		return RNV_EINVAL;
	}
	if (request->model < 0) {
		return request->model;
	}
	offer->model = (uint32_t)request->model;
	offer->bytes = request->len;
	offer->flags = (request->slow != 0u) ? RNV_OTA_ALLOW_SLOW : 0u;
	offer->header = request->hdr.data;
	memcpy(offer->sha256, request->sha.data, sizeof(offer->sha256));
	return rnv_server_upload_begin(smp->server, offer, offset);
}

static int upload(const struct rnv_smp *smp, struct rnv_smp_request *request, zcbor_state_t *out)
{
	const struct rnv_smp_bytes *data = &request->data;
	const struct rnv_smp_bytes *sha = &request->sha;
	bool begins = (request->found & RNV_SMP_HAS(M)) != 0u;
	bool has_crc = (request->found & RNV_SMP_HAS(CRC)) != 0u;
	uint32_t offset = 0;
	int status = RNV_OK;

	if ((data->bytes != 0u) ? !has_crc : !begins) {
		return RNV_EINVAL;
	}
	if (begins) {
		status = begin_upload(smp, request, &offset);
	} else if (sha->bytes != 0u && sha->bytes != RNV_SERVER_SHA_BYTES) {
		return RNV_EINVAL;
	}
	if (status == RNV_OK && data->bytes != 0u) {
		status = rnv_server_upload_chunk(smp->server, (sha->bytes != 0u) ? sha->data : NULL,
						 request->off, data->data, data->bytes,
						 request->crc, &offset);
	}
	if (status == RNV_OK) {
		rnv_smp_put_uint(out, RNV_SMP_KEY_OFF, offset);
	}
	return status;
}

/* Answer what is done now (RNV_OK) or later (RNV_EAGAIN); other codes are the command's. */
static int put_done(zcbor_state_t *out, int status)
{
	if (status == RNV_OK || status == RNV_EAGAIN) {
		rnv_smp_put_bool(out, RNV_SMP_KEY_DONE, status == RNV_OK);
		status = RNV_OK;
	}
	return status;
}

static int activate(const struct rnv_smp *smp, struct rnv_smp_request *request, zcbor_state_t *out)
{
	return put_done(out, rnv_server_activate(smp->server, (uint32_t)request->model,
						 request->permanent));
}

static int confirm(const struct rnv_smp *smp, struct rnv_smp_request *request, zcbor_state_t *out)
{
	(void)out;
	return rnv_server_confirm(smp->server, (uint32_t)request->model);
}

static int rollback(const struct rnv_smp *smp, struct rnv_smp_request *request, zcbor_state_t *out)
{
	return put_done(out, rnv_server_rollback(smp->server, (uint32_t)request->model));
}

static int erase(const struct rnv_smp *smp, struct rnv_smp_request *request, zcbor_state_t *out)
{
	return put_done(out,
			rnv_server_erase(smp->server, (uint32_t)request->model, request->slot));
}

static int drop(const struct rnv_smp *smp, struct rnv_smp_request *request, zcbor_state_t *out)
{
	(void)request;
	(void)out;
	return rnv_server_abort(smp->server);
}

static int profile(const struct rnv_smp *smp, struct rnv_smp_request *request, zcbor_state_t *out)
{
	(void)out;
	if (smp->prof == NULL) {
		return RNV_ENOTSUP;
	}
	rnv_prof_enable(smp->prof, request->on);
	return RNV_OK;
}

static int revoke(const struct rnv_smp *smp, struct rnv_smp_request *request, zcbor_state_t *out)
{
	(void)out;
	return rnv_server_revoke(smp->server, request->key);
}

const struct rnv_smp_command rnv_smp_writes[] = {
	{upload, RNV_SMP_CMD_UPLOAD, RNV_SMP_HAS(OFF)},
	{activate, RNV_SMP_CMD_ACTIVATE, RNV_SMP_HAS(M)},
	{confirm, RNV_SMP_CMD_CONFIRM, RNV_SMP_HAS(M)},
	{rollback, RNV_SMP_CMD_ROLLBACK, RNV_SMP_HAS(M)},
	{erase, RNV_SMP_CMD_ERASE, RNV_SMP_HAS(M)},
	{drop, RNV_SMP_CMD_ABORT, 0},
	{rnv_smp_run_write, RNV_SMP_CMD_RUN, RNV_SMP_HAS(OFF)},
	{profile, RNV_SMP_CMD_PROFILE, RNV_SMP_HAS(ON)},
	{rnv_smp_selftest_write, RNV_SMP_CMD_SELFTEST, RNV_SMP_HAS(M)},
	{revoke, RNV_SMP_CMD_REVOKE, RNV_SMP_HAS(KEY)},
	{NULL, 0, 0},
};
