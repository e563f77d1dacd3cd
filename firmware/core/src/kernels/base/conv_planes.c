/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief CONV_PLANES of packing base.
 */

#include "kernels/planes/conv_planes.h"

#include "kernels/base/gemm.h"

static int check(const struct rnv_op *op)
{
	return rnv_conv_planes_check(op, &rnv_base_tile_ops);
}

static void run(const struct rnv_op *op)
{
	rnv_conv_planes_run(op, &rnv_base_tile_ops, rnv_interleave_c);
}

const struct rnv_kernel rnv_conv_planes_base_s8 = {
	.check = check,
	.run = run,
	.reach = rnv_conv_planes_reach,
	.packing = RNV_ISA_BASE,
};
