/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief DEPTHWISE_CONV_2D_F32: output channel c reads input channel c / depth_multiplier alone,
 * weights [filter_h][filter_w][out_c]; positions outside of the input add nothing.
 */

#include "kernels/f32/convolution.h"

static int check(const struct rnv_op *op)
{
	const struct rnv_f32_conv_params *p = (const void *)rnv_op_params(op);

	if (!rnv_f32_conv_ok(op) || p->window.in_c * p->split != p->channels.out_c) {
		return RNV_EFORMAT;
	}
	return rnv_f32_filters_ok(op, 1) ? 0 : RNV_EFORMAT;
}

static void run(const struct rnv_op *op)
{
	const struct rnv_f32_conv_params *p = (const void *)rnv_op_params(op);
	const struct rnv_f32_filters filters = {
		.depth = 1,
		.shared = (uint32_t)p->split,
		.next = 1,
		.tap = (uint32_t)p->channels.out_c,
	};

	rnv_f32_conv_run(op, &filters);
}

const struct rnv_kernel rnv_depthwise_conv_2d_f32 = {
	.check = check,
	.run = run,
	.reach = rnv_f32_conv_reach,
};
