/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief ADD_F32: element-wise sum of two float32 tensors with broadcasting.
 */

#include "kernels/f32/binary.h"

struct add_f32_params {
	struct rnv_f32_binary binary;
};

static float sum(float x, float y)
{
	return x + y;
}

static void run(const struct rnv_op *op)
{
	rnv_f32_binary_run(op, sum);
}

const struct rnv_kernel rnv_add_f32 = {.check = rnv_f32_binary_check, .run = run};
