/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief DEPTHWISE_CONV_2D for computers: many channels are summed tap by tap, which compilers turn
 * into vector instructions.
 */

#include "kernels/host/wide.h"
#include "kernels/s8/depthwise_blocks.h"

static void run(const struct rnv_op *op)
{
	rnv_depthwise_run(op, rnv_wide_multiply_add);
}

const struct rnv_kernel rnv_depthwise_conv_2d_s8 = {
	.check = rnv_depthwise_conv_2d_check,
	.run = run,
	.reach = rnv_depthwise_conv_2d_reach,
};
