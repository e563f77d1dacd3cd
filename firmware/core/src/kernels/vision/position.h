/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_VISION_POSITION_H_
#define RNV_KERNELS_VISION_POSITION_H_

/**
 * @file
 * @brief Where between the pixels of an image a row or column of another size lies.
 *
 * The compiler chooses positions, so that every rule of resizing is the same code. Source of the
 * rounding: TensorFlow Lite's reference ResizeBilinearInteger.
 */

#include <stdbool.h>
#include <stdint.h>

/** A position: `fraction` / 1024 of the way from pixel `index` to the next one. */
struct rnv_position {
	uint16_t index;
	uint16_t fraction;
};

#define RNV_POSITION_ONE 1024

/** Largest side of an image: indexes have 16 bits. */
#define RNV_POSITION_SIDE_MAX 0xFFFF

/** Weights of the four pixels around a position. */
struct rnv_bilinear {
	int32_t upper_left;
	int32_t upper_right;
	int32_t lower_left;
	int32_t lower_right;
};

/** True where each of `count` positions lies between two pixels of `limit`, or on one. */
bool rnv_positions_ok(const struct rnv_position *positions, uint32_t count, uint32_t limit);

/** The weights of a position; their sum is 2^20. */
static inline struct rnv_bilinear rnv_bilinear_weights(int32_t down, int32_t right)
{
	const int32_t up = RNV_POSITION_ONE - down;
	const int32_t left = RNV_POSITION_ONE - right;
	const struct rnv_bilinear weights = {up * left, up * right, down * left, down * right};

	return weights;
}

/** A weighted sum of int8 values as int8, rounded to nearest, ties away from zero. */
static inline int32_t rnv_bilinear_round(int32_t sum)
{
	return (sum + (1 << 19) - ((sum < 0) ? 1 : 0)) >> 20;
}

#endif /* RNV_KERNELS_VISION_POSITION_H_ */
