/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_SIGNAL_TOP_BIT_H_
#define RNV_KERNELS_SIGNAL_TOP_BIT_H_

#include <stdint.h>

/** Place of the highest bit that is set, 0..31; 0 for 0. */
static inline uint32_t rnv_top_bit(uint32_t value)
{
	uint32_t bit = 0;

	for (uint32_t half = 16; half != 0u; half >>= 1) {
		if ((value >> half) != 0u) {
			value >>= half;
			bit += half;
		}
	}
	return bit;
}

#endif /* RNV_KERNELS_SIGNAL_TOP_BIT_H_ */
