/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief MEAN over any set of axes with MVE: four of the last kept axis at a time
 * where that is dense, else 16 of the last reduced one.
 */

#include "kernels/mve/vector.h"
#include "kernels/s8/mean.h"

/* Sum of `count` adjacent values. */
static uint32_t sum_of(const int8_t *in, int32_t count)
{
	int32_t sum = 0;

	for (; count > 0; count -= 16) {
		mve_pred16_t active = vctp8q((uint32_t)count);

		sum = vaddvaq_p_s8(sum, vld1q_z_s8(in, active), active);
		in += 16;
	}
	return (uint32_t)sum;
}

/* The sums of up to four neighbours whose first values are at `in`. */
static int32x4_t sums(const struct rnv_mean_params *p, const int8_t *in, mve_pred16_t active)
{
	int32_t step1 = p->keep2 * p->reduce2;
	int32_t step0 = p->keep1 * p->reduce1 * step1;
	int32x4_t acc = vdupq_n_s32(p->offset);
	uint32_t sum = 0;

	for (int32_t a = 0; a < p->reduce0; a++) {
		const int8_t *row = in + a * step0;

		for (int32_t b = 0; b < p->reduce1; b++) {
			if (p->reduce2 == 1) {
				acc = vaddq_s32(acc, vldrbq_z_s32(row, active));
			} else {
				sum += sum_of(row, p->reduce2);
			}
			row += step1;
		}
	}
	return vaddq_n_s32(acc, (int32_t)sum);
}

static void run(const struct rnv_op *op)
{
	const struct rnv_mean_params *p = (const void *)rnv_op_params(op);
	const int8_t *in = rnv_op_in(op, 0);
	int8_t *out = rnv_op_out(op, 0);
	int32_t step1 = p->reduce1 * p->keep2 * p->reduce2;
	int32_t step0 = p->reduce0 * p->keep1 * step1;
	int32_t block = (p->reduce2 == 1) ? 4 : 1; /* outputs at a time */

	for (int32_t a = 0; a < p->keep0; a++) {
		for (int32_t b = 0; b < p->keep1; b++) {
			const int8_t *first = in + a * step0 + b * step1;

			for (int32_t left = p->keep2; left > 0; left -= block) {
				int32_t count = (left < block) ? left : block;
				mve_pred16_t active = vctp32q((uint32_t)count);
				int32x4_t y = rnv_mve_requantize_n(sums(p, first, active),
								   p->multiplier, p->shift);

				y = rnv_mve_clamp(vaddq_n_s32(y, p->out_zp), vdupq_n_s32(INT8_MIN),
						  vdupq_n_s32(INT8_MAX));
				vstrbq_p_s32(out, y, active);
				first += count * p->reduce2;
				out += count;
			}
		}
	}
}

const struct rnv_kernel rnv_mean_s8 = {.check = rnv_mean_check, .run = run};
