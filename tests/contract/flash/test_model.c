/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What the model of flash promises beyond the contract. */

#define _POSIX_C_SOURCE 200809L /* mkstemp() */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "posix/flash.h"

#define SECTOR 4096u
#define UNIT   16u
#define BYTES  (5u * SECTOR)

static const struct rnv_flash_geometry geometry = {BYTES, SECTOR, UNIT, 0xFF, 0};
static _Alignas(64) uint8_t memory[BYTES + BYTES / UNIT + 1024u];
static _Alignas(64) uint8_t copy[sizeof(memory)];
static struct rnv_posix_flash model;
static struct rnv_flash flash;
static uint8_t data[SECTOR];
static uint8_t out[SECTOR];

static int set_up(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < SECTOR; i++) {
		data[i] = (uint8_t)(i * 7u + i / 256u);
	}
	assert_int_equal(rnv_posix_flash_init(&model, &geometry, memory, sizeof(memory), 7),
			 RNV_OK);
	rnv_posix_flash_seam(&model, &flash);
	return 0;
}

static int program(uint32_t offset, uint32_t bytes)
{
	return flash.program(flash.context, offset, data, bytes);
}

static int read_out(uint32_t offset, uint32_t bytes)
{
	return flash.read(flash.context, offset, out, bytes);
}

static void script(uint32_t op, uint32_t kind, uint32_t tear, uint32_t unit)
{
	const struct rnv_posix_flash_fault fault = {op, kind, tear, unit};

	assert_int_equal(rnv_posix_flash_script(&model, &fault), RNV_OK);
}

static bool all(uint8_t value, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i++) {
		if (out[i] != value) {
			return false;
		}
	}
	return true;
}

static void test_a_unit_is_programmed_once(void **state)
{
	struct rnv_posix_flash_stats stats;

	(void)state;
	assert_int_equal(program(UNIT, UNIT), RNV_OK);
	assert_int_equal(program(UNIT, UNIT), RNV_EIO); /* even with the same */
	assert_int_equal(rnv_posix_flash_unit_state(&model, UNIT), RNV_POSIX_FLASH_BAD);
	assert_int_equal(read_out(UNIT, UNIT), RNV_EBADMSG);
	rnv_posix_flash_stats_get(&model, &stats);
	assert_int_equal(stats.reprogrammed, 1);
	/* All ones are programmed, too. */
	memset(out, 0xFF, UNIT);
	assert_int_equal(flash.program(flash.context, 0, out, UNIT), RNV_OK);
	assert_int_equal(program(0, UNIT), RNV_EIO);
	assert_int_equal(flash.erase(flash.context, 0), RNV_OK);
	assert_int_equal(program(0, UNIT), RNV_OK);
	assert_int_equal(rnv_posix_flash_wear(&model, 0), 1);
	assert_int_equal(rnv_posix_flash_wear(&model, 1), 0);
}

static void cut(void *context)
{
	longjmp(*(jmp_buf *)context, 1);
}

/* Unit 1 of three is torn: 0 is complete, 2 is untouched. */
static void torn_program(uint32_t tear)
{
	jmp_buf back;

	(void)set_up(NULL);
	model.cut = cut;
	model.cut_context = &back;
	script(1, RNV_POSIX_FLASH_CUT, tear, 1);
	assert_int_equal(program(SECTOR, UNIT), RNV_OK);
	if (setjmp(back) == 0) {
		(void)program(0, 3u * UNIT);
		fail_msg("the power was to be cut");
	}
	assert_int_equal(read_out(0, 1), RNV_EIO);
	assert_int_equal(program(8u * UNIT, UNIT), RNV_EIO);
	assert_int_equal(flash.erase(flash.context, 0), RNV_EIO);
	assert_null(flash.map(flash.context, 0, 1));
	rnv_posix_flash_power_on(&model);
	assert_int_equal(read_out(SECTOR, UNIT), RNV_OK);
	if (tear != RNV_POSIX_FLASH_TEAR_OLD) {
		assert_int_equal(read_out(0, UNIT), RNV_OK);
		assert_memory_equal(out, data, UNIT);
	}
	if (tear != RNV_POSIX_FLASH_TEAR_NEW) {
		assert_int_equal(read_out(2u * UNIT, UNIT), RNV_OK);
		assert_true(all(0xFF, UNIT));
	}
}

