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

/* What the first message of an upload has more than the others. */
struct offer {
	struct rnv_ota_request request;
	struct zcbor_string name;
	struct zcbor_string sha256;
	struct zcbor_string header;
	bool has_name, has_bytes, slow;
};

static int begin_upload(const struct rnv_smp *smp, struct offer *offer, uint32_t *offset)
{
	int model;

	if (!offer->has_bytes || offer->sha256.len != sizeof(offer->request.sha256) ||
	    offer->header.len != RNV_HEADER_BYTES) {
		return RNV_EINVAL;
	}
	model = rnv_server_find(smp->server, (const char *)offer->name.value,
				(uint32_t)offer->name.len);
	if (model < 0) {
		return model;
	}
	offer->request.model = (uint32_t)model;
	offer->request.flags = offer->slow ? RNV_OTA_ALLOW_SLOW : 0u;
	offer->request.header = offer->header.value;
	(void)memcpy(offer->request.sha256, offer->sha256.value, sizeof(offer->request.sha256));
	return rnv_server_upload_begin(smp->server, &offer->request, offset);
}

static int upload(const struct rnv_smp *smp, zcbor_state_t *in, zcbor_state_t *out)
{
	struct offer offer = {0};
	struct zcbor_string data = {0};
	bool has_offset = false, has_crc = false;
	uint32_t at = 0, crc = 0, offset = 0;
	const struct rnv_smp_key keys[] = {
		{"off", RNV_SMP_UINT32, &at, &has_offset},
		{"data", RNV_SMP_BYTES, &data, NULL},
		{"crc", RNV_SMP_UINT32, &crc, &has_crc},
		{"m", RNV_SMP_TEXT, &offer.name, &offer.has_name},
		{"len", RNV_SMP_UINT32, &offer.request.bytes, &offer.has_bytes},
		{"sha", RNV_SMP_BYTES, &offer.sha256, NULL},
		{"hdr", RNV_SMP_BYTES, &offer.header, NULL},
		{"enc", RNV_SMP_UINT32, &offer.request.encoding, NULL},
		{"base", RNV_SMP_UINT32, &offer.request.base_crc32, NULL},
		{"slow", RNV_SMP_BOOL, &offer.slow, NULL},
	};
	int status = RNV_OK;

	if (!rnv_smp_decode(in, keys, sizeof(keys) / sizeof(keys[0])) || !has_offset ||
	    (data.len != 0u && !has_crc) || (data.len == 0u && !offer.has_name) ||
	    (!offer.has_name && offer.sha256.len != 0u &&
	     offer.sha256.len != RNV_SERVER_SHA_BYTES)) {
		return RNV_EINVAL;
	}
	if (offer.has_name) {
		status = (at == 0u) ? begin_upload(smp, &offer, &offset) : RNV_EINVAL;
	}
	if (status == RNV_OK && data.len != 0u) {
		status = rnv_server_upload_chunk(
			smp->server, (offer.sha256.len != 0u) ? offer.sha256.value : NULL, at,
			data.value, (uint32_t)data.len, crc, &offset);
	}
	if (status == RNV_OK) {
		rnv_smp_put_uint(out, "off", offset);
	}
	return status;
}

/* Answer what is done now (RNV_OK) or later (RNV_EAGAIN); other codes are the command's. */
static int put_done(zcbor_state_t *out, int status)
{
	if (status == RNV_OK || status == RNV_EAGAIN) {
		rnv_smp_put_bool(out, "done", status == RNV_OK);
		status = RNV_OK;
	}
	return status;
}

static int activate(const struct rnv_smp *smp, zcbor_state_t *in, zcbor_state_t *out)
{
	bool permanent = false;
	const struct rnv_smp_key more[] = {{"permanent", RNV_SMP_BOOL, &permanent, NULL}};
	int model = rnv_smp_decode_model(smp, in, more, 1);

	return (model < 0) ? model
			   : put_done(out, rnv_server_activate(smp->server, (uint32_t)model,
							       permanent ? 1u : 0u));
}

static int confirm(const struct rnv_smp *smp, zcbor_state_t *in, zcbor_state_t *out)
{
	int model = rnv_smp_decode_model(smp, in, NULL, 0);

	(void)out;
	return (model < 0) ? model : rnv_server_confirm(smp->server, (uint32_t)model);
}

static int rollback(const struct rnv_smp *smp, zcbor_state_t *in, zcbor_state_t *out)
{
	int model = rnv_smp_decode_model(smp, in, NULL, 0);

	return (model < 0) ? model
			   : put_done(out, rnv_server_rollback(smp->server, (uint32_t)model));
}

static int erase(const struct rnv_smp *smp, zcbor_state_t *in, zcbor_state_t *out)
{
	uint32_t slot = RNV_STORE_NO_SLOT;
	const struct rnv_smp_key more[] = {{"slot", RNV_SMP_UINT32, &slot, NULL}};
	int model = rnv_smp_decode_model(smp, in, more, 1);

	return (model < 0) ? model
			   : put_done(out, rnv_server_erase(smp->server, (uint32_t)model, slot));
}

static int drop(const struct rnv_smp *smp, zcbor_state_t *in, zcbor_state_t *out)
{
	(void)out;
	return rnv_smp_decode(in, NULL, 0) ? rnv_server_abort(smp->server) : RNV_EINVAL;
}

static int profile(const struct rnv_smp *smp, zcbor_state_t *in, zcbor_state_t *out)
{
	bool on = false, has_on = false;
	const struct rnv_smp_key keys[] = {{"on", RNV_SMP_BOOL, &on, &has_on}};

	(void)out;
	if (!rnv_smp_decode(in, keys, 1) || !has_on) {
		return RNV_EINVAL;
	}
	if (smp->prof == NULL) {
		return RNV_ENOTSUP;
	}
	rnv_prof_enable(smp->prof, on ? 1u : 0u);
	return RNV_OK;
}

static int revoke(const struct rnv_smp *smp, zcbor_state_t *in, zcbor_state_t *out)
{
	uint32_t key = 0;
	bool has_key = false;
	const struct rnv_smp_key keys[] = {{"key", RNV_SMP_UINT32, &key, &has_key}};

	(void)out;
	if (!rnv_smp_decode(in, keys, 1) || !has_key) {
		return RNV_EINVAL;
	}
	return rnv_server_revoke(smp->server, key);
}

rnv_smp_command rnv_smp_write_command(uint32_t id)
{
	static const rnv_smp_command commands[RNV_SMP_COMMANDS] = {
		[RNV_SMP_CMD_UPLOAD] = upload,
		[RNV_SMP_CMD_ACTIVATE] = activate,
		[RNV_SMP_CMD_CONFIRM] = confirm,
		[RNV_SMP_CMD_ROLLBACK] = rollback,
		[RNV_SMP_CMD_ERASE] = erase,
		[RNV_SMP_CMD_ABORT] = drop,
		[RNV_SMP_CMD_RUN] = rnv_smp_run_write,
		[RNV_SMP_CMD_PROFILE] = profile,
		[RNV_SMP_CMD_SELFTEST] = rnv_smp_selftest_write,
		[RNV_SMP_CMD_REVOKE] = revoke,
	};

	return commands[id];
}
