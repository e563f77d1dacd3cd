/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What the float32 ops refuse when a package is opened. */

#include "kernel_fixture.h"

extern const struct rnv_kernel rnv_conv_2d_f32;
extern const struct rnv_kernel rnv_depthwise_conv_2d_f32;
extern const struct rnv_kernel rnv_fully_connected_f32;
extern const struct rnv_kernel rnv_average_pool_2d_f32;
extern const struct rnv_kernel rnv_max_pool_2d_f32;
extern const struct rnv_kernel rnv_add_f32;
extern const struct rnv_kernel rnv_mul_f32;
extern const struct rnv_kernel rnv_softmax_f32;
extern const struct rnv_kernel rnv_mean_f32;
extern const struct rnv_kernel rnv_clamp_f32;
extern const struct rnv_kernel rnv_leaky_relu_f32;
extern const struct rnv_kernel rnv_hard_swish_f32;
extern const struct rnv_kernel rnv_logistic_f32;
extern const struct rnv_kernel rnv_tanh_f32;

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* binary32 bits */
#define ONE          0x3F800000
#define SIX          0x40C00000
#define INFINITE     0x7F800000
#define MINUS_INF    (INT32_MIN | INFINITE)
#define NOT_A_NUMBER 0x7FC00000
#define SIGNALLING   (INT32_MIN | 0x7F800001)

static void operand(struct fixture *f, uint32_t elements, int is_output)
{
	fixture_operand(f, RNV_TYPE_FLOAT32, elements, is_output);
}

/* Each pair of bounds that is no range. */
static void must_refuse_ranges(const struct rnv_kernel *kernel, struct fixture *f, uint32_t word)
{
	static const int32_t pairs[][2] = {
		{NOT_A_NUMBER, INFINITE},
		{MINUS_INF, NOT_A_NUMBER},
		{SIGNALLING, SIX},
		{ONE, SIGNALLING},
		{SIX, ONE},
		{INFINITE, MINUS_INF},
	};
	int32_t kept[2] = {f->params[word], f->params[word + 1u]};
	int mask = kernel->check(&f->op);

	for (uint32_t i = 0; i < COUNT(pairs); i++) {
		memcpy(f->params + word, pairs[i], sizeof(pairs[i]));
		must_refuse(kernel, f, "bounds that are no range");
	}
	f->params[word] = SIX; /* one value is a range, and so are two infinities of one sign */
	f->params[word + 1u] = SIX;
	assert_int_equal(kernel->check(&f->op), mask);
	f->params[word] = INFINITE;
	f->params[word + 1u] = INFINITE;
	assert_int_equal(kernel->check(&f->op), mask);
	memcpy(f->params + word, kept, sizeof(kept));
}

/* 2 images of 5x6 to 2x3, of a window of 2x3 with strides 2 and 2, and padding on the left. */
static void window_init(struct fixture *f, const int32_t *more, uint32_t count, int32_t in_c,
			uint32_t out_c)
{
	int32_t words[WINDOW_WORDS + 6] = {
		[BATCH] = 2,    [IN_H] = 5,     [IN_W] = 6,     [IN_C] = in_c,
		[OUT_H] = 2,    [OUT_W] = 3,    [FILTER_H] = 2, [FILTER_W] = 3,
		[STRIDE_H] = 2, [STRIDE_W] = 2, [PAD_TOP] = 0,  [PAD_LEFT] = 1,
	};

	memcpy(words + WINDOW_WORDS, more, count * sizeof(*more));
	fixture_init(f);
	operand(f, 2u * 5u * 6u * (uint32_t)in_c, 0);
	operand(f, 2u * 2u * 3u * out_c, 1);
	fixture_params(f, words, WINDOW_WORDS + count);
}

static const struct spoil window_spoils[] = {
	{"no image", BATCH, 0},
	{"another batch", BATCH, 1},
	{"no input row", IN_H, 0},
	{"another height", IN_H, 6},
	{"another width", IN_W, 5},
	{"negative width", IN_W, -6},
	{"another number of channels", IN_C, 5},
	{"no channel", IN_C, 0},
	{"another output height", OUT_H, 3},
	{"no output column", OUT_W, 0},
	{"no window row", FILTER_H, 0},
	{"a window beyond the limit", FILTER_W, 32768},
	{"no stride", STRIDE_H, 0},
	{"a stride beyond the limit", STRIDE_W, 32768},
	{"a huge stride", STRIDE_H, INT32_MAX},
	{"negative padding", PAD_TOP, -1},
	{"padding beyond the limit", PAD_LEFT, 32768},
};

