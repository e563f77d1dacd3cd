/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The first-fit planner: plans worked out by hand, and random ones checked byte by byte. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ranvier/plan.h"

#define MAX_BUFFERS 40
#define MAX_STEPS   24

static uint16_t workspace[MAX_BUFFERS];

static struct rnv_plan_result must_plan(struct rnv_plan_buffer *buffers, uint32_t count)
{
	struct rnv_plan_result result = {0, 0};

	assert_int_equal(rnv_plan_first_fit(buffers, count, workspace,
					    rnv_plan_workspace_bytes(count), &result),
			 RNV_OK);
	return result;
}

static void test_chain(void **state)
{
	/* 0 -> 1 -> 2 -> 3: neighbours are live together */
	struct rnv_plan_buffer buffers[] = {
		{100, 0, 1, 9},
		{200, 1, 2, 9},
		{50, 2, 3, 9},
		{20, 3, 3, 9},
	};
	struct rnv_plan_result result;

	(void)state;
	result = must_plan(buffers, 4);
	assert_int_equal(buffers[1].offset, 0);
	assert_int_equal(buffers[0].offset, 208);
	assert_int_equal(buffers[2].offset, 208);
	assert_int_equal(buffers[3].offset, 0);
	assert_int_equal(result.peak_bytes, 320);
	assert_int_equal(result.lower_bound_bytes, 320);
}

static void test_skip_connection(void **state)
{
	/* 0 -> 1 -> 2 -> 3, with the output of 0 added in step 3 */
	struct rnv_plan_buffer buffers[] = {
		{64, 0, 3, 0},
		{64, 1, 2, 0},
		{32, 2, 3, 0},
		{64, 3, 3, 0},
	};
	struct rnv_plan_result result;

	(void)state;
	result = must_plan(buffers, 4);
	assert_int_equal(buffers[0].offset, 0);
	assert_int_equal(buffers[1].offset, 64);
	assert_int_equal(buffers[2].offset, 128);
	assert_int_equal(buffers[3].offset, 64);
	assert_int_equal(result.peak_bytes, 160);
	assert_int_equal(result.lower_bound_bytes, 160);
}

/* A gap between placed buffers is used where it is large enough, and only there. */
static void test_gap(void **state)
{
	struct rnv_plan_buffer buffers[] = {
		{96, 0, 1, 0}, {80, 1, 4, 0}, {64, 4, 5, 0},
		{48, 3, 5, 0}, {16, 0, 2, 0}, {32, 5, 6, 0},
	};
	struct rnv_plan_result result;

	(void)state;
	result = must_plan(buffers, 6);
	assert_int_equal(buffers[0].offset, 0);
	assert_int_equal(buffers[1].offset, 96);
	assert_int_equal(buffers[2].offset, 0);
	assert_int_equal(buffers[3].offset, 176);
	assert_int_equal(buffers[5].offset, 64);
	assert_int_equal(buffers[4].offset, 176);
	assert_int_equal(result.peak_bytes, 224);
	assert_int_equal(result.lower_bound_bytes, 192);
}

/* A gap that is just large enough once the size is rounded up. */
static void test_exact_gap(void **state)
{
	struct rnv_plan_buffer buffers[] = {{96, 0, 1, 9}, {95, 1, 2, 9}, {94, 2, 3, 9}};

	(void)state;
	assert_int_equal(must_plan(buffers, 3).peak_bytes, 192);
	assert_int_equal(buffers[1].offset, 96);
	assert_int_equal(buffers[2].offset, 0);
}

