/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_DSP_WINOGRAD_H_
#define RNV_KERNELS_DSP_WINOGRAD_H_

/**
 * @file
 * @brief Stream, scratch and primitives of WINOGRAD_DSP_S8: 3x3 convolutions of stride 1 with 16
 * products for 4 outputs instead of 36, in integers and exactly: F(2x2, 3x3).
 *
 * Along one axis, two outputs y0 = d0 g0 + d1 g1 + d2 g2 and y1 = d1 g0 + d2 g1 + d3 g2 come from
 *
 *     v = (d0 - d2,  d1 + d2,  d2 - d1,  d1 - d3)       of the inputs
 *     u = (2 g0,  g0 + g1 + g2,  g0 - g1 + g2,  -2 g2)  of the weights
 *     2 y0 = u0 v0 + u1 v1 + u2 v2      2 y1 = u1 v1 - u2 v2 + u3 v3
 *
 * and a tile of 2x2 outputs the same way along both axes, from 4x4 inputs: 16 products u[i][j]
 * v[i][j], i down the image, j along the row. |v| <= 512, |u| <= 9 * 128; the stream has 16 u, so
 * that sums are 64 times those of the convolution. Sums wrap modulo 2^32: only the
 * final ones have to fit.
 *
 * Numbers: `pairs = (in_c + 1) / 2`; `groups = (out_w + 7) / 8`: a group is 4 tiles, 8 columns.
 *
 * Stream: a block for every two output channels; where out_c is odd, the last block is (dummy,
 * real) as in planes/tile.h:
 *
 *     i32 c[2]                 64 bias + delta, the input's zero point in the bias
 *     tail                     RELU   i32 m0 K0 m1 K1
 *                              LINEAR i32 m0 K0 V0 0 m1 K1 V1 0
 *     u32 U[16][pairs][2]      position, channels (2k, 2k + 1), output: int16 halves, the first
 *                              channel low; the second of an odd in_c is 0
 *
 * with positions in the order (j, i) = (1,1) (1,2) (1,0) (1,3) (2,1) (2,2) (2,0) (2,3) (0,1) ..
 * (0,3) (3,1) .. (3,3). Outputs with acc = c + sum of 64 w x:
 *
 *     RELU     sat8((hi32(acc m) + K) >> 12)
 *     LINEAR   sat8((hi32(acc m) + K + (acc < 0 ? V : 0)) >> 12)
 *
 * Scratch: `256 pairs (groups + 1) + 3 (8 groups + 4)` bytes:
 *
 *     i16 h[groups][pairs][4 j][4 slots][4 tiles][2]    rows transformed along the row; a ring
 *     i16 v[16][pairs][4 tiles][2]                      one group, in the stream's order
 *     i8 padded[2][8 groups + 4], blank[8 groups + 4]   rows with their padding; zero points
 */

#include <stdint.h>

#include "kernels/dsp/select.h"

/** A row of the input on its way to the ring. */
struct rnv_winograd_row {
	const int8_t *in;      /**< row of channel 0 */
	uint32_t channel;      /**< bytes to the next channel */
	uint32_t channels;     /**< at least 1 */
	uint32_t bytes;        /**< values copied of each channel */
	int8_t *padded;        /**< two padded rows, one after the other */
	uint32_t padded_bytes; /**< of one of them: 8 groups + 4 */
	uint32_t pad_left;     /**< where the copy begins in a padded row */
	void *h;               /**< the row's slot: h + 16 slot */
	uint32_t groups;       /**< at least 1 */
};

/** Pad a row of every channel and transform it along the row into its slot of the ring. */
typedef void rnv_winograd_row_fn(const struct rnv_winograd_row *row);

/**
 * Transform one group down the image: from the four slots of `h` (of that group) to `v`.
 *
 * @param odd 0: slots 0 1 2 3 are the rows from top to bottom; 1: slots 2 3 0 1 are
 */
typedef void rnv_winograd_group_fn(const void *h, void *v, uint32_t pairs, uint32_t odd);

/** Where the outputs of a group go. */
struct rnv_winograd_out {
	const void *w_end; /**< end of the last block */
	uint32_t pairs;    /**< at least 1 */
	uint32_t channel;  /**< bytes from one output channel to the next */
	int32_t row;       /**< bytes from the upper output row to the lower one */
	uint32_t epilogue; /**< RNV_EPILOGUE_RELU or RNV_EPILOGUE_LINEAR */
};

/** Blocks `w .. out->w_end` times one group: 2 rows of 8 outputs for every channel, at `first`. */
typedef void rnv_winograd_gemm_fn(const void *w, const void *v, int8_t *first,
				  const struct rnv_winograd_out *out);

rnv_winograd_row_fn rnv_winograd_row_c;
rnv_winograd_group_fn rnv_winograd_group_c;
rnv_winograd_gemm_fn rnv_winograd_gemm_c;

#if RNV_DSP_ASM
rnv_winograd_row_fn rnv_winograd_row_asm;
rnv_winograd_group_fn rnv_winograd_group_asm;
rnv_winograd_gemm_fn rnv_winograd_gemm_asm;
#endif

#endif /* RNV_KERNELS_DSP_WINOGRAD_H_ */
