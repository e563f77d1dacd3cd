/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_TESTS_STORE_FIXTURE_H_
#define RNV_TESTS_STORE_FIXTURE_H_

/*
 * A flash in RAM that forbids what NOR flash does and fails on demand, a crypto of no strength, and
 * a store of two models: "alpha" with slots of three sectors, "beta" with slots of one.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ranvier/store.h"

#define MODELS  2
#define ALPHA   0
#define BETA    1
#define SECTORS 10
#define MOST    (SECTORS * 16384u)
#define NONE    RNV_STORE_NO_SLOT

/* What happens to the programs and erases number `after` to `after + count - 1`, from 0. */
enum fault_kind {
	FAIL, /* an error, nothing is written */
	SKIP, /* no error, nothing is written */
	FLIP, /* no error, one bit is wrong */
};

/* What happens to reads of a range. */
enum read_kind {
	READ_BAD,      /* RNV_EBADMSG */
	READ_MARGINAL, /* 1 */
	READ_UNSTABLE, /* every second read has other bits */
	READ_ONCE_BAD, /* RNV_EBADMSG the first time only */
	READ_DEAD,     /* RNV_EIO */
};

struct read_fault {
	uint32_t from;
	uint32_t bytes;
	enum read_kind kind;
	uint32_t seen;
};

static _Alignas(16) uint8_t cells[MOST];
static uint8_t programmed[MOST]; /* of each unit */
static struct rnv_flash flash;
static uint32_t programs;
static uint32_t erases;
static uint32_t reads;
static uint32_t sector_erases[SECTORS];
static struct {
	enum fault_kind kind;
	uint32_t after;
	uint32_t count;
	uint32_t seen;
} program_fault, erase_fault;
static struct read_fault read_faults[4];
static int not_mapped;
static int erased_is_bad; /* as flash with ECC may have it */

static uint32_t begins;
static uint32_t ends;
static uint32_t refuse_at; /* this call of write_begin, from 1; 0: none */
static int refusal;
static int hooks_on;

static inline uint32_t sector_bytes(void)
{
	return flash.geometry.sector_bytes;
}

/* FLASH */

static inline int ram_read(void *context, uint32_t offset, void *to, uint32_t bytes)
{
	int status = RNV_OK;

	assert_ptr_equal(context, cells);
	assert_true(bytes != 0 && offset + bytes <= flash.geometry.bytes);
	reads++;
	memcpy(to, cells + offset, bytes);
	for (uint32_t at = offset; erased_is_bad && at < offset + bytes; at++) {
		if (!programmed[at / flash.geometry.unit_bytes]) {
			memset(to, 0xA5, bytes);
			return RNV_EBADMSG;
		}
	}
	for (uint32_t i = 0; i < 4; i++) {
		struct read_fault *fault = &read_faults[i];

		if (fault->bytes == 0 || offset >= fault->from + fault->bytes ||
		    fault->from >= offset + bytes) {
			continue;
		}
		fault->seen++;
		if (fault->kind == READ_DEAD) {
			return RNV_EIO;
		}
		if (fault->kind == READ_BAD || (fault->kind == READ_ONCE_BAD && fault->seen == 1)) {
			memset(to, 0xA5, bytes);
			return RNV_EBADMSG;
		}
		if (fault->kind == READ_UNSTABLE && fault->seen % 2 == 0) {
			((uint8_t *)to)[fault->from > offset ? fault->from - offset : 0] ^= 0x10;
		}
		status = fault->kind == READ_MARGINAL ? 1 : status;
	}
	return status;
}

static inline int ram_program(void *context, uint32_t offset, const void *from, uint32_t bytes)
{
	const struct rnv_flash_geometry *geometry = &flash.geometry;
	uint32_t number = program_fault.seen++;
	int hit =
		number >= program_fault.after && number - program_fault.after < program_fault.count;

	assert_ptr_equal(context, cells);
	assert_true(bytes != 0 && offset % geometry->unit_bytes == 0 &&
		    bytes % geometry->unit_bytes == 0);
	assert_int_equal(offset / geometry->sector_bytes,
			 (offset + bytes - 1) / geometry->sector_bytes);
	assert_true(offset + bytes <= geometry->bytes);
	assert_true(!hooks_on || begins == ends + 1);
	programs++;
	for (uint32_t at = offset; at < offset + bytes; at += geometry->unit_bytes) {
		assert_false(programmed[at / geometry->unit_bytes]);
		programmed[at / geometry->unit_bytes] = 1;
	}
	if (hit && program_fault.kind != FLIP) {
		return program_fault.kind == FAIL ? RNV_EIO : RNV_OK;
	}
	for (uint32_t i = 0; i < bytes; i++) {
		assert_int_equal(cells[offset + i], geometry->erased);
		cells[offset + i] = ((const uint8_t *)from)[i];
	}
	if (hit) {
		cells[offset + bytes / 2] ^= 4;
	}
	return RNV_OK;
}

