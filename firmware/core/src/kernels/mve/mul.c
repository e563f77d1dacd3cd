/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief MUL_S8 with MVE: four elements at a time. The arithmetic is that of s8/mul.c.
 */

#include "kernels/mve/vector.h"
#include "kernels/s8/binary.h"

static void mul_row(const int32_t *params, const struct rnv_binary_row *row)
{
	const struct rnv_mul_params *p = (const void *)params;
	uint32x4_t lanes = vidupq_n_u32(0, 1);
	uint32x4_t x_lanes = vmulq_n_u32(lanes, row->x_step);
	uint32x4_t y_lanes = vmulq_n_u32(lanes, row->y_step);
	int32x4_t low = vdupq_n_s32(p->act_min);
	int32x4_t high = vdupq_n_s32(p->act_max);
	const int8_t *in_0 = row->x;
	const int8_t *in_1 = row->y;
	int8_t *out = row->out;

	for (int32_t left = (int32_t)row->count; left > 0; left -= 4) {
		mve_pred16_t active = vctp32q((uint32_t)left);
		int32x4_t x = vldrbq_gather_offset_z_s32(in_0, x_lanes, active);
		int32x4_t y = vldrbq_gather_offset_z_s32(in_1, y_lanes, active);

		x = vmulq_s32(vsubq_n_s32(x, p->zero_point_0), vsubq_n_s32(y, p->zero_point_1));
		x = rnv_mve_requantize_n(x, p->multiplier, p->shift);
		x = vaddq_n_s32(x, p->zero_point_out);
		vstrbq_p_s32(out, rnv_mve_clamp(x, low, high), active);
		in_0 += 4u * row->x_step;
		in_1 += 4u * row->y_step;
		out += 4;
	}
}

static void run(const struct rnv_op *op)
{
	rnv_binary_run(op, RNV_MUL_WORDS, mul_row);
}

const struct rnv_kernel rnv_mul_s8 = {.check = rnv_mul_check, .run = run};
