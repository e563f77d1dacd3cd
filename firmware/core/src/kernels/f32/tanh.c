/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief TANH_F32: 1 - 2 / (e^2|x| + 1) with the sign of x; near 0, where that cancels,
 * t / (t + 2) with t = e^2|x| - 1.
 */

#include "kernels/f32/exp.h"
#include "kernels/f32/unary.h"

struct tanh_f32_params {
	struct rnv_f32_unary unary;
};

static float hyperbolic_tangent(float x)
{
	float twice = ((x < 0.0f) ? -x : x) * 2.0f;
	float y;

	if (twice <= RNV_F32_EXP_RADIUS) {
		y = rnv_f32_exp_minus_1(twice);
		y = y / (y + 2.0f);
	} else {
		y = 1.0f - 2.0f / (rnv_f32_exp(twice) + 1.0f);
	}
	return (x < 0.0f) ? -y : y;
}

static void run(const struct rnv_op *op)
{
	rnv_f32_unary_run(op, hyperbolic_tangent);
}

const struct rnv_kernel rnv_tanh_f32 = {.check = rnv_f32_unary_check, .run = run};
