/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_EXEC_GOLDEN_H_
#define RNV_EXEC_GOLDEN_H_

/** @file @brief The bytes of a self-test, as the package writer has them. */

#include "ranvier/golden.h"

#include "model/golden.h"

/* Before the first input and output. */
static inline void rnv_golden_rewind(struct rnv_golden_walk *walk, const struct rnv_golden *golden)
{
	walk->random = golden->seed;
	walk->stored = (const uint8_t *)(golden + 1);
	walk->expected = walk->stored + golden->input_bytes;
}

/* The next byte of an input: stored, or of Marsaglia's xorshift32. */
static inline uint8_t rnv_golden_input(struct rnv_golden_walk *walk)
{
	uint32_t x = walk->random;

	if (x == 0u) {
		return *walk->stored++;
	}
	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	walk->random = x;
	return (uint8_t)(x >> 24);
}

#endif /* RNV_EXEC_GOLDEN_H_ */
