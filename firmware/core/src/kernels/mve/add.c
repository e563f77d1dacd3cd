/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief ADD_S8 with MVE: four elements at a time. The arithmetic is that of s8/add.c.
 */

#include "kernels/mve/add_row.h"
#include "kernels/mve/vector.h"
#include "kernels/s8/binary.h"

#define INPUT_BITS 20u

/* Four inputs at the common scale; VMLAS takes off the zero point while it shifts. */
static inline int32x4_t scaled(int32x4_t x, int32_t zero_point, int32_t multiplier, int32_t shift)
{
	int32x4_t unit = vdupq_n_s32(1 << INPUT_BITS);

	return rnv_mve_requantize_n(vmlasq_n_s32(x, unit, -zero_point * (1 << INPUT_BITS)),
				    multiplier, shift);
}

/* Any row. */
static void add_any(const struct rnv_add_params *p, const struct rnv_binary_row *row)
{
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

		x = scaled(x, p->zero_point_0, p->multiplier_0, p->shift_0);
		y = scaled(y, p->zero_point_1, p->multiplier_1, p->shift_1);
		x = rnv_mve_requantize_n(vaddq_s32(x, y), p->multiplier_out, p->shift_out);
		x = vaddq_n_s32(x, p->zero_point_out);
		vstrbq_p_s32(out, rnv_mve_clamp(x, low, high), active);
		in_0 += 4u * row->x_step;
		in_1 += 4u * row->y_step;
		out += 4;
	}
}

static void add_row(const int32_t *params, const struct rnv_binary_row *row)
{
	const struct rnv_add_params *p = (const void *)params;
	bool first = p->shift_0 == 0; /* the input of the larger scale */
	int32_t shift = first ? p->shift_1 : p->shift_0;
	struct rnv_mve_add_row fast;

	if (row->x_step != 1u || row->y_step != 1u || (!first && p->shift_1 != 0) || shift > 0 ||
	    p->shift_out >= 0) {
		add_any(p, row);
		return;
	}
	fast.x = first ? row->x : row->y;
	fast.y = first ? row->y : row->x;
	fast.out = row->out;
	fast.count = row->count;
	fast.x_zero = -(first ? p->zero_point_0 : p->zero_point_1) * (1 << INPUT_BITS);
	fast.y_zero = -(first ? p->zero_point_1 : p->zero_point_0) * (1 << INPUT_BITS);
	fast.x_multiplier = first ? p->multiplier_0 : p->multiplier_1;
	fast.y_multiplier = first ? p->multiplier_1 : p->multiplier_0;
	fast.out_multiplier = p->multiplier_out;
	fast.out_shift = p->shift_out;
	fast.out_zp = p->zero_point_out;
	fast.y_shift = shift;
	fast.act_min = p->act_min;
	fast.act_max = p->act_max;
	rnv_mve_add_row(&fast);
}

static void run(const struct rnv_op *op)
{
	rnv_binary_run(op, RNV_ADD_WORDS, add_row);
}

const struct rnv_kernel rnv_add_s8 = {.check = rnv_add_check, .run = run};
