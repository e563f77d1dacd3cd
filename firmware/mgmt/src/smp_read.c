/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <string.h>

#include <zcbor_encode.h>

#include "ranvier/prof.h"

#include "smp_internal.h"

#define STEPS_A_REPLY 64u

static int read_info(const struct rnv_smp *smp, zcbor_state_t *in, zcbor_state_t *out)
{
	struct rnv_server_info info;
	uint32_t ids[32];
	uint32_t count = 0;
	uint8_t ops[RNV_OPSET_BYTES];

	if (!rnv_smp_decode(in, NULL, 0)) {
		return RNV_EINVAL;
	}
	rnv_server_info_get(smp->server, &info);
	rnv_opset_get(ops);
	rnv_smp_put_text(out, "firmware", smp->version);
	rnv_smp_put_text(out, "board", smp->board);
	rnv_smp_put_uint(out, "abi", RNV_PACKAGE_ABI);
	rnv_smp_put_uint(out, "format", RNV_PACKAGE_FORMAT);
	for (uint32_t isa = 0; isa < 32u; isa++) {
		if ((info.isa_fast >> isa & 1u) != 0u) {
			ids[count++] = isa;
		}
	}
	rnv_smp_put_uints(out, "isa", ids, count);
	rnv_smp_put_bytes(out, "ops", ops, sizeof(ops));
	rnv_smp_put_uint(out, "models", info.model_count);
	rnv_smp_put_uint(out, "chunk", smp->chunk);
	rnv_smp_put_bool(out, "read_only", rnv_smp_is_read_only);
	rnv_smp_put_bool(out, "unsigned", info.unsigned_allowed != 0u);
	for (count = 0; count < info.key_count && count < sizeof(ids) / sizeof(ids[0]); count++) {
		ids[count] = info.keys[count].id;
	}
	rnv_smp_put_uints(out, "keys", ids, count);
	rnv_smp_put_uints(out, "revoked", info.store.revoked, info.store.revoked_count);
	rnv_smp_put_uint(out, "io", info.io_bytes);
	rnv_smp_put_bool(out, "patch", info.patches != 0u);
	return RNV_OK;
}

static void put_slot(zcbor_state_t *out, const struct rnv_server_slot *slot)
{
	(void)zcbor_map_start_encode(out, 7);
	rnv_smp_put_uint(out, "state", slot->state);
	rnv_smp_put_uint(out, "fills", slot->fills);
	if (slot->bytes != 0u) {
		rnv_smp_put_uint(out, "bytes", slot->bytes);
		rnv_smp_put_version(out, "version", slot->version);
		rnv_smp_put_uint(out, "sv", slot->security_version);
		rnv_smp_put_uint(out, "crc", slot->crc);
		rnv_smp_put_uint(out, "key", slot->key);
	}
	(void)zcbor_map_end_encode(out, 7);
}

static int read_model(const struct rnv_smp *smp, zcbor_state_t *in, zcbor_state_t *out)
{
	struct rnv_server_model_info info;
	uint32_t i = 0;
	const struct rnv_smp_key keys[] = {{"i", RNV_SMP_UINT32, &i, NULL}};

	if (!rnv_smp_decode(in, keys, 1)) {
		return RNV_EINVAL;
	}
	if (rnv_server_model_get(smp->server, i, &info) != RNV_OK) {
		return RNV_ENOENT;
	}
	rnv_smp_put_text(out, "n", info.store.name);
	rnv_smp_put_uint(out, "slot_bytes", info.store.slot_bytes);
	rnv_smp_put_uint(out, "floor", info.store.floor);
	rnv_smp_put_uint(out, "confirmed", info.store.confirmed);
	rnv_smp_put_uint(out, "trial", info.store.trial);
	rnv_smp_put_uint(out, "trial_slot", info.store.trial_slot);
	rnv_smp_put_uint(out, "tries", info.store.tries);
	rnv_smp_put_uint(out, "written", info.store.written);
	rnv_smp_put_bytes(out, "sha", info.store.hash, sizeof(info.store.hash));
	(void)(zcbor_tstr_put_lit(out, "slots") && zcbor_list_start_encode(out, 2));
	put_slot(out, &info.slots[0]);
	put_slot(out, &info.slots[1]);
	(void)zcbor_list_end_encode(out, 2);
	rnv_smp_put_uint(out, "running", info.running);
	rnv_smp_put_bool(out, "changing", info.changing != 0u);
	rnv_smp_put_bool(out, "kept", info.kept != 0u);
	rnv_smp_put_int(out, "error", info.error);
	rnv_smp_put_uint(out, "jobs", info.jobs);
	rnv_smp_put_uint(out, "completed", info.completed);
	rnv_smp_put_uint(out, "failed", info.failed);
	rnv_smp_put_uint(out, "lanes", info.lanes);
	return RNV_OK;
}

static int read_update(const struct rnv_smp *smp, zcbor_state_t *in, zcbor_state_t *out)
{
	struct rnv_ota_status update;
	struct rnv_server_model_info info;

	if (!rnv_smp_decode(in, NULL, 0)) {
		return RNV_EINVAL;
	}
	rnv_server_update_get(smp->server, &update);
	rnv_smp_put_uint(out, "phase", update.phase);
	if (rnv_server_model_get(smp->server, update.model, &info) == RNV_OK) {
		rnv_smp_put_text(out, "m", info.store.name);
		rnv_smp_put_uint(out, "slot", update.slot);
	}
	rnv_smp_put_uint(out, "off", update.offset);
	rnv_smp_put_uint(out, "len", update.bytes);
	rnv_smp_put_uint(out, "done", update.done);
	rnv_smp_put_uint(out, "total", update.total);
	rnv_smp_put_int(out, "error", update.error);
	rnv_smp_put_uint(out, "why", update.why);
	rnv_smp_put_bytes(out, "sha", update.sha256, sizeof(update.sha256));
	return RNV_OK;
}