static void test_torn_programs(void **state)
{
	uint32_t different = 0;
	uint32_t refused = 0;

	(void)state;
	torn_program(RNV_POSIX_FLASH_TEAR_OLD);
	assert_int_equal(read_out(0, 3u * UNIT), RNV_OK);
	assert_true(all(0xFF, 3u * UNIT));
	torn_program(RNV_POSIX_FLASH_TEAR_NEW);
	assert_int_equal(read_out(0, 3u * UNIT), RNV_OK);
	assert_memory_equal(out, data, 3u * UNIT);
	torn_program(RNV_POSIX_FLASH_TEAR_BITS);
	assert_int_equal(read_out(UNIT, UNIT), RNV_OK);
	assert_memory_not_equal(out, data + UNIT, UNIT);
	assert_false(all(0xFF, UNIT));
	for (uint32_t i = 0; i < UNIT; i++) {
		assert_int_equal(out[i] & data[UNIT + i], data[UNIT + i]); /* bits only fell */
	}
	torn_program(RNV_POSIX_FLASH_TEAR_BAD);
	assert_int_equal(read_out(UNIT, UNIT), RNV_EBADMSG);
	assert_int_equal(rnv_posix_flash_bad(&model, 0, SECTOR), 1);
	torn_program(RNV_POSIX_FLASH_TEAR_UNSTABLE);
	for (uint32_t i = 0; i < 100u; i++) {
		uint8_t before[UNIT];

		memcpy(before, out, UNIT);
		refused += read_out(UNIT, UNIT) == RNV_EBADMSG;
		different += memcmp(before, out, UNIT) != 0;
	}
	assert_in_range(refused, 10, 45);
	assert_in_range(different, 40, 100);
}

/* What only reads as erased decays at the second power-on, and so does what is put on it. */
static void test_weak(void **state)
{
	uint32_t sound = 0;

	(void)state;
	script(0, RNV_POSIX_FLASH_CUT, RNV_POSIX_FLASH_TEAR_WEAK, RNV_POSIX_FLASH_ANY);
	assert_int_equal(flash.erase(flash.context, 0), RNV_EIO);
	rnv_posix_flash_power_on(&model);
	assert_int_equal(read_out(0, SECTOR), RNV_OK);
	assert_true(all(0xFF, SECTOR));
	assert_int_equal(program(0, SECTOR / 2u), RNV_OK);
	assert_int_equal(read_out(0, SECTOR / 2u), RNV_OK);
	assert_memory_equal(out, data, SECTOR / 2u);
	rnv_posix_flash_power_on(&model);
	for (uint32_t offset = 0; offset < SECTOR; offset += UNIT) {
		const int unit = rnv_posix_flash_unit_state(&model, offset);

		sound += unit != RNV_POSIX_FLASH_BAD && unit != RNV_POSIX_FLASH_UNSTABLE;
	}
	assert_in_range(sound, 1, SECTOR / UNIT / 4u);
	assert_int_equal(flash.erase(flash.context, 0), RNV_OK);
	assert_int_equal(rnv_posix_flash_bad(&model, 0, SECTOR), 0);
	assert_int_equal(program(0, SECTOR), RNV_OK);
	rnv_posix_flash_power_on(&model);
	rnv_posix_flash_power_on(&model);
	assert_int_equal(read_out(0, SECTOR), RNV_OK);
	assert_memory_equal(out, data, SECTOR);
}

static void test_torn_erases(void **state)
{
	uint32_t found[8] = {0};

	(void)state;
	for (uint32_t tear = 0; tear <= RNV_POSIX_FLASH_TEAR_WEAK; tear++) {
		(void)set_up(NULL);
		assert_int_equal(program(0, SECTOR), RNV_OK);
		assert_int_equal(program(SECTOR, SECTOR), RNV_OK);
		script(2, RNV_POSIX_FLASH_CUT, tear, RNV_POSIX_FLASH_ANY);
		assert_int_equal(flash.erase(flash.context, 0), RNV_EIO);
		rnv_posix_flash_power_on(&model);
		assert_int_equal(read_out(SECTOR, SECTOR), RNV_OK);
		assert_memory_equal(out, data, SECTOR);
		memset(found, 0, sizeof(found));
		for (uint32_t offset = 0; offset < SECTOR; offset += UNIT) {
			found[rnv_posix_flash_unit_state(&model, offset)]++;
		}
		if (tear == RNV_POSIX_FLASH_TEAR_OLD) {
			assert_int_equal(read_out(0, SECTOR), RNV_OK);
			assert_memory_equal(out, data, SECTOR);
		} else if (tear == RNV_POSIX_FLASH_TEAR_NEW) {
			assert_int_equal(found[RNV_POSIX_FLASH_ERASED], SECTOR / UNIT);
		} else if (tear == RNV_POSIX_FLASH_TEAR_MIXED) {
			assert_true(found[RNV_POSIX_FLASH_ERASED] > 10u);
			assert_true(found[RNV_POSIX_FLASH_PROGRAMMED] > 10u);
			assert_true(found[RNV_POSIX_FLASH_BAD] > 10u);
			assert_true(found[RNV_POSIX_FLASH_UNSTABLE] > 10u);
			assert_true(found[RNV_POSIX_FLASH_WEAK] > 10u);
		} else if (tear == RNV_POSIX_FLASH_TEAR_BITS) {
			assert_int_equal(found[RNV_POSIX_FLASH_PROGRAMMED], SECTOR / UNIT);
			assert_int_equal(read_out(0, SECTOR), RNV_OK);
			assert_memory_not_equal(out, data, SECTOR);
			assert_false(all(0xFF, SECTOR));
		} else if (tear == RNV_POSIX_FLASH_TEAR_BAD) {
			assert_int_equal(found[RNV_POSIX_FLASH_BAD], SECTOR / UNIT);
		} else if (tear == RNV_POSIX_FLASH_TEAR_UNSTABLE) {
			assert_int_equal(found[RNV_POSIX_FLASH_UNSTABLE], SECTOR / UNIT);
		}
	}
}