static inline void wipe(uint32_t sector)
{
	uint32_t bytes = flash.geometry.sector_bytes;

	memset(cells + sector * bytes, (int)flash.geometry.erased, bytes);
	memset(programmed + sector * bytes / flash.geometry.unit_bytes, 0,
	       bytes / flash.geometry.unit_bytes);
	for (uint32_t i = 0; i < 4; i++) {
		if (read_faults[i].from / bytes == sector) {
			read_faults[i].bytes = 0;
		}
	}
}

static inline int ram_erase(void *context, uint32_t offset)
{
	uint32_t number = erase_fault.seen++;

	assert_ptr_equal(context, cells);
	assert_true(offset % flash.geometry.sector_bytes == 0 && offset < flash.geometry.bytes);
	assert_true(!hooks_on || begins == ends + 1);
	erases++;
	sector_erases[offset / flash.geometry.sector_bytes]++;
	if (number >= erase_fault.after && number - erase_fault.after < erase_fault.count) {
		return RNV_EIO;
	}
	wipe(offset / flash.geometry.sector_bytes);
	return RNV_OK;
}

static inline const void *ram_map(void *context, uint32_t offset, uint32_t bytes)
{
	assert_ptr_equal(context, cells);
	assert_true(offset + bytes <= flash.geometry.bytes);
	return not_mapped ? NULL : cells + offset;
}

static inline void flash_init(uint32_t unit, uint32_t sector, uint32_t erased)
{
	flash.context = cells;
	flash.geometry.bytes = SECTORS * sector;
	flash.geometry.sector_bytes = sector;
	flash.geometry.unit_bytes = unit;
	flash.geometry.erased = erased;
	flash.geometry.max_op_us = 0;
	flash.read = ram_read;
	flash.program = ram_program;
	flash.erase = ram_erase;
	flash.map = ram_map;
	memset(read_faults, 0, sizeof(read_faults));
	memset(&program_fault, 0, sizeof(program_fault));
	memset(&erase_fault, 0, sizeof(erase_fault));
	for (uint32_t i = 0; i < SECTORS; i++) {
		wipe(i);
		sector_erases[i] = 0;
	}
	programs = erases = reads = 0;
	not_mapped = 0;
	erased_is_bad = 0;
}

static inline void break_programs(enum fault_kind kind, uint32_t after, uint32_t count)
{
	program_fault.kind = kind;
	program_fault.after = after;
	program_fault.count = count;
	program_fault.seen = 0;
}

static inline void break_erases(uint32_t after, uint32_t count)
{
	erase_fault.after = after;
	erase_fault.count = count;
	erase_fault.seen = 0;
}

static inline void break_reads(uint32_t which, enum read_kind kind, uint32_t from, uint32_t bytes)
{
	read_faults[which] = (struct read_fault){from, bytes, kind, 0};
}

/* CRYPTO: eight sums; a signature is the hash xor the key's first half, then its second half. */

static uint32_t sums[8];
static uint32_t hashed;
static int hashing;
static int crypto_status; /* of the next calls, where it is not RNV_OK */
static uint32_t verifications;

static inline int fake_start(void *context)
{
	(void)context;
	memset(sums, 0, sizeof(sums));
	hashed = 0;
	hashing = 1;
	return crypto_status;
}

static inline int fake_update(void *context, const void *data, uint32_t bytes)
{
	(void)context;
	assert_true(hashing && bytes != 0);
	for (uint32_t i = 0; i < bytes; i++, hashed++) {
		uint32_t *sum = &sums[hashed % 8];

		*sum = (*sum ^ ((const uint8_t *)data)[i]) * 16777619u + hashed;
	}
	return crypto_status;
}

static inline int fake_finish(void *context, uint8_t *hash)
{
	(void)context;
	assert_true(hashing);
	hashing = 0;
	memcpy(hash, sums, sizeof(sums));
	return crypto_status;
}

static inline void fake_sign(const uint8_t *xy, const uint8_t *hash, uint8_t *signature)
{
	for (uint32_t i = 0; i < 32; i++) {
		signature[i] = hash[i] ^ xy[i];
		signature[32 + i] = xy[32 + i];
	}
}

