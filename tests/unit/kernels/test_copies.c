/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * What COPY, PAD, CONCATENATION and RESIZE_NEAREST refuse when a package is opened, and how far
 * they read and write.
 */

#include "kernel_run.h"

extern const struct rnv_kernel rnv_copy;
extern const struct rnv_kernel rnv_pad;
extern const struct rnv_kernel rnv_concatenation;
extern const struct rnv_kernel rnv_resize_nearest;

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const uint8_t bytes[64] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

static void test_copy(void **state)
{
	static const int32_t words[] = {24};
	static const struct spoil spoils[] = {
		{"nothing", 0, 0},
		{"a byte less", 0, 23},
		{"negative", 0, -24},
	};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	fixture_operand(&f, RNV_TYPE_INT8, 24, 0);
	fixture_operand(&f, RNV_TYPE_INT8, 24, 1);
	fixture_params(&f, words, COUNT(words));
	must_refuse_all(&rnv_copy, &f, 1, spoils, COUNT(spoils));
	must_give(&rnv_copy, &f, 1, (const void *const[]){bytes}, bytes);
}

static void test_pad(void **state)
{
	enum {
		LOW,
		HIGH,
		IN_FIRST,
		OUT_BYTES,
		SIZE_0,
		SIZE_1,
		STRIDE_0,
		STRIDE_1,
		WORDS
	};
	/* [2, 3] inside of [3, 5], behind one row and one byte, up to the last but one byte. */
	static const int32_t words[WORDS] = {
		[LOW] = INT32_MIN, [HIGH] = -1,  [IN_FIRST] = 6, [OUT_BYTES] = 15,
		[SIZE_0] = 2,      [SIZE_1] = 3, [STRIDE_0] = 5, [STRIDE_1] = 1,
	};
	static const struct spoil spoils[] = {
		{"before the output", IN_FIRST, -1},
		{"beyond the output", IN_FIRST, 8},
		{"beyond 2^31", IN_FIRST, INT32_MAX},
		{"another size of the output", OUT_BYTES, 14},
		{"no rows", SIZE_0, 0},
		{"another number of rows", SIZE_0, 1},
		{"an empty row", SIZE_1, 0},
		{"a negative row", SIZE_1, -3},
		{"a size beyond 2^31", SIZE_1, INT32_MAX},
		{"rows beyond the output", STRIDE_0, 7},
		{"rows beyond 2^31", STRIDE_0, INT32_MAX},
		{"rows before the output", STRIDE_0, -5},
		{"rows upon each other", STRIDE_0, 0},
		{"a row with gaps", STRIDE_1, 2},
		{"a row of one byte", STRIDE_1, 0},
	};
	static const int32_t six[4 + 2 * 6] = {0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	fixture_operand(&f, RNV_TYPE_INT8, 6, 0);
	fixture_operand(&f, RNV_TYPE_INT8, 15, 1);
	fixture_params(&f, words, WORDS);
	must_refuse_all(&rnv_pad, &f, 0, spoils, COUNT(spoils));
	memcpy(f.params, "12345678", 8);
	must_give(&rnv_pad, &f, 0, (const void *const[]){bytes}, "123456abc23def7");
	f.params[IN_FIRST] = 7;
	assert_int_equal(rnv_pad.check(&f.op), 0);
	f.rec.params_bytes = SIZE_0 * 4;
	must_refuse(&rnv_pad, &f, "rank 0");
	f.rec.params_bytes = 0;
	must_refuse(&rnv_pad, &f, "no parameters");
	fixture_init(&f);
	fixture_operand(&f, RNV_TYPE_INT8, 1, 0);
	fixture_operand(&f, RNV_TYPE_INT8, 1, 1);
	fixture_params(&f, six, COUNT(six) - 2);
	assert_int_equal(rnv_pad.check(&f.op), 0);
	fixture_params(&f, six, COUNT(six));
	must_refuse(&rnv_pad, &f, "rank 6");
}

static void test_concatenation(void **state)
{
	enum {
		OUTER,
		RUN_0,
		RUN_1,
		WORDS
	};
	static const int32_t words[WORDS] = {[OUTER] = 3, [RUN_0] = 4, [RUN_1] = 5};
	static const struct spoil spoils[] = {
		{"nothing", OUTER, 0},
		{"fewer runs", OUTER, 2},
		{"negative", OUTER, -3},
		{"an empty run", RUN_0, 0},
		{"a longer run", RUN_0, 5},
		{"a negative run", RUN_1, -5},
		{"a product that is right modulo 2^32", RUN_1, 1431655770},
	};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	fixture_operand(&f, RNV_TYPE_INT8, 12, 0);
	fixture_operand(&f, RNV_TYPE_INT8, 15, 0);
	fixture_operand(&f, RNV_TYPE_INT8, 27, 1);
	fixture_params(&f, words, WORDS);
	must_refuse_all(&rnv_concatenation, &f, 0, spoils, COUNT(spoils));
	must_give(&rnv_concatenation, &f, 0, (const void *const[]){bytes, bytes + 26},
		  "abcdABCDEefghFGHIJijklKLMNO");
	f.tensors[2].bytes = 26;
	must_refuse(&rnv_concatenation, &f, "an output that is too small");
	fixture_init(&f);
	fixture_operand(&f, RNV_TYPE_INT8, 12, 0);
	fixture_operand(&f, RNV_TYPE_INT8, 12, 1);
	fixture_params(&f, words, 2);
	must_give(&rnv_concatenation, &f, 0, (const void *const[]){bytes}, bytes);
	fixture_init(&f);
	fixture_operand(&f, RNV_TYPE_INT8, 27, 1);
	fixture_params(&f, words, 1);
	must_refuse(&rnv_concatenation, &f, "no inputs");
}

static void test_resize_nearest(void **state)
{
	enum {
		IN_H,
		IN_W,
		BATCHES,
		PIXEL,
		OUT_H,
		OUT_W,
		WORDS
	};
	static const int32_t words[WORDS] = {
		[IN_H] = 3, [IN_W] = 2, [BATCHES] = 2, [PIXEL] = 5, [OUT_H] = 4, [OUT_W] = 1,
	};
	static const uint16_t rows[4] = {0, 2, 2, 1};
	static const uint16_t column = 1;
	static const struct spoil spoils[] = {
		{"no rows", IN_H, 0},
		{"another number of rows", IN_H, 4},
		{"negative", IN_W, -2},
		{"a size beyond 2^31", IN_W, INT32_MAX},
		{"no batches", BATCHES, 0},
		{"another number of batches", BATCHES, 1},
		{"no channels", PIXEL, 0},
		{"negative", PIXEL, -5},
		{"no output", OUT_H, 0},
		{"fewer output rows", OUT_H, 3},
		{"a negative output", OUT_W, -1},
		{"a size beyond 2^31", OUT_W, INT32_MAX},
	};
	struct fixture f;
	uint16_t *table;

	(void)state;
	fixture_init(&f);
	table = (uint16_t *)f.weights;
	fixture_operand(&f, RNV_TYPE_INT8, 3 * 2 * 2 * 5, 0);
	fixture_operand(&f, RNV_TYPE_INT8, 4 * 1 * 2 * 5, 1);
	fixture_params(&f, words, WORDS);
	memcpy(table, rows, sizeof(rows));
	table[4] = column;
	table[5] = UINT16_MAX; /* behind the stream */
	f.rec.weights_bytes = 10;
	must_refuse_all(&rnv_resize_nearest, &f, 0, spoils, COUNT(spoils));
	/* Pixels of 5 bytes: rows 0, 2, 2, 1 of column 1, twice. */
	must_give(&rnv_resize_nearest, &f, 0, (const void *const[]){bytes},
		  "fghijzABCDzABCDpqrstJKLMN3456734567TUVWX");
	table[3] = 3;
	must_refuse(&rnv_resize_nearest, &f, "a row beyond the input");
	table[3] = UINT16_MAX;
	must_refuse(&rnv_resize_nearest, &f, "a row far beyond the input");
	table[3] = 2;
	table[4] = 2;
	must_refuse(&rnv_resize_nearest, &f, "a column beyond the input");
	/* 2 (2^31 - 1 + 1) is 0 modulo 2^32: no tables, and rows to read far behind the package. */
	f.params[IN_H] = 0x10000;
	f.params[IN_W] = f.params[BATCHES] = f.params[PIXEL] = f.params[OUT_W] = 1;
	f.params[OUT_H] = INT32_MAX;
	f.tensors[0].bytes = 0x10000;
	f.tensors[1].bytes = INT32_MAX;
	f.rec.weights_bytes = 0;
	must_refuse(&rnv_resize_nearest, &f, "tables whose size wraps");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_pad),
		cmocka_unit_test(test_concatenation),
		cmocka_unit_test(test_resize_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
