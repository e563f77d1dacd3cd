/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief MUL_S8: element-wise product of two int8 tensors with broadcasting.
 *
 * Source of the algorithm: TensorFlow Lite's quantised MUL.
 */

#include "kernels/s8/binary.h"
#include "kernels/s8/fixed_point.h"

/* Followed by the box of binary.h. */
struct mul_params {
	int32_t zero_point_0;
	int32_t zero_point_1;
	int32_t zero_point_out;
	int32_t act_min;
	int32_t act_max;
	int32_t multiplier;
	int32_t shift;
};

#define FIXED 7u

static int check(const struct rnv_op *op)
{
	const int32_t *words = rnv_op_params(op);
	const struct mul_params *p = (const void *)words;
	int mask = rnv_binary_check(op, FIXED);

	if (mask >= 0 &&
	    (!rnv_words_within(words, 5, INT8_MIN, INT8_MAX) || p->act_min > p->act_max ||
	     p->multiplier < 0 || !rnv_words_within(words + 6, 1, -31, 30))) {
		return RNV_EFORMAT;
	}
	return mask;
}

static void mul_row(const int32_t *params, const struct rnv_binary_row *row)
{
	const struct mul_params *p = (const void *)params;

	for (uint32_t i = 0; i < row->count; i++) {
		int32_t x = row->x[i * row->x_step] - p->zero_point_0;
		int32_t y = row->y[i * row->y_step] - p->zero_point_1;
		uint32_t out = (uint32_t)rnv_requantize(x * y, p->multiplier, p->shift) +
			       (uint32_t)p->zero_point_out;

		row->out[i] = (int8_t)rnv_clamp((int32_t)out, p->act_min, p->act_max);
	}
}

static void run(const struct rnv_op *op)
{
	rnv_binary_run(op, FIXED, mul_row);
}

const struct rnv_kernel rnv_mul_s8 = {.check = check, .run = run};
