/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The suite against the model of flash, and against layers over it that break one MUST each: the
 * suite has to name it.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "contract.h"
#include "posix/flash.h"

#define MOST_SECTOR 16384u
#define SECTORS     5u

static _Alignas(64) uint8_t memory[2u * SECTORS * MOST_SECTOR + 4096u];
static struct rnv_posix_flash model;
static struct rnv_flash inner;
static struct rnv_flash outer;

static uint8_t cache[16]; /* of the layer that has one */
static uint32_t cache_offset;
static bool cached;

static void model_power(void *context)
{
	cached = false;
	assert_ptr_equal(context, &model);
	rnv_posix_flash_power_on(&model);
}

static void model_hurt(void *context, uint32_t offset)
{
	assert_ptr_equal(context, &model);
	assert_int_equal(rnv_posix_flash_mark(&model, offset, 1, RNV_POSIX_FLASH_BAD), RNV_OK);
}

static uint64_t model_erases(void *context)
{
	struct rnv_posix_flash_stats stats;

	assert_ptr_equal(context, &model);
	rnv_posix_flash_stats_get(&model, &stats);
	return stats.erases;
}

static const char *run(uint32_t sector, uint32_t unit, uint32_t erased, uint32_t *checks)
{
	const struct rnv_flash_geometry geometry = {SECTORS * sector, sector, unit, erased, 0};
	const struct flash_contract_device device = {&outer, model_power, model_hurt, model_erases,
						     &model};
	void *context = outer.context;

	assert_int_equal(rnv_posix_flash_init(&model, &geometry, memory, sizeof(memory), 1),
			 RNV_OK);
	rnv_posix_flash_seam(&model, &inner);
	if (outer.read == NULL) {
		outer = inner;
	}
	outer.context = context != NULL ? context : &model;
	outer.geometry = geometry;
	return flash_contract_run(&device, checks);
}

static void test_every_geometry(void **state)
{
	static const uint32_t sectors[] = {4096, 8192, 16384};
	static const uint32_t units[] = {1, 2, 4, 8, 16, 32, 64, 128};
	uint32_t checks;

	(void)state;
	for (uint32_t i = 0; i < 48u; i++) {
		const char *broken;

		memset(&outer, 0, sizeof(outer));
		broken = run(sectors[i / 16u], units[i / 2u % 8u], i % 2u == 0u ? 0xFF : 0x00,
			     &checks);
		if (broken != NULL) {
			fail_msg("unit %u: %s", units[i / 2u % 8u], broken);
		}
		assert_true(checks > 10000u);
	}
}

static void test_erased_cannot_be_read(void **state)
{
	const struct rnv_flash_geometry geometry = {SECTORS * 4096u, 4096, 16, 0xFF, 0};
	const struct flash_contract_device device = {&outer, model_power, model_hurt, model_erases,
						     &model};
	uint32_t checks;

	(void)state;
	assert_int_equal(rnv_posix_flash_init(&model, &geometry, memory, sizeof(memory), 1),
			 RNV_OK);
	model.erased_faults = 1;
	rnv_posix_flash_seam(&model, &outer);
	assert_null(flash_contract_run(&device, &checks));
}

/* --- layers that break a MUST ------------------------------------------------------------------
 */

static uint8_t sector_copy[4096];

/* Reads the sector, erases it, and writes it back changed. */
static int program_back(void *context, uint32_t offset, const void *from, uint32_t bytes)
{
	const uint32_t sector = offset / 4096u * 4096u;

	(void)context;
	if (offset % 16u != 0u || bytes % 16u != 0u || offset + bytes > sector + 4096u ||
	    inner.read(inner.context, sector, sector_copy, 4096) < 0) {
		return RNV_EINVAL;
	}
	memcpy(sector_copy + (offset - sector), from, bytes);
	(void)inner.erase(inner.context, sector);
	for (uint32_t i = 0; i < 4096u; i += 16u) {
		bool used = false;

		for (uint32_t k = 0; k < 16u; k++) {
			used = used || sector_copy[i + k] != 0xFFu;
		}
		if (used) {
			(void)inner.program(inner.context, sector + i, sector_copy + i, 16);
		}
	}
	return RNV_OK;
}

/* Lets bits rise again, as a file does. */
static int program_over(void *context, uint32_t offset, const void *from, uint32_t bytes)
{
	(void)context;
	if (offset < inner.geometry.bytes) {
		(void)rnv_posix_flash_mark(&model, offset, bytes, RNV_POSIX_FLASH_ERASED);
	}
	return inner.program(inner.context, offset, from, bytes);
}

static int program_first_unit(void *context, uint32_t offset, const void *from, uint32_t bytes)
{
	(void)context;
	return inner.program(inner.context, offset, from,
			     bytes > 16u && bytes % 16u == 0u ? 16 : bytes);
}

