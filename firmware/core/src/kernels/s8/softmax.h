/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_S8_SOFTMAX_H_
#define RNV_KERNELS_S8_SOFTMAX_H_

/**
 * @file
 * @brief Parameters, check and reciprocal of SOFTMAX, for all variants of the kernel.
 */

#include <stdint.h>

#include "kernels/kernel.h"

/** Parameter words. */
struct rnv_softmax_params {
	int32_t rows;
	int32_t depth;
};

/** Longest row. */
#define RNV_SOFTMAX_DEPTH_MAX 4095

/** Bits of the integer part of a row's sum: that of the longest row's ones is below 2^12. */
#define RNV_SOFTMAX_SUM_BITS 12

/** check() of the kernel. */
int rnv_softmax_check(const struct rnv_op *op);

/**
 * Place of an input in the table. Always one of its 256, also where another core that the input is
 * shared with has raised it since the row's highest was found.
 */
static inline uint32_t rnv_softmax_place(int32_t max, int32_t x)
{
	return (uint8_t)(max - x);
}

/** rnv_high_mul() of two numbers that are not both -2^31. */
static inline int32_t rnv_softmax_mul(int32_t a, int32_t b)
{
	return (int32_t)(((int64_t)a * b + ((int64_t)1 << 30)) >> 31);
}

/**
 * 1 / d in Q0.31 for d in 1 .. 2, given as d / 2 in Q0.31: Newton-Raphson division in Q2.29 from
 * the estimate 48/17 - 32/17 * d / 2 (gemmlowp's one_over_one_plus_x_for_x_in_0_1). The estimate is
 * within 1/17, so that no step leaves int32; only values next to 1 / 1 saturate.
 */
static inline int32_t rnv_softmax_reciprocal(int32_t half)
{
	int32_t x = 1515870810 + rnv_softmax_mul(half, -1010580540);

	for (int step = 0; step < 3; step++) {
		int32_t error = (1 << 29) - rnv_softmax_mul(half, x);

		x += 4 * rnv_softmax_mul(x, error);
	}
	return (x >= 1 << 30) ? INT32_MAX : 2 * x;
}

#endif /* RNV_KERNELS_S8_SOFTMAX_H_ */
