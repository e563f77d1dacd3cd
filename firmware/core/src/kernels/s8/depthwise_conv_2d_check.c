/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/s8/depthwise_conv_2d.h"

#define PARAMS (sizeof(struct rnv_depthwise_conv_2d_params) / sizeof(int32_t))

int rnv_depthwise_conv_2d_check(const struct rnv_op *op)
{
	const struct rnv_depthwise_conv_2d_params *p = (const void *)rnv_op_params(op);
	const struct rnv_window *w = &p->window;
	int32_t filter[3];

	if (!rnv_op_has(op, 1, 1, PARAMS) || !rnv_window_ok(op, &p->window, p->requant.out_c) ||
	    !rnv_words_within(&p->dilation_h, 3, 1, RNV_WINDOW_MAX) ||
	    !rnv_words_within(&p->in_zp, 1, INT8_MIN, INT8_MAX) ||
	    w->in_c * p->depth_multiplier != p->requant.out_c || op->rec->scratch_bytes != 0u) {
		return RNV_EFORMAT;
	}
	filter[0] = w->filter_h;
	filter[1] = w->filter_w;
	filter[2] = p->requant.out_c;
	return rnv_channels_ok(op, &p->requant, rnv_product(filter, 3)) ? 0 : RNV_EFORMAT;
}

void rnv_depthwise_conv_2d_reach(const struct rnv_op *op, struct rnv_reach *reach)
{
	const struct rnv_depthwise_conv_2d_params *p = (const void *)rnv_op_params(op);

	rnv_window_reach(op, &p->window, p->dilation_h, reach);
}
