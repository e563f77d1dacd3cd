/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief CONV_2D_F32: weights [out_c][filter_h][filter_w][in_c / groups]; positions outside of the
 * input add nothing.
 */

#include "kernels/f32/convolution.h"

static int check(const struct rnv_op *op)
{
	const struct rnv_f32_conv_params *p = (const void *)rnv_op_params(op);

	if (!rnv_f32_conv_ok(op) || p->window.in_c % p->split != 0 ||
	    p->channels.out_c % p->split != 0) {
		return RNV_EFORMAT;
	}
	return rnv_f32_filters_ok(op, p->window.in_c / p->split) ? 0 : RNV_EFORMAT;
}

static void run(const struct rnv_op *op)
{
	const struct rnv_f32_conv_params *p = (const void *)rnv_op_params(op);
	uint32_t depth = (uint32_t)(p->window.in_c / p->split);
	const struct rnv_f32_filters filters = {
		.depth = depth,
		.shared = (uint32_t)(p->channels.out_c / p->split),
		.next = (uint32_t)(p->window.filter_h * p->window.filter_w) * depth,
		.tap = depth,
	};

	rnv_f32_conv_run(op, &filters);
}

const struct rnv_kernel rnv_conv_2d_f32 = {
	.check = check,
	.run = run,
	.reach = rnv_f32_conv_reach,
};
