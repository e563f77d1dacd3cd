/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief MAX_POOL_2D_F32: the highest value of each window; NaN is passed over.
 */

#include "kernels/f32/f32.h"
#include "kernels/f32/pool.h"

static float highest(const struct rnv_f32_area *area)
{
	float max = RNV_F32_LOWEST;

	for (int32_t y = 0; y < area->rows; y++) {
		const float *in = area->first + y * area->row_step;

		for (int32_t x = 0; x < area->cols; x++) {
			max = (*in > max) ? *in : max;
			in += area->col_step;
		}
	}
	return max;
}

static void run(const struct rnv_op *op)
{
	rnv_f32_pool_run(op, highest);
}

const struct rnv_kernel rnv_max_pool_2d_f32 = {
	.check = rnv_f32_pool_check,
	.run = run,
	.reach = rnv_pool_reach,
};
