/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief CONV_PLANES of packing dsp.
 */

#include "kernels/planes/conv_planes.h"

#include "kernels/dsp/gemm.h"
#include "kernels/dsp/interleave.h"

static int check(const struct rnv_op *op)
{
	return rnv_conv_planes_check(op, &rnv_dsp_tile_ops);
}

static void run(const struct rnv_op *op)
{
	rnv_conv_planes_run(op, &rnv_dsp_tile_ops, RNV_DSP_PICK(rnv_interleave));
}

const struct rnv_kernel rnv_conv_planes_dsp_s8 = {
	.check = check,
	.run = run,
	.reach = rnv_conv_planes_reach,
	.packing = RNV_ISA_DSP,
};
