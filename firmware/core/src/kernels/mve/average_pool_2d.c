/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief AVERAGE_POOL_2D with MVE: four channels at a time.
 */

#include "kernels/mve/pool.h"

/*
 * Mean rounded to nearest, ties away from zero, as the portable kernel has it: the magnitude of
 * the sum plus half of the count, divided. There is no vector division: multiplied by the
 * reciprocal, rounded down, the quotient is exact or one too low, since the sum is below 2^31.
 */
static int32x4_t mean(const struct rnv_pool_area *area, mve_pred16_t active)
{
	uint32_t count = (uint32_t)(area->rows * area->cols);
	uint32_t reciprocal = UINT32_MAX / count;
	const int8_t *row = area->first;
	int32x4_t sum = vdupq_n_s32(0);
	uint32x4_t size;
	uint32x4_t quotient;
	mve_pred16_t low;

	for (int32_t y = 0; y < area->rows; y++) {
		const int8_t *in = row;

		for (int32_t x = 0; x < area->cols; x++) {
			sum = vaddq_s32(sum, vldrbq_z_s32(in, active));
			in += area->col_step;
		}
		row += area->row_step;
	}
	size = vaddq_n_u32(vreinterpretq_u32_s32(vabsq_s32(sum)), count / 2u);
	quotient = vmulhq_u32(size, vdupq_n_u32(reciprocal));
	low = vcmpcsq_n_u32(vsubq_u32(size, vmulq_n_u32(quotient, count)), count);
	quotient = vaddq_m_n_u32(quotient, quotient, 1, low);
	return vnegq_m_s32(vreinterpretq_s32_u32(quotient), vreinterpretq_s32_u32(quotient),
			   vcmpltq_n_s32(sum, 0));
}

static void run(const struct rnv_op *op)
{
	rnv_mve_pool_run(op, mean);
}

const struct rnv_kernel rnv_average_pool_2d_s8 = {
	.check = rnv_pool_check,
	.run = run,
	.reach = rnv_pool_reach,
};
