/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * A package with the kernels of this board: opened, its self-test, one frame whose scores are
 * those of TensorFlow Lite Micro, and what damage does.
 */

#include <stdint.h>
#include <string.h>

#include <zephyr/sys/util.h>
#include <zephyr/ztest.h>

#include <ranvier/exec.h>
#include <ranvier/package.h>

#include "frame.h"
#include "ranvier_digits.h"

#define OUTPUT_BYTES RANVIER_DIGITS_OUTPUT_0_BYTES

/* From tflite-micro, as tests/python/test_samples.py compares them. */
static const int8_t scores[OUTPUT_BYTES] = {-128, -128, -128, -128, -128,
					    -128, -128, 127,  -128, -128};

static uint8_t arena[RANVIER_DIGITS_ARENA_BYTES] __aligned(RNV_PACKAGE_ALIGN);
static uint8_t copy[sizeof(ranvier_digits)] __aligned(RNV_PACKAGE_ALIGN);
static void *externals[RANVIER_DIGITS_EXTERNAL_COUNT];
static int8_t input[RANVIER_DIGITS_INPUT_0_BYTES];
static int8_t output[OUTPUT_BYTES];

static struct rnv_package package;
static struct rnv_exec exec;

static void prepare(const void *data, uint32_t flags)
{
	zassert_ok(rnv_package_open(&package, data, sizeof(ranvier_digits), flags, NULL));
	memset(arena, 0xa5, sizeof(arena));
	zassert_ok(rnv_exec_init(&exec, &package, arena, sizeof(arena), externals,
				 ARRAY_SIZE(externals)));
	zassert_ok(rnv_exec_bind(&exec, rnv_package_input(&package, 0, 0), input, sizeof(input)));
	zassert_ok(
		rnv_exec_bind(&exec, rnv_package_output(&package, 0, 0), output, sizeof(output)));
}

ZTEST(ranvier_exec, test_scores_of_a_frame)
{
	int status;

	prepare(ranvier_digits, 0);
	for (size_t i = 0; i < sizeof(input); i++) {
		input[i] = (int8_t)(frame[i] - 128); /* the model's scale is 1/255 of white */
	}
	zassert_ok(rnv_exec_start(&exec, 0));
	do {
		status = rnv_exec_step(&exec);
	} while (status > 0);
	zassert_ok(status);
	zassert_mem_equal(output, scores, sizeof(scores));
	zassert_str_equal(rnv_package_label(&package, 7), "7");
}

ZTEST(ranvier_exec, test_selftest)
{
	prepare(ranvier_digits, 0);
	zassert_ok(rnv_exec_selftest(&exec));
}

/* A bit in each eighth of the package, most of which is weights. */
ZTEST(ranvier_exec, test_damage_is_found)
{
	int found = 0;

	for (uint32_t i = 0; i < 8U; i++) {
		uint32_t at = (uint32_t)sizeof(copy) / 8U * i + 100U;

		memcpy(copy, ranvier_digits, sizeof(copy));
		copy[at] ^= 0x80;
		zassert_true(rnv_package_open(&package, copy, sizeof(copy), 0, NULL) < 0);
		if (rnv_package_open(&package, copy, sizeof(copy), RNV_OPEN_SKIP_CRC, NULL) < 0) {
			found++;
			continue;
		}
		prepare(copy, RNV_OPEN_SKIP_CRC);
		found += (rnv_exec_selftest(&exec) == RNV_EBADMSG) ? 1 : 0;
	}
	zassert_true(found >= 4, "without the CRC %d of 8 were found", found);
}

ZTEST(ranvier_exec, test_small_arena_and_odd_address_are_refused)
{
	prepare(ranvier_digits, 0);
	zassert_equal(rnv_exec_init(&exec, &package, arena, sizeof(arena) - 1, externals,
				    ARRAY_SIZE(externals)),
		      RNV_ENOMEM);
	zassert_equal(rnv_package_open(&package, copy + 4, sizeof(copy) - 4, 0, NULL), RNV_EALIGN);
}

ZTEST_SUITE(ranvier_exec, NULL, NULL, NULL, NULL, NULL);
