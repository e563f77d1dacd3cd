/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * CONV_2D: for every output pixel the window's inputs are gathered into one column, positions
 * outside the input as its zero point, and multiplied with the weights of every output channel
 * [out_c][filter_h][filter_w][in_c / groups]. A 1x1 window that never leaves the input is read
 * where it lies.
 */

#include <stddef.h>
#include <string.h>

#include "kernels/s8/requant.h"
#include "kernels/s8/window.h"

struct conv_2d_params {
	int32_t batch;
	int32_t in_h;
	int32_t in_w;
	int32_t in_c;
	int32_t out_h;
	int32_t out_w;
	int32_t filter_h;
	int32_t filter_w;
	int32_t stride_h;
	int32_t stride_w;
	int32_t pad_top;
	int32_t pad_left;
	int32_t dilation_h;
	int32_t dilation_w;
	int32_t groups;
	int32_t in_zp;
	int32_t out_c;
	int32_t channels_q;
	int32_t out_zp;
	int32_t act_min;
	int32_t act_max;
};

#define PARAMS (sizeof(struct conv_2d_params) / sizeof(int32_t))

_Static_assert(offsetof(struct conv_2d_params, pad_left) == offsetof(struct rnv_window, pad_left) &&
		       offsetof(struct conv_2d_params, act_max) -
				       offsetof(struct conv_2d_params, out_c) ==
			       offsetof(struct rnv_requant, act_max),
	       "shared parameter words");

static const struct rnv_window *window_of(const struct conv_2d_params *p)
{
	return (const struct rnv_window *)(const void *)p;
}

static const struct rnv_requant *requant_of(const struct conv_2d_params *p)
{
	return (const struct rnv_requant *)(const void *)&p->out_c;
}

/* True where every window is one pixel of the input. */
static bool is_direct(const struct conv_2d_params *p)
{
	return p->filter_h == 1 && p->filter_w == 1 && p->pad_top == 0 && p->pad_left == 0 &&
	       (p->out_h - 1) * p->stride_h < p->in_h && (p->out_w - 1) * p->stride_w < p->in_w;
}

static int check(const struct rnv_op *op)
{
	const struct conv_2d_params *p = (const void *)rnv_op_params(op);
	int32_t column[4];

	if (!rnv_op_has(op, 1u, 1u, PARAMS) || !rnv_window_ok(op, window_of(p), p->out_c) ||
	    !rnv_words_within(&p->dilation_h, 3u, 1, RNV_WINDOW_MAX) ||
	    !rnv_words_within(&p->in_zp, 1u, INT8_MIN, INT8_MAX) || p->in_c % p->groups != 0 ||
	    p->out_c % p->groups != 0) {
		return RNV_EFORMAT;
	}
	column[0] = p->filter_h;
	column[1] = p->filter_w;
	column[2] = p->in_c / p->groups;
	column[3] = p->out_c;
	if (!rnv_channels_ok(op, requant_of(p), rnv_product(column, 4u)) ||
	    op->rec->scratch_bytes != (is_direct(p) ? 0u : rnv_product(column, 3u))) {
		return RNV_EFORMAT;
	}
	return 0;
}

/* Copy the window at (y0, x0) of `image`, the first `depth` channels of its pixels. */
static void gather(const struct conv_2d_params *p, const int8_t *image, int32_t y0, int32_t x0,
		   uint32_t depth, int8_t *column)
{
	for (int32_t ky = 0; ky < p->filter_h; ky++) {
		int32_t y = y0 + ky * p->dilation_h;

		for (int32_t kx = 0; kx < p->filter_w; kx++) {
			int32_t x = x0 + kx * p->dilation_w;

			if (y >= 0 && y < p->in_h && x >= 0 && x < p->in_w) {
				memcpy(column, image + (y * p->in_w + x) * p->in_c, depth);
			} else {
				memset(column, p->in_zp, depth);
			}
			column += depth;
		}
	}
}

static void run(const struct rnv_op *op)
{
	const struct conv_2d_params *p = (const void *)rnv_op_params(op);
	uint32_t depth = (uint32_t)(p->in_c / p->groups);
	uint32_t group_out = (uint32_t)(p->out_c / p->groups);
	uint32_t taps = (uint32_t)(p->filter_h * p->filter_w);
	const int8_t *image = rnv_op_in(op, 0u);
	int8_t *out = rnv_op_out(op, 0u);
	int8_t *column = is_direct(p) ? NULL : rnv_op_scratch(op);
	struct rnv_channels channels;

	rnv_channels_open(&channels, op, requant_of(p));
	for (int32_t row = 0; row < p->batch * p->out_h; row++) {
		int32_t y = (row % p->out_h) * p->stride_h - p->pad_top;

		if (row != 0 && row % p->out_h == 0) {
			image += p->in_h * p->in_w * p->in_c;
		}
		for (int32_t ox = 0; ox < p->out_w; ox++) {
			int32_t x = ox * p->stride_w - p->pad_left;

			for (uint32_t group = 0; group < (uint32_t)p->groups; group++) {
				const int8_t *inputs = image + group * depth;

				if (column == NULL) {
					inputs += (y * p->in_w + x) * p->in_c;
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

const struct rnv_kernel rnv_conv_2d_s8 = {.check = check, .run = run};
