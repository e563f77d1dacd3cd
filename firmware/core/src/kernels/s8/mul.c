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

#include "kernels/fixed_point.h"
#include "kernels/s8/binary.h"

static void mul_row(const int32_t *params, const struct rnv_binary_row *row)
{
	const struct rnv_mul_params *p = (const void *)params;

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
	rnv_binary_run(op, RNV_MUL_WORDS, mul_row);
}

const struct rnv_kernel rnv_mul_s8 = {.check = rnv_mul_check, .run = run};
