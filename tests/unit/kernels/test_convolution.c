/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED refuse when a package is opened. */

#include "kernel_fixture.h"

extern const struct rnv_kernel rnv_conv_2d_s8;
extern const struct rnv_kernel rnv_depthwise_conv_2d_s8;
extern const struct rnv_kernel rnv_fully_connected_s8;

/* Words behind the window's; DEPTH is `groups` of CONV_2D, else `depth_multiplier`. */
enum {
	DILATION_H = WINDOW_WORDS,
	DILATION_W,
	DEPTH,
	IN_ZP,
	OUT_C,
	CHANNELS_Q,
	OUT_ZP,
	ACT_MIN,
	ACT_MAX,
	WORDS
};

static const struct spoil window_spoils[] = {
	{"no image", BATCH, 0},
	{"another batch", BATCH, 3},
	{"negative batch", BATCH, -2},
	{"no input row", IN_H, 0},
	{"input rows beyond the limit", IN_H, 32768},
	{"another height", IN_H, 5},
	{"no input column", IN_W, 0},
	{"another width", IN_W, 7},
	{"no input channel", IN_C, 0},
	{"no output row", OUT_H, 0},
	{"another output height", OUT_H, 6},
	{"no output column", OUT_W, 0},
	{"another output width", OUT_W, 3},
	{"no filter row", FILTER_H, 0},
	{"negative filter", FILTER_H, -3},
	{"more filter rows than weights", FILTER_H, 4},
	{"no filter column", FILTER_W, 0},
	{"fewer filter columns than weights", FILTER_W, 1},
	{"no stride", STRIDE_H, 0},
	{"negative stride", STRIDE_W, -1},
	{"stride beyond the limit", STRIDE_H, 32768},
	{"stride beyond the limit", STRIDE_W, INT32_MAX},
	{"negative padding", PAD_TOP, -1},
	{"padding beyond the limit", PAD_TOP, 32768},
	{"negative padding", PAD_LEFT, INT32_MIN},
	{"padding beyond the limit", PAD_LEFT, INT32_MAX},
	{"no dilation", DILATION_H, 0},
	{"no dilation", DILATION_W, 0},
	{"dilation beyond the limit", DILATION_H, 32768},
	{"dilation beyond the limit", DILATION_W, 32768},
	{"no group or multiplier", DEPTH, 0},
	{"negative group or multiplier", DEPTH, -2},
	{"a group or multiplier that does not divide", DEPTH, 3},
	{"input zero point below int8", IN_ZP, -129},
	{"input zero point above int8", IN_ZP, 128},
	{"no output channel", OUT_C, 0},
	{"another number of output channels", OUT_C, 7},
	{"negative output channels", OUT_C, -8},
	{"no multiplier", CHANNELS_Q, 0},
	{"multipliers for some channels", CHANNELS_Q, 7},
	{"one multiplier of eight", CHANNELS_Q, 1},
	{"output zero point below int8", OUT_ZP, -129},
	{"output zero point above int8", OUT_ZP, 128},
	{"lowest output below int8", ACT_MIN, -129},
	{"highest output above int8", ACT_MAX, 128},
	{"lowest output above the highest", ACT_MIN, 101},
};

/* Fill in 8 channels' biases, multipliers and shifts, and the stream's size for `weights`. */
static void fill_stream(struct fixture *f, uint32_t weights)
{
	int32_t *multiplier = (int32_t *)(void *)f->weights + 8;

	for (uint32_t i = 0; i < 8; i++) {
		multiplier[i] = INT32_MAX;
		f->weights[64 + i] = (uint8_t)(int8_t)((i % 2 == 0) ? -31 : 30);
	}
	f->rec.weights_bytes = 32 + 32 + 8 + weights;
}

/* 2 images of 4x6x4 to 5x4x8. */
static void convolution_init(struct fixture *f, int32_t depth, uint32_t weights)
{
	const int32_t words[WORDS] = {
		[BATCH] = 2,      [IN_H] = 4,       [IN_W] = 6,      [IN_C] = 4,
		[OUT_H] = 5,      [OUT_W] = 4,      [FILTER_H] = 3,  [FILTER_W] = 2,
		[STRIDE_H] = 1,   [STRIDE_W] = 2,   [PAD_TOP] = 1,   [PAD_LEFT] = 1,
		[DILATION_H] = 1, [DILATION_W] = 2, [DEPTH] = depth, [IN_ZP] = -7,
		[OUT_C] = 8,      [CHANNELS_Q] = 8, [OUT_ZP] = 5,    [ACT_MIN] = -100,
		[ACT_MAX] = 100,
	};

	fixture_init(f);
	fixture_operand(f, RNV_TYPE_INT8, 2 * 4 * 6 * 4, 0);
	fixture_operand(f, RNV_TYPE_INT8, 2 * 5 * 4 * 8, 1);
	fixture_params(f, words, WORDS);
	fill_stream(f, weights);
}

