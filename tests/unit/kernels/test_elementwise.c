/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * What ADD and MUL refuse when a package is opened, which input they may replace in place, and how
 * far they read and write.
 */

#include "kernel_run.h"

extern const struct rnv_kernel rnv_add_s8;
extern const struct rnv_kernel rnv_mul_s8;

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum {
	FIRST = 1 << 0,
	SECOND = 1 << 1
};

/* ADD's own words; the box follows. */
enum {
	A_ZERO_0,
	A_ZERO_1,
	A_ZERO_OUT,
	A_MIN,
	A_MAX,
	A_MULTIPLIER_0,
	A_MULTIPLIER_1,
	A_MULTIPLIER_OUT,
	A_SHIFT_0,
	A_SHIFT_1,
	A_SHIFT_OUT,
	A_BOX
};

/* MUL's own words; the box follows. */
enum {
	M_ZERO_0,
	M_ZERO_1,
	M_ZERO_OUT,
	M_MIN,
	M_MAX,
	M_MULTIPLIER,
	M_SHIFT,
	M_BOX
};

/* A box of rank 2: [4, 5] from [4, 5] and [1, 5]. */
enum {
	SIZE_0,
	SIZE_1,
	X_STRIDE_0,
	X_STRIDE_1,
	Y_STRIDE_0,
	Y_STRIDE_1,
	BOX_WORDS
};

static const int32_t box[BOX_WORDS] = {
	[SIZE_0] = 4,     [SIZE_1] = 5,     [X_STRIDE_0] = 5,
	[X_STRIDE_1] = 1, [Y_STRIDE_0] = 0, [Y_STRIDE_1] = 1,
};

static void add_words(int32_t *words)
{
	static const int32_t fixed[A_BOX] = {
		[A_ZERO_0] = -128,    [A_ZERO_1] = 127,       [A_ZERO_OUT] = 127,
		[A_MIN] = -128,       [A_MAX] = 127,          [A_MULTIPLIER_0] = INT32_MAX,
		[A_MULTIPLIER_1] = 0, [A_MULTIPLIER_OUT] = 1, [A_SHIFT_0] = -31,
		[A_SHIFT_1] = 30,     [A_SHIFT_OUT] = -31,
	};

	memcpy(words, fixed, sizeof(fixed));
}

static void test_add_parameters(void **state)
{
	static const struct spoil spoils[] = {
		{"input 0's zero point below int8", A_ZERO_0, -129},
		{"input 1's zero point above int8", A_ZERO_1, 128},
		{"output's zero point above int8", A_ZERO_OUT, 128},
		{"lower bound below int8", A_MIN, -129},
		{"upper bound above int8", A_MAX, 128},
		{"upper bound below the lower one", A_MAX, -129},
		{"negative multiplier 0", A_MULTIPLIER_0, -1},
		{"negative multiplier 1", A_MULTIPLIER_1, -1},
		{"negative output multiplier", A_MULTIPLIER_OUT, INT32_MIN},
		{"a shift to the right by 32", A_SHIFT_0, -32},
		{"a shift to the left by 31", A_SHIFT_1, 31},
		{"a shift to the right by 32", A_SHIFT_OUT, -32},
	};
	int32_t words[A_BOX + BOX_WORDS];
	struct fixture f;

	(void)state;
	fixture_init(&f);
	fixture_operand(&f, RNV_TYPE_INT8, 20, 0);
	fixture_operand(&f, RNV_TYPE_INT8, 5, 0);
	fixture_operand(&f, RNV_TYPE_INT8, 20, 1);
	add_words(words);
	memcpy(words + A_BOX, box, sizeof(box));
	fixture_params(&f, words, COUNT(words));
	must_refuse_all(&rnv_add_s8, &f, FIRST, spoils, COUNT(spoils));
	f.params[A_MIN] = f.params[A_MAX];
	assert_int_equal(rnv_add_s8.check(&f.op), FIRST);
	/* Input 0 by columns: nothing can be replaced, and the parameters still count. */
	f.tensors[0].bytes = 16;
	f.params[A_BOX + X_STRIDE_0] = 1;
	f.params[A_BOX + X_STRIDE_1] = 3;
	assert_int_equal(rnv_add_s8.check(&f.op), 0);
	f.params[A_ZERO_0] = 128;
	must_refuse(&rnv_add_s8, &f, "a zero point above int8");
}

