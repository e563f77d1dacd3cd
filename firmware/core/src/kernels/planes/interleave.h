/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_PLANES_INTERLEAVE_H_
#define RNV_KERNELS_PLANES_INTERLEAVE_H_

/**
 * @file
 * @brief From adjacent pixels of a channel to adjacent channels of a pixel.
 */

#include <stdint.h>

/**
 * Store value `in[c * channel + x]` at `out[x * pixel + c]` for four channels c and `count` x, at
 * least four. Reads and writes nothing else; some elements may be copied twice.
 */
typedef void rnv_interleave_fn(int8_t *out, uint32_t pixel, const int8_t *in, uint32_t channel,
			       uint32_t count);

/** In portable C. */
rnv_interleave_fn rnv_interleave_c;

/**
 * The same for any number of `channels` and of pixels, at least one of each.
 *
 * @param four for four channels at a time
 */
void rnv_interleave(int8_t *out, uint32_t pixel, const int8_t *in, uint32_t channel,
		    uint32_t channels, uint32_t count, rnv_interleave_fn *four);

#endif /* RNV_KERNELS_PLANES_INTERLEAVE_H_ */
