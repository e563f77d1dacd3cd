/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The arena, judged by a list of blocks that the test keeps itself. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ranvier/arena.h"

#define MEMORY_BYTES 1024

static _Alignas(16) uint8_t memory[MEMORY_BYTES + 16];

static struct rnv_arena_stats stats_of(const struct rnv_arena *arena)
{
	struct rnv_arena_stats stats;

	assert_int_equal(rnv_arena_stats_get(arena, &stats), RNV_OK);
	return stats;
}

static void *must_alloc(struct rnv_arena *arena, enum rnv_arena_region region, size_t bytes)
{
	void *block = NULL;

	assert_int_equal(rnv_arena_alloc(arena, region, bytes, &block), RNV_OK);
	assert_non_null(block);
	return block;
}

/* Expects an error that leaves everything but the needed size as it was, and no block. */
static void must_refuse(struct rnv_arena *arena, enum rnv_arena_region region, size_t bytes,
			int status)
{
	struct rnv_arena before = *arena;
	void *block = memory;

	assert_int_equal(rnv_arena_alloc(arena, region, bytes, &block), status);
	assert_null(block);
	if (status == RNV_ENOMEM) {
		before.needed = arena->needed;
	}
	assert_memory_equal(&before, arena, sizeof(before));
}

/* Case 14: any alignment of the caller's memory. */
static void test_unaligned_memory(void **state)
{
	struct rnv_arena arena;
	struct rnv_arena_stats stats;
	size_t shift;

	(void)state;
	for (shift = 0; shift < 16; shift++) {
		const uint32_t capacity = shift == 0 ? 256 : 240;
		uint8_t *low, *top;

		assert_int_equal(rnv_arena_init(&arena, memory + shift, 256), RNV_OK);
		stats = stats_of(&arena);
		assert_int_equal(stats.capacity_bytes, capacity);
		assert_int_equal(stats.free_bytes, capacity);
		low = must_alloc(&arena, RNV_ARENA_PERSISTENT, 1);
		top = must_alloc(&arena, RNV_ARENA_SCRATCH, 1);
		assert_int_equal((uintptr_t)low % 16, 0);
		assert_int_equal((uintptr_t)top % 16, 0);
		assert_true(low >= memory + shift);
		assert_true(top + 16 <= memory + shift + 256);
		must_alloc(&arena, RNV_ARENA_EPHEMERAL, capacity - 32);
		must_refuse(&arena, RNV_ARENA_EPHEMERAL, 1, RNV_ENOMEM);
	}
}

/* Case 13: memory of 0 and of 15 bytes. */
static void test_tiny_memory(void **state)
{
	struct rnv_arena arena;
	size_t bytes;

	(void)state;
	for (bytes = 0; bytes < 16; bytes++) {
		assert_int_equal(rnv_arena_init(&arena, memory, bytes), RNV_ENOMEM);
		assert_int_equal(stats_of(&arena).capacity_bytes, 0);
		must_refuse(&arena, RNV_ARENA_PERSISTENT, 100, RNV_ENOMEM);
		assert_int_equal(stats_of(&arena).needed_bytes, 112);
		must_refuse(&arena, RNV_ARENA_SCRATCH, 1, RNV_ENOMEM);
		assert_int_equal(stats_of(&arena).needed_bytes, 16);
	}
	assert_int_equal(rnv_arena_init(&arena, memory + 1, 30), RNV_ENOMEM);
	assert_int_equal(rnv_arena_init(&arena, memory + 1, 31), RNV_OK);
	assert_int_equal(stats_of(&arena).capacity_bytes, 16);
}

static int allocate_all(struct rnv_arena *arena)
{
	void *block;
	int status = rnv_arena_alloc(arena, RNV_ARENA_PERSISTENT, 33, &block); /* 48 */

	if (status == RNV_OK) {
		status = rnv_arena_alloc(arena, RNV_ARENA_SCRATCH, 64, &block); /* 64 */
	}
	if (status == RNV_OK) {
		status = rnv_arena_alloc(arena, RNV_ARENA_EPHEMERAL, 1, &block); /* 16 */
	}
	return status;
}

