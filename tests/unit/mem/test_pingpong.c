/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The ping-pong pair. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ranvier/arena.h"
#include "ranvier/pingpong.h"

static _Alignas(16) uint8_t memory[256];

static void test_halves_are_apart(void **state)
{
	struct rnv_arena arena;
	struct rnv_pingpong pair;
	uint8_t *input, *output;

	(void)state;
	rnv_arena_init(&arena, memory + 3, 200);
	assert_int_equal(rnv_pingpong_init(&pair, &arena, RNV_ARENA_EPHEMERAL, 33), RNV_OK);
	assert_int_equal(rnv_pingpong_half_bytes(&pair), 48);
	input = rnv_pingpong_input(&pair);
	output = rnv_pingpong_output(&pair);
	assert_int_equal((uintptr_t)input % 16, 0);
	assert_int_equal((uintptr_t)output % 16, 0);
	assert_true(output >= memory + 3 && output + 48 <= input);
	assert_true(input + 48 <= memory + 203);
}

/* Three layers, each of which adds one to its input: the data arrives, nothing is overwritten. */
static void test_roles_change(void **state)
{
	struct rnv_arena arena;
	struct rnv_pingpong pair;
	uint8_t *first, *second;
	int layer, i;

	(void)state;
	rnv_arena_init(&arena, memory, sizeof(memory));
	assert_int_equal(rnv_pingpong_init(&pair, &arena, RNV_ARENA_PERSISTENT, 16), RNV_OK);
	first = rnv_pingpong_input(&pair);
	second = rnv_pingpong_output(&pair);
	for (i = 0; i < 16; i++) {
		first[i] = (uint8_t)i;
	}
	for (layer = 0; layer < 3; layer++) {
		const uint8_t *in = rnv_pingpong_input(&pair);
		uint8_t *out = rnv_pingpong_output(&pair);

		assert_ptr_equal(in, layer % 2 == 0 ? first : second);
		assert_ptr_equal(out, layer % 2 == 0 ? second : first);
		for (i = 0; i < 16; i++) {
			out[i] = (uint8_t)(in[i] + 1);
		}
		assert_int_equal(rnv_pingpong_swap(&pair), RNV_OK);
	}
	for (i = 0; i < 16; i++) {
		assert_int_equal(((uint8_t *)rnv_pingpong_input(&pair))[i], i + 3);
	}
}

/* Both halves or neither: one half alone would fit here. */
static void test_exhausted_arena_is_untouched(void **state)
{
	struct rnv_arena arena;
	struct rnv_arena_stats stats;
	struct rnv_pingpong pair, before;

	(void)state;
	rnv_arena_init(&arena, memory, 112);
	memset(&pair, 0xA5, sizeof(pair));
	before = pair;
	assert_int_equal(rnv_pingpong_init(&pair, &arena, RNV_ARENA_SCRATCH, 64), RNV_ENOMEM);
	assert_int_equal(rnv_arena_stats_get(&arena, &stats), RNV_OK);
	assert_int_equal(stats.free_bytes, 112);
	assert_int_equal(stats.high_water_bytes, 0);
	assert_int_equal(stats.alloc_count, 0);
	assert_int_equal(stats.needed_bytes, 128);
	assert_memory_equal(&pair, &before, sizeof(pair));

	rnv_arena_init(&arena, memory, stats.needed_bytes);
	assert_int_equal(rnv_pingpong_init(&pair, &arena, RNV_ARENA_SCRATCH, 64), RNV_OK);
}

static void test_errors(void **state)
{
	struct rnv_arena arena;
	struct rnv_pingpong pair;
	void *block;

	(void)state;
	rnv_arena_init(&arena, memory, sizeof(memory));
	assert_int_equal(rnv_pingpong_init(NULL, &arena, RNV_ARENA_SCRATCH, 16), RNV_EINVAL);
	assert_int_equal(rnv_pingpong_init(&pair, NULL, RNV_ARENA_SCRATCH, 16), RNV_EINVAL);
	assert_int_equal(rnv_pingpong_init(&pair, &arena, RNV_ARENA_SCRATCH, 0), RNV_EINVAL);
	assert_int_equal(rnv_pingpong_init(&pair, &arena, (enum rnv_arena_region)7, 16),
			 RNV_EINVAL);
	assert_int_equal(rnv_pingpong_init(&pair, &arena, RNV_ARENA_SCRATCH, SIZE_MAX),
			 RNV_EOVERFLOW);
	assert_int_equal(rnv_pingpong_init(&pair, &arena, RNV_ARENA_SCRATCH, UINT32_MAX),
			 RNV_EOVERFLOW);
	assert_int_equal(rnv_pingpong_init(&pair, &arena, RNV_ARENA_SCRATCH, 0x80000000u),
			 RNV_EOVERFLOW);
	assert_int_equal(rnv_pingpong_init(&pair, &arena, RNV_ARENA_SCRATCH, 0x7FFFFFF0u),
			 RNV_ENOMEM);
	assert_int_equal(rnv_arena_alloc(&arena, RNV_ARENA_EPHEMERAL, 1, &block), RNV_OK);
	assert_int_equal(rnv_pingpong_init(&pair, &arena, RNV_ARENA_PERSISTENT, 16), RNV_EBUSY);
	assert_int_equal(rnv_pingpong_swap(NULL), RNV_EINVAL);
	assert_null(rnv_pingpong_input(NULL));
	assert_null(rnv_pingpong_output(NULL));
	assert_int_equal(rnv_pingpong_half_bytes(NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_halves_are_apart),
		cmocka_unit_test(test_roles_change),
		cmocka_unit_test(test_exhausted_arena_is_untouched),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
