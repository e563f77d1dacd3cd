/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_DSP_FULLY_CONNECTED_H_
#define RNV_KERNELS_DSP_FULLY_CONNECTED_H_

/**
 * @file
 * @brief Stream of FULLY_CONNECTED_DSP_S8 and its primitives: one column times 8 outputs.
 *
 * Inputs are taken in groups of four ("quads"), x0 x1 x2 x3; `quads = (in_c + 3) / 4`, and what the
 * last one lacks counts as 0. The stream has one block for every 8 outputs, the last one filled up
 * with outputs whose weights, constants and tail are 0:
 *
 *     i32 c[8]
 *     u32 W[quads][8]     W = (w0 + 256 w1) & 0xFFFF | (w2 + 256 w3) << 16; both sums fit int16
 *     tail[8]             RELU     i32 m, K
 *                         LINEAR   i32 m, K, V, 0
 *                         TEXTBOOK i32 m; i8 shift, out_zp, act_min, act_max
 *
 * A prepared column has two words a quad, each of two int16 halves, low one first:
 *
 *     Y = (x1, x3)        Z = (256 x0 + 127 - x1, 256 x2 + 127 - x3)
 *
 * so that with the low bytes of W, sign-extended to halves, w = (w0, w2),
 *
 *     acc = c + sum of W.Y + w.Z = c + sum of 256 (w0 x0 + w1 x1 + w2 x2 + w3 x3) + 127 (w0 + w2)
 *
 * modulo 2^32. The compiler takes the last term off in c = 256 bias + delta - 127 sum(w0 + w2),
 * with the input's zero point in the bias. Outputs:
 *
 *     RELU     sat8((hi32(acc m) + K) >> 9)
 *     LINEAR   sat8((hi32(acc m) + K + (acc < 0 ? V : 0)) >> 12)
 *     TEXTBOOK clamp(rnv_requantize(acc >> 8, m, shift) + out_zp, act_min, act_max)
 */

#include <stdint.h>

#include "kernels/dsp/gemm.h"

/** Outputs of a block. */
#define RNV_FC_OUTPUTS      8u
/** Bytes of a prepared quad. */
#define RNV_FC_QUAD_BYTES   8u
/** Shift of RELU; LINEAR has the 12 of all other kernels. */
#define RNV_FC_RELU_SHIFT   9
#define RNV_FC_LINEAR_SHIFT 12

/**
 * Blocks `w .. w_end` times one column.
 *
 * 8 bytes are stored for each block, also where the last one has outputs that are not real.
 *
 * @param w        first block, 4-byte aligned (a stream is 16-byte aligned)
 * @param column   prepared column, or the inputs themselves (`direct`), at any alignment
 * @param out      outputs, at any alignment
 * @param w_end    end of the last block; at least one block
 * @param quads    at least 1
 * @param epilogue one of `enum rnv_epilogue`
 */
typedef void rnv_fc_fn(const void *w, const void *column, int8_t *out, const void *w_end,
		       uint32_t quads, uint32_t epilogue);

/** Blocks times a prepared column. */
rnv_fc_fn rnv_fc_column_asm;
rnv_fc_fn rnv_fc_column_c;

/** Blocks times `4 * quads` inputs that lie in memory as they are. */
rnv_fc_fn rnv_fc_direct_asm;
rnv_fc_fn rnv_fc_direct_c;

#endif /* RNV_KERNELS_DSP_FULLY_CONNECTED_H_ */
