/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "world.h"

#include <stdlib.h>
#include <string.h>

#include "crypto.h"

#define MOST_SECTOR 16384u
#define PATCHED     10u /* the first package that is sent as a patch */
#define SECTORS     10u /* two of the registry, twice three, twice one */
#define BLOCK_BYTES (2u * SECTORS * MOST_SECTOR + 4096u)

struct world world;

static _Alignas(64) uint8_t block[BLOCK_BYTES];
static uint8_t package_bytes[PACKAGES][3u * MOST_SECTOR];
static uint8_t stream_bytes[PACKAGES - PATCHED][3u * MOST_SECTOR];
static uint8_t stream_names[PACKAGES - PATCHED][RNV_SHA256_BYTES];
static uint8_t key_bytes[2][RNV_P256_KEY_BYTES];
static struct rnv_key keys[2];
static const char *const names[JUDGE_MODELS] = {"first", "second"};
static struct rnv_store_layout layout[JUDGE_MODELS];
static struct judge_layout judge_layout;

struct snapshot {
	uint8_t block[BLOCK_BYTES];
	struct rnv_posix_flash model;
	struct device d;
	struct judge_memory judge;
};

_Noreturn void broken(const char *why)
{
	world.broken = why;
	longjmp(world.back, LEAVE_BROKEN);
}

void must(bool condition, const char *why)
{
	if (!condition) {
		broken(why);
	}
}

void judged(const char *why)
{
	if (why != NULL) {
		broken(why);
	}
}

uint32_t slot_offset(uint32_t model, uint32_t slot)
{
	return world.config.sector_bytes * (2u + (model == 0u ? 3u * slot : 6u + slot));
}

/* --- the flash, watched ------------------------------------------------------------------------
 */

static void power_is_cut(void *context)
{
	(void)context;
	longjmp(world.back, LEAVE_CUT);
}

static void count_op(uint32_t offset, uint32_t units)
{
	const struct rnv_posix_flash_fault fault = {rnv_posix_flash_ops(&world.model),
						    world.cut.kind, world.cut.tear, world.cut.unit};

	if (world.ops < OPS_SEEN) {
		world.seen[world.ops] =
			(struct op_seen){units, offset < 2u * world.config.sector_bytes};
	}
	if (world.ops++ == world.cut.at) {
		(void)rnv_posix_flash_script(&world.model, &fault);
	}
}

static int after(int status)
{
	if (status == RNV_OK) {
		judge_done(&world.judge);
	} else {
		judge_failed(&world.judge);
	}
	return status;
}

static int watched_program(void *context, uint32_t offset, const void *from, uint32_t bytes)
{
	(void)context;
	count_op(offset, bytes / world.config.unit_bytes);
	judged(judge_op(&world.judge, offset, from, bytes));
	return after(world.inner.program(world.inner.context, offset, from, bytes));
}

static int watched_erase(void *context, uint32_t offset)
{
	(void)context;
	count_op(offset, 0);
	judged(judge_op(&world.judge, offset, NULL, world.config.sector_bytes));
	return after(world.inner.erase(world.inner.context, offset));
}

static enum judge_unit sureness(uint32_t offset)
{
	switch (world.model.units[offset / world.config.unit_bytes]) {
	case RNV_POSIX_FLASH_BAD:
		return J_UNREADABLE;
	case RNV_POSIX_FLASH_UNSTABLE:
		return J_UNSURE;
	default:
		return J_SURE;
	}
}

/* --- the crypto, watched: what is hashed as mapped memory must not fault -------------------------
 */

static int watched_update(void *context, const void *data, uint32_t bytes)
{
	const uint8_t *from = data;

	if (from >= world.model.content &&
	    from < world.model.content + world.model.geometry.bytes) {
		const uint32_t offset = (uint32_t)(from - world.model.content);
		const uint32_t unit = world.config.unit_bytes;

		for (uint32_t at = offset / unit * unit; at < offset + bytes; at += unit) {
			must(world.model.units[at / unit] != RNV_POSIX_FLASH_BAD,
			     "mapped memory is read that would fault");
		}
	}
	return fake_crypto.hash_update(context, data, bytes);
}

static struct rnv_crypto crypto;

