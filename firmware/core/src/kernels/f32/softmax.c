/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief SOFTMAX_F32 of rows: e^(beta (x - max)), divided by the sum of the row's.
 */

#include "kernels/f32/exp.h"
#include "kernels/f32/f32.h"
#include "kernels/s8/plain.h"

struct softmax_f32_params {
	int32_t rows;
	int32_t depth;
	int32_t beta;
};

#define PARAMS (sizeof(struct softmax_f32_params) / sizeof(int32_t))

static int check(const struct rnv_op *op)
{
	const struct softmax_f32_params *p = (const void *)rnv_op_params(op);

	if (!rnv_op_plain(op, 1, PARAMS, 0) || !rnv_words_within(&p->rows, 2, 1, INT32_MAX) ||
	    !rnv_op_is_f32(op, 0, &p->rows, 2) || !rnv_op_is_f32(op, 1, &p->rows, 2) ||
	    !rnv_f32_is_finite(p->beta)) {
		return RNV_EFORMAT;
	}
	return 1;
}

static void softmax_row(const float *in, float *out, int32_t depth, float beta)
{
	float max = RNV_F32_LOWEST;
	float sum = 0.0f;

	for (int32_t i = 0; i < depth; i++) {
		max = (in[i] > max) ? in[i] : max;
	}
	for (int32_t i = 0; i < depth; i++) {
		out[i] = rnv_f32_exp((in[i] - max) * beta);
		sum += out[i];
	}
	for (int32_t i = 0; i < depth; i++) {
		out[i] = out[i] / sum;
	}
}

static void run(const struct rnv_op *op)
{
	const struct softmax_f32_params *p = (const void *)rnv_op_params(op);
	const float *in = rnv_op_in(op, 0);
	float *out = rnv_op_out(op, 0);

	for (int32_t row = 0; row < p->rows; row++) {
		softmax_row(in, out, p->depth, rnv_f32(p->beta));
		in += p->depth;
		out += p->depth;
	}
}

const struct rnv_kernel rnv_softmax_f32 = {.check = check, .run = run};
