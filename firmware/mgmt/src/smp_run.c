/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Runs and self-tests. */

#include <zcbor_encode.h>

#include "smp_internal.h"

/* Bytes of a run's reply behind the outputs. */
#define RUN_TAIL 96u

int rnv_smp_run_write(const struct rnv_smp *smp, struct rnv_smp_request *request,
		      zcbor_state_t *out)
{
	uint32_t offset = 0;
	uint32_t job = RNV_NO_HANDLE;
	int status;

	if ((request->found & RNV_SMP_HAS(LEN)) != 0u && request->off == 0u) {
		request->run.model = (uint32_t)request->model;
		request->run.bytes = request->len;
		request->run.flags = (request->reset != 0u) ? RNV_JOB_RESET : 0u;
		status = (request->model < 0) ? request->model
					      : rnv_server_run_begin(smp->server, &request->run);
		if (status != RNV_OK) {
			return status;
		}
	}
	status = rnv_server_run_write(smp->server, request->run.id, request->off,
				      request->data.data, request->data.bytes, &offset, &job);
	if (status != RNV_OK) {
		return status;
	}
	rnv_smp_put_uint(out, RNV_SMP_KEY_OFF, offset);
	if (job != RNV_NO_HANDLE) {
		rnv_smp_put_uint(out, RNV_SMP_KEY_JOB, job);
	}
	return RNV_OK;
}

#define RUN(key, kind, member) RNV_SMP_ROW(key, kind, struct rnv_server_run_status, member)

int rnv_smp_run_read(const struct rnv_smp *smp, struct rnv_smp_request *request, zcbor_state_t *out)
{
	static const struct rnv_smp_row done[] = {
		RUN(LEN, UINT, bytes),        RUN(STATUS, INT, status), RUN(US, UINT, us),
		RUN(PACKAGE, ARRAY, version), RUN(CRC, UINT, crc),      RUN(MISSED, BOOL, missed),
	};
	struct rnv_server_run_status run;
	uint32_t room;
	uint8_t *data = rnv_smp_room(out, RUN_TAIL, &room);
	int bytes =
		rnv_server_run_read(smp->server, request->run.id, request->off, data, room, &run);

	if (bytes < 0) {
		return bytes;
	}
	if (run.state == RNV_SERVER_DONE) {
		rnv_smp_put_bytes(out, RNV_SMP_KEY_DATA, data,
				  (size_t)bytes); /* first: it moves to the front */
		rnv_smp_put_uint(out, RNV_SMP_KEY_OFF, request->off);
		RNV_SMP_PUT(out, done, &run);
	}
	if (run.job != RNV_NO_HANDLE) {
		rnv_smp_put_uint(out, RNV_SMP_KEY_JOB, run.job);
	}
	rnv_smp_put_uint(out, RNV_SMP_KEY_STATE, run.state);
	return RNV_OK;
}

int rnv_smp_selftest_write(const struct rnv_smp *smp, struct rnv_smp_request *request,
			   zcbor_state_t *out)
{
	(void)out;
	return rnv_server_selftest(smp->server, (uint32_t)request->model);
}

int rnv_smp_selftest_read(const struct rnv_smp *smp, struct rnv_smp_request *request,
			  zcbor_state_t *out)
{
	static const struct rnv_smp_row row[] = {{RNV_SMP_KEY_STATUS, RNV_SMP_INT, 0, 4}};
	int32_t status = RNV_OK;

	(void)request;
	rnv_smp_put_uint(out, RNV_SMP_KEY_STATE, rnv_server_selftest_get(smp->server, &status));
	RNV_SMP_PUT(out, row, &status);
	return RNV_OK;
}