static void test_faults_without_a_cut(void **state)
{
	(void)state;
	script(0, RNV_POSIX_FLASH_LIE, 0, 0);
	script(1, RNV_POSIX_FLASH_FAIL, RNV_POSIX_FLASH_TEAR_BITS, 0);
	script(3, RNV_POSIX_FLASH_FAIL, RNV_POSIX_FLASH_TEAR_OLD, 0);
	script(4, RNV_POSIX_FLASH_LIE, 0, 0);
	assert_int_equal(program(0, UNIT), RNV_OK);
	assert_int_equal(read_out(0, UNIT), RNV_OK);
	assert_true(all(0xFF, UNIT));
	assert_int_equal(program(UNIT, UNIT), RNV_EIO);
	assert_int_equal(program(2u * UNIT, UNIT), RNV_OK);
	assert_int_equal(flash.erase(flash.context, 0), RNV_EIO);
	assert_int_equal(flash.erase(flash.context, 0), RNV_OK);
	assert_int_equal(read_out(2u * UNIT, UNIT), RNV_OK);
	assert_memory_equal(out, data, UNIT);
	assert_int_equal(rnv_posix_flash_ops(&model), 5);
	assert_int_equal(rnv_posix_flash_mark(&model, 2u * UNIT, 1, RNV_POSIX_FLASH_MARGINAL),
			 RNV_OK);
	assert_int_equal(read_out(0, SECTOR), 1);
	assert_memory_equal(out + 2u * UNIT, data, UNIT);
	assert_int_equal(rnv_posix_flash_flip(&model, 2u * UNIT + 3u, 0x10), RNV_OK);
	assert_int_equal(read_out(2u * UNIT, UNIT), 1);
	assert_int_equal(out[3], data[3] ^ 0x10);
}

/* The same seed, the same tears; another one, others. A copy of the block is a snapshot. */
static void test_random_numbers_come_from_the_seed(void **state)
{
	static uint8_t first[SECTOR];

	(void)state;
	assert_int_equal(program(0, SECTOR), RNV_OK);
	memcpy(copy, memory, sizeof(memory));
	for (uint32_t i = 0; i < 3u; i++) {
		memcpy(memory, copy, sizeof(memory));
		rnv_posix_flash_power_on(&model);
		rnv_posix_flash_seed(&model, i / 2u);
		script(0, RNV_POSIX_FLASH_CUT, RNV_POSIX_FLASH_TEAR_BITS, RNV_POSIX_FLASH_ANY);
		assert_int_equal(flash.erase(flash.context, 0), RNV_EIO);
		rnv_posix_flash_power_on(&model);
		assert_int_equal(read_out(0, SECTOR), RNV_OK);
		if (i == 0u) {
			memcpy(first, out, SECTOR);
		} else if (i == 1u) {
			assert_memory_equal(out, first, SECTOR);
		} else {
			assert_memory_not_equal(out, first, SECTOR);
		}
	}
}

