/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_S8_DEPTHWISE_CONV_2D_H_
#define RNV_KERNELS_S8_DEPTHWISE_CONV_2D_H_

/**
 * @file
 * @brief Parameters and check of DEPTHWISE_CONV_2D, for all variants of the kernel.
 */

#include <stdint.h>
#include <string.h>

#include "kernels/s8/requant.h"
#include "kernels/s8/window.h"

/** Parameter words. */
struct rnv_depthwise_conv_2d_params {
	struct rnv_window window;
	int32_t dilation_h;
	int32_t dilation_w;
	int32_t depth_multiplier;
	int32_t in_zp;
	struct rnv_requant requant;
};

/**
 * Inputs of `count` output channels from `first` on for the tap at (y, x) of `image`: where they
 * lie, or written to `block` of `size` bytes.
 */
static inline const int8_t *rnv_depthwise_conv_2d_tap(const struct rnv_depthwise_conv_2d_params *p,
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

/** `check()` of the kernel; every variant has the same. */
int rnv_depthwise_conv_2d_check(const struct rnv_op *op);

#endif /* RNV_KERNELS_S8_DEPTHWISE_CONV_2D_H_ */
