/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief POINTWISE of packing base.
 */

#include "kernels/planes/pointwise.h"

#include "kernels/base/gemm.h"

static int check(const struct rnv_op *op)
{
	return rnv_pointwise_check(op, &rnv_base_tile_ops);
}

static void run(const struct rnv_op *op)
{
	rnv_pointwise_run(op, &rnv_base_tile_ops);
}

const struct rnv_kernel rnv_pointwise_base_s8 = {
	.check = check,
	.run = run,
	.reach = rnv_pointwise_reach,
	.packing = RNV_ISA_BASE,
};
