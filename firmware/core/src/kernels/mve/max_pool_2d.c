/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief MAX_POOL_2D with MVE: four channels at a time.
 */

#include "kernels/mve/pool.h"

static int32x4_t highest(const struct rnv_pool_area *area, mve_pred16_t active)
{
	const int8_t *row = area->first;
	int32x4_t max = vdupq_n_s32(INT8_MIN);

	for (int32_t y = 0; y < area->rows; y++) {
		const int8_t *in = row;

		for (int32_t x = 0; x < area->cols; x++) {
			max = vmaxq_s32(max, vldrbq_z_s32(in, active));
			in += area->col_step;
		}
		row += area->row_step;
	}
	return max;
}

static void run(const struct rnv_op *op)
{
	rnv_mve_pool_run(op, highest);
}

const struct rnv_kernel rnv_max_pool_2d_s8 = {
	.check = rnv_pool_check,
	.run = run,
	.reach = rnv_pool_reach,
};
