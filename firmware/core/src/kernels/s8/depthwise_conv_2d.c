/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * DEPTHWISE_CONV_2D: output channel c reads input channel c / depth_multiplier alone. Weights are
 * [filter_h][filter_w][out_c]; a block of output channels is summed tap by tap. Positions outside
 * the input read as its zero point.
 */

#include <stddef.h>
#include <string.h>

#include "kernels/s8/dot.h"
#include "kernels/s8/requant.h"
#include "kernels/s8/window.h"

struct depthwise_conv_2d_params {
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
	int32_t depth_multiplier;
	int32_t in_zp;
	int32_t out_c;
	int32_t channels_q;
	int32_t out_zp;
	int32_t act_min;
	int32_t act_max;
};

#define PARAMS (sizeof(struct depthwise_conv_2d_params) / sizeof(int32_t))
#define BLOCK  16

_Static_assert(offsetof(struct depthwise_conv_2d_params, pad_left) ==
			       offsetof(struct rnv_window, pad_left) &&
		       offsetof(struct depthwise_conv_2d_params, act_max) -
				       offsetof(struct depthwise_conv_2d_params, out_c) ==
			       offsetof(struct rnv_requant, act_max),
	       "shared parameter words");

static const struct rnv_window *window_of(const struct depthwise_conv_2d_params *p)
{
	return (const struct rnv_window *)(const void *)p;
}

static const struct rnv_requant *requant_of(const struct depthwise_conv_2d_params *p)
{
	return (const struct rnv_requant *)(const void *)&p->out_c;
}

static int check(const struct rnv_op *op)
{
	const struct depthwise_conv_2d_params *p = (const void *)rnv_op_params(op);
	int32_t filter[3];

	if (!rnv_op_has(op, 1u, 1u, PARAMS) || !rnv_window_ok(op, window_of(p), p->out_c) ||
	    !rnv_words_within(&p->dilation_h, 3u, 1, RNV_WINDOW_MAX) ||
	    !rnv_words_within(&p->in_zp, 1u, INT8_MIN, INT8_MAX) ||
	    p->in_c * p->depth_multiplier != p->out_c || op->rec->scratch_bytes != 0u) {
		return RNV_EFORMAT;
	}
	filter[0] = p->filter_h;
	filter[1] = p->filter_w;
	filter[2] = p->out_c;
	return rnv_channels_ok(op, requant_of(p), rnv_product(filter, 3u)) ? 0 : RNV_EFORMAT;
}

/*
 * Inputs of `count` output channels from `first` on for the tap at (y, x) of `image`: where they
 * lie, or in `block`.
 */
static const int8_t *tap_inputs(const struct depthwise_conv_2d_params *p, const int8_t *image,
				int32_t y, int32_t x, int32_t first, int32_t count, int8_t *block)
{
	const int8_t *pixel;

	if (y < 0 || y >= p->in_h || x < 0 || x >= p->in_w) {
		memset(block, p->in_zp, BLOCK);
		return block;
	}
	pixel = image + (y * p->in_w + x) * p->in_c;
	if (p->depth_multiplier == 1) {
		return pixel + first;
	}
	for (int32_t i = 0; i < count; i++) {
		block[i] = pixel[(first + i) / p->depth_multiplier];
	}
	return block;
}

/* Add the products of the window at (y0, x0) of `image` to `count` sums from channel `first` on. */
static void sum_block(const struct depthwise_conv_2d_params *p, const int8_t *image, int32_t y0,
		      int32_t x0, const int8_t *w, int32_t first, int32_t count, uint32_t *acc)
{
	int8_t block[BLOCK];

	w += first;
	for (int32_t ky = 0; ky < p->filter_h; ky++) {
		int32_t y = y0 + ky * p->dilation_h;

		for (int32_t kx = 0; kx < p->filter_w; kx++) {
			int32_t x = x0 + kx * p->dilation_w;
			const int8_t *in = tap_inputs(p, image, y, x, first, count, block);

			rnv_multiply_add(in, w, (uint32_t)count, acc);
			w += p->out_c;
		}
	}
}

static void run(const struct rnv_op *op)
{
	const struct depthwise_conv_2d_params *p = (const void *)rnv_op_params(op);
	const int8_t *image = rnv_op_in(op, 0u);
	int8_t *out = rnv_op_out(op, 0u);
	struct rnv_channels channels;
	uint32_t acc[BLOCK];

	rnv_channels_open(&channels, op, requant_of(p));
	for (int32_t row = 0; row < p->batch * p->out_h; row++) {
		int32_t y = (row % p->out_h) * p->stride_h - p->pad_top;

		if (row != 0 && row % p->out_h == 0) {
			image += p->in_h * p->in_w * p->in_c;
		}
		for (int32_t ox = 0; ox < p->out_w; ox++) {
			int32_t x = ox * p->stride_w - p->pad_left;

			for (int32_t first = 0; first < p->out_c; first += BLOCK) {
				int32_t left = p->out_c - first;
				int32_t count = (left < BLOCK) ? left : BLOCK;

				memcpy(acc, channels.bias + first, (uint32_t)count * sizeof(*acc));
				sum_block(p, image, y, x, channels.weights, first, count, acc);
				rnv_channels_outputs(&channels, (uint32_t)first, (uint32_t)count,
						     acc, out);
				out += count;
			}
		}
	}
}

const struct rnv_kernel rnv_depthwise_conv_2d_s8 = {.check = check, .run = run};
