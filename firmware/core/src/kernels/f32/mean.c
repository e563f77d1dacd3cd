/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief MEAN_F32 over any set of axes, one output at a time.
 *
 * As for int8, the compiler has merged neighbouring axes: the input is
 * [keep0][reduce0][keep1][reduce1][keep2][reduce2] and the output [keep0][keep1][keep2].
 */

#include "kernels/f32/f32.h"
#include "kernels/s8/plain.h"

struct mean_f32_params {
	int32_t keep0;
	int32_t reduce0;
	int32_t keep1;
	int32_t reduce1;
	int32_t keep2;
	int32_t reduce2;
};

#define PARAMS (sizeof(struct mean_f32_params) / sizeof(int32_t))

static int check(const struct rnv_op *op)
{
	const struct mean_f32_params *p = (const void *)rnv_op_params(op);
	int32_t keep[3];

	if (!rnv_op_plain(op, 1, PARAMS, 0) || !rnv_words_within(&p->keep0, 6, 1, INT32_MAX)) {
		return RNV_EFORMAT;
	}
	keep[0] = p->keep0;
	keep[1] = p->keep1;
	keep[2] = p->keep2;
	if (!rnv_op_is_f32(op, 0, &p->keep0, 6) || !rnv_op_is_f32(op, 1, keep, 3)) {
		return RNV_EFORMAT;
	}
	return 0;
}

/* Mean of the values that are reduced into the output at `in`. */
static float mean_of(const struct mean_f32_params *p, const float *in)
{
	int32_t step1 = p->keep2 * p->reduce2;
	int32_t step0 = p->keep1 * p->reduce1 * step1;
	float sum = 0.0f;

	for (int32_t a = 0; a < p->reduce0; a++) {
		for (int32_t b = 0; b < p->reduce1; b++) {
			for (int32_t c = 0; c < p->reduce2; c++) {
				sum += in[a * step0 + b * step1 + c];
			}
		}
	}
	return sum / (float)(p->reduce0 * p->reduce1 * p->reduce2);
}

static void run(const struct rnv_op *op)
{
	const struct mean_f32_params *p = (const void *)rnv_op_params(op);
	const float *in = rnv_op_in(op, 0);
	float *out = rnv_op_out(op, 0);
	int32_t step1 = p->reduce1 * p->keep2 * p->reduce2;
	int32_t step0 = p->reduce0 * p->keep1 * step1;

	for (int32_t a = 0; a < p->keep0; a++) {
		for (int32_t b = 0; b < p->keep1; b++) {
			for (int32_t c = 0; c < p->keep2; c++) {
				*out++ = mean_of(p, in + a * step0 + b * step1 + c * p->reduce2);
			}
		}
	}
}

const struct rnv_kernel rnv_mean_f32 = {.check = check, .run = run};