/* The order rule: the larger unrounded size first, equal ones in array order. */
static void test_order(void **state)
{
	struct rnv_plan_buffer equal[] = {{16, 0, 0, 7}, {16, 0, 0, 7}, {16, 0, 0, 7}};
	struct rnv_plan_buffer unrounded[] = {{1, 0, 0, 7}, {2, 0, 0, 7}, {3, 0, 0, 7}};

	(void)state;
	must_plan(equal, 3);
	assert_int_equal(equal[0].offset, 0);
	assert_int_equal(equal[1].offset, 16);
	assert_int_equal(equal[2].offset, 32);
	must_plan(unrounded, 3);
	assert_int_equal(unrounded[0].offset, 32);
	assert_int_equal(unrounded[1].offset, 16);
	assert_int_equal(unrounded[2].offset, 0);
}

static void test_empty_and_zero_bytes(void **state)
{
	struct rnv_plan_buffer buffers[] = {{0, 0, 9, 5}, {32, 2, 3, 5}, {0, 3, 3, 5}};
	struct rnv_plan_result result = {1, 1};

	(void)state;
	assert_int_equal(rnv_plan_first_fit(NULL, 0, NULL, 0, &result), RNV_OK);
	assert_int_equal(result.peak_bytes, 0);
	assert_int_equal(result.lower_bound_bytes, 0);
	result = must_plan(buffers, 3);
	assert_int_equal(buffers[0].offset, 0);
	assert_int_equal(buffers[1].offset, 0);
	assert_int_equal(buffers[2].offset, 0);
	assert_int_equal(result.peak_bytes, 32);
	assert_int_equal(result.lower_bound_bytes, 32);
}

static void expect_error(struct rnv_plan_buffer *buffers, uint32_t count, int status)
{
	struct rnv_plan_result result = {7, 7};

	assert_int_equal(rnv_plan_first_fit(buffers, count, workspace, sizeof(workspace), &result),
			 status);
	assert_int_equal(result.peak_bytes, 7);
	assert_int_equal(result.lower_bound_bytes, 7);
}

static void test_overflow(void **state)
{
	struct rnv_plan_buffer unroundable[] = {{UINT32_MAX - 14u, 0, 0, 3}};
	struct rnv_plan_buffer together[] = {{0x80000000u, 0, 1, 0}, {0x80000000u, 1, 2, 0}};
	struct rnv_plan_buffer wrapped[] = {{0xC0000000u, 0, 1, 0}, {0x80000000u, 1, 2, 0}};
	struct rnv_plan_buffer largest[] = {{0x80000000u, 0, 1, 0}, {0x7FFFFFF0u, 1, 2, 0}};
	struct rnv_plan_buffer apart[] = {
		{0xFFFFFFF0u, 0, 1, 0},
		{0xFFFFFFE1u, 2, 3, 0},
		{0xC0000000u, 4, UINT32_MAX, 0},
	};
	struct rnv_plan_result result;

	(void)state;
	expect_error(unroundable, 1, RNV_EOVERFLOW);
	assert_int_equal(unroundable[0].offset, 3);
	expect_error(together, 2, RNV_EOVERFLOW);
	expect_error(wrapped, 2, RNV_EOVERFLOW);
	result = must_plan(largest, 2);
	assert_int_equal(largest[1].offset, 0x80000000u);
	assert_int_equal(result.peak_bytes, 0xFFFFFFF0u);
	assert_int_equal(result.lower_bound_bytes, 0xFFFFFFF0u);
	result = must_plan(apart, 3);
	assert_int_equal(apart[1].offset, 0);
	assert_int_equal(result.peak_bytes, 0xFFFFFFF0u);
}

