/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief CONV_2D: for every output pixel the window's inputs are gathered into one column,
 * positions outside the input as its zero point, and multiplied with the weights of every output
 * channel [out_c][filter_h][filter_w][in_c / groups].
 *
 * A 1x1 window that never leaves the input is read where it lies.
 */

#include "kernels/s8/conv_2d.h"

#include <string.h>

/* Copy the window at (y0, x0) of `image`, the first `depth` channels of its pixels. */
static void gather(const struct rnv_conv_2d_params *p, const int8_t *image, int32_t y0, int32_t x0,
		   uint32_t depth, int8_t *column)
{
	const struct rnv_window *w = &p->window;

	for (int32_t ky = 0; ky < w->filter_h; ky++) {
		int32_t y = y0 + ky * p->dilation_h;

		for (int32_t kx = 0; kx < w->filter_w; kx++) {
			int32_t x = x0 + kx * p->dilation_w;

			if (y >= 0 && y < w->in_h && x >= 0 && x < w->in_w) {
				memcpy(column, image + (y * w->in_w + x) * w->in_c, depth);
			} else {
				memset(column, p->in_zp, depth);
			}
			column += depth;
		}
	}
}

static void run(const struct rnv_op *op)
{
	const struct rnv_conv_2d_params *p = (const void *)rnv_op_params(op);
	const struct rnv_window *w = &p->window;
	uint32_t depth = (uint32_t)(w->in_c / p->groups);
	uint32_t group_out = (uint32_t)(p->requant.out_c / p->groups);
	uint32_t taps = (uint32_t)(w->filter_h * w->filter_w);
	const int8_t *image = rnv_op_in(op, 0);
	int8_t *out = rnv_window_out(op, w, p->requant.out_c);
	int32_t end = (int32_t)op->row0 + rnv_window_rows(op, w);
	int8_t *column = rnv_conv_2d_is_direct(p) ? NULL : rnv_op_scratch(op);
	struct rnv_channels channels;

	rnv_channels_open(&channels, op, &p->requant);
	for (int32_t row = (int32_t)op->row0; row < end; row++) {
		int32_t y = (row % w->out_h) * w->stride_h - w->pad_top;

		if (row != 0 && row % w->out_h == 0) {
			image += w->in_h * w->in_w * w->in_c;
		}
		for (int32_t ox = 0; ox < w->out_w; ox++) {
			int32_t x = ox * w->stride_w - w->pad_left;

			for (uint32_t group = 0; group < (uint32_t)p->groups; group++) {
				const int8_t *inputs = image + group * depth;

				if (column == NULL) {
					inputs += (y * w->in_w + x) * w->in_c;
				} else {
					gather(p, inputs, y, x, depth, column);
					inputs = column;
				}
				rnv_channels_dot(&channels, group * group_out, group_out, inputs,
						 taps * depth, out);
				out += group_out;
			}
		}
	}
}

const struct rnv_kernel rnv_conv_2d_s8 = {
	.check = rnv_conv_2d_check,
	.run = run,
	.reach = rnv_conv_2d_reach,
};
