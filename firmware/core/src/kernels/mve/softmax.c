/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief SOFTMAX with MVE: the arithmetic is that of s8/softmax.c, four elements at a time; the
 * exponentials are gathered from the table.
 */

#include "kernels/mve/vector.h"
#include "kernels/s8/softmax.h"

static int8_t highest(const int8_t *in, int32_t count)
{
	int8_t max = INT8_MIN;

	for (; count > 0; count -= 16) {
		mve_pred16_t active = vctp8q((uint32_t)count);

		max = vmaxvq_p_s8(max, vld1q_z_s8(in, active), active);
		in += 16;
	}
	return max;
}

/* Exponentials of four inputs, see rnv_softmax_place(); 0 where a lane is not `active`. */
static inline int32x4_t exponentials(const int32_t *table, int32_t max, const int8_t *in,
				     mve_pred16_t active)
{
	int32x4_t below = vsubq_s32(vdupq_n_s32(max), vldrbq_z_s32(in, active));
	uint32x4_t index = vandq_u32(vreinterpretq_u32_s32(below), vdupq_n_u32(UINT8_MAX));

	return vldrwq_gather_shifted_offset_z_s32(table, index, active);
}

static void softmax_row(const int32_t *table, const int8_t *in, int8_t *out, int32_t depth)
{
	int32_t max = highest(in, depth);
	int32_t right = RNV_SOFTMAX_SUM_BITS + 31 - 8;
	uint32_t sum = 0;
	int32_t scale;

	for (int32_t i = 0; i < depth; i += 4) {
		mve_pred16_t active = vctp32q((uint32_t)(depth - i));
		int32x4_t terms = exponentials(table, max, in + i, active);

		terms = rnv_mve_shift_round(terms, vdupq_n_s32(-RNV_SOFTMAX_SUM_BITS));
		sum = (uint32_t)vaddvaq_p_s32((int32_t)sum, terms, active);
	}
	sum = (sum == 0u) ? 1u : sum; /* only with a table that is no exponential */
	while (sum < UINT32_C(0x80000000)) {
		sum <<= 1;
		right--;
	}
	scale = rnv_softmax_reciprocal((int32_t)(sum >> 1));
	for (int32_t i = 0; i < depth; i += 4) {
		mve_pred16_t active = vctp32q((uint32_t)(depth - i));
		int32x4_t y = exponentials(table, max, in + i, active);

		y = vqrdmulhq_n_s32(y, scale);
		/* Beyond 31 bits nothing is left of it: 512 equal values, or more. */
		y = (right > 31) ? vdupq_n_s32(0) : rnv_mve_shift_round(y, vdupq_n_s32(-right));
		y = vaddq_n_s32(y, INT8_MIN);
		y = rnv_mve_clamp(y, vdupq_n_s32(INT8_MIN), vdupq_n_s32(INT8_MAX));
		vstrbq_p_s32(out + i, y, active);
	}
}

static void run(const struct rnv_op *op)
{
	const struct rnv_softmax_params *p = (const void *)rnv_op_params(op);
	const int32_t *table = (const int32_t *)(const void *)rnv_op_weights(op);
	const int8_t *in = rnv_op_in(op, 0);
	int8_t *out = rnv_op_out(op, 0);

	for (int32_t row = 0; row < p->rows; row++) {
		softmax_row(table, in, out, p->depth);
		in += p->depth;
		out += p->depth;
	}
}

const struct rnv_kernel rnv_softmax_s8 = {.check = rnv_softmax_check, .run = run};
