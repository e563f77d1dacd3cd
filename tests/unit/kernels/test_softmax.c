/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* SOFTMAX: what is refused when a package is opened, hostile tables, and rows on an edge. */

#include "kernel_fixture.h"

extern const struct rnv_kernel rnv_softmax_s8;

enum {
	ROWS,
	DEPTH,
	WORDS
};

static void softmax_init(struct fixture *f, int32_t rows, int32_t depth)
{
	const int32_t words[WORDS] = {rows, depth};

	fixture_init(f);
	fixture_operand(f, RNV_TYPE_INT8, (uint32_t)(rows * depth), 0);
	fixture_operand(f, RNV_TYPE_INT8, (uint32_t)(rows * depth), 1);
	fixture_params(f, words, WORDS);
	f->rec.weights_bytes = 1024;
}

static void test_parameters(void **state)
{
	static const struct spoil spoils[] = {
		{"no row", ROWS, 0},          {"another number of rows", ROWS, 5},
		{"negative rows", ROWS, -4},  {"no value", DEPTH, 0},
		{"another depth", DEPTH, 11}, {"negative depth", DEPTH, -10},
	};
	struct fixture f;

	(void)state;
	softmax_init(&f, 4, 10);
	must_refuse_all(&rnv_softmax_s8, &f, 0x1, spoils, sizeof(spoils) / sizeof(spoils[0]));
}

/* Case 53: the sum of 4096 ones would leave its 12 integer bits. */
static void test_depth(void **state)
{
	struct fixture f;

	(void)state;
	softmax_init(&f, 1, 4095);
	assert_int_equal(rnv_softmax_s8.check(&f.op), 0x1);
	softmax_init(&f, 1, 4096);
	must_refuse(&rnv_softmax_s8, &f, "4096 values in a row");
}

/* Any table: the result is meaningless, but arithmetic and table look-up stay defined. */
static void test_tables(void **state)
{
	static const int32_t values[] = {0, 1, -1, 0x7FF, INT32_MIN, INT32_MAX};
	static _Alignas(16) int8_t arena[8192];
	const struct rnv_exec exec = {.arena = (uint8_t *)arena};
	struct fixture f;

	(void)state;
	softmax_init(&f, 1, 4095);
	f.op.exec = &exec;
	f.tensors[0].storage = RNV_STORAGE_ARENA;
	f.tensors[1].storage = RNV_STORAGE_ARENA;
	f.tensors[1].offset = 4096;
	for (uint32_t i = 0; i < 6; i++) {
		for (uint32_t k = 0; k < 256; k++) {
			memcpy(f.weights + 4 * k, &values[i], 4);
		}
		for (int32_t k = 0; k < 4095; k++) {
			arena[k] = (int8_t)(k % 256 - 128);
		}
		arena[4096 + 4095] = 55;
		assert_int_equal(rnv_softmax_s8.check(&f.op), 0x1);
		rnv_softmax_s8.run(&f.op);
		assert_int_equal(arena[4096 + 4095], 55);
	}
}

/*
 * Rows on the edge between two outputs: with one Newton-Raphson step less, or one unit more in the
 * sum, the first output is one lower. Outputs of tflite-micro for input scales 0.005231046117842197
 * and 0.0900552049279213 with beta 1, whose tables have these entries at 0 and at the difference.
 */
static void test_edges(void **state)
{
	static const struct {
		int32_t difference;
		int32_t entry;
		int32_t depth;
		int8_t out[5];
	} rows[] = {
		{53, 1627510010, 5, {-64, -80, -80, -80, -80}},
		{35, 91846607, 2, {118, -118}},
	};
	static _Alignas(16) int8_t arena[32];
	const struct rnv_exec exec = {.arena = (uint8_t *)arena};

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		const int32_t one = INT32_MAX;
		struct fixture f;

		softmax_init(&f, 1, rows[i].depth);
		f.op.exec = &exec;
		f.tensors[0].storage = RNV_STORAGE_ARENA;
		f.tensors[1].storage = RNV_STORAGE_ARENA;
		f.tensors[1].offset = 16;
		memcpy(f.weights, &one, 4);
		memcpy(f.weights + 4 * rows[i].difference, &rows[i].entry, 4);
		memset(arena, 10 - rows[i].difference, 16);
		arena[0] = 10;
		rnv_softmax_s8.run(&f.op);
		assert_memory_equal(arena + 16, rows[i].out, (size_t)rows[i].depth);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parameters),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