enum {
	DILATION_H = WINDOW_WORDS,
	DILATION_W,
	GROUPS, /* or depth multiplier */
	OUT_C,
	RANGE
};

static const struct spoil filter_spoils[] = {
	{"no dilation", DILATION_H, 0},
	{"a dilation beyond the limit", DILATION_W, 32768},
	{"no group", GROUPS, 0},
	{"another number of groups", GROUPS, 3},
	{"minus one group", GROUPS, -1},
	{"no output channel", OUT_C, 0},
	{"another number of output channels", OUT_C, 4},
	{"a huge number of output channels", OUT_C, INT32_MAX},
	{"another window", FILTER_W, 2},
};

static void test_conv_2d(void **state)
{
	static const int32_t more[] = {1, 1, 2, 6, 0, SIX};
	struct fixture f;

	(void)state;
	window_init(&f, more, COUNT(more), 4, 6);
	f.rec.weights_bytes = 4u * (6u + 6u * 2u * 3u * 2u);
	must_refuse_all(&rnv_conv_2d_f32, &f, 0, window_spoils, COUNT(window_spoils));
	must_refuse_all(&rnv_conv_2d_f32, &f, 0, filter_spoils, COUNT(filter_spoils));
	must_refuse_ranges(&rnv_conv_2d_f32, &f, RANGE);
}

static void test_depthwise_conv_2d(void **state)
{
	static const int32_t more[] = {1, 1, 2, 8, MINUS_INF, INFINITE};
	struct fixture f;

	(void)state;
	window_init(&f, more, COUNT(more), 4, 8);
	f.rec.weights_bytes = 4u * (8u + 2u * 3u * 8u);
	must_refuse_all(&rnv_depthwise_conv_2d_f32, &f, 0, window_spoils, COUNT(window_spoils));
	must_refuse_all(&rnv_depthwise_conv_2d_f32, &f, 0, filter_spoils, COUNT(filter_spoils));
	must_refuse_ranges(&rnv_depthwise_conv_2d_f32, &f, RANGE);
}

/* A size whose count of bytes is the stream's modulo 2^32. */
static void test_a_wrapping_stream(void **state)
{
	static const int32_t words[] = {1, 0x40000000, 1, 0, SIX};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	operand(&f, 4, 0);
	operand(&f, 1, 1);
	fixture_params(&f, words, COUNT(words));
	f.rec.weights_bytes = 4;
	f.tensors[0].bytes = 0;
	must_refuse(&rnv_fully_connected_f32, &f, "a stream that wraps");
}

static void test_fully_connected(void **state)
{
	static const int32_t words[] = {2, 5, 3, MINUS_INF, INFINITE};
	static const struct spoil spoils[] = {
		{"no row", 0, 0},
		{"another number of rows", 0, 3},
		{"another number of inputs", 1, 6},
		{"minus five inputs", 1, -5},
		{"another number of outputs", 2, 4},
		{"a huge number of outputs", 2, INT32_MAX},
	};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	operand(&f, 10, 0);
	operand(&f, 6, 1);
	fixture_params(&f, words, COUNT(words));
	f.rec.weights_bytes = 4u * (3u + 3u * 5u);
	must_refuse_all(&rnv_fully_connected_f32, &f, 0, spoils, COUNT(spoils));
	must_refuse_ranges(&rnv_fully_connected_f32, &f, 3);
}

static void test_pools(void **state)
{
	static const struct rnv_kernel *const kernels[] = {&rnv_average_pool_2d_f32,
							   &rnv_max_pool_2d_f32};
	static const int32_t more[] = {MINUS_INF, INFINITE};
	static const struct spoil spoils[] = {
		{"a first window above the input", PAD_TOP, 2},
		{"a first window left of the input", PAD_LEFT, 3},
		{"a last window below the input", STRIDE_H, 5},
		{"a last window right of the input", STRIDE_W, 4},
	};

	(void)state;
	for (uint32_t i = 0; i < COUNT(kernels); i++) {
		struct fixture f;

		window_init(&f, more, COUNT(more), 4, 4);
		must_refuse_all(kernels[i], &f, 0, window_spoils, COUNT(window_spoils));
		must_refuse_all(kernels[i], &f, 0, spoils, COUNT(spoils));
		must_refuse_ranges(kernels[i], &f, WINDOW_WORDS);
	}
}

