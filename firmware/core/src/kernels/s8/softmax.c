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

#include "kernels/fixed_point.h"
#include "kernels/s8/softmax.h"

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
		int32_t y = rnv_softmax_mul(scale, table[rnv_softmax_place(max, *in++)]);

		y = (y + (y >> 31)) >> (right - 1);
		*out++ = (int8_t)rnv_clamp((y >> 1) + (y & 1) + INT8_MIN, INT8_MIN, INT8_MAX);
	}
}

static void softmax_row(const int32_t *table, const int8_t *in, int8_t *out, uint32_t depth)
{
	const int8_t *end = in + depth;
	int32_t right = RNV_SOFTMAX_SUM_BITS + 31 - 8;
	int32_t max = highest(in, end);
	uint32_t sum = 0;

	for (const int8_t *x = in; x != end; x++) {
		sum += (uint32_t)rnv_shift_round(table[rnv_softmax_place(max, *x)],
						 RNV_SOFTMAX_SUM_BITS);
	}
	sum = (sum == 0u) ? 1u : sum; /* only with a table that is no exponential */
	while (sum < UINT32_C(0x80000000)) {
		sum <<= 1;
		right--;
	}
	outputs(table, max, rnv_softmax_reciprocal((int32_t)(sum >> 1)), right, in, out, depth);
}

static void run(const struct rnv_op *op)
{
	const struct rnv_softmax_params *p = (const void *)rnv_op_params(op);
	const int32_t *table = (const int32_t *)(const void *)rnv_op_weights(op);
	const int8_t *in = rnv_op_in(op, 0);
	int8_t *out = rnv_op_out(op, 0);

	for (int32_t row = 0; row < p->rows; row++) {
		softmax_row(table, in, out, (uint32_t)p->depth);
		in += p->depth;
		out += p->depth;
	}
}

const struct rnv_kernel rnv_softmax_s8 = {.check = rnv_softmax_check, .run = run};
