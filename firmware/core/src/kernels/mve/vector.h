/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_MVE_VECTOR_H_
#define RNV_KERNELS_MVE_VECTOR_H_

/**
 * @file
 * @brief What the MVE kernels share: copies, and fixed_point.h for four lanes.
 */

#if !defined(__ARM_FEATURE_MVE)
#error "these kernels are for Cortex-M55 and M85: compile for one, or choose RANVIER_KERNELS=s8"
#endif

#include <arm_mve.h>
#include <stdint.h>

/** Copy `bytes` (at least 1) bytes; nothing behind them is read or written. */
static inline void rnv_mve_copy(int8_t *to, const int8_t *from, uint32_t bytes)
{
	int32_t left = (int32_t)bytes;

	do {
		mve_pred16_t p = vctp8q((uint32_t)left);

		vst1q_p_s8(to, vld1q_z_s8(from, p), p);
		to += 16;
		from += 16;
		left -= 16;
	} while (left > 0);
}

/** Copy `rows` (at least 1) rows of `bytes` (at least 1) bytes each. */
static inline void rnv_mve_copy_rows(int8_t *to, uint32_t to_step, const int8_t *from,
				     uint32_t from_step, uint32_t bytes, uint32_t rows)
{
	if (bytes <= 16u) {
		mve_pred16_t p = vctp8q(bytes);

		do {
			vst1q_p_s8(to, vld1q_z_s8(from, p), p);
			to += to_step;
			from += from_step;
		} while (--rows != 0u);
		return;
	}
	do {
		rnv_mve_copy(to, from, bytes);
		to += to_step;
		from += from_step;
	} while (--rows != 0u);
}

/** Set `bytes` (at least 1) bytes. */
static inline void rnv_mve_fill(int8_t *to, int8_t value, uint32_t bytes)
{
	int8x16_t all = vdupq_n_s8(value);
	int32_t left = (int32_t)bytes;

	do {
		vst1q_p_s8(to, all, vctp8q((uint32_t)left));
		to += 16;
		left -= 16;
	} while (left > 0);
}

/**
 * rnv_shift_round() of every lane by `-right`, which is -31..0.
 *
 * VRSHL rounds ties up; taking 1 from a negative number first makes that ties away from zero and
 * changes nothing else. Where `right` is 0 nothing is rounded and nothing taken.
 */
static inline int32x4_t rnv_mve_shift_round(int32x4_t x, int32x4_t right)
{
	return vrshlq_s32(vqaddq_s32(x, vshrq_n_s32(vandq_s32(x, right), 31)), right);
}

/** rnv_requantize() of every lane. */
static inline int32x4_t rnv_mve_requantize(int32x4_t x, int32x4_t multiplier, int32x4_t shift)
{
	int32x4_t zero = vdupq_n_s32(0);
	int32x4_t high = vqrdmulhq_s32(vshlq_s32(x, vmaxq_s32(shift, zero)), multiplier);

	return rnv_mve_shift_round(high, vminq_s32(shift, zero));
}

/** rnv_requantize() of every lane where one multiplier and shift serve all. */
static inline int32x4_t rnv_mve_requantize_n(int32x4_t x, int32_t multiplier, int32_t shift)
{
	int32_t left = (shift > 0) ? shift : 0;

	return rnv_mve_shift_round(vqrdmulhq_n_s32(vshlq_r_s32(x, left), multiplier),
				   vdupq_n_s32(shift - left));
}

/** Every lane in `low .. high`. */
static inline int32x4_t rnv_mve_clamp(int32x4_t x, int32x4_t low, int32x4_t high)
{
	return vminq_s32(vmaxq_s32(x, low), high);
}

#endif /* RNV_KERNELS_MVE_VECTOR_H_ */
