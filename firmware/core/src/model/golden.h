/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_MODEL_GOLDEN_H_
#define RNV_MODEL_GOLDEN_H_

#include <stdint.h>

/** @file @brief The golden section: this record, then stored inputs, then expected outputs. */

#define RNV_GOLDEN_BYTES  32u
#define RNV_GOLDEN_SEEDED 0u /**< inputs come from xorshift32, high byte first used */
#define RNV_GOLDEN_STORED 1u /**< inputs are stored */

/** Head of the golden section. */
struct rnv_golden {
	uint32_t kind;         /**< RNV_GOLDEN_SEEDED or RNV_GOLDEN_STORED */
	uint32_t seed;         /**< start of the generator; zero where stored */
	uint32_t input_bytes;  /**< stored inputs, by entry point, in its order */
	uint32_t output_bytes; /**< expected outputs, by entry point, in its order */
	uint32_t trace_crc;    /**< CRC-32 of what every step writes, in order */
	uint32_t reserved[3];  /**< zero */
};

#endif /* RNV_MODEL_GOLDEN_H_ */
