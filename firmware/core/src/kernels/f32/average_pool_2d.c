/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief AVERAGE_POOL_2D_F32: the mean of the part of each window that lies inside the input.
 */

#include "kernels/f32/pool.h"

static float mean(const struct rnv_f32_area *area)
{
	float sum = 0.0f;

	for (int32_t y = 0; y < area->rows; y++) {
		const float *in = area->first + y * area->row_step;

		for (int32_t x = 0; x < area->cols; x++) {
			sum += *in;
			in += area->col_step;
		}
	}
	return sum / (float)(area->rows * area->cols);
}

static void run(const struct rnv_op *op)
{
	rnv_f32_pool_run(op, mean);
}

const struct rnv_kernel rnv_average_pool_2d_f32 = {
	.check = rnv_f32_pool_check,
	.run = run,
	.reach = rnv_pool_reach,
};