/* [2][3] and a row [3] that is repeated. */
static void test_binary(void **state)
{
	static const struct rnv_kernel *const kernels[] = {&rnv_add_f32, &rnv_mul_f32};
	static const int32_t words[] = {MINUS_INF, INFINITE, 2, 3, 3, 1, 0, 1};
	static const struct spoil spoils[] = {
		{"another size", 2, 3},
		{"no size", 3, 0},
		{"another stride", 4, 2},
		{"a negative stride", 5, -1},
		{"a huge stride", 4, INT32_MAX},
		{"a stride that leaves the input", 6, 1},
		{"a negative stride of input 1", 7, -1},
	};

	(void)state;
	for (uint32_t i = 0; i < COUNT(kernels); i++) {
		struct fixture f;

		fixture_init(&f);
		operand(&f, 6, 0);
		operand(&f, 3, 0);
		operand(&f, 6, 1);
		fixture_params(&f, words, COUNT(words));
		must_refuse_all(kernels[i], &f, 1, spoils, COUNT(spoils));
		must_refuse_ranges(kernels[i], &f, 0);
	}
}

static void test_softmax(void **state)
{
	static const int32_t words[] = {2, 3, ONE};
	static const struct spoil spoils[] = {
		{"no row", 0, 0},
		{"another number of rows", 0, 3},
		{"no column", 1, 0},
		{"minus three columns", 1, -3},
		{"a beta that is no number", 2, NOT_A_NUMBER},
		{"an infinite beta", 2, INFINITE},
		{"a negative infinite beta", 2, MINUS_INF},
	};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	operand(&f, 6, 0);
	operand(&f, 6, 1);
	fixture_params(&f, words, COUNT(words));
	must_refuse_all(&rnv_softmax_f32, &f, 1, spoils, COUNT(spoils));
}

static void test_mean(void **state)
{
	static const int32_t words[] = {2, 3, 1, 2, 4, 1};
	static const struct spoil spoils[] = {
		{"nothing kept", 0, 0},      {"another size kept", 0, 3},
		{"nothing reduced", 1, 0},   {"minus three values", 1, -3},
		{"another size kept", 2, 2}, {"a huge size", 3, INT32_MAX},
		{"another size kept", 4, 5}, {"another size reduced", 5, 2},
	};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	operand(&f, 48, 0);
	operand(&f, 8, 1);
	fixture_params(&f, words, COUNT(words));
	must_refuse_all(&rnv_mean_f32, &f, 0, spoils, COUNT(spoils));
}

static void test_unary(void **state)
{
	static const struct rnv_kernel *const kernels[] = {&rnv_hard_swish_f32, &rnv_logistic_f32,
							   &rnv_tanh_f32};
	static const int32_t words[] = {5, ONE, SIX};
	static const struct spoil spoils[] = {
		{"no element", 0, 0},
		{"another number", 0, 6},
		{"minus five elements", 0, -5},
		{"a number that wraps", 0, 0x40000005},
	};
	static const struct spoil alphas[] = {
		{"an alpha that is no number", 1, SIGNALLING},
		{"an infinite alpha", 1, MINUS_INF},
	};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	operand(&f, 5, 0);
	operand(&f, 5, 1);
	fixture_params(&f, words, 1);
	for (uint32_t i = 0; i < COUNT(kernels); i++) {
		must_refuse_all(kernels[i], &f, 1, spoils, COUNT(spoils));
	}
	fixture_params(&f, words, 2);
	must_refuse_all(&rnv_leaky_relu_f32, &f, 1, spoils, COUNT(spoils));
	must_refuse_all(&rnv_leaky_relu_f32, &f, 1, alphas, COUNT(alphas));
	fixture_params(&f, words, 3);
	must_refuse_all(&rnv_clamp_f32, &f, 1, spoils, COUNT(spoils));
	must_refuse_ranges(&rnv_clamp_f32, &f, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_conv_2d), cmocka_unit_test(test_depthwise_conv_2d),
		cmocka_unit_test(test_pools),   cmocka_unit_test(test_fully_connected),
		cmocka_unit_test(test_binary),  cmocka_unit_test(test_a_wrapping_stream),
		cmocka_unit_test(test_softmax), cmocka_unit_test(test_mean),
		cmocka_unit_test(test_unary),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
