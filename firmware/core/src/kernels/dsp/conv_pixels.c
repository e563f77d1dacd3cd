/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief CONV_PIXELS of packing dsp.
 */

#include "kernels/planes/conv_pixels.h"

#include "kernels/dsp/gemm.h"

static int check(const struct rnv_op *op)
{
	return rnv_conv_pixels_check(op, &rnv_dsp_tile_ops);
}

static void run(const struct rnv_op *op)
{
	rnv_conv_pixels_run(op, &rnv_dsp_tile_ops);
}

const struct rnv_kernel rnv_conv_pixels_dsp_s8 = {
	.check = check,
	.run = run,
	.reach = rnv_conv_pixels_reach,
	.packing = RNV_ISA_DSP,
};
