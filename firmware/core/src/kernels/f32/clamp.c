/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief CLAMP_F32: each element clamped to a range. RELU, RELU6 and RELU_N1_TO_1 are its kinds.
 */

#include "kernels/f32/unary.h"

struct clamp_f32_params {
	struct rnv_f32_unary unary;
	struct rnv_f32_range range;
};

#define PARAMS (sizeof(struct clamp_f32_params) / sizeof(int32_t))

static int check(const struct rnv_op *op)
{
	const struct clamp_f32_params *p = (const void *)rnv_op_params(op);

	return (rnv_f32_unary_ok(op, PARAMS) && rnv_f32_range_ok(&p->range)) ? 1 : RNV_EFORMAT;
}

static void run(const struct rnv_op *op)
{
	const struct clamp_f32_params *p = (const void *)rnv_op_params(op);
	const float low = rnv_f32(p->range.act_min);
	const float high = rnv_f32(p->range.act_max);
	const float *in = rnv_op_in(op, 0);
	float *out = rnv_op_out(op, 0);

	for (int32_t i = 0; i < p->unary.elements; i++) {
		out[i] = rnv_f32_clamp(in[i], low, high);
	}
}

const struct rnv_kernel rnv_clamp_f32 = {.check = check, .run = run};