/* Multipliers and shifts of a valid op with 8 channels. */
static void refuse_stream(const struct rnv_kernel *kernel, struct fixture *f)
{
	for (uint32_t channel = 0; channel < 8; channel += 7) {
		int32_t *multiplier = (int32_t *)(void *)f->weights + 8 + channel;
		uint8_t *shift = &f->weights[64 + channel];
		uint8_t kept = *shift;

		*multiplier = -1;
		must_refuse(kernel, f, "a negative multiplier");
		*multiplier = 0;
		assert_int_equal(kernel->check(&f->op), 0);
		*shift = 31;
		must_refuse(kernel, f, "a shift to the left by 31");
		*shift = (uint8_t)(int8_t)-32;
		must_refuse(kernel, f, "a shift to the right by 32");
		*shift = kept;
	}
}

static void test_conv_2d(void **state)
{
	struct fixture f;

	(void)state;
	convolution_init(&f, 2, 3 * 2 * 2 * 8);
	f.rec.scratch_bytes = 3 * 2 * 2;
	must_refuse_all(&rnv_conv_2d_s8, &f, 0, window_spoils,
			sizeof(window_spoils) / sizeof(window_spoils[0]));
	refuse_stream(&rnv_conv_2d_s8, &f);
	f.rec.scratch_bytes = 0;
	must_refuse(&rnv_conv_2d_s8, &f, "a column without scratch");
}

/* Cases 15 and 18: without scratch only where every window is one pixel inside of the input. */
static void test_conv_2d_direct(void **state)
{
	static const struct spoil spoils[] = {
		{"a row above the input", PAD_TOP, 1},
		{"a column left of the input", PAD_LEFT, 1},
		{"a last row below the input", STRIDE_H, 4},
		{"a last column right of the input", STRIDE_W, 6},
	};
	struct fixture f;

	(void)state;
	convolution_init(&f, 1, 4 * 8);
	f.params[FILTER_H] = 1;
	f.params[FILTER_W] = 1;
	f.params[PAD_TOP] = 0;
	f.params[PAD_LEFT] = 0;
	f.params[OUT_H] = 2;
	f.params[OUT_W] = 2;
	f.params[STRIDE_H] = 3;
	f.params[STRIDE_W] = 5;
	f.tensors[1].bytes = 2 * 2 * 2 * 8;
	must_refuse_all(&rnv_conv_2d_s8, &f, 0, spoils, sizeof(spoils) / sizeof(spoils[0]));
	f.rec.scratch_bytes = 4;
	must_refuse(&rnv_conv_2d_s8, &f, "scratch that is not used");
	f.params[STRIDE_H] = 4;
	assert_int_equal(rnv_conv_2d_s8.check(&f.op), 0);
}

static void test_depthwise_conv_2d(void **state)
{
	struct fixture f;

	(void)state;
	convolution_init(&f, 2, 3 * 2 * 8);
	must_refuse_all(&rnv_depthwise_conv_2d_s8, &f, 0, window_spoils,
			sizeof(window_spoils) / sizeof(window_spoils[0]));
	refuse_stream(&rnv_depthwise_conv_2d_s8, &f);
}

/* Products that wrap around 2^32 to what is there. */
static void test_products(void **state)
{
	struct fixture f;

	(void)state;
	convolution_init(&f, 1, 0);
	f.params[BATCH] = 1024;
	f.params[IN_H] = 1024;
	f.params[IN_W] = 1024;
	f.params[IN_C] = 32;
	f.params[OUT_C] = 32;
	f.tensors[0].bytes = 0;
	must_refuse(&rnv_conv_2d_s8, &f, "an input of 2^35 bytes");
	convolution_init(&f, 1, 0);
	f.params[FILTER_H] = 32767;
	f.params[FILTER_W] = 32767;
	f.params[IN_C] = 4;
	must_refuse(&rnv_conv_2d_s8, &f, "a window of 2^30 taps");
	must_refuse(&rnv_depthwise_conv_2d_s8, &f, "a window of 2^30 taps");
}

