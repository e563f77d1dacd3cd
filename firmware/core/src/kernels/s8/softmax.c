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

/*
 * 1 / d in Q0.31 for d in 1 .. 2, given as d / 2 in Q0.31: Newton-Raphson division in Q2.29 from
 * the estimate 48/17 - 32/17 * d / 2 (gemmlowp's one_over_one_plus_x_for_x_in_0_1). The estimate is
 * within 1/17, so that no step leaves int32; only values next to 1 / 1 saturate.
 */
static int32_t reciprocal(int32_t half)
{
	int32_t x = 1515870810 + rnv_high_mul(half, -1010580540);

	for (int step = 0; step < 3; step++) {
		int32_t error = (1 << 29) - rnv_high_mul(half, x);

		x += 4 * rnv_high_mul(x, error);
	}
	return (x >= 1 << 30) ? INT32_MAX : 2 * x;
}

static void softmax_row(const int32_t *table, const int8_t *in, int8_t *out, uint32_t depth)
{
	int32_t max = INT8_MIN;
	uint32_t sum = 0;
	int32_t right = SUM_INTEGER_BITS + 31 - 8;
	int32_t scale;

	for (uint32_t i = 0; i < depth; i++) {
		max = (in[i] > max) ? in[i] : max;
	}
	for (uint32_t i = 0; i < depth; i++) {
		sum += (uint32_t)rnv_shift_round(table[max - in[i]], SUM_INTEGER_BITS);
	}
	sum = (sum == 0u) ? 1u : sum; /* only with a table that is no exponential */
	while (sum < UINT32_C(0x80000000)) {
		sum <<= 1;
		right--;
	}
	scale = reciprocal((int32_t)(sum >> 1));
	for (uint32_t i = 0; i < depth; i++) {
		int32_t y = rnv_high_mul(scale, table[max - in[i]]);

		/* Beyond 31 bits nothing is left of it: 512 equal values, or more. */
		y = (right > 31) ? 0 : rnv_shift_round(y, (uint32_t)right);
		out[i] = (int8_t)rnv_clamp(y + INT8_MIN, INT8_MIN, INT8_MAX);
	}
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