static void test_mul_parameters(void **state)
{
	static const int32_t fixed[M_BOX] = {
		[M_ZERO_0] = 127, [M_ZERO_1] = -128,          [M_ZERO_OUT] = -128, [M_MIN] = 127,
		[M_MAX] = 127,    [M_MULTIPLIER] = INT32_MAX, [M_SHIFT] = 30,
	};
	static const struct spoil spoils[] = {
		{"input 0's zero point above int8", M_ZERO_0, 128},
		{"input 1's zero point below int8", M_ZERO_1, -129},
		{"output's zero point below int8", M_ZERO_OUT, -129},
		{"lower bound above int8", M_MIN, 128},
		{"upper bound above int8", M_MAX, 128},
		{"upper bound below the lower one", M_MAX, 126},
		{"negative multiplier", M_MULTIPLIER, -1},
		{"a shift to the left by 31", M_SHIFT, 31},
		{"a shift to the right by 32", M_SHIFT, -32},
		{"no rows", M_BOX + SIZE_0, 0},
		{"another number of rows", M_BOX + SIZE_0, 5},
		{"an empty row", M_BOX + SIZE_1, 0},
		{"a negative row", M_BOX + SIZE_1, -5},
		{"a size beyond 2^31", M_BOX + SIZE_1, INT32_MAX},
		{"input 0 beyond its end", M_BOX + X_STRIDE_0, 6},
		{"input 0 not to its end", M_BOX + X_STRIDE_0, 4},
		{"input 0 before its start", M_BOX + X_STRIDE_0, -5},
		{"input 0 beyond 2^31", M_BOX + X_STRIDE_1, INT32_MAX},
		{"input 1 beyond its end", M_BOX + Y_STRIDE_0, 1},
		{"input 1 beyond its end", M_BOX + Y_STRIDE_1, 2},
		{"input 1 before its start", M_BOX + Y_STRIDE_1, -1},
	};
	int32_t words[M_BOX + BOX_WORDS];
	struct fixture f;

	(void)state;
	fixture_init(&f);
	fixture_operand(&f, RNV_TYPE_INT8, 20, 0);
	fixture_operand(&f, RNV_TYPE_INT8, 5, 0);
	fixture_operand(&f, RNV_TYPE_INT8, 20, 1);
	memcpy(words, fixed, sizeof(fixed));
	memcpy(words + M_BOX, box, sizeof(box));
	fixture_params(&f, words, COUNT(words));
	must_refuse_all(&rnv_mul_s8, &f, FIRST, spoils, COUNT(spoils));
	f.params[M_MULTIPLIER] = 0;
	assert_int_equal(rnv_mul_s8.check(&f.op), FIRST);
	f.rec.params_bytes = 0;
	must_refuse(&rnv_mul_s8, &f, "no parameters");
	f.rec.params_bytes = M_BOX * 4;
	must_refuse(&rnv_mul_s8, &f, "rank 0");
}

/* The mask for a box of `rank` over inputs of `x` and `y` elements. */
static int mask_of(const int32_t *geometry, uint32_t rank, uint32_t x, uint32_t y, uint32_t out,
		   int same)
{
	int32_t words[A_BOX + 3 * 6];
	struct fixture f;

	fixture_init(&f);
	fixture_operand(&f, RNV_TYPE_INT8, x, 0);
	fixture_operand(&f, RNV_TYPE_INT8, y, 0);
	fixture_operand(&f, RNV_TYPE_INT8, out, 1);
	if (same) {
		f.operands[1] = f.operands[0];
	}
	add_words(words);
	memcpy(words + A_BOX, geometry, 3 * rank * sizeof(*geometry));
	fixture_params(&f, words, A_BOX + 3 * rank);
	return rnv_add_s8.check(&f.op);
}