/* Case 13: accepted from the need on and only from there, at every size and alignment. */
static void test_size_sweep(void **state)
{
	const size_t need = 48 + 64 + 16;
	size_t shift, bytes;

	(void)state;
	for (shift = 0; shift < 16; shift++) {
		const size_t pad = (16 - shift) % 16;

		for (bytes = 0; bytes < need + 64; bytes++) {
			struct rnv_arena arena;
			const int enough = bytes >= need + pad;

			rnv_arena_init(&arena, memory + shift, bytes);
			assert_int_equal(allocate_all(&arena), enough ? RNV_OK : RNV_ENOMEM);
			if (bytes == need + pad - 1) {
				assert_int_equal(stats_of(&arena).needed_bytes, need);
			}
			if (enough) {
				assert_int_equal(stats_of(&arena).high_water_bytes, need);
			}
		}
	}
}

/* Retrying with the reported need, and slack for any address, lets the refused request through. */
static void test_needed_is_enough(void **state)
{
	struct rnv_arena arena;
	struct rnv_arena_stats stats;
	size_t shift;

	(void)state;
	for (shift = 0; shift < 16; shift++) {
		size_t bytes = 0;
		int rounds = 0;

		for (;;) {
			rnv_arena_init(&arena, memory + shift, bytes);
			if (allocate_all(&arena) == RNV_OK) {
				break;
			}
			stats = stats_of(&arena);
			bytes = stats.needed_bytes + RNV_ARENA_SLACK;
			assert_true(++rounds <= 3);
		}
		assert_int_equal(stats_of(&arena).high_water_bytes, 128);
	}
}

/* Case 42: a persistent block after an ephemeral one never is the same block. */
static void test_persistent_after_ephemeral(void **state)
{
	struct rnv_arena arena;
	uint8_t *first, *ephemeral, *second;

	(void)state;
	rnv_arena_init(&arena, memory, MEMORY_BYTES);
	first = must_alloc(&arena, RNV_ARENA_PERSISTENT, 16);
	ephemeral = must_alloc(&arena, RNV_ARENA_EPHEMERAL, 16);
	must_refuse(&arena, RNV_ARENA_PERSISTENT, 16, RNV_EBUSY);
	assert_int_equal(rnv_arena_reset_ephemeral(&arena), RNV_OK);
	second = must_alloc(&arena, RNV_ARENA_PERSISTENT, 16);
	assert_ptr_equal(ephemeral, first + 16);
	assert_ptr_equal(second, ephemeral);
	assert_ptr_equal(must_alloc(&arena, RNV_ARENA_EPHEMERAL, 16), second + 16);
	must_alloc(&arena, RNV_ARENA_SCRATCH, 16);
	must_refuse(&arena, RNV_ARENA_PERSISTENT, 16, RNV_EBUSY);
}

static void test_scratch_does_not_block_persistent(void **state)
{
	struct rnv_arena arena;
	uint8_t *top;

	(void)state;
	rnv_arena_init(&arena, memory, 64);
	top = must_alloc(&arena, RNV_ARENA_SCRATCH, 16);
	assert_ptr_equal(top, memory + 48);
	assert_ptr_equal(must_alloc(&arena, RNV_ARENA_SCRATCH, 16), memory + 32);
	must_alloc(&arena, RNV_ARENA_PERSISTENT, 32);
	must_refuse(&arena, RNV_ARENA_PERSISTENT, 1, RNV_ENOMEM);
	assert_int_equal(rnv_arena_reset_scratch(&arena), RNV_OK);
	assert_int_equal(stats_of(&arena).scratch_bytes, 0);
	must_alloc(&arena, RNV_ARENA_PERSISTENT, 32);
	must_refuse(&arena, RNV_ARENA_SCRATCH, 1, RNV_ENOMEM);
	assert_int_equal(stats_of(&arena).needed_bytes, 80);
}

