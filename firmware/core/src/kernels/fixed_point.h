/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_FIXED_POINT_H_
#define RNV_KERNELS_FIXED_POINT_H_

/**
 * @file
 * @brief The requantisation arithmetic of TensorFlow Lite ("double rounding"), exactly.
 *
 * Source of the definitions: gemmlowp's fixedpoint.h and TensorFlow Lite's quantization_util; the
 * forms here are equal for every input and shorter.
 */

#include <stdint.h>

/** Clamp `x` to `low .. high`. */
static inline int32_t rnv_clamp(int32_t x, int32_t low, int32_t high)
{
	return (x < low) ? low : (x > high) ? high : x;
}

/** `x * 2^left`, wrapping; `left` is 0..31. */
static inline int32_t rnv_shift_left(int32_t x, uint32_t left)
{
	return (int32_t)((uint32_t)x << left);
}

/**
 * High 32 bits of `2 a b`, rounded to nearest, ties towards plus infinity
 * (gemmlowp's SaturatingRoundingDoublingHighMul).
 *
 * gemmlowp adds a nudge by the product's sign and divides truncating; floor((ab + 2^30) / 2^31) is
 * the same number for both signs. Only -2^31 times itself saturates.
 */
static inline int32_t rnv_high_mul(int32_t a, int32_t b)
{
	int64_t t = ((int64_t)a * b + ((int64_t)1 << 30)) >> 31;

	return (t > INT32_MAX) ? INT32_MAX : (int32_t)t;
}

/** `x / 2^right` rounded to nearest, ties away from zero (RoundingDivideByPOT); `right` is 0..31.
 */
static inline int32_t rnv_shift_round(int32_t x, uint32_t right)
{
	uint32_t mask = ((uint32_t)1 << right) - 1u;
	uint32_t remainder = (uint32_t)x & mask;
	uint32_t threshold = (mask >> 1) + ((x < 0) ? 1u : 0u);

	return (x >> right) + ((remainder > threshold) ? 1 : 0);
}

/**
 * `x * multiplier * 2^(shift - 31)` (MultiplyByQuantizedMultiplier): rnv_high_mul(), then
 * rnv_shift_round().
 *
 * A multiplier that is not negative cannot saturate the product. The rounding shift is done as
 * `t = floor((high - [high < 0]) / 2^(right - 1))`, then `ceil(t / 2)`, which is the same number;
 * `~shift` is `right - 1`.
 *
 * @param multiplier Q31, not negative
 * @param shift      -31..30; positive shifts left first, wrapping
 */
static inline int32_t rnv_requantize(int32_t x, int32_t multiplier, int32_t shift)
{
	int32_t left = rnv_shift_left(x, (shift > 0) ? (uint32_t)shift : 0u);
	int32_t high = (int32_t)(((int64_t)left * multiplier + ((int64_t)1 << 30)) >> 31);

	if (shift >= 0) {
		return high;
	}
	high = (high + (high >> 31)) >> ~shift;
	return (high >> 1) + (high & 1);
}

#endif /* RNV_KERNELS_FIXED_POINT_H_ */