static int read_lane(const struct rnv_smp *smp, zcbor_state_t *in, zcbor_state_t *out)
{
	struct rnv_lane_stats stats;
	uint32_t i = 0;
	const struct rnv_smp_key keys[] = {{"i", RNV_SMP_UINT32, &i, NULL}};

	if (!rnv_smp_decode(in, keys, 1)) {
		return RNV_EINVAL;
	}
	if (i >= smp->lane_count || rnv_lane_stats_get(smp->sched, i, &stats) != RNV_OK) {
		return RNV_ENOENT;
	}
	rnv_smp_put_uint(out, "lanes", smp->lane_count);
	rnv_smp_put_text(out, "n", smp->lane_names[i]);
	rnv_smp_put_uint(out, "submitted", stats.submitted);
	rnv_smp_put_uint(out, "completed", stats.completed);
	rnv_smp_put_uint(out, "missed", stats.missed);
	rnv_smp_put_uint(out, "cancelled", stats.cancelled);
	rnv_smp_put_uint(out, "dropped", stats.dropped);
	rnv_smp_put_uint(out, "failed", stats.failed);
	rnv_smp_put_uint(out, "refused", stats.refused);
	rnv_smp_put_uint(out, "preempted", stats.preempted);
	rnv_smp_put_uint(out, "queued", stats.queued);
	rnv_smp_put_uint(out, "most_queued", stats.most_queued);
	rnv_smp_put_uint(out, "arena_bytes", stats.arena_bytes);
	rnv_smp_put_uint(out, "arena_high_water", stats.arena_high_water);
	rnv_smp_put_uint(out, "longest_queued_us", stats.longest_queued_us);
	rnv_smp_put_uint(out, "longest_step_blocked_us", stats.longest_step_blocked_us);
	rnv_smp_put_uint(out, "longest_npu_blocked_us", stats.longest_npu_blocked_us);
	rnv_smp_put_uint(out, "longest_atomic_blocked_us", stats.longest_atomic_blocked_us);
	return RNV_OK;
}

static int read_profile(const struct rnv_smp *smp, zcbor_state_t *in, zcbor_state_t *out)
{
	uint32_t offset = 0;
	const struct rnv_smp_key keys[] = {{"off", RNV_SMP_UINT32, &offset, NULL}};
	uint32_t head[3] = {0}; /* magic, format and size of the header, total_bytes */
	uint32_t room;
	uint8_t *data;
	int bytes;

	if (!rnv_smp_decode(in, keys, 1)) {
		return RNV_EINVAL;
	}
	if (smp->prof == NULL) {
		return RNV_ENOTSUP;
	}
	bytes = rnv_prof_dump(smp->prof, 0, head, sizeof(head));
	if (bytes < 0) {
		return bytes;
	}
	rnv_smp_put_uint(out, "len", head[2]);
	rnv_smp_put_uint(out, "off", offset);
	data = rnv_smp_room(out, 0, &room);
	bytes = rnv_prof_dump(smp->prof, offset, data, room);
	rnv_smp_put_bytes(out, "data", data, (bytes > 0) ? (size_t)bytes : 0u);
	return RNV_OK;
}

static int read_steps(const struct rnv_smp *smp, zcbor_state_t *in, zcbor_state_t *out)
{
	uint32_t i = 0;
	const struct rnv_smp_key more[] = {{"i", RNV_SMP_UINT32, &i, NULL}};
	int model = rnv_smp_decode_model(smp, in, more, 1);
	uint16_t codes[STEPS_A_REPLY];
	uint32_t ops[STEPS_A_REPLY];
	uint32_t count;
	int steps;

	if (model < 0) {
		return model;
	}
	steps = rnv_server_steps_get(smp->server, (uint32_t)model, i, codes, STEPS_A_REPLY, &count);
	if (steps < 0) {
		return steps;
	}
	for (uint32_t k = 0; k < count; k++) {
		ops[k] = codes[k];
	}
	rnv_smp_put_uint(out, "count", (uint32_t)steps);
	rnv_smp_put_uint(out, "i", i);
	rnv_smp_put_uints(out, "ops", ops, count);
	return RNV_OK;
}

rnv_smp_command rnv_smp_read_command(uint32_t id)
{
	static const rnv_smp_command commands[RNV_SMP_COMMANDS] = {
		[RNV_SMP_CMD_INFO] = read_info,
		[RNV_SMP_CMD_MODEL] = read_model,
		[RNV_SMP_CMD_UPDATE] = read_update,
		[RNV_SMP_CMD_RUN] = rnv_smp_run_read,
		[RNV_SMP_CMD_LANE] = read_lane,
		[RNV_SMP_CMD_PROFILE] = read_profile,
		[RNV_SMP_CMD_SELFTEST] = rnv_smp_selftest_read,
		[RNV_SMP_CMD_STEPS] = read_steps,
	};

	return commands[id];
}