/* Case 42: sizes and products at the edge of 32 bits and of size_t. */
static void test_overflow(void **state)
{
	static const struct {
		size_t bytes;
		uint32_t needed;
	} huge[] = {
		{1009, 16 + 1024},
		{UINT32_MAX - 31u, UINT32_MAX - 15u},
		{UINT32_MAX - 30u, UINT32_MAX},
		{UINT32_MAX - 14u, UINT32_MAX},
		{UINT32_MAX, UINT32_MAX},
		{SIZE_MAX - 15u, UINT32_MAX},
		{SIZE_MAX, UINT32_MAX},
	};
	struct rnv_arena arena;
	void *block = memory;
	size_t i;

	(void)state;
	rnv_arena_init(&arena, memory, MEMORY_BYTES);
	must_alloc(&arena, RNV_ARENA_EPHEMERAL, 16);
	for (i = 0; i < sizeof(huge) / sizeof(huge[0]); i++) {
		must_refuse(&arena, RNV_ARENA_EPHEMERAL, huge[i].bytes, RNV_ENOMEM);
		assert_int_equal(stats_of(&arena).needed_bytes, huge[i].needed);
	}
	assert_int_equal(rnv_arena_alloc_array(&arena, RNV_ARENA_EPHEMERAL, 65536, 65536, &block),
			 RNV_EOVERFLOW);
	assert_null(block);
	block = memory;
	assert_int_equal(
		rnv_arena_alloc_array(&arena, RNV_ARENA_EPHEMERAL, SIZE_MAX / 2 + 2, 2, &block),
		RNV_EOVERFLOW);
	assert_null(block);
	assert_int_equal(rnv_arena_alloc_array(&arena, RNV_ARENA_EPHEMERAL, 65536, 65536, NULL),
			 RNV_EOVERFLOW);
	assert_int_equal(rnv_arena_alloc_array(&arena, RNV_ARENA_EPHEMERAL, 65535, 65537, &block),
			 RNV_ENOMEM);
	assert_int_equal(rnv_arena_alloc_array(&arena, RNV_ARENA_EPHEMERAL, 0, 4, &block),
			 RNV_EINVAL);
	assert_int_equal(rnv_arena_alloc_array(&arena, RNV_ARENA_EPHEMERAL, 4, 0, &block),
			 RNV_EINVAL);
	assert_int_equal(rnv_arena_alloc_array(&arena, RNV_ARENA_EPHEMERAL, 3, 7, &block), RNV_OK);
	assert_ptr_equal(block, memory + 16);
	assert_int_equal(stats_of(&arena).ephemeral_bytes, 48);
}

static void test_invalid_arguments(void **state)
{
	struct rnv_arena arena;
	struct rnv_arena untouched;
	struct rnv_arena_mark mark;
	struct rnv_arena_stats stats;
	void *block = memory;

	(void)state;
	memset(&arena, 0xA5, sizeof(arena));
	untouched = arena;
	assert_int_equal(rnv_arena_init(&arena, NULL, 64), RNV_EINVAL);
	assert_int_equal(rnv_arena_init(NULL, memory, 64), RNV_EINVAL);
	assert_int_equal(rnv_arena_init(&arena, memory, SIZE_MAX), RNV_EINVAL);
#if SIZE_MAX > UINT32_MAX
	assert_int_equal(rnv_arena_init(&arena, memory, (size_t)UINT32_MAX + 1), RNV_EOVERFLOW);
#endif
	assert_memory_equal(&arena, &untouched, sizeof(arena));

	assert_int_equal(rnv_arena_init(&arena, memory, 64), RNV_OK);
	must_refuse(&arena, RNV_ARENA_PERSISTENT, 0, RNV_EINVAL);
	must_refuse(&arena, RNV_ARENA_SCRATCH, 0, RNV_EINVAL);
	must_refuse(&arena, (enum rnv_arena_region)3, 16, RNV_EINVAL);
	assert_int_equal(rnv_arena_alloc(&arena, RNV_ARENA_SCRATCH, 16, NULL), RNV_EINVAL);
	assert_int_equal(rnv_arena_alloc(NULL, RNV_ARENA_SCRATCH, 16, &block), RNV_EINVAL);
	assert_null(block);
	assert_int_equal(rnv_arena_reset_ephemeral(NULL), RNV_EINVAL);
	assert_int_equal(rnv_arena_reset_scratch(NULL), RNV_EINVAL);
	assert_int_equal(rnv_arena_save(NULL, &mark), RNV_EINVAL);
	assert_int_equal(rnv_arena_save(&arena, NULL), RNV_EINVAL);
	assert_int_equal(rnv_arena_restore(NULL, &mark), RNV_EINVAL);
	assert_int_equal(rnv_arena_restore(&arena, NULL), RNV_EINVAL);
	assert_int_equal(rnv_arena_stats_get(NULL, &stats), RNV_EINVAL);
	assert_int_equal(rnv_arena_stats_get(&arena, NULL), RNV_EINVAL);
}