/* --- packages ------------------------------------------------------------------------------------
 */

static void put32(uint8_t *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
}

static uint32_t crc32(const uint8_t *bytes, uint32_t count)
{
	uint32_t value = 0xFFFFFFFFu;

	for (uint32_t i = 0; i < count; i++) {
		value ^= bytes[i];
		for (uint32_t bit = 0; bit < 8u; bit++) {
			value = (value & 1u) != 0u ? 0xEDB88320u ^ (value >> 1) : value >> 1;
		}
	}
	return ~value;
}

/* Around the bytes that are there. */
static void sign_package(uint32_t id, uint32_t model, uint32_t length, uint32_t security_version,
			 uint32_t key)
{
	uint8_t *p = package_bytes[id];
	struct rnv_trailer trailer = {.key_id = keys[key].id,
				      .signature_kind = RNV_SIGNATURE_ECDSA_P256};
	struct rnv_header header = {.magic = RNV_PACKAGE_MAGIC,
				    .format = RNV_PACKAGE_FORMAT,
				    .header_bytes = RNV_HEADER_BYTES,
				    .total_bytes = length,
				    .abi = RNV_PACKAGE_ABI,
				    .security_version = security_version};

	memcpy(header.name, names[model], strlen(names[model]));
	memcpy(p, &header, sizeof(header));
	fake_hash(p, length - RNV_TRAILER_BYTES, trailer.sha256);
	fake_sign(keys[key].xy, trailer.sha256, trailer.signature);
	memcpy(p + length - RNV_TRAILER_BYTES, &trailer, sizeof(trailer));
	put32(p + length - 4u, crc32(p, length - 4u));
	world.packages[id] = (struct package){.bytes = p,
					      .length = length,
					      .model = model,
					      .security_version = security_version,
					      .key = keys[key].id,
					      .name = p + length - RNV_TRAILER_BYTES};
}

static void make_bytes(uint32_t id, uint32_t length)
{
	uint32_t random = id * 2654435761u + 1u;

	for (uint32_t i = 0; i < length; i++) {
		random = random * 1664525u + 1013904223u;
		package_bytes[id][i] = (uint8_t)(random >> 24);
	}
}

static void make_package(uint32_t id, uint32_t model, uint32_t length, uint32_t security_version,
			 uint32_t key)
{
	make_bytes(id, length);
	sign_package(id, model, length, security_version, key);
}

/* Sent as a patch. The last quarter repeats the one before it. */
static void make_patched(uint32_t id, uint32_t model, uint32_t length, uint32_t security_version,
			 uint32_t key, uint32_t base)
{
	uint8_t *stream = stream_bytes[id - PATCHED];
	uint8_t *p = package_bytes[id];
	struct package *package = &world.packages[id];

	for (uint32_t i = length - length / 4u; i < length; i++) {
		p[i] = p[i - length / 4u];
	}
	sign_package(id, model, length, security_version, key);
	package->stream = stream;
	package->stream_bytes =
		stream_make(package, base != 0u ? &world.packages[base] : NULL, stream);
	fake_hash(stream, package->stream_bytes, stream_names[id - PATCHED]);
	package->name = stream_names[id - PATCHED];
	package->base = base;
}

/* Like another one: the same, then something inserted, then now and then another byte. */
static void make_alike(uint32_t id, uint32_t length, const struct package *from)
{
	uint8_t *p = package_bytes[id];

	make_bytes(id, length);
	memcpy(p, from->bytes, length / 3u);
	for (uint32_t i = length / 3u + INSERTED; i < length; i++) {
		p[i] = (uint8_t)(from->bytes[i - INSERTED] + (i % 40u == 0u ? 1u : 0u));
	}
}

