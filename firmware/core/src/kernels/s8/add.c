/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief ADD_S8: element-wise sum of two int8 tensors with broadcasting.
 *
 * Both inputs are brought to a common scale, twice the larger one, with 20 more bits; the sum is
 * brought to the output's scale. Source of the algorithm: TensorFlow Lite's quantised ADD.
 */

#include "kernels/s8/binary.h"
#include "kernels/s8/fixed_point.h"

/* Followed by the box of binary.h. */
struct add_params {
	int32_t zero_point_0;
	int32_t zero_point_1;
	int32_t zero_point_out;
	int32_t act_min;
	int32_t act_max;
	int32_t multiplier_0;
	int32_t multiplier_1;
	int32_t multiplier_out;
	int32_t shift_0;
	int32_t shift_1;
	int32_t shift_out;
};

#define FIXED      11u
#define INPUT_BITS 20u

static int check(const struct rnv_op *op)
{
	const int32_t *words = rnv_op_params(op);
	const struct add_params *p = (const void *)words;
	int mask = rnv_binary_check(op, FIXED);

	if (mask >= 0 &&
	    (!rnv_words_within(words, 5, INT8_MIN, INT8_MAX) || p->act_min > p->act_max ||
	     !rnv_words_within(words + 5, 3, 0, INT32_MAX) ||
	     !rnv_words_within(words + 8, 3, -31, 30))) {
		return RNV_EFORMAT;
	}
	return mask;
}

static void add_row(const int32_t *params, const struct rnv_binary_row *row)
{
	const struct add_params *p = (const void *)params;

	for (uint32_t i = 0; i < row->count; i++) {
		int32_t x = rnv_shift_left(row->x[i * row->x_step] - p->zero_point_0, INPUT_BITS);
		int32_t y = rnv_shift_left(row->y[i * row->y_step] - p->zero_point_1, INPUT_BITS);
		uint32_t sum = (uint32_t)rnv_requantize(x, p->multiplier_0, p->shift_0) +
			       (uint32_t)rnv_requantize(y, p->multiplier_1, p->shift_1);
		uint32_t out =
			(uint32_t)rnv_requantize((int32_t)sum, p->multiplier_out, p->shift_out) +
			(uint32_t)p->zero_point_out;

		row->out[i] = (int8_t)rnv_clamp((int32_t)out, p->act_min, p->act_max);
	}
}

static void run(const struct rnv_op *op)
{
	rnv_binary_run(op, FIXED, add_row);
}

const struct rnv_kernel rnv_add_s8 = {.check = check, .run = run};