static inline int fake_verify(void *context, const uint8_t *xy, const uint8_t *hash,
			      const uint8_t *signature)
{
	uint8_t expected[64];

	(void)context;
	verifications++;
	if (crypto_status != RNV_OK) {
		return crypto_status;
	}
	fake_sign(xy, hash, expected);
	return memcmp(expected, signature, 64) == 0 ? RNV_OK : RNV_EBADMSG;
}

static const struct rnv_crypto crypto = {NULL, fake_start, fake_update, fake_finish, fake_verify};

/* THE STORE */

#define KEYS 11

/* Two are compiled in; all of them after more_keys(). */
static const struct rnv_key keys[KEYS] = {{0x1111, {1, 2, 3, 4, [40] = 9}},
					  {0x2222, {7, 7, 7, 7, [41] = 8}},
					  {1, {1}},
					  {5, {2}},
					  {6, {3}},
					  {77, {4}},
					  {78, {5}},
					  {101, {6}},
					  {102, {7}},
					  {103, {8}},
					  {104, {9}}};
static struct rnv_store_layout layout[MODELS];
static struct rnv_store_model models[MODELS];
static struct rnv_store_config config;
static struct rnv_store store;

static inline int hook_begin(void *context, uint32_t offset)
{
	assert_ptr_equal(context, &config);
	assert_true(offset < flash.geometry.bytes);
	assert_int_equal(begins, ends);
	if (refuse_at != 0 && --refuse_at == 0) {
		return refusal;
	}
	begins++;
	return RNV_OK;
}

static inline void hook_end(void *context)
{
	assert_ptr_equal(context, &config);
	ends++;
	assert_int_equal(begins, ends);
}

static inline int mount(void)
{
	return rnv_store_mount(&store, &config);
}

/* What a reset does: RAM is lost. */
static inline void reset(void)
{
	memset(&store, 0x5A, sizeof(store));
	memset(models, 0x5A, sizeof(models));
	assert_int_equal(mount(), RNV_OK);
}

static inline void more_keys(void)
{
	config.key_count = KEYS;
	reset();
}

static inline void begin_with(uint32_t unit, uint32_t sector, uint32_t erased)
{
	flash_init(unit, sector, erased);
	crypto_status = RNV_OK;
	verifications = begins = ends = refuse_at = 0;
	refusal = RNV_EAGAIN;
	hooks_on = 1;
	layout[ALPHA] = (struct rnv_store_layout){"alpha", 3 * sector, 0};
	layout[BETA] = (struct rnv_store_layout){"beta", sector, 0};
	memset(&config, 0, sizeof(config));
	config.flash = &flash;
	config.crypto = &crypto;
	config.layout = layout;
	config.models = models;
	config.keys = keys;
	config.model_count = MODELS;
	config.key_count = 2;
	config.trial_boots = 3;
	config.write_begin = hook_begin;
	config.write_end = hook_end;
	config.hook_context = &config;
	reset();
}

static inline int begin_test(void **state)
{
	(void)state;
	begin_with(16, 4096, 0xFF);
	return 0;
}

/* BYTES */

static inline void put32(uint8_t *to, uint32_t value)
{
	for (uint32_t i = 0; i < 4; i++) {
		to[i] = (uint8_t)(value >> (8 * i));
	}
}

static inline uint32_t crc_of(uint32_t crc, const uint8_t *bytes, uint32_t count)
{
	crc = ~crc;
	for (uint32_t i = 0; i < 8 * count; i++) {
		uint32_t bit = ((uint32_t)bytes[i / 8] >> (i % 8)) & 1u;

		crc = (crc >> 1) ^ (((crc ^ bit) & 1u) != 0 ? 0xEDB88320u : 0u);
	}
	return ~crc;
}

/* PACKAGES */

struct package {
	const char *name;
	uint32_t bytes; /* a multiple of 16 */
	uint32_t version;
	uint32_t key; /* number in `keys` + 1; 0: unsigned */
	uint32_t seed;
};

static uint8_t package[MOST];

static inline void seal(const struct package *made)
{
	uint8_t *trailer = package + made->bytes - 112;
	uint8_t hash[32];

	memset(trailer, 0, 112);
	fake_start(NULL);
	fake_update(NULL, package, made->bytes - 112);
	fake_finish(NULL, hash);
	memcpy(trailer, hash, 32);
	if (made->key != 0) {
		put32(trailer + 32, keys[made->key - 1].id);
		put32(trailer + 36, 1);
		fake_sign(keys[made->key - 1].xy, hash, trailer + 40);
	}
	put32(trailer + 108, crc_of(0, package, made->bytes - 4));
}

