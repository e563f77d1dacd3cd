/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief LEAKY_RELU_F32: x where it is positive, else alpha x.
 */

#include "kernels/f32/unary.h"

struct leaky_relu_f32_params {
	struct rnv_f32_unary unary;
	int32_t alpha;
};

#define PARAMS (sizeof(struct leaky_relu_f32_params) / sizeof(int32_t))

static int check(const struct rnv_op *op)
{
	const struct leaky_relu_f32_params *p = (const void *)rnv_op_params(op);

	return (rnv_f32_unary_ok(op, PARAMS) && rnv_f32_is_finite(p->alpha)) ? 1 : RNV_EFORMAT;
}

static void run(const struct rnv_op *op)
{
	const struct leaky_relu_f32_params *p = (const void *)rnv_op_params(op);
	const float alpha = rnv_f32(p->alpha);
	const float *in = rnv_op_in(op, 0);
	float *out = rnv_op_out(op, 0);

	for (int32_t i = 0; i < p->unary.elements; i++) {
		out[i] = (in[i] > 0.0f) ? in[i] : in[i] * alpha;
	}
}

const struct rnv_kernel rnv_leaky_relu_f32 = {.check = check, .run = run};
