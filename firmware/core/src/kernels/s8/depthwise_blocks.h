/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_S8_DEPTHWISE_BLOCKS_H_
#define RNV_KERNELS_S8_DEPTHWISE_BLOCKS_H_

/**
 * @file
 * @brief DEPTHWISE_CONV_2D: blocks of output channels, each summed tap by tap.
 */

#include <stdint.h>
#include <string.h>

#include "kernels/s8/depthwise_conv_2d.h"

/** Add `x[i] * w[i]` to `acc[i]` (modulo 2^32) for every i below `count`. */
typedef void rnv_multiply_add_fn(const int8_t *x, const int8_t *w, uint32_t count, uint32_t *acc);

/**
 * Inputs of `count` output channels from `first` on for the tap at (y, x) of `image`: where they
 * lie, or written to `block` of `size` bytes.
 */
static inline const int8_t *rnv_depthwise_tap(const struct rnv_depthwise_conv_2d_params *p,
					      const int8_t *image, int32_t y, int32_t x,
					      int32_t first, int32_t count, int8_t *block,
					      uint32_t size)
{
	const struct rnv_window *w = &p->window;
	const int8_t *pixel;

	if (y < 0 || y >= w->in_h || x < 0 || x >= w->in_w) {
		memset(block, p->in_zp, size);
		return block;
	}
	pixel = image + (y * w->in_w + x) * w->in_c;
	if (p->depth_multiplier == 1) {
		return pixel + first;
	}
	for (int32_t i = 0; i < count; i++) {
		block[i] = pixel[(first + i) / p->depth_multiplier];
	}
	return block;
}

/** Output channels whose sums are formed together. */
#define RNV_DEPTHWISE_BLOCK 16

/** Add the products of the window at (y0, x0) to `count` sums from channel `first` on. */
static inline void rnv_depthwise_sum(const struct rnv_depthwise_conv_2d_params *p,
				     const int8_t *image, int32_t y0, int32_t x0,
				     const int8_t *weights, int32_t first, int32_t count,
				     uint32_t *acc, rnv_multiply_add_fn *multiply_add)
{
	const struct rnv_window *w = &p->window;
	int8_t block[RNV_DEPTHWISE_BLOCK];

	weights += first;
	for (int32_t ky = 0; ky < w->filter_h; ky++) {
		int32_t y = y0 + ky * p->dilation_h;

		for (int32_t kx = 0; kx < w->filter_w; kx++) {
			int32_t x = x0 + kx * p->dilation_w;
			const int8_t *in = rnv_depthwise_tap(p, image, y, x, first, count, block,
							     sizeof(block));

			multiply_add(in, weights, (uint32_t)count, acc);
			weights += p->requant.out_c;
		}
	}
}

/** `run()` with this inner loop; to be inlined, so that calls of it are direct. */
static inline void rnv_depthwise_run(const struct rnv_op *op, rnv_multiply_add_fn *multiply_add)
{
	const struct rnv_depthwise_conv_2d_params *p = (const void *)rnv_op_params(op);
	const struct rnv_window *w = &p->window;
	const int8_t *image = rnv_op_in(op, 0);
	int8_t *out = rnv_window_out(op, w, p->requant.out_c);
	int32_t end = (int32_t)op->row0 + rnv_window_rows(op, w);
	struct rnv_channels channels;
	uint32_t acc[RNV_DEPTHWISE_BLOCK];

	rnv_channels_open(&channels, op, &p->requant);
	for (int32_t row = (int32_t)op->row0; row < end; row++) {
		int32_t y = (row % w->out_h) * w->stride_h - w->pad_top;

		if (row != 0 && row % w->out_h == 0) {
			image += w->in_h * w->in_w * w->in_c;
		}
		for (int32_t ox = 0; ox < w->out_w; ox++) {
			int32_t x = ox * w->stride_w - w->pad_left;

			for (int32_t first = 0; first < p->requant.out_c;
			     first += RNV_DEPTHWISE_BLOCK) {
				int32_t left = p->requant.out_c - first;
				int32_t count =
					(left < RNV_DEPTHWISE_BLOCK) ? left : RNV_DEPTHWISE_BLOCK;

				memcpy(acc, channels.bias + first, (uint32_t)count * sizeof(*acc));
				rnv_depthwise_sum(p, image, y, x, channels.weights, first, count,
						  acc, multiply_add);
				rnv_channels_outputs(&channels, (uint32_t)first, (uint32_t)count,
						     acc, out);
				out += count;
			}
		}
	}
}

#endif /* RNV_KERNELS_S8_DEPTHWISE_BLOCKS_H_ */
