/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_S8_DOT_H_
#define RNV_KERNELS_S8_DOT_H_

/**
 * @file
 * @brief The inner loops of the portable kernels.
 *
 * In a file of their own, so that the compiler keeps their operands in registers: inlined into a
 * kernel they spill.
 */

#include <stdint.h>

/**
 * Add the dot products of `x` with four weight vectors to four sums (modulo 2^32).
 *
 * @param x     `depth` inputs
 * @param w     weights of four channels, `depth` each, one after the other
 * @param depth at least 1
 * @param acc   four sums
 */
void rnv_dot_4(const int8_t *x, const int8_t *w, uint32_t depth, uint32_t *acc);

/** Add `x[i] * w[i]` to `acc[i]` (modulo 2^32) for every i below `count`. */
void rnv_multiply_add(const int8_t *x, const int8_t *w, uint32_t count, uint32_t *acc);

#endif /* RNV_KERNELS_S8_DOT_H_ */