/* A graph that does not fit is given back as a whole, persistent blocks included. */
static void test_restore_rolls_back(void **state)
{
	struct rnv_arena arena;
	struct rnv_arena_mark mark;
	struct rnv_arena_stats stats;
	void *kept;

	(void)state;
	rnv_arena_init(&arena, memory, 256);
	kept = must_alloc(&arena, RNV_ARENA_PERSISTENT, 32);
	assert_int_equal(rnv_arena_save(&arena, &mark), RNV_OK);
	must_alloc(&arena, RNV_ARENA_PERSISTENT, 32);
	must_alloc(&arena, RNV_ARENA_SCRATCH, 48);
	must_alloc(&arena, RNV_ARENA_EPHEMERAL, 64);
	must_refuse(&arena, RNV_ARENA_EPHEMERAL, 81, RNV_ENOMEM);
	assert_int_equal(rnv_arena_restore(&arena, &mark), RNV_OK);
	stats = stats_of(&arena);
	assert_int_equal(stats.persistent_bytes, 32);
	assert_int_equal(stats.ephemeral_bytes, 0);
	assert_int_equal(stats.scratch_bytes, 0);
	assert_int_equal(stats.free_bytes, 224);
	assert_int_equal(stats.high_water_bytes, 176);
	assert_int_equal(stats.alloc_count, 4);
	assert_int_equal(stats.needed_bytes, 272);
	assert_ptr_equal(must_alloc(&arena, RNV_ARENA_PERSISTENT, 1), (uint8_t *)kept + 32);
}

static void test_marks_nest(void **state)
{
	struct rnv_arena arena, other;
	struct rnv_arena_mark outer, inner, again;

	(void)state;
	rnv_arena_init(&arena, memory, 512);
	rnv_arena_init(&other, memory + 512, 512);
	rnv_arena_save(&arena, &outer);
	must_alloc(&arena, RNV_ARENA_EPHEMERAL, 64);
	rnv_arena_save(&arena, &inner);
	must_alloc(&arena, RNV_ARENA_EPHEMERAL, 64);

	assert_int_equal(rnv_arena_restore(&other, &outer), RNV_EINVAL);
	assert_int_equal(rnv_arena_restore(&arena, &outer), RNV_ESTATE);
	assert_int_equal(stats_of(&arena).ephemeral_bytes, 128);
	assert_int_equal(rnv_arena_restore(&arena, &inner), RNV_OK);
	assert_int_equal(stats_of(&arena).ephemeral_bytes, 64);
	assert_int_equal(rnv_arena_restore(&arena, &inner), RNV_ESTATE);
	assert_int_equal(rnv_arena_restore(&arena, &outer), RNV_OK);
	assert_int_equal(stats_of(&arena).ephemeral_bytes, 0);

	/* A closed mark stays closed when another one is open at the same depth. */
	rnv_arena_save(&arena, &again);
	must_alloc(&arena, RNV_ARENA_EPHEMERAL, 16);
	assert_int_equal(rnv_arena_restore(&arena, &outer), RNV_ESTATE);
	assert_int_equal(rnv_arena_restore(&arena, &again), RNV_OK);
	assert_int_equal(rnv_arena_restore(&arena, &outer), RNV_ESTATE);
}

/* The serial of marks skips 0, which stands for "no mark", when it wraps. */
static void test_mark_serial_wraps(void **state)
{
	struct rnv_arena arena;
	struct rnv_arena_mark mark;

	(void)state;
	rnv_arena_init(&arena, memory, 64);
	arena.mark_serial = UINT32_MAX;
	assert_int_equal(rnv_arena_save(&arena, &mark), RNV_OK);
	assert_int_not_equal(mark.serial, 0);
	assert_int_equal(rnv_arena_restore(&arena, &mark), RNV_OK);
	assert_int_equal(rnv_arena_restore(&arena, &mark), RNV_ESTATE);
}

struct block {
	uint8_t *start;
	size_t bytes;
	enum rnv_arena_region region;
};

struct model {
	struct block blocks[256];
	size_t count;
	size_t high_water;
	uint32_t allocations;
};

static size_t round_up(size_t bytes)
{
	return (bytes + 15) / 16 * 16;
}

static size_t model_used(const struct model *model)
{
	size_t i, used = 0;

	for (i = 0; i < model->count; i++) {
		used += round_up(model->blocks[i].bytes);
	}
	return used;
}

static size_t model_count(const struct model *model, enum rnv_arena_region region)
{
	size_t i, count = 0;

	for (i = 0; i < model->count; i++) {
		count += model->blocks[i].region == region;
	}
	return count;
}

