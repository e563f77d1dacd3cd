/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief MEAN over any set of axes.
 *
 * The compiler has merged neighbouring axes, so that the input is
 * [keep0][reduce0][keep1][reduce1][keep2][reduce2] (each may be 1) and the output
 * [keep0][keep1][keep2]; multiplier and shift include the division by the number of values, and
 * `offset` is that number times the input's negated zero point.
 */

#include "kernels/s8/fixed_point.h"
#include "kernels/s8/plain.h"

struct mean_params {
	int32_t keep0;
	int32_t reduce0;
	int32_t keep1;
	int32_t reduce1;
	int32_t keep2;
	int32_t reduce2;
	int32_t offset;
	int32_t multiplier;
	int32_t shift;
	int32_t out_zp;
};

#define PARAMS (sizeof(struct mean_params) / sizeof(int32_t))

static int check(const struct rnv_op *op)
{
	const struct mean_params *p = (const void *)rnv_op_params(op);
	int32_t keep[3];

	if (!rnv_op_plain(op, 1, PARAMS, 0) || !rnv_words_within(&p->keep0, 6, 1, INT32_MAX) ||
	    !rnv_words_within(&p->multiplier, 1, 0, INT32_MAX) ||
	    !rnv_words_within(&p->shift, 1, -31, 30) ||
	    !rnv_words_within(&p->out_zp, 1, INT8_MIN, INT8_MAX)) {
		return RNV_EFORMAT;
	}
	keep[0] = p->keep0;
	keep[1] = p->keep1;
	keep[2] = p->keep2;
	if (!rnv_tensor_is(rnv_op_in_rec(op, 0), RNV_TYPE_INT8, rnv_product(&p->keep0, 6)) ||
	    !rnv_tensor_is(rnv_op_out_rec(op, 0), RNV_TYPE_INT8, rnv_product(keep, 3))) {
		return RNV_EFORMAT;
	}
	return 0;
}

/* Sum of the values that are reduced into the output at `in`. */
static uint32_t sum_of(const struct mean_params *p, const int8_t *in)
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
	const struct mean_params *p = (const void *)rnv_op_params(op);
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

const struct rnv_kernel rnv_mean_s8 = {.check = check, .run = run};
