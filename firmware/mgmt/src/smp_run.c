/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <zcbor_encode.h>

#include "smp_internal.h"

/* Bytes of a run's reply behind the outputs. */
#define RUN_TAIL 96u

int rnv_smp_run_write(const struct rnv_smp *smp, zcbor_state_t *in, zcbor_state_t *out)
{
	struct rnv_server_run run = {.lane = RNV_SERVER_ANY_LANE, .deadline_us = RNV_NEVER};
	struct zcbor_string name = {0};
	struct zcbor_string data = {0};
	bool has_name = false, has_bytes = false, has_offset = false, reset = false;
	uint32_t offset = 0;
	uint32_t job = RNV_NO_HANDLE;
	const struct rnv_smp_key keys[] = {
		{"m", RNV_SMP_TEXT, &name, &has_name},
		{"entry", RNV_SMP_UINT32, &run.entry, NULL},
		{"off", RNV_SMP_UINT32, &offset, &has_offset},
		{"id", RNV_SMP_UINT32, &run.id, NULL},
		{"data", RNV_SMP_BYTES, &data, NULL},
		{"len", RNV_SMP_UINT32, &run.bytes, &has_bytes},
		{"lane", RNV_SMP_UINT32, &run.lane, NULL},
		{"deadline_us", RNV_SMP_UINT64, &run.deadline_us, NULL},
		{"reset", RNV_SMP_BOOL, &reset, NULL},
	};
	int status;

	if (!rnv_smp_decode(in, keys, sizeof(keys) / sizeof(keys[0])) || !has_offset) {
		return RNV_EINVAL;
	}
	if (has_bytes && offset == 0u) {
		status = has_name ? rnv_server_find(smp->server, (const char *)name.value,
						    (uint32_t)name.len)
				  : RNV_EINVAL;
		if (status < 0) {
			return status;
		}
		run.model = (uint32_t)status;
		run.flags = reset ? RNV_JOB_RESET : 0u;
		status = rnv_server_run_begin(smp->server, &run);
		if (status != RNV_OK) {
			return status;
		}
	}
	status = rnv_server_run_write(smp->server, run.id, offset, data.value, (uint32_t)data.len,
				      &offset, &job);
	if (status != RNV_OK) {
		return status;
	}
	rnv_smp_put_uint(out, "off", offset);
	if (job != RNV_NO_HANDLE) {
		rnv_smp_put_uint(out, "job", job);
	}
	return RNV_OK;
}

int rnv_smp_run_read(const struct rnv_smp *smp, zcbor_state_t *in, zcbor_state_t *out)
{
	struct rnv_server_run_status run;
	uint32_t offset = 0;
	uint32_t id = 0;
	const struct rnv_smp_key keys[] = {{"off", RNV_SMP_UINT32, &offset, NULL},
					   {"id", RNV_SMP_UINT32, &id, NULL}};
	uint32_t room;
	uint8_t *data;
	int bytes;

	if (!rnv_smp_decode(in, keys, sizeof(keys) / sizeof(keys[0]))) {
		return RNV_EINVAL;
	}
	data = rnv_smp_room(out, RUN_TAIL, &room);
	bytes = rnv_server_run_read(smp->server, id, offset, data, room, &run);
	if (bytes < 0) {
		return bytes;
	}
	if (run.state == RNV_SERVER_DONE) {
		rnv_smp_put_bytes(out, "data", data,
				  (size_t)bytes); /* first: it moves to the front */
		rnv_smp_put_uint(out, "off", offset);
		rnv_smp_put_uint(out, "len", run.bytes);
		rnv_smp_put_int(out, "status", run.status);
		rnv_smp_put_uint(out, "us", run.us);
		rnv_smp_put_version(out, "package", run.version);
		rnv_smp_put_uint(out, "crc", run.crc);
		rnv_smp_put_bool(out, "missed", run.missed != 0u);
	}
	if (run.job != RNV_NO_HANDLE) {
		rnv_smp_put_uint(out, "job", run.job);
	}
	rnv_smp_put_uint(out, "state", run.state);
	return RNV_OK;
}

int rnv_smp_selftest_write(const struct rnv_smp *smp, zcbor_state_t *in, zcbor_state_t *out)
{
	int model = rnv_smp_decode_model(smp, in, NULL, 0);

	(void)out;
	return (model < 0) ? model : rnv_server_selftest(smp->server, (uint32_t)model);
}

int rnv_smp_selftest_read(const struct rnv_smp *smp, zcbor_state_t *in, zcbor_state_t *out)
{
	int32_t status = RNV_OK;

	if (!rnv_smp_decode(in, NULL, 0)) {
		return RNV_EINVAL;
	}
	rnv_smp_put_uint(out, "state", rnv_server_selftest_get(smp->server, &status));
	rnv_smp_put_int(out, "status", status);
	return RNV_OK;
}
