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

#include "kernels/s8/depthwise_conv_2d.h"

#include <string.h>

#include "kernels/s8/dot.h"

/* Output channels whose sums are formed together. */
#define BLOCK 16

/* Add the products of the window at (y0, x0) of `image` to `count` sums from channel `first` on. */
static void sum_block(const struct rnv_depthwise_conv_2d_params *p, const int8_t *image, int32_t y0,
		      int32_t x0, const int8_t *weights, int32_t first, int32_t count,
		      uint32_t *acc)
{
	const struct rnv_window *w = &p->window;
	int8_t block[BLOCK];

	weights += first;
	for (int32_t ky = 0; ky < w->filter_h; ky++) {
		int32_t y = y0 + ky * p->dilation_h;

		for (int32_t kx = 0; kx < w->filter_w; kx++) {
			int32_t x = x0 + kx * p->dilation_w;
			const int8_t *in = rnv_depthwise_conv_2d_tap(p, image, y, x, first, count,
								     block, sizeof(block));

			rnv_multiply_add(in, weights, (uint32_t)count, acc);
			weights += p->requant.out_c;
		}
	}
}

static void run(const struct rnv_op *op)
{
	const struct rnv_depthwise_conv_2d_params *p = (const void *)rnv_op_params(op);
	const struct rnv_window *w = &p->window;
	const int8_t *image = rnv_op_in(op, 0);
	int8_t *out = rnv_op_out(op, 0);
	struct rnv_channels channels;
	uint32_t acc[BLOCK];

	rnv_channels_open(&channels, op, &p->requant);
	for (int32_t row = 0; row < w->batch * w->out_h; row++) {
		int32_t y = (row % w->out_h) * w->stride_h - w->pad_top;

		if (row != 0 && row % w->out_h == 0) {
			image += w->in_h * w->in_w * w->in_c;
		}
		for (int32_t ox = 0; ox < w->out_w; ox++) {
			int32_t x = ox * w->stride_w - w->pad_left;

			for (int32_t first = 0; first < p->requant.out_c; first += BLOCK) {
				int32_t left = p->requant.out_c - first;
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

const struct rnv_kernel rnv_depthwise_conv_2d_s8 = {.check = rnv_depthwise_conv_2d_check,
						    .run = run};