static void model_drop(struct model *model, enum rnv_arena_region region)
{
	size_t i, kept = 0;

	for (i = 0; i < model->count; i++) {
		if (model->blocks[i].region != region) {
			model->blocks[kept++] = model->blocks[i];
		}
	}
	model->count = kept;
}

static void model_add(struct model *model, struct block block, const uint8_t *low, size_t capacity)
{
	size_t i;

	assert_int_equal((uintptr_t)block.start % 16, 0);
	assert_true(block.start >= low && block.start + block.bytes <= low + capacity);
	for (i = 0; i < model->count; i++) {
		const struct block *other = &model->blocks[i];

		assert_true(block.start + block.bytes <= other->start ||
			    other->start + other->bytes <= block.start);
	}
	model->blocks[model->count++] = block;
	model->allocations++;
	if (model_used(model) > model->high_water) {
		model->high_water = model_used(model);
	}
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

static void random_alloc(struct rnv_arena *arena, struct model *model, size_t capacity,
			 const uint8_t *low, uint32_t *seed)
{
	struct block block = {
		.bytes = 1 + next_random(seed) % 70,
		.region = (enum rnv_arena_region)(next_random(seed) % 3),
	};
	const size_t used = model_used(model);
	void *start;
	const int status = rnv_arena_alloc(arena, block.region, block.bytes, &start);

	if (block.region == RNV_ARENA_PERSISTENT && model_count(model, RNV_ARENA_EPHEMERAL) > 0) {
		assert_int_equal(status, RNV_EBUSY);
	} else if (used + round_up(block.bytes) > capacity) {
		assert_int_equal(status, RNV_ENOMEM);
		assert_int_equal(stats_of(arena).needed_bytes, used + round_up(block.bytes));
	} else {
		assert_int_equal(status, RNV_OK);
		block.start = start;
		model_add(model, block, low, capacity);
	}
}

/* Random sequences of every call against the model: no overlap, right sizes, counts, errors. */
static void test_random_sequences(void **state)
{
	uint32_t seed;

	(void)state;
	for (seed = 1; seed <= 300; seed++) {
		static struct model model, saved;
		uint32_t random = seed;
		const size_t shift = seed % 16;
		const size_t capacity = shift == 0 ? MEMORY_BYTES : MEMORY_BYTES - 16;
		uint8_t *const low = memory + (shift == 0 ? 0 : 16);
		struct rnv_arena arena;
		struct rnv_arena_mark mark;
		int is_open = 0, step;

		memset(&model, 0, sizeof(model));
		assert_int_equal(rnv_arena_init(&arena, memory + shift, MEMORY_BYTES), RNV_OK);
		for (step = 0; step < 200; step++) {
			const uint32_t choice = next_random(&random) % 40;

			if (choice == 0 && !is_open) {
				rnv_arena_reset_ephemeral(&arena);
				model_drop(&model, RNV_ARENA_EPHEMERAL);
			} else if (choice == 1 && !is_open) {
				rnv_arena_reset_scratch(&arena);
				model_drop(&model, RNV_ARENA_SCRATCH);
			} else if (choice < 5 && !is_open) {
				rnv_arena_save(&arena, &mark);
				saved = model;
				is_open = 1;
			} else if (choice < 5) {
				assert_int_equal(rnv_arena_restore(&arena, &mark), RNV_OK);
				memcpy(model.blocks, saved.blocks, sizeof(saved.blocks));
				model.count = saved.count;
				is_open = 0;
			} else {
				random_alloc(&arena, &model, capacity, low, &random);
			}
			assert_int_equal(stats_of(&arena).free_bytes,
					 capacity - model_used(&model));
		}
		assert_int_equal(stats_of(&arena).high_water_bytes, model.high_water);
		assert_int_equal(stats_of(&arena).alloc_count, model.allocations);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unaligned_memory),
		cmocka_unit_test(test_tiny_memory),
		cmocka_unit_test(test_size_sweep),
		cmocka_unit_test(test_needed_is_enough),
		cmocka_unit_test(test_persistent_after_ephemeral),
		cmocka_unit_test(test_scratch_does_not_block_persistent),
		cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_invalid_arguments),
		cmocka_unit_test(test_restore_rolls_back),
		cmocka_unit_test(test_marks_nest),
		cmocka_unit_test(test_mark_serial_wraps),
		cmocka_unit_test(test_random_sequences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