static void test_fully_connected(void **state)
{
	enum {
		ROWS,
		FC_IN_C,
		FC_OUT_C,
		FC_CHANNELS_Q,
		FC_OUT_ZP,
		FC_ACT_MIN,
		FC_ACT_MAX,
		FC_WORDS
	};
	static const int32_t words[FC_WORDS] = {3, 5, 8, 8, 5, -100, 100};
	static const struct spoil spoils[] = {
		{"no row", ROWS, 0},
		{"another number of rows", ROWS, 2},
		{"negative rows", ROWS, -3},
		{"no input", FC_IN_C, 0},
		{"another number of inputs", FC_IN_C, 6},
		{"inputs beyond 2^31", FC_IN_C, INT32_MAX},
		{"no output channel", FC_OUT_C, 0},
		{"another number of output channels", FC_OUT_C, 9},
		{"output channels beyond the limit", FC_OUT_C, 0x1000000},
		{"no multiplier", FC_CHANNELS_Q, 0},
		{"multipliers for some channels", FC_CHANNELS_Q, 4},
		{"output zero point below int8", FC_OUT_ZP, -129},
		{"output zero point above int8", FC_OUT_ZP, 128},
		{"lowest output below int8", FC_ACT_MIN, -129},
		{"highest output above int8", FC_ACT_MAX, 128},
		{"highest output below the lowest", FC_ACT_MAX, -101},
	};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	fixture_operand(&f, RNV_TYPE_INT8, 3 * 5, 0);
	fixture_operand(&f, RNV_TYPE_INT8, 3 * 8, 1);
	fixture_params(&f, words, FC_WORDS);
	fill_stream(&f, 5 * 8);
	must_refuse_all(&rnv_fully_connected_s8, &f, 0, spoils, sizeof(spoils) / sizeof(spoils[0]));
	refuse_stream(&rnv_fully_connected_s8, &f);
	/* One multiplier for all: 8 biases, 1 multiplier, 1 shift and 3 bytes of padding. */
	f.params[FC_CHANNELS_Q] = 1;
	f.rec.weights_bytes = 32 + 4 + 4 + 5 * 8;
	memset(f.weights, 0, sizeof(f.weights));
	assert_int_equal(rnv_fully_connected_s8.check(&f.op), 0);
	f.weights[36] = 31;
	must_refuse(&rnv_fully_connected_s8, &f, "a shift to the left by 31");
}

/* The least of everything, and more output channels than an int8 counts. */
static void test_sizes_that_are_allowed(void **state)
{
	const int32_t dense[] = {1, 1, 1, 1, 0, -128, 127};
	const int32_t words[WORDS] = {
		[BATCH] = 1,      [IN_H] = 1,       [IN_W] = 1,      [IN_C] = 1,     [OUT_H] = 1,
		[OUT_W] = 1,      [FILTER_H] = 1,   [FILTER_W] = 1,  [STRIDE_H] = 1, [STRIDE_W] = 1,
		[DILATION_H] = 1, [DILATION_W] = 1, [DEPTH] = 1,     [IN_ZP] = 127,  [OUT_C] = 300,
		[CHANNELS_Q] = 1, [ACT_MIN] = -128, [ACT_MAX] = 127,
	};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	fixture_operand(&f, RNV_TYPE_INT8, 1, 0);
	fixture_operand(&f, RNV_TYPE_INT8, 1, 1);
	fixture_params(&f, dense, sizeof(dense) / sizeof(dense[0]));
	f.rec.weights_bytes = 4 + 4 + 4 + 1;
	assert_int_equal(rnv_fully_connected_s8.check(&f.op), 0);
	fixture_init(&f);
	fixture_operand(&f, RNV_TYPE_INT8, 1, 0);
	fixture_operand(&f, RNV_TYPE_INT8, 300, 1);
	fixture_params(&f, words, WORDS);
	f.rec.weights_bytes = 4 * 300 + 4 + 4 + 300;
	assert_int_equal(rnv_conv_2d_s8.check(&f.op), 0);
	f.params[DEPTH] = 300; /* the multiplier of the channels */
	assert_int_equal(rnv_depthwise_conv_2d_s8.check(&f.op), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_conv_2d),
		cmocka_unit_test(test_conv_2d_direct),
		cmocka_unit_test(test_depthwise_conv_2d),
		cmocka_unit_test(test_products),
		cmocka_unit_test(test_fully_connected),
		cmocka_unit_test(test_sizes_that_are_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
