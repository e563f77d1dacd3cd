/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_DSP_SATURATE_H_
#define RNV_KERNELS_DSP_SATURATE_H_

#include <stdint.h>

/** Saturate to 8 bits: one instruction where the compiler can be told so. */
static inline int8_t rnv_saturate_8(int32_t x)
{
#if defined(__ARM_FEATURE_SAT) && defined(__GNUC__)
	return (int8_t)(int32_t)__builtin_arm_ssat(x, 8);
#else
	return (int8_t)((x < INT8_MIN) ? INT8_MIN : (x > INT8_MAX) ? INT8_MAX : x);
#endif
}

#endif /* RNV_KERNELS_DSP_SATURATE_H_ */