static inline void make(const struct package *made)
{
	for (uint32_t i = 0; i < made->bytes; i++) {
		package[i] = (uint8_t)(made->seed + i * 7 + (i >> 8) * 13);
	}
	memset(package, 0, 128);
	put32(package, 0x4D564E52);
	package[4] = 1;
	package[6] = 128;
	put32(package + 8, made->bytes);
	put32(package + 20, made->version);
	snprintf((char *)package + 80, 32, "%s", made->name);
	seal(made);
}

static inline uint32_t slot_at(uint32_t model, uint32_t slot)
{
	return sector_bytes() * (2 + (model == ALPHA ? 3 * slot : 6 + slot));
}

/* STEPS OF AN UPDATE */

static inline struct rnv_store_info info_of(uint32_t model)
{
	struct rnv_store_info info;

	assert_int_equal(rnv_store_info_get(&store, model, &info), RNV_OK);
	return info;
}

static inline struct rnv_store_stats stats(void)
{
	struct rnv_store_stats got;

	rnv_store_stats_get(&store, &got);
	return got;
}

/* Write `package` from an offset to another in pieces. */
static inline int write_range(uint32_t from, uint32_t to, uint32_t piece)
{
	while (from < to) {
		uint32_t count = to - from < piece ? to - from : piece;
		uint32_t taken = 77;
		uint32_t erased = erases;
		int status = rnv_store_fill_write(&store, package + from, count, &taken);

		if (status != RNV_OK) {
			assert_int_equal(taken, 0);
			return status;
		}
		assert_true(taken <= count);
		assert_true(taken != 0 || erases > erased);
		assert_true(erases <= erased + 2);
		from += taken;
	}
	return RNV_OK;
}

static inline void hash_of(uint32_t seed, uint8_t *hash)
{
	memset(hash, 0, 8);
	put32(hash, seed);
	hash[7] = 0xEE;
}

static inline void fill(uint32_t model, const struct package *made, uint32_t piece)
{
	uint32_t offset = 99;
	uint8_t hash[8];

	make(made);
	hash_of(made->seed, hash);
	assert_int_equal(rnv_store_fill_begin(&store, model, hash, made->bytes, &offset), RNV_OK);
	assert_int_equal(write_range(offset, made->bytes, piece), RNV_OK);
	assert_int_equal(rnv_store_fill_end(&store), RNV_OK);
}

static inline int verify(uint32_t model, uint32_t slot, struct rnv_store_verify *verified)
{
	int status = rnv_store_verify_start(&store, model, slot, verified);

	while (status == RNV_OK) {
		status = rnv_store_verify_step(&store, verified, 1000);
		if (status != RNV_EAGAIN) {
			return status;
		}
		status = RNV_OK;
	}
	return status;
}

/* A good slot that is not active; returns which. */
static inline uint32_t bring(uint32_t model, const struct package *made)
{
	struct rnv_store_verify verified;
	uint32_t slot;

	fill(model, made, 500);
	slot = info_of(model).slot[0] == RNV_SLOT_FILLING ? 0 : 1;
	assert_int_equal(info_of(model).slot[slot], RNV_SLOT_FILLING);
	assert_int_equal(verify(model, slot, &verified), RNV_OK);
	assert_int_equal(rnv_store_set_good(&store, &verified), RNV_OK);
	assert_int_equal(info_of(model).slot[slot], RNV_SLOT_GOOD);
	return slot;
}

static inline void activate(uint32_t model, uint32_t slot, uint32_t permanent)
{
	struct rnv_store_verify verified;

	assert_int_equal(verify(model, slot, &verified), RNV_OK);
	assert_int_equal(rnv_store_activate(&store, &verified, permanent), RNV_OK);
}

static inline uint32_t install(uint32_t model, const struct package *made)
{
	uint32_t slot = bring(model, made);

	activate(model, slot, 1);
	return slot;
}

static const struct package first = {"alpha", 4800, 1, 1, 11};
static const struct package second = {"alpha", 9120, 2, 1, 22};
static const struct package third = {"alpha", 1024, 2, 2, 33};
static const struct package other = {"beta", 2064, 5, 2, 44};

#endif /* RNV_TESTS_STORE_FIXTURE_H_ */
