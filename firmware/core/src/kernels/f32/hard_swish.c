/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief HARD_SWISH_F32: x min(max(x + 3, 0), 6) / 6.
 */

#include "kernels/f32/unary.h"

struct hard_swish_f32_params {
	struct rnv_f32_unary unary;
};

static float hard_swish(float x)
{
	return x * rnv_f32_clamp(x + 3.0f, 0.0f, 6.0f) / 6.0f;
}

static void run(const struct rnv_op *op)
{
	rnv_f32_unary_run(op, hard_swish);
}

const struct rnv_kernel rnv_hard_swish_f32 = {.check = rnv_f32_unary_check, .run = run};
