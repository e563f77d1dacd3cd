/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief MAX_POOL_2D: the highest value of each window.
 */

#include "kernels/s8/pool.h"

static int32_t highest(const struct rnv_pool_area *area)
{
	int32_t max = INT8_MIN;

	for (int32_t y = 0; y < area->rows; y++) {
		const int8_t *in = area->first + y * area->row_step;

		for (int32_t x = 0; x < area->cols; x++) {
			max = (*in > max) ? *in : max;
			in += area->col_step;
		}
	}
	return max;
}

static void run(const struct rnv_op *op)
{
	rnv_pool_run(op, highest);
}

const struct rnv_kernel rnv_max_pool_2d_s8 = {
	.check = rnv_pool_check,
	.run = run,
	.reach = rnv_pool_reach,
};
