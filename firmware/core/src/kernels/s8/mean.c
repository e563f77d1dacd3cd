/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief MEAN over any set of axes, one output at a time.
 */

#include "kernels/fixed_point.h"
#include "kernels/s8/mean.h"

/* Sum of the values that are reduced into the output at `in`. */
static uint32_t sum_of(const struct rnv_mean_params *p, const int8_t *in)
{
	int32_t step1 = p->keep2 * p->reduce2;
	int32_t step0 = p->keep1 * p->reduce1 * step1;
	uint32_t sum = 0;

	for (int32_t a = 0; a < p->reduce0; a++) {
		for (int32_t b = 0; b < p->reduce1; b++) {
			for (int32_t c = 0; c < p->reduce2; c++) {
				int32_t value = in[a * step0 + b * step1 + c];

				sum += (uint32_t)value;
			}
		}
	}
	return sum;
}

static void run(const struct rnv_op *op)
{
	const struct rnv_mean_params *p = (const void *)rnv_op_params(op);
	const int8_t *in = rnv_op_in(op, 0);
	int8_t *out = rnv_op_out(op, 0);
	int32_t step1 = p->reduce1 * p->keep2 * p->reduce2;
	int32_t step0 = p->reduce0 * p->keep1 * step1;

	for (int32_t a = 0; a < p->keep0; a++) {
		for (int32_t b = 0; b < p->keep1; b++) {
			for (int32_t c = 0; c < p->keep2; c++) {
				const int8_t *first = in + a * step0 + b * step1 + c * p->reduce2;
				uint32_t sum = sum_of(p, first) + (uint32_t)p->offset;
				int32_t y = rnv_requantize((int32_t)sum, p->multiplier, p->shift);

				y = (int32_t)((uint32_t)y + (uint32_t)p->out_zp);
				*out++ = (int8_t)rnv_clamp(y, INT8_MIN, INT8_MAX);
			}
		}
	}
}

const struct rnv_kernel rnv_mean_s8 = {.check = rnv_mean_check, .run = run};
