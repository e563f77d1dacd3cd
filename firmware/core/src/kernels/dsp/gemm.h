/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_DSP_GEMM_H_
#define RNV_KERNELS_DSP_GEMM_H_

/**
 * @file
 * @brief Inner loops of packing dsp: prepared columns times pairs of output channels.
 *
 * A word of the stream holds four weights, `(w0 + 256 w1) | (w2 + 256 w3) << 16` (halves int16),
 * and four values of a column are prepared as two words (prepare.h):
 *
 *     Y = x1 | x3 << 16        Z = (256 x0 + 127 - x1) | (256 x2 + 127 - x3) << 16
 *
 * Then `SMLAD(W, Y) + SMLAD(SXTB16(W), Z)` is `256 (w0 x0 + .. + w3 x3) + 127 (w0 + w2)`: three
 * instructions for four products, and SXTB16 serves all columns of a tile. The start value of the
 * sum takes the constant off.
 *
 * Stream of a pair: `[c0 c1]`, `[W0 W1]` for each quad, then by epilogue
 *
 * - relu `[m0 K0 m1 K1]`: output = `SSAT8((hi32(acc * m) + K) >> 12)`;
 * - linear `[m0 K0 V0 0 m1 K1 V1 0]`: V is added to the sum in parentheses where acc is negative;
 * - textbook `[m0 f0 m1 f1]`: see rnv_dsp_textbook().
 *
 * All arithmetic wraps modulo 2^32. Every function has a C twin and, where select.h says so, an
 * assembly version.
 */

#include <stdbool.h>

#include "kernels/dsp/select.h"
#include "kernels/planes/tile.h"

/** Columns of a full tile. */
#define RNV_DSP_COLUMNS 4u

/** Output channels of a block. */
#define RNV_DSP_OUTPUTS 2u

/**
 * The textbook epilogue of a block: `a = acc >> 8`, then rnv_requantize(), zero point, clamp.
 *
 * @param sums    [columns][outputs] sums
 * @param tail    m and f of each output; the bytes of f are, from the lowest: shift, zero point,
 *                lowest and highest output
 * @param out     outputs of adjacent columns
 * @param channel bytes from one output channel to the next
 * @param columns at least 1
 * @param outputs at least 1
 */
void rnv_dsp_textbook(const int32_t *sums, const int32_t *tail, int8_t *out, uint32_t channel,
		      uint32_t columns, uint32_t outputs);

/** Bytes of a block of `outputs` channels: start values, weights and tail. */
uint32_t rnv_dsp_block_bytes(uint32_t outputs, uint32_t quads, uint32_t epilogue);

/**
 * True where no block of `w .. w_end` has a tail for which rnv_requantize() is not defined.
 * Multiply-add-saturate is defined for all words.
 */
bool rnv_dsp_stream_ok(const uint8_t *w, const uint8_t *w_end, uint32_t outputs, uint32_t quads,
		       uint32_t epilogue);

rnv_gemm_fn rnv_dsp_gemm_relu_c;
rnv_gemm_fn rnv_dsp_gemm_linear_c;
rnv_gemm_fn rnv_dsp_gemm_textbook_c;
rnv_gemm_fn rnv_dsp_gemm_one_relu_c;
rnv_gemm_fn rnv_dsp_gemm_one_linear_c;
rnv_gemm_fn rnv_dsp_gemm_one_textbook_c;

#if RNV_DSP_ASM
rnv_gemm_fn rnv_dsp_gemm_relu_asm;
rnv_gemm_fn rnv_dsp_gemm_linear_asm;
rnv_gemm_fn rnv_dsp_gemm_textbook_asm;
rnv_gemm_fn rnv_dsp_gemm_one_relu_asm;
rnv_gemm_fn rnv_dsp_gemm_one_linear_asm;
rnv_gemm_fn rnv_dsp_gemm_one_textbook_asm;
#endif

/** The inner loops of packing dsp, for the drivers in kernels/planes. */
extern const struct rnv_tile_ops rnv_dsp_tile_ops;

#endif /* RNV_KERNELS_DSP_GEMM_H_ */