/* Rounds down to whole units. */
static int program_rounded(void *context, uint32_t offset, const void *from, uint32_t bytes)
{
	(void)context;
	return inner.program(inner.context, offset / 16u * 16u, from, bytes / 16u * 16u);
}

static int erase_rounded(void *context, uint32_t offset)
{
	(void)context;
	return inner.erase(inner.context, offset / 4096u * 4096u);
}

static int erase_two(void *context, uint32_t offset)
{
	(void)context;
	(void)inner.erase(inner.context,
			  offset + 4096u < inner.geometry.bytes ? offset + 4096u : offset);
	return inner.erase(inner.context, offset);
}

static int erase_nothing(void *context, uint32_t offset)
{
	(void)context;
	return offset % 4096u == 0u && offset < inner.geometry.bytes ? RNV_OK : RNV_EINVAL;
}

static int read_words(void *context, uint32_t offset, void *to, uint32_t bytes)
{
	(void)context;
	return inner.read(inner.context, offset, to, (bytes + 3u) / 4u * 4u);
}

/* Hides what cannot be read. */
static int read_anyway(void *context, uint32_t offset, void *to, uint32_t bytes)
{
	const int status = inner.read(inner.context, offset, to, bytes);

	(void)context;
	return status == RNV_EBADMSG ? RNV_OK : status;
}

static const void *map_copy(void *context, uint32_t offset, uint32_t bytes)
{
	static _Alignas(16) uint8_t copy[SECTORS * 4096u];

	(void)context;
	if (bytes > 1u && copy[0] == 0u) {
		memcpy(copy, inner.map(inner.context, 0, sizeof(copy)), sizeof(copy));
	}
	return copy + offset;
}

static const void *map_shifted(void *context, uint32_t offset, uint32_t bytes)
{
	(void)context;
	return (const uint8_t *)inner.map(inner.context, offset, bytes) + 1;
}

/* Keeps the last unit in memory until the next call. */
static void flush(void)
{
	if (cached) {
		cached = false;
		(void)inner.program(inner.context, cache_offset, cache, sizeof(cache));
	}
}

static int program_later(void *context, uint32_t offset, const void *from, uint32_t bytes)
{
	(void)context;
	flush();
	if (bytes != sizeof(cache) || offset % sizeof(cache) != 0u ||
	    offset >= inner.geometry.bytes) {
		return inner.program(inner.context, offset, from, bytes);
	}
	memcpy(cache, from, sizeof(cache));
	cache_offset = offset;
	cached = true;
	return RNV_OK;
}

static int read_flushed(void *context, uint32_t offset, void *to, uint32_t bytes)
{
	(void)context;
	flush();
	return inner.read(inner.context, offset, to, bytes);
}

static int erase_flushed(void *context, uint32_t offset)
{
	(void)context;
	flush();
	return inner.erase(inner.context, offset);
}

static const void *map_flushed(void *context, uint32_t offset, uint32_t bytes)
{
	(void)context;
	flush();
	return inner.map(inner.context, offset, bytes);
}

static void expect(const char *text)
{
	uint32_t checks;
	const char *broken;

	broken = run(4096, 16, 0xFF, &checks);
	if (broken == NULL || strstr(broken, text) == NULL) {
		fail_msg("found \"%s\", not \"%s\"", broken != NULL ? broken : "nothing", text);
	}
}

#define BROKEN(member, function, text)                                                             \
	do {                                                                                       \
		rnv_posix_flash_seam(&model, &outer);                                              \
		outer.member = (function);                                                         \
		expect(text);                                                                      \
	} while (0)

static void test_what_is_broken_is_found(void **state)
{
	(void)state;
	BROKEN(program, program_back, "reads, erases and writes back");
	BROKEN(program, program_over, "reads, erases and writes back");
	BROKEN(program, program_first_unit, "what was programmed");
	BROKEN(program, program_rounded, "refuses");
	BROKEN(erase, erase_rounded, "erase() refuses an offset within a sector");
	BROKEN(erase, erase_two, "what was programmed");
	BROKEN(erase, erase_nothing, "succeeds");
	BROKEN(read, read_words, "stays in its buffer");
	BROKEN(read, read_anyway, "RNV_EBADMSG");
	BROKEN(map, map_copy, "mapped memory shows");
	BROKEN(map, map_shifted, "mapped memory shows");
}

static void test_a_cache_is_found(void **state)
{
	(void)state;
	rnv_posix_flash_seam(&model, &outer);
	outer.program = program_later;
	outer.read = read_flushed;
	outer.erase = erase_flushed;
	outer.map = map_flushed;
	expect("what was programmed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_geometry),
		cmocka_unit_test(test_erased_cannot_be_read),
		cmocka_unit_test(test_what_is_broken_is_found),
		cmocka_unit_test(test_a_cache_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
