/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief MUL_F32: element-wise product of two float32 tensors with broadcasting.
 */

#include "kernels/f32/binary.h"

struct mul_f32_params {
	struct rnv_f32_binary binary;
};

static float product(float x, float y)
{
	return x * y;
}

static void run(const struct rnv_op *op)
{
	rnv_f32_binary_run(op, product);
}

const struct rnv_kernel rnv_mul_f32 = {.check = rnv_f32_binary_check, .run = run};
