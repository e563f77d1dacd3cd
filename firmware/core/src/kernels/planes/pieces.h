/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_PLANES_PIECES_H_
#define RNV_KERNELS_PLANES_PIECES_H_

/**
 * @file
 * @brief Bytes copied and filled by words, exactly; many small pieces at equal distances.
 */

#include <stdint.h>
#include <string.h>

/** Four bytes at any alignment. */
static inline uint32_t rnv_load_4(const int8_t *in)
{
	uint32_t word;

	memcpy(&word, in, sizeof(word));
	return word;
}

/** Four bytes at any alignment. */
static inline void rnv_store_4(int8_t *out, uint32_t word)
{
	memcpy(out, &word, sizeof(word));
}

/** `bytes` bytes of `value`: memset() is a loop over bytes in a C library made for size. */
void rnv_fill(int8_t *out, int32_t value, uint32_t bytes);

/**
 * Copy `count` pieces of `bytes` bytes, `in_step` bytes apart, to places `out_step` bytes apart.
 * At least one piece of at least one byte.
 */
void rnv_pieces_copy(int8_t *out, uint32_t out_step, const int8_t *in, uint32_t in_step,
		     uint32_t bytes, uint32_t count);

/** Write `value` to every byte of `count` pieces. */
void rnv_pieces_fill(int8_t *out, uint32_t out_step, int32_t value, uint32_t bytes, uint32_t count);

/**
 * Three rows of pixels of three bytes, `stride` bytes apart, side by side: the nine bytes of each
 * of `count` pixels one after the other.
 */
void rnv_pieces_rgb(int8_t *out, const int8_t *in, uint32_t stride, uint32_t count);

#endif /* RNV_KERNELS_PLANES_PIECES_H_ */
