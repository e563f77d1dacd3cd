/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief DEPTHWISE_CONV_2D: output channel c reads input channel c / depth_multiplier alone.
 *
 * Weights are [filter_h][filter_w][out_c]; a block of output channels is summed tap by tap.
 * Positions outside the input read as its zero point.
 */

#include "kernels/s8/depthwise_blocks.h"
#include "kernels/s8/dot.h"

static void run(const struct rnv_op *op)
{
	rnv_depthwise_run(op, rnv_multiply_add);
}

const struct rnv_kernel rnv_depthwise_conv_2d_s8 = {
	.check = rnv_depthwise_conv_2d_check,
	.run = run,
	.reach = rnv_depthwise_conv_2d_reach,
};