/* Of two and a half sectors, of a little more than one, and, for the second model, of less. */
static void make_packages(uint32_t sector)
{
	const uint32_t longer = 2u * sector + sector / 2u + 16u;
	const uint32_t shorter = sector + 256u + 48u;

	for (uint32_t i = 0; i < 2u; i++) {
		memset(key_bytes[i], (int)(0x30u + i), sizeof(key_bytes[i]));
		memcpy(keys[i].xy, key_bytes[i], sizeof(keys[i].xy));
		keys[i].id = i == 0u ? KEY_A : KEY_B;
	}
	make_package(1, 0, longer, 1, 0);
	make_package(2, 0, shorter, 2, 1);
	make_package(3, 0, longer, 3, 1);
	make_package(4, 0, 2u * sector, 1, 1);
	make_package(5, 0, longer, 9, 1);
	make_package(6, 1, 1024, 1, 0);
	make_package(7, 1, 1536 + 16, 2, 1);
	make_package(8, 1, sector, 9, 1);
	make_package(9, 0, shorter + 32u, 9, 1);
	make_alike(10, 2u * sector + 48u, &world.packages[1]);
	make_patched(10, 0, 2u * sector + 48u, 2, 1, 1);
	make_bytes(11, shorter);
	make_patched(11, 0, shorter, 1, 0, 0);
}

/* --- the world ---------------------------------------------------------------------------------
 */

static void set_layouts(const struct world_config *config)
{
	const struct judge_layout judged_by = {.sector_bytes = config->sector_bytes,
					       .unit_bytes = config->unit_bytes,
					       .erased = config->erased,
					       .region_bytes = SECTORS * config->sector_bytes,
					       .models = JUDGE_MODELS,
					       .trial_boots = 2,
					       /* erase, header of two calls, entry; tried twice */
					       .max_mount_ops = 8};

	judge_layout = judged_by;
	for (uint32_t i = 0; i < JUDGE_MODELS; i++) {
		layout[i].name = names[i];
		layout[i].slot_bytes = (i == 0u ? 3u : 1u) * config->sector_bytes;
		judge_layout.names[i] = names[i];
		judge_layout.slot_bytes[i] = layout[i].slot_bytes;
	}
}

void world_init(const struct world_config *config)
{
	const struct rnv_flash_geometry geometry = {SECTORS * config->sector_bytes,
						    config->sector_bytes, config->unit_bytes,
						    config->erased, 0};

	memset(&world.d, 0, sizeof(world.d));
	world.config = *config;
	world.cut.at = NO_CUT;
	world.faulty = false;
	if (rnv_posix_flash_init(&world.model, &geometry, block, sizeof(block), 1) != RNV_OK) {
		abort();
	}
	world.model.cut = power_is_cut;
	world.model.erased_faults = config->erased_faults;
	rnv_posix_flash_seam(&world.model, &world.inner);
	world.flash = world.inner;
	world.flash.program = watched_program;
	world.flash.erase = watched_erase;
	crypto = fake_crypto;
	crypto.hash_update = watched_update;
	make_packages(config->sector_bytes);
	set_layouts(config);
	world.store_config = (struct rnv_store_config){.flash = &world.flash,
						       .crypto = &crypto,
						       .layout = layout,
						       .models = world.d.models,
						       .keys = keys,
						       .model_count = JUDGE_MODELS,
						       .key_count = 2,
						       .trial_boots = judge_layout.trial_boots};
	judge_init(&world.judge, &judge_layout, world.model.content, sureness);
}

void world_arm(const struct cut *cut, uint64_t seed)
{
	world.cut = *cut;
	world.ops = 0;
	rnv_posix_flash_seed(&world.model, seed);
}

struct snapshot *snapshot_new(void)
{
	return malloc(sizeof(struct snapshot));
}

static size_t judge_bytes(void)
{
	return sizeof(world.judge.m) - sizeof(world.judge.m.clean) +
	       SECTORS * world.config.sector_bytes / world.config.unit_bytes;
}

void snapshot_take(struct snapshot *snapshot)
{
	memcpy(snapshot->block, block, world.model.block_bytes);
	memcpy(&snapshot->judge, &world.judge.m, judge_bytes());
	snapshot->model = world.model;
	snapshot->d = world.d;
}

void snapshot_restore(const struct snapshot *snapshot)
{
	memcpy(block, snapshot->block, world.model.block_bytes);
	memcpy(&world.judge.m, &snapshot->judge, judge_bytes());
	world.model = snapshot->model;
	world.d = snapshot->d;
	world.faulty = false;
	world.cut.at = NO_CUT;
	judge_forget(&world.judge);
}
