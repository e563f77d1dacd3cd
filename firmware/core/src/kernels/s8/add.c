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

#include "kernels/fixed_point.h"
#include "kernels/s8/binary.h"

#define INPUT_BITS 20u

static void add_row(const int32_t *params, const struct rnv_binary_row *row)
{
	const struct rnv_add_params *p = (const void *)params;

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
	rnv_binary_run(op, RNV_ADD_WORDS, add_row);
}

const struct rnv_kernel rnv_add_s8 = {.check = rnv_add_check, .run = run};
