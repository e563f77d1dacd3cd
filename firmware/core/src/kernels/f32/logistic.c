/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief LOGISTIC_F32: 1 / (1 + e^-x), for negative x as e^x / (1 + e^x), so that small results
 * keep their precision.
 */

#include "kernels/f32/exp.h"
#include "kernels/f32/unary.h"

struct logistic_f32_params {
	struct rnv_f32_unary unary;
};

static float logistic(float x)
{
	float e;

	if (x < 0.0f) {
		e = rnv_f32_exp(x);
		return e / (1.0f + e);
	}
	return 1.0f / (1.0f + rnv_f32_exp(-x));
}

static void run(const struct rnv_op *op)
{
	rnv_f32_unary_run(op, logistic);
}

const struct rnv_kernel rnv_logistic_f32 = {.check = rnv_f32_unary_check, .run = run};
