/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The commands of op read. */

#include <zcbor_encode.h>

#include "ranvier/prof.h"

#include "smp_internal.h"

#define STEPS_A_REPLY 64u

static int read_info(const struct rnv_smp *smp, struct rnv_smp_request *request, zcbor_state_t *out)
{
	static const struct rnv_smp_row own[] = {
		RNV_SMP_ROW(FIRMWARE, TEXT, struct rnv_smp, version),
		RNV_SMP_ROW(BOARD, TEXT, struct rnv_smp, board),
		RNV_SMP_ROW(CHUNK, UINT, struct rnv_smp, chunk),
	};
	static const struct rnv_smp_row rows[] = {
		RNV_SMP_ROW(MODELS, UINT, struct rnv_server_info, model_count),
		RNV_SMP_ROW(UNSIGNED, BOOL, struct rnv_server_info, unsigned_allowed),
		RNV_SMP_ROW(IO, UINT, struct rnv_server_info, io_bytes),
		RNV_SMP_ROW(PATCH, BOOL, struct rnv_server_info, patches),
	};
	struct rnv_server_info info;
	uint32_t isa[32];
	uint32_t count = 0;
	uint8_t ops[RNV_OPSET_BYTES];

	(void)request;
	rnv_server_info_get(smp->server, &info);
	rnv_opset_get(ops);
	for (uint32_t i = 0; i < 32u; i++) {
		if ((info.isa_fast >> i & 1u) != 0u) {
			isa[count++] = i;
		}
	}
	RNV_SMP_PUT(out, own, smp);
	RNV_SMP_PUT(out, rows, &info);
	rnv_smp_put_uint(out, RNV_SMP_KEY_ABI, RNV_PACKAGE_ABI);
	rnv_smp_put_uint(out, RNV_SMP_KEY_FORMAT, RNV_PACKAGE_FORMAT);
	rnv_smp_put_bool(out, RNV_SMP_KEY_READ_ONLY, rnv_smp_is_read_only);
	rnv_smp_put_bytes(out, RNV_SMP_KEY_OPS, ops, sizeof(ops));
	rnv_smp_put_array(out, RNV_SMP_KEY_ISA, isa, count, 4, 4);
	rnv_smp_put_array(out, RNV_SMP_KEY_KEYS, info.keys, info.key_count, 4,
			  sizeof(info.keys[0])); /* their ids */
	rnv_smp_put_array(out, RNV_SMP_KEY_REVOKED, info.store.revoked, info.store.revoked_count, 4,
			  4);
	rnv_smp_put_array(out, RNV_SMP_KEY_ERASES, info.store.erases, 2, 4, 4);
	return RNV_OK;
}

static void put_slot(zcbor_state_t *out, const struct rnv_server_slot *slot)
{
	static const struct rnv_smp_row rows[] = {
		RNV_SMP_ROW(STATE, UINT, struct rnv_server_slot, state),
		RNV_SMP_ROW(FILLS, UINT, struct rnv_server_slot, fills),
		/* of its package */
		RNV_SMP_ROW(BYTES, UINT, struct rnv_server_slot, bytes),
		RNV_SMP_ROW(VERSION, ARRAY, struct rnv_server_slot, version),
		RNV_SMP_ROW(SV, UINT, struct rnv_server_slot, security_version),
		RNV_SMP_ROW(CRC, UINT, struct rnv_server_slot, crc),
		RNV_SMP_ROW(KEY, UINT, struct rnv_server_slot, key),
	};
	uint32_t count = sizeof(rows) / sizeof(rows[0]);

	(void)zcbor_map_start_encode(out, count);
	rnv_smp_put_rows(out, rows, (slot->bytes != 0u) ? count : 2u, slot);
	(void)zcbor_map_end_encode(out, count);
}

#define MODEL(key, kind, member) RNV_SMP_ROW(key, kind, struct rnv_server_model_info, member)

static int read_model(const struct rnv_smp *smp, struct rnv_smp_request *request,
		      zcbor_state_t *out)
{
	static const struct rnv_smp_row stored[] = {
		MODEL(N, TEXT, store.name),      MODEL(SLOT_BYTES, UINT, store.slot_bytes),
		MODEL(FLOOR, UINT, store.floor), MODEL(CONFIRMED, UINT, store.confirmed),
		MODEL(TRIAL, UINT, store.trial), MODEL(TRIAL_SLOT, UINT, store.trial_slot),
		MODEL(TRIES, UINT, store.tries), MODEL(WRITTEN, UINT, store.written),
		MODEL(SHA, BYTES, store.hash),
	};
	static const struct rnv_smp_row served[] = {
		MODEL(RUNNING, UINT, running), MODEL(CHANGING, BOOL, changing),
		MODEL(KEPT, BOOL, kept),       MODEL(ERROR, INT, error),
		MODEL(JOBS, UINT, jobs),       MODEL(COMPLETED, UINT, completed),
		MODEL(FAILED, UINT, failed),   MODEL(LANES, UINT, lanes),
	};
	struct rnv_server_model_info info;
	int status = rnv_server_model_get(smp->server, request->i, &info);

	if (status != RNV_OK) {
		return status;
	}
	RNV_SMP_PUT(out, stored, &info);
	rnv_smp_put_key(out, RNV_SMP_KEY_SLOTS);
	(void)zcbor_list_start_encode(out, 2);
	put_slot(out, &info.slots[0]);
	put_slot(out, &info.slots[1]);
	(void)zcbor_list_end_encode(out, 2);
	RNV_SMP_PUT(out, served, &info);
	return RNV_OK;
}

