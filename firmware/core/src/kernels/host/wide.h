/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_HOST_WIDE_H_
#define RNV_KERNELS_HOST_WIDE_H_

/**
 * @file
 * @brief Inner loops for computers, which compilers turn into vector instructions.
 *
 * Inputs are widened to 16 bits once and read many times: sums of int16 products are one
 * instruction (x86: PMADDWD, AArch64: SMLAL), and only the weights are left to be widened in the
 * loop. Depths are padded with zero inputs to whole vectors, so that no loop has a remainder.
 */

#include <stdint.h>

/** Columns of inputs that share each load of a weight. */
#define RNV_WIDE_COLUMNS 4

/** Inputs in a kernel's block on the stack: 16 KB. */
#define RNV_WIDE_INPUTS 8192u

/** Depths are padded to a multiple of this. */
#define RNV_WIDE_STEP 16u

/** `depth`, padded. */
static inline uint32_t rnv_wide_depth(uint32_t depth)
{
	return (depth + RNV_WIDE_STEP - 1u) & ~(RNV_WIDE_STEP - 1u);
}

/** Widen `depth` inputs and pad them with zeros; `wide` has their padded depth. */
void rnv_widen(const int8_t *x, uint32_t depth, int16_t *wide);

/**
 * Dot products of one weight vector with `RNV_WIDE_COLUMNS` columns.
 *
 * @param columns columns, one after the other, of the padded depth each
 * @param w       weights, readable up to the padded depth
 * @param padded  padded depth, at most `RNV_WIDE_INPUTS`: the sums fit in 32 bits
 * @param sums    a sum for every column
 */
void rnv_wide_dot_columns(const int16_t *columns, const int8_t *w, uint32_t padded, int32_t *sums);

/**
 * Dot products of one column with four weight vectors.
 *
 * @param x     `depth` inputs
 * @param w     weights, `depth` each, one after the other
 * @param depth at most `RNV_WIDE_INPUTS`: the sums fit in 32 bits
 * @param sums  four sums
 */
void rnv_wide_dot_4(const int16_t *x, const int8_t *w, uint32_t depth, int32_t *sums);

/** Add `x[i] * w[i]` to `acc[i]` (modulo 2^32) for every i below `count`. */
void rnv_wide_multiply_add(const int8_t *x, const int8_t *w, uint32_t count, uint32_t *acc);

#endif /* RNV_KERNELS_HOST_WIDE_H_ */
