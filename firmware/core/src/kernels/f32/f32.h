/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_F32_F32_H_
#define RNV_KERNELS_F32_F32_H_

/**
 * @file
 * @brief What the float32 kernels share: numbers in parameter words, ranges, operands.
 *
 * Arithmetic is IEEE 754 binary32, one rounding for each addition, multiplication and division, in
 * the order of the source: the build forbids contraction into fused multiply-adds. So results are
 * the same on every machine, with a floating-point unit or without, but for the bits of a NaN,
 * which no result depends on. Data may be any bits: NaN and infinities go through the arithmetic,
 * and nothing converts them into integers.
 */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "kernels/kernel.h"
#include "kernels/s8/window.h"

/** The lowest finite number. */
#define RNV_F32_LOWEST -3.40282347e+38f

/** Parameter words: the range to which an op clamps its output, as binary32 bits. */
struct rnv_f32_range {
	int32_t act_min; /**< lowest output, may be -infinity */
	int32_t act_max; /**< highest output, may be infinity */
};

/** The number whose binary32 bits a parameter word has. */
static inline float rnv_f32(int32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/** `value` clamped to `low .. high`; NaN stays NaN. */
static inline float rnv_f32_clamp(float value, float low, float high)
{
	value = (value < low) ? low : value;
	return (value > high) ? high : value;
}

/** True where both bounds are numbers and the first one is not above the second. */
bool rnv_f32_range_ok(const struct rnv_f32_range *range);

/** True where a parameter word has the bits of a number that is neither infinite nor NaN. */
bool rnv_f32_is_finite(int32_t bits);

/** True where operand `number` is float32, as many elements as the product of positive words. */
bool rnv_op_is_f32(const struct rnv_op *op, uint32_t number, const int32_t *sizes, uint32_t count);

/** rnv_window_ok() of float32 images. */
bool rnv_f32_window_ok(const struct rnv_op *op, const struct rnv_window *window, int32_t out_c);

#endif /* RNV_KERNELS_F32_F32_H_ */
