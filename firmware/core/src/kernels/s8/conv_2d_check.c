/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/s8/conv_2d.h"

#define PARAMS (sizeof(struct rnv_conv_2d_params) / sizeof(int32_t))

bool rnv_conv_2d_is_direct(const struct rnv_conv_2d_params *p)
{
	const struct rnv_window *w = &p->window;

	return w->filter_h == 1 && w->filter_w == 1 && w->pad_top == 0 && w->pad_left == 0 &&
	       (w->out_h - 1) * w->stride_h < w->in_h && (w->out_w - 1) * w->stride_w < w->in_w;
}

int rnv_conv_2d_check(const struct rnv_op *op)
{
	const struct rnv_conv_2d_params *p = (const void *)rnv_op_params(op);
	const struct rnv_window *w = &p->window;
	int32_t column[4];

	if (!rnv_op_has(op, 1, 1, PARAMS) || !rnv_window_ok(op, &p->window, p->requant.out_c) ||
	    !rnv_words_within(&p->dilation_h, 3, 1, RNV_WINDOW_MAX) ||
	    !rnv_words_within(&p->in_zp, 1, INT8_MIN, INT8_MAX) || w->in_c % p->groups != 0 ||
	    p->requant.out_c % p->groups != 0) {
		return RNV_EFORMAT;
	}
	column[0] = w->filter_h;
	column[1] = w->filter_w;
	column[2] = w->in_c / p->groups;
	column[3] = p->requant.out_c;
	if (!rnv_channels_ok(op, &p->requant, rnv_product(column, 4)) ||
	    op->rec->scratch_bytes != (rnv_conv_2d_is_direct(p) ? 0u : rnv_product(column, 3))) {
		return RNV_EFORMAT;
	}
	return 0;
}

void rnv_conv_2d_reach(const struct rnv_op *op, struct rnv_reach *reach)
{
	const struct rnv_conv_2d_params *p = (const void *)rnv_op_params(op);

	rnv_window_reach(op, &p->window, p->dilation_h, reach);
}
