/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/s8/window.h"

bool rnv_window_ok(const struct rnv_op *op, const struct rnv_window *window, int32_t out_c)
{
	const int32_t out[4] = {window->batch, window->out_h, window->out_w, out_c};

	return rnv_words_within(&window->batch, 10, 1, RNV_WINDOW_MAX) &&
	       rnv_words_within(&window->pad_top, 2, 0, RNV_WINDOW_MAX) &&
	       rnv_words_within(&out_c, 1, 1, RNV_WINDOW_MAX) &&
	       rnv_op_is_int8(op, 0, &window->batch, 4) && rnv_op_is_int8(op, 1, out, 4);
}

void rnv_window_reach(const struct rnv_op *op, const struct rnv_window *window, int32_t dilation_h,
		      struct rnv_reach *reach)
{
	int32_t extent = (window->filter_h - 1) * dilation_h + 1;
	bool rows = window->batch == 1 && rnv_op_in_rec(op, 0)->layout == RNV_LAYOUT_DENSE &&
		    rnv_op_out_rec(op, 0)->layout == RNV_LAYOUT_DENSE;

	reach->in_rows = (uint32_t)window->in_h;
	reach->out_rows = rows ? (uint32_t)window->out_h : 0u;
	reach->stride = (uint16_t)window->stride_h;
	reach->before = (uint16_t)window->pad_top;
	/* A window of more rows covers the rest of the input, wherever it starts. */
	reach->extent = (uint16_t)((extent < UINT16_MAX) ? extent : UINT16_MAX);
}