static void test_a_file_is_the_flash(void **state)
{
	struct rnv_flash_geometry other = geometry;
	struct rnv_posix_flash_stats stats;
	struct rnv_posix_flash second;
	char path[] = "/tmp/rnv_flash_XXXXXX";
	FILE *file;

	(void)state;
	assert_int_equal(close(mkstemp(path)), 0);
	assert_int_equal(rnv_posix_flash_open(&model, &geometry, path, 3), RNV_OK);
	rnv_posix_flash_seam(&model, &flash);
	assert_int_equal(rnv_posix_flash_open(&second, &geometry, path, 3), RNV_EBUSY);
	assert_int_equal(flash.erase(flash.context, SECTOR), RNV_OK);
	assert_int_equal(program(SECTOR, 2u * UNIT), RNV_OK);
	assert_int_equal(rnv_posix_flash_mark(&model, 0, 1, RNV_POSIX_FLASH_BAD), RNV_OK);
	rnv_posix_flash_close(&model);
	assert_int_equal(read_out(0, UNIT), RNV_EIO);

	other.unit_bytes = 8;
	assert_int_equal(rnv_posix_flash_open(&model, &other, path, 3), RNV_EBADMSG);
	other = geometry;
	other.bytes += SECTOR;
	assert_int_equal(rnv_posix_flash_open(&model, &other, path, 3), RNV_EBADMSG);
	assert_int_equal(rnv_posix_flash_open(&model, &geometry, path, 4), RNV_OK);
	assert_int_equal(read_out(SECTOR, 2u * UNIT), RNV_OK);
	assert_memory_equal(out, data, 2u * UNIT);
	assert_int_equal(read_out(0, UNIT), RNV_EBADMSG);
	assert_int_equal(program(SECTOR + UNIT, UNIT), RNV_EIO); /* also remembered */
	assert_int_equal(rnv_posix_flash_wear(&model, 1), 1);
	rnv_posix_flash_stats_get(&model, &stats);
	assert_int_equal(stats.programs, 2);
	assert_int_equal(stats.reprogrammed, 1);
	rnv_posix_flash_close(&model);

	file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, SECTOR, file), SECTOR);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(rnv_posix_flash_open(&model, &geometry, path, 4), RNV_EFORMAT);
	assert_int_equal(remove(path), 0);
	assert_true(rnv_posix_flash_open(&model, &geometry, "/no/such/folder/f", 4) < 0);
}

static void test_what_is_refused(void **state)
{
	struct rnv_flash_geometry wrong = geometry;
	const struct rnv_posix_flash_fault kind = {0, 4, 0, 0};
	const struct rnv_posix_flash_fault tear = {0, RNV_POSIX_FLASH_CUT, 7, 0};

	(void)state;
	wrong.unit_bytes = 3;
	assert_int_equal(rnv_posix_flash_bytes(&wrong), 0);
	wrong.unit_bytes = 256;
	assert_int_equal(rnv_posix_flash_bytes(&wrong), 0);
	wrong = geometry;
	wrong.bytes += 1;
	assert_int_equal(rnv_posix_flash_bytes(&wrong), 0);
	assert_int_equal(rnv_posix_flash_init(&model, &wrong, memory, sizeof(memory), 1),
			 RNV_EINVAL);
	assert_int_equal(
		rnv_posix_flash_init(&model, &geometry, memory + 1, sizeof(memory) - 1u, 1),
		RNV_EALIGN);
	assert_int_equal(rnv_posix_flash_init(&model, &geometry, memory, BYTES, 1), RNV_ENOMEM);
	(void)set_up(NULL);
	assert_int_equal(rnv_posix_flash_script(&model, &kind), RNV_EINVAL);
	assert_int_equal(rnv_posix_flash_script(&model, &tear), RNV_EINVAL);
	for (uint32_t i = 0; i < RNV_POSIX_FLASH_FAULTS; i++) {
		script(i, RNV_POSIX_FLASH_LIE, 0, 0);
	}
	assert_int_equal(
		rnv_posix_flash_script(
			&model, &(struct rnv_posix_flash_fault){.kind = RNV_POSIX_FLASH_LIE}),
		RNV_ENOSPC);
	assert_int_equal(rnv_posix_flash_mark(&model, BYTES, 1, 0), RNV_EINVAL);
	assert_int_equal(rnv_posix_flash_mark(&model, 0, 1, 8), RNV_EINVAL);
	assert_int_equal(rnv_posix_flash_flip(&model, BYTES, 1), RNV_EINVAL);
	assert_int_equal(rnv_posix_flash_unit_state(&model, BYTES), RNV_EINVAL);
	assert_int_equal(rnv_posix_flash_wear(&model, 5), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_a_unit_is_programmed_once, set_up),
		cmocka_unit_test_setup(test_torn_programs, set_up),
		cmocka_unit_test_setup(test_weak, set_up),
		cmocka_unit_test_setup(test_torn_erases, set_up),
		cmocka_unit_test_setup(test_faults_without_a_cut, set_up),
		cmocka_unit_test_setup(test_random_numbers_come_from_the_seed, set_up),
		cmocka_unit_test_setup(test_a_file_is_the_flash, set_up),
		cmocka_unit_test_setup(test_what_is_refused, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