static void test_in_place(void **state)
{
	static const int32_t alike[] = {6, 1, 1};
	static const int32_t second_scalar[] = {6, 1, 0};
	static const int32_t first_row[] = {2, 3, 0, 1, 3, 1};
	static const int32_t column_and_row[] = {2, 3, 1, 0, 0, 1};
	static const int32_t one[] = {1, 0, 0};
	static const int32_t transposed[] = {2, 3, 1, 2, 3, 1};
	static const int32_t repeated[] = {2, 2, 1, 1, 2, 1};
	static const int32_t five[] = {1, 2, 1, 1, 3, 9, 3, 9, 9, 1, 0, 3, 0, 0, 1};
	static const int32_t six[18] = {1, 1, 1, 1, 1, 1};

	(void)state;
	assert_int_equal(mask_of(alike, 1, 6, 6, 6, 0), FIRST | SECOND);
	assert_int_equal(mask_of(alike, 1, 6, 6, 6, 1), FIRST | SECOND);
	assert_int_equal(mask_of(second_scalar, 1, 6, 1, 6, 0), FIRST);
	assert_int_equal(mask_of(first_row, 2, 3, 6, 6, 0), SECOND);
	assert_int_equal(mask_of(column_and_row, 2, 2, 3, 6, 0), 0);
	assert_int_equal(mask_of(one, 1, 1, 1, 1, 0), FIRST | SECOND);
	/* Each element once, but not in the output's order. */
	assert_int_equal(mask_of(transposed, 2, 6, 6, 6, 0), SECOND);
	/* The same tensor in two orders: a replaced element would be read again. */
	assert_int_equal(mask_of(transposed, 2, 6, 6, 6, 1), 0);
	/* Elements that are read twice. */
	assert_int_equal(mask_of(repeated, 2, 3, 4, 4, 0), SECOND);
	assert_int_equal(mask_of(five, 5, 6, 6, 6, 0), FIRST | SECOND);
	assert_int_equal(mask_of(six, 6, 1, 1, 1, 0), RNV_EFORMAT);
}

/* [2, 3] from a column and a row, with scales such that results are exact. */
static const int32_t outer_box[BOX_WORDS] = {
	[SIZE_0] = 2,     [SIZE_1] = 3,     [X_STRIDE_0] = 1,
	[X_STRIDE_1] = 0, [Y_STRIDE_0] = 0, [Y_STRIDE_1] = 1,
};
static const int8_t column[2] = {-3, 60};
static const int8_t row[3] = {2, -128, 127};
static const void *const outer_inputs[2] = {column, row};

static void describe_outer(struct fixture *f, const int32_t *fixed, uint32_t count)
{
	int32_t words[FIXTURE_PARAMS];

	fixture_init(f);
	fixture_operand(f, RNV_TYPE_INT8, 2, 0);
	fixture_operand(f, RNV_TYPE_INT8, 3, 0);
	fixture_operand(f, RNV_TYPE_INT8, 6, 1);
	memcpy(words, fixed, count * sizeof(*fixed));
	memcpy(words + count, outer_box, sizeof(outer_box));
	fixture_params(f, words, count + BOX_WORDS);
}

static void test_add_run(void **state)
{
	/* (x - 1) + (y + 2) - 4, at most 100 */
	static const int32_t fixed[A_BOX] = {
		[A_ZERO_0] = 1,
		[A_ZERO_1] = -2,
		[A_ZERO_OUT] = -4,
		[A_MIN] = -128,
		[A_MAX] = 100,
		[A_MULTIPLIER_0] = 1 << 30,
		[A_MULTIPLIER_1] = 1 << 30,
		[A_MULTIPLIER_OUT] = 1 << 30,
		[A_SHIFT_OUT] = -18,
	};
	static const int8_t expected[6] = {-4, -128, 100, 59, -71, 100};
	struct fixture f;

	(void)state;
	describe_outer(&f, fixed, A_BOX);
	must_give(&rnv_add_s8, &f, 0, outer_inputs, expected);
}

static void test_mul_run(void **state)
{
	/* (x - 1) * (y + 2) - 4, at least -100 */
	static const int32_t fixed[M_BOX] = {
		[M_ZERO_0] = 1, [M_ZERO_1] = -2,          [M_ZERO_OUT] = -4, [M_MIN] = -100,
		[M_MAX] = 127,  [M_MULTIPLIER] = 1 << 30, [M_SHIFT] = 1,
	};
	static const int8_t expected[6] = {-20, 127, -100, 127, -100, 127};
	struct fixture f;

	(void)state;
	describe_outer(&f, fixed, M_BOX);
	must_give(&rnv_mul_s8, &f, 0, outer_inputs, expected);
	f.params[M_ZERO_1] = 129;
	must_refuse(&rnv_mul_s8, &f, "a zero point above int8");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_add_parameters), cmocka_unit_test(test_mul_parameters),
		cmocka_unit_test(test_in_place),       cmocka_unit_test(test_add_run),
		cmocka_unit_test(test_mul_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
