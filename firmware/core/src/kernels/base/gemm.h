/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_BASE_GEMM_H_
#define RNV_KERNELS_BASE_GEMM_H_

/**
 * @file
 * @brief Inner loops of packing base: prepared columns times pairs of output channels, with the
 * multiplications that every Armv7-M and Armv8-M Mainline has.
 *
 * SMLAL adds the product of two words to a sum of 64 bits. So one instruction multiplies a value x
 * with the weights of *two* output channels, when both are one word:
 *
 *     W = w0 + w1 * 2^24          sum of x W = S0 + S1 * 2^24
 *
 * The sums start at `c0 + c1 * 2^24`, c = bias + 2^23 with the input's zero point in the bias. Then
 * bits 0..23 are `U0 = S0 + 2^23` and the bits above are `U1 = S1 + 2^23`, exactly, as long as
 * every sum S (bias included) fits 24 bits with its sign: the compiler proves that, and that W fits
 * a word. No intermediate sum has to: arithmetic wraps modulo 2^64.
 *
 * **Stream.** All full pairs of output channels, in twos: two pairs make a block of *four*
 * channels; a last full pair that has no partner is a block of *two*. Then, where the number of
 * channels is odd, one more block of two: (missing, last). A block has, as little-endian words,
 *
 *     u64 start                  of each pair: c0 + c1 * 2^24
 *     i32 W                      4 * quads times: of each pair
 *     tail                       of each channel
 *
 * so every pair takes `8 + 16 * quads + 2 * tail` bytes, with a tail of
 *
 * - RELU, 12 bytes: `i32 m; i64 K`; output = `SSAT8((U * m + K) >> 36)`;
 * - LINEAR, 20 bytes: `i32 m; i64 K[2]`, the first one for sums S < 0 (bit 23 of U is 0), the
 *   second for the others; output = `SSAT8((U * m + K[S >= 0]) >> 36)`;
 * - TEXTBOOK, 8 bytes: `i32 m; i8 shift, zero point, lowest, highest`; output =
 *   `clamp(rnv_requantize(U - 2^23, m, shift) + zero point, lowest, highest)`.
 *
 * Products and sums are of 64 bits and wrap, U is used as an int32. Where the compiler's solver has
 * found `k`, `offset` and `V` for
 *
 *     output = SSAT8((hi32((256 * S + offset) * m) + k + (S < 0 ? V : 0)) >> 12)
 *
 * K is `floor((k * 2^32 + offset * m) / 256) - 2^23 * m`, with k + V for k where S < 0.
 *
 * **Columns** (prepare.h) are int32: of a full tile `[x of pixel 0, x of pixel 1]` for each value,
 * of a single pixel one word a value. A value takes 6 instructions for 8 products: two LDRD and
 * four SMLAL.
 */

#include "kernels/base/select.h"
#include "kernels/planes/tile.h"

/** Columns of a full tile. */
#define RNV_BASE_COLUMNS 2u

/** Output channels of what the drivers call a block: a pair. */
#define RNV_BASE_OUTPUTS 2u

/** Prepared bytes of a quad of one column. */
#define RNV_BASE_QUAD_BYTES 16u

/** Last shift: bits below the integer in `U * m + K`. */
#define RNV_BASE_SHIFT 36

/** Bit of U that says that the sum is not negative. */
#define RNV_BASE_SIGN 23

/** Bytes of a pair in a stream. */
uint32_t rnv_base_pair_bytes(uint32_t quads, enum rnv_epilogue epilogue);

/**
 * The textbook epilogue of one pair. Any words are allowed: shifts are clamped to -31..30, and the
 * sign of the multiplier is ignored.
 *
 * @param sums    [column][2] sums U
 * @param tail    of both channels
 * @param out     as for rnv_gemm_fn
 * @param channel as for rnv_gemm_fn
 */
typedef void rnv_base_textbook_fn(const uint32_t *sums, const int32_t *tail, int8_t *out,
				  uint32_t channel);

rnv_base_textbook_fn rnv_base_textbook;     /**< full tile */
rnv_base_textbook_fn rnv_base_textbook_one; /**< one column */

/** Full tiles, single pixels, and (`direct`) a column of int8 that lies in memory as it is. */
rnv_gemm_fn rnv_base_gemm_relu_c;
rnv_gemm_fn rnv_base_gemm_linear_c;
rnv_gemm_fn rnv_base_gemm_textbook_c;
rnv_gemm_fn rnv_base_gemm_one_relu_c;
rnv_gemm_fn rnv_base_gemm_one_linear_c;
rnv_gemm_fn rnv_base_gemm_one_textbook_c;
rnv_gemm_fn rnv_base_gemm_direct_relu_c;
rnv_gemm_fn rnv_base_gemm_direct_linear_c;
rnv_gemm_fn rnv_base_gemm_direct_textbook_c;

#if RNV_BASE_ASM
rnv_gemm_fn rnv_base_gemm_relu_asm;
rnv_gemm_fn rnv_base_gemm_linear_asm;
rnv_gemm_fn rnv_base_gemm_textbook_asm;
rnv_gemm_fn rnv_base_gemm_one_relu_asm;
rnv_gemm_fn rnv_base_gemm_one_linear_asm;
rnv_gemm_fn rnv_base_gemm_one_textbook_asm;
rnv_gemm_fn rnv_base_gemm_direct_relu_asm;
rnv_gemm_fn rnv_base_gemm_direct_linear_asm;
rnv_gemm_fn rnv_base_gemm_direct_textbook_asm;
#endif

/** The inner loops of packing base, for the drivers in kernels/planes. */
extern const struct rnv_tile_ops rnv_base_tile_ops;

#endif /* RNV_KERNELS_BASE_GEMM_H_ */