#define UPDATE(key, kind, member) RNV_SMP_ROW(key, kind, struct rnv_ota_status, member)

static int read_update(const struct rnv_smp *smp, struct rnv_smp_request *request,
		       zcbor_state_t *out)
{
	static const struct rnv_smp_row name[] = {MODEL(M, TEXT, store.name)};
	static const struct rnv_smp_row rows[] = {
		UPDATE(OFF, UINT, offset),  UPDATE(LEN, UINT, bytes),  UPDATE(DONE, UINT, done),
		UPDATE(TOTAL, UINT, total), UPDATE(ERROR, INT, error), UPDATE(WHY, UINT, why),
		UPDATE(SHA, BYTES, sha256),
	};
	struct rnv_ota_status update;
	struct rnv_server_model_info info;

	(void)request;
	rnv_server_update_get(smp->server, &update);
	rnv_smp_put_uint(out, RNV_SMP_KEY_PHASE, update.phase);
	if (rnv_server_model_get(smp->server, update.model, &info) == RNV_OK) {
		RNV_SMP_PUT(out, name, &info);
		rnv_smp_put_uint(out, RNV_SMP_KEY_SLOT, update.slot);
	}
	RNV_SMP_PUT(out, rows, &update);
	return RNV_OK;
}

#define STAT(key, member) RNV_SMP_ROW(key, UINT, struct rnv_lane_stats, member)

static int read_lane(const struct rnv_smp *smp, struct rnv_smp_request *request, zcbor_state_t *out)
{
	static const struct rnv_smp_row name[] = {{RNV_SMP_KEY_N, RNV_SMP_TEXT, 0, 0}};
	static const struct rnv_smp_row rows[] = {
		STAT(SUBMITTED, submitted),
		STAT(COMPLETED, completed),
		STAT(MISSED, missed),
		STAT(CANCELLED, cancelled),
		STAT(DROPPED, dropped),
		STAT(FAILED, failed),
		STAT(REFUSED, refused),
		STAT(PREEMPTED, preempted),
		STAT(QUEUED, queued),
		STAT(MOST_QUEUED, most_queued),
		STAT(ARENA_BYTES, arena_bytes),
		STAT(ARENA_HIGH_WATER, arena_high_water),
		STAT(LONGEST_QUEUED_US, longest_queued_us),
		STAT(LONGEST_STEP_BLOCKED_US, longest_step_blocked_us),
		STAT(LONGEST_NPU_BLOCKED_US, longest_npu_blocked_us),
		STAT(LONGEST_ATOMIC_BLOCKED_US, longest_atomic_blocked_us),
	};
	struct rnv_lane_stats stats;

	if (request->i >= smp->lane_count ||
	    rnv_lane_stats_get(smp->sched, request->i, &stats) != RNV_OK) {
		return RNV_ENOENT;
	}
	rnv_smp_put_uint(out, RNV_SMP_KEY_LANES, smp->lane_count);
	RNV_SMP_PUT(out, name, &smp->lane_names[request->i]);
	RNV_SMP_PUT(out, rows, &stats);
	return RNV_OK;
}

static int read_profile(const struct rnv_smp *smp, struct rnv_smp_request *request,
			zcbor_state_t *out)
{
	uint32_t head[3] = {0}; /* magic, format and size of the header, total_bytes */
	uint32_t room;
	uint8_t *data;
	int bytes;

	if (smp->prof == NULL) {
		return RNV_ENOTSUP;
	}
	bytes = rnv_prof_dump(smp->prof, 0, head, sizeof(head));
	if (bytes < 0) {
		return bytes;
	}
	rnv_smp_put_uint(out, RNV_SMP_KEY_LEN, head[2]);
	rnv_smp_put_uint(out, RNV_SMP_KEY_OFF, request->off);
	data = rnv_smp_room(out, 0, &room);
	bytes = rnv_prof_dump(smp->prof, request->off, data, room);
	rnv_smp_put_bytes(out, RNV_SMP_KEY_DATA, data, (bytes > 0) ? (size_t)bytes : 0u);
	return RNV_OK;
}

static int read_steps(const struct rnv_smp *smp, struct rnv_smp_request *request,
		      zcbor_state_t *out)
{
	uint16_t codes[STEPS_A_REPLY];
	uint32_t count;
	int steps = rnv_server_steps_get(smp->server, (uint32_t)request->model, request->i, codes,
					 STEPS_A_REPLY, &count);

	if (steps < 0) {
		return steps;
	}
	rnv_smp_put_uint(out, RNV_SMP_KEY_COUNT, (uint32_t)steps);
	rnv_smp_put_uint(out, RNV_SMP_KEY_I, request->i);
	rnv_smp_put_array(out, RNV_SMP_KEY_OPS, codes, count, 2, 2);
	return RNV_OK;
}

const struct rnv_smp_command rnv_smp_reads[] = {
	{read_info, RNV_SMP_CMD_INFO, 0},
	{read_model, RNV_SMP_CMD_MODEL, 0},
	{read_update, RNV_SMP_CMD_UPDATE, 0},
	{rnv_smp_run_read, RNV_SMP_CMD_RUN, 0},
	{read_lane, RNV_SMP_CMD_LANE, 0},
	{read_profile, RNV_SMP_CMD_PROFILE, 0},
	{rnv_smp_selftest_read, RNV_SMP_CMD_SELFTEST, 0},
	{read_steps, RNV_SMP_CMD_STEPS, RNV_SMP_HAS(M)},
	{NULL, 0, 0},
};
