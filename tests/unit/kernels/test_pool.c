/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What AVERAGE_POOL_2D and MAX_POOL_2D refuse when a package is opened. */

#include "kernel_fixture.h"

extern const struct rnv_kernel rnv_average_pool_2d_s8;
extern const struct rnv_kernel rnv_max_pool_2d_s8;

static const struct rnv_kernel *const kernels[] = {&rnv_average_pool_2d_s8, &rnv_max_pool_2d_s8};

enum {
	ACT_MIN = WINDOW_WORDS,
	ACT_MAX,
	WORDS
};

/* 2 images of 7x9x3 to 4x3x3: the last window begins on the last row and column. */
static void pool_init(struct fixture *f)
{
	static const int32_t words[WORDS] = {
		[BATCH] = 2,   [IN_H] = 7,     [IN_W] = 9,       [IN_C] = 3,      [OUT_H] = 4,
		[OUT_W] = 3,   [FILTER_H] = 3, [FILTER_W] = 4,   [STRIDE_H] = 2,  [STRIDE_W] = 4,
		[PAD_TOP] = 0, [PAD_LEFT] = 0, [ACT_MIN] = -128, [ACT_MAX] = 127,
	};

	fixture_init(f);
	fixture_operand(f, RNV_TYPE_INT8, 2 * 7 * 9 * 3, 0);
	fixture_operand(f, RNV_TYPE_INT8, 2 * 4 * 3 * 3, 1);
	fixture_params(f, words, WORDS);
}

static void test_parameters(void **state)
{
	static const struct spoil spoils[] = {
		{"no image", BATCH, 0},
		{"another batch", BATCH, 1},
		{"no input row", IN_H, 0},
		{"another height", IN_H, 8},
		{"no input column", IN_W, 0},
		{"another number of channels", IN_C, 4},
		{"negative channels", IN_C, -3},
		{"no output row", OUT_H, 0},
		{"another output height", OUT_H, 3},
		{"another output width", OUT_W, 2},
		{"no window row", FILTER_H, 0},
		{"no window column", FILTER_W, 0},
		{"window beyond the limit", FILTER_W, 32768},
		{"no stride", STRIDE_H, 0},
		{"no stride", STRIDE_W, 0},
		{"negative padding", PAD_TOP, -1},
		{"negative padding", PAD_LEFT, -1},
		{"a first window above the input", PAD_TOP, 3},
		{"a first window left of the input", PAD_LEFT, 4},
		{"a last window below the input", STRIDE_H, 3},
		{"a last window right of the input", STRIDE_W, 5},
		{"lowest output below int8", ACT_MIN, -129},
		{"highest output above int8", ACT_MAX, 128},
	};

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct fixture f;

		pool_init(&f);
		must_refuse_all(kernels[i], &f, 0, spoils, sizeof(spoils) / sizeof(spoils[0]));
		f.params[ACT_MIN] = 11;
		f.params[ACT_MAX] = 10;
		must_refuse(kernels[i], &f, "lowest output above the highest");
	}
}

/* A last window that begins just after the last row or column. */
static void test_last_window(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct fixture f;

		pool_init(&f);
		f.params[IN_H] = 6;
		f.tensors[0].bytes = 2 * 6 * 9 * 3;
		must_refuse(kernels[i], &f, "a last window below the input");
		pool_init(&f);
		f.params[IN_W] = 8;
		f.tensors[0].bytes = 2 * 7 * 8 * 3;
		must_refuse(kernels[i], &f, "a last window right of the input");
	}
}

/* A plane whose sum could leave int32. */
static void test_area(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct fixture f;

		pool_init(&f);
		f.params[BATCH] = 1;
		f.params[IN_H] = 4096;
		f.params[IN_W] = 2048;
		f.params[IN_C] = 1;
		f.tensors[0].bytes = 4096 * 2048;
		f.tensors[1].bytes = 4 * 3;
		assert_int_equal(kernels[i]->check(&f.op), 0);
		f.params[IN_H]++;
		f.tensors[0].bytes = 4097 * 2048;
		must_refuse(kernels[i], &f, "more than 2^23 values in a plane");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parameters),
		cmocka_unit_test(test_last_window),
		cmocka_unit_test(test_area),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
