/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_DSP_DEPTHWISE_TILES_H_
#define RNV_KERNELS_DSP_DEPTHWISE_TILES_H_

/**
 * @file
 * @brief Inner loops of the depthwise convolution 3x3, one channel a call.
 *
 * A channel's weights are 8 words: (w00, w02), (w10, w12), (w20, w22), (w01, w11), (w21, 0) as
 * int16 halves, low one first; start c, multiplier m >= 0, constant K. An output is
 * `SSAT(((c + sum of w x) m >> 32) + K) >> 10, 8)`.
 *
 * The inputs are in scratch, padded, a row every 64 bytes: so the rows of a window lie at offsets
 * that fit into the instructions. The leftmost tile of every row of outputs begins
 * `2 * stride` bytes after a multiple of 64: tiles are worked off from right to left, and when the
 * address has become a multiple of 64, the row is done. That is the loop's only counter.
 */

#include <stdint.h>

#include "kernels/dsp/select.h"
#include "kernels/planes/depthwise_rows.h"

/** Words of a channel in the stream. */
#define RNV_DEPTHWISE_WORDS 8

/** Bytes from one row in scratch to the next. */
#define RNV_DEPTHWISE_PITCH 64

/** Shift of the outputs. */
#define RNV_DEPTHWISE_SHIFT 10

/** Outputs of one channel. Read by assembly: the words stay in this order. */
struct rnv_depthwise_plan {
	uint32_t start;    /**< outputs left of a row's last tile: 2 (tiles - 1) */
	uint32_t in_step;  /**< scratch, from left of a pair of rows to the next one's last tile */
	uint32_t out_step; /**< output, likewise */
	uint32_t
		second; /**< output's pitch + 2: to a tile's second row, once its first is stored */
	uint32_t pairs; /**< bytes of scratch from the first pair of rows to the odd row */
	uint32_t odd;   /**< 1 where there is a row after the pairs, else 0 */
};

/**
 * Compute rows of one channel.
 *
 * Where the number of columns is odd, one byte after each row is written as well; rows are stored
 * in ascending order, so where rows are contiguous only the byte after the last one is changed.
 *
 * @param in   scratch: the first window's first element
 * @param out  first output
 * @param w    the channel's words, 4-byte aligned
 * @param plan rows and columns: at most 31 tiles for stride 1, 15 for stride 2
 */
typedef void rnv_depthwise_fn(const int8_t *in, int8_t *out, const uint32_t *w,
			      const struct rnv_depthwise_plan *plan);

rnv_depthwise_fn rnv_depthwise_s1_asm; /**< stride 1 */
rnv_depthwise_fn rnv_depthwise_s2_asm; /**< stride 2 */
rnv_depthwise_fn rnv_depthwise_s1_c;   /**< twin */
rnv_depthwise_fn rnv_depthwise_s2_c;   /**< twin */

/** rnv_row_copy_fn for rows of at most 64 bytes to rows of scratch; ignores `to_pitch`. */
rnv_row_copy_fn rnv_depthwise_copy_asm;

/** Twin of rnv_depthwise_copy_asm(). */
#define rnv_depthwise_copy_c rnv_row_copy_c

#endif /* RNV_KERNELS_DSP_DEPTHWISE_TILES_H_ */
