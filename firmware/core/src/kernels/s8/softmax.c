/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief SOFTMAX of rows of int8, output scale 1/256 and zero point -128, as TensorFlow Lite
 * computes it with gemmlowp's fixed point: exp(x - max) in Q0.31 comes from the weight stream, a
 * table by max - x; the sum is formed in Q12.19 and inverted by three Newton-Raphson steps.
 */

#include <string.h>

#include "kernels/s8/fixed_point.h"
#include "kernels/s8/plain.h"

struct softmax_params {
	int32_t rows;
	int32_t depth;
};

#define PARAMS           (sizeof(struct softmax_params) / sizeof(int32_t))
#define TABLE_BYTES      1024u
#define SUM_INTEGER_BITS 12 /* the sum of `DEPTH_MAX` ones is below 2^12 */
#define DEPTH_MAX        4095

static int check(const struct rnv_op *op)
{
	const struct softmax_params *p = (const void *)rnv_op_params(op);

	if (!rnv_op_plain(op, 1, PARAMS, TABLE_BYTES) ||
	    !rnv_words_within(&p->rows, 1, 1, INT32_MAX) ||
	    !rnv_words_within(&p->depth, 1, 1, DEPTH_MAX) ||
	    !rnv_tensor_is(rnv_op_in_rec(op, 0), RNV_TYPE_INT8, rnv_product(&p->rows, 2)) ||
	    !rnv_tensor_is(rnv_op_out_rec(op, 0), RNV_TYPE_INT8, rnv_product(&p->rows, 2))) {
		return RNV_EFORMAT;
	}
	return 0x1;
}

/* rnv_high_mul() of two numbers that are not both -2^31. */
static int32_t high_mul(int32_t a, int32_t b)
{
	return (int32_t)(((int64_t)a * b + ((int64_t)1 << 30)) >> 31);
}

/*
 * 1 / d in Q0.31 for d in 1 .. 2, given as d / 2 in Q0.31: Newton-Raphson division in Q2.29 from
 * the estimate 48/17 - 32/17 * d / 2 (gemmlowp's one_over_one_plus_x_for_x_in_0_1). The estimate is
 * within 1/17, so that no step leaves int32; only values next to 1 / 1 saturate.
 */
static int32_t reciprocal(int32_t half)
{
	int32_t x = 1515870810 + high_mul(half, -1010580540);

	for (int step = 0; step < 3; step++) {
		int32_t error = (1 << 29) - high_mul(half, x);

		x += 4 * high_mul(x, error);
	}
	return (x >= 1 << 30) ? INT32_MAX : 2 * x;
}

static int32_t highest(const int8_t *in, const int8_t *end)
{
	int32_t max = INT8_MIN;

	while (in != end) {
		int32_t x = *in++;

		max = (x > max) ? x : max;
	}
	return max;
}

/*
 * Outputs of a row: exponential times `scale`, shifted right by `right`, which is 4 or more. The
 * shift is rnv_shift_round() in the form of rnv_requantize().
 */
static void outputs(const int32_t *table, int32_t max, int32_t scale, int32_t right,
		    const int8_t *in, int8_t *out, uint32_t depth)
{
	const int8_t *end = in + depth;

	/* Beyond 31 bits nothing is left of it: 512 equal values, or more. */
	if (right > 31) {
		memset(out, INT8_MIN, depth);
		return;
	}
	while (in != end) {
		int32_t y = high_mul(scale, table[max - *in++]);

		y = (y + (y >> 31)) >> (right - 1);
		*out++ = (int8_t)rnv_clamp((y >> 1) + (y & 1) + INT8_MIN, INT8_MIN, INT8_MAX);
	}
}

static void softmax_row(const int32_t *table, const int8_t *in, int8_t *out, uint32_t depth)
{
	const int8_t *end = in + depth;
	int32_t right = SUM_INTEGER_BITS + 31 - 8;
	int32_t max = highest(in, end);
	uint32_t sum = 0;

	for (const int8_t *x = in; x != end; x++) {
		sum += (uint32_t)rnv_shift_round(table[max - *x], SUM_INTEGER_BITS);
	}
	sum = (sum == 0u) ? 1u : sum; /* only with a table that is no exponential */
	while (sum < UINT32_C(0x80000000)) {
		sum <<= 1;
		right--;
	}
	outputs(table, max, reciprocal((int32_t)(sum >> 1)), right, in, out, depth);
}

static void run(const struct rnv_op *op)
{
	const struct softmax_params *p = (const void *)rnv_op_params(op);
	const int32_t *table = (const int32_t *)(const void *)rnv_op_weights(op);
	const int8_t *in = rnv_op_in(op, 0);
	int8_t *out = rnv_op_out(op, 0);

	for (int32_t row = 0; row < p->rows; row++) {
		softmax_row(table, in, out, (uint32_t)p->depth);
		in += p->depth;
		out += p->depth;
	}
}

const struct rnv_kernel rnv_softmax_s8 = {.check = check, .run = run};