static void test_invalid_arguments(void **state)
{
	struct rnv_plan_buffer backwards[] = {{16, 0, 0, 3}, {16, 2, 1, 3}};
	struct rnv_plan_buffer good[] = {{16, 0, 0, 3}, {16, 1, 2, 3}};
	struct rnv_plan_result result = {7, 7};

	(void)state;
	expect_error(backwards, 2, RNV_EINVAL);
	assert_int_equal(backwards[0].offset, 3);
	expect_error(NULL, 1, RNV_EINVAL);
	assert_int_equal(
		rnv_plan_first_fit(good, RNV_PLAN_MAX_BUFFERS + 1u, workspace, SIZE_MAX, &result),
		RNV_EINVAL);
	assert_int_equal(rnv_plan_first_fit(good, 2, NULL, 4, &result), RNV_EINVAL);
	assert_int_equal(rnv_plan_first_fit(good, 2, workspace, 4, NULL), RNV_EINVAL);
	assert_int_equal(rnv_plan_first_fit(good, 2, workspace, 3, &result), RNV_ENOMEM);
	assert_int_equal(rnv_plan_first_fit(good, 2, (uint8_t *)workspace + 1, 4, &result),
			 RNV_EALIGN);
	assert_int_equal(good[0].offset, 3);
	assert_int_equal(result.peak_bytes, 7);
	assert_int_equal(rnv_plan_workspace_bytes(RNV_PLAN_MAX_BUFFERS), 131070);
	assert_int_equal(rnv_plan_workspace_bytes(3), 3 * RNV_PLAN_WORKSPACE_BYTES_PER_BUFFER);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* Paints each step's memory, a byte for each unit of 16; returns the largest live sum in units. */
static uint32_t paint_plan(const struct rnv_plan_buffer *buffers, uint32_t count,
			   uint32_t peak_units)
{
	static uint8_t map[MAX_BUFFERS * 16];
	uint32_t step, i, unit, bound = 0, highest = 0;

	for (step = 0; step < MAX_STEPS; step++) {
		uint32_t live = 0;

		memset(map, 0, sizeof(map));
		for (i = 0; i < count; i++) {
			const uint32_t units = (buffers[i].bytes + 15) / 16;

			if (step < buffers[i].first || step > buffers[i].last) {
				continue;
			}
			assert_int_equal(buffers[i].offset % 16, 0);
			for (unit = 0; unit < units; unit++) {
				const uint32_t at = buffers[i].offset / 16 + unit;

				assert_true(at < sizeof(map));
				assert_int_equal(map[at], 0);
				map[at] = 1;
				highest = at + 1 > highest ? at + 1 : highest;
			}
			live += units;
		}
		bound = live > bound ? live : bound;
	}
	assert_int_equal(highest, peak_units);
	return bound;
}

static void test_random_plans(void **state)
{
	uint32_t seed;

	(void)state;
	for (seed = 1; seed <= 2000; seed++) {
		struct rnv_plan_buffer buffers[MAX_BUFFERS], again[MAX_BUFFERS];
		struct rnv_plan_result result, second;
		uint32_t random = seed;
		const uint32_t count = 1 + next_random(&random) % MAX_BUFFERS;
		uint32_t i;

		for (i = 0; i < count; i++) {
			const uint32_t first = next_random(&random) % MAX_STEPS;

			buffers[i].bytes = next_random(&random) % 200;
			buffers[i].first = first;
			buffers[i].last = first + next_random(&random) % (MAX_STEPS - first);
			buffers[i].offset = UINT32_MAX;
		}
		memcpy(again, buffers, sizeof(again));
		result = must_plan(buffers, count);
		assert_int_equal(result.lower_bound_bytes / 16,
				 paint_plan(buffers, count, result.peak_bytes / 16));
		assert_int_equal(result.peak_bytes % 16, 0);
		assert_true(result.peak_bytes >= result.lower_bound_bytes);
		second = must_plan(again, count);
		assert_memory_equal(buffers, again, count * sizeof(buffers[0]));
		assert_memory_equal(&result, &second, sizeof(result));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chain),        cmocka_unit_test(test_skip_connection),
		cmocka_unit_test(test_gap),          cmocka_unit_test(test_exact_gap),
		cmocka_unit_test(test_order),        cmocka_unit_test(test_empty_and_zero_bytes),
		cmocka_unit_test(test_overflow),     cmocka_unit_test(test_invalid_arguments),
		cmocka_unit_test(test_random_plans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
