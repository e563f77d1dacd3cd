/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The arena and the planner as the device's compiler built them; tests/unit has all their cases. */

#include <stdint.h>

#include <zephyr/sys/util.h>
#include <zephyr/ztest.h>

#include <ranvier/arena.h>
#include <ranvier/plan.h>

static uint8_t memory[256 + RNV_ARENA_SLACK];

ZTEST(ranvier_memory, test_arena_aligns_and_reports_the_need)
{
	struct rnv_arena arena;
	struct rnv_arena_stats stats;

	for (size_t shift = 0; shift < 16; shift++) {
		void *first;
		void *second;

		zassert_ok(rnv_arena_init(&arena, memory + shift, 256 + RNV_ARENA_SLACK - shift));
		zassert_ok(rnv_arena_alloc(&arena, RNV_ARENA_PERSISTENT, 1, &first));
		zassert_ok(rnv_arena_alloc(&arena, RNV_ARENA_SCRATCH, 17, &second));
		zassert_equal((uintptr_t)first % RNV_ARENA_ALIGN, 0);
		zassert_equal((uintptr_t)second % RNV_ARENA_ALIGN, 0);
		zassert_equal(rnv_arena_alloc(&arena, RNV_ARENA_EPHEMERAL, 1000, &first),
			      RNV_ENOMEM);
		zassert_ok(rnv_arena_stats_get(&arena, &stats));
		zassert_equal(stats.needed_bytes, 16 + 32 + 1008);
		zassert_equal(stats.high_water_bytes, 16 + 32);
	}
}

ZTEST(ranvier_memory, test_plan_shares_what_is_not_live_together)
{
	/* a -> b -> c, each read by the next step only, d beside them all. */
	struct rnv_plan_buffer buffers[] = {
		{.bytes = 100, .first = 0, .last = 1},
		{.bytes = 50, .first = 1, .last = 2},
		{.bytes = 90, .first = 2, .last = 3},
		{.bytes = 10, .first = 0, .last = 3},
	};
	uint16_t workspace[ARRAY_SIZE(buffers)];
	struct rnv_plan_result result;

	zassert_ok(rnv_plan_first_fit(buffers, ARRAY_SIZE(buffers), workspace, sizeof(workspace),
				      &result));
	zassert_equal(buffers[0].offset, 0);
	zassert_equal(buffers[2].offset, 0);
	zassert_equal(buffers[1].offset, 112);
	zassert_equal(buffers[3].offset, 176);
	zassert_equal(result.peak_bytes, 192);
	zassert_equal(result.lower_bound_bytes, 112 + 64 + 16);
}

ZTEST_SUITE(ranvier_memory, NULL, NULL, NULL, NULL, NULL);
