/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_MVE_TILE_H_
#define RNV_KERNELS_MVE_TILE_H_

/**
 * @file
 * @brief Dot products and requantisation of 3 pixels, or 1, with 4 output channels at a time.
 *
 * In assembly (tile.S): the sums fill all even registers, and a compiler spills them.
 */

#include <stdint.h>

/** How sums are requantised; the assembly knows the numbers. */
enum rnv_mve_scale {
	/** No shift is positive, and negative results are clamped to the zero point or above. */
	RNV_MVE_SCALE_RECTIFIED = 0,
	RNV_MVE_SCALE_RIGHT = 1, /**< all shifts are negative */
	RNV_MVE_SCALE_ANY = 2,
};

/**
 * What a tile computes: `4 * blocks` channels of each of its pixels. tile.S copies it to its stack
 * and knows the offset of every word.
 */
struct rnv_mve_tile {
	const int8_t *weights;     /**< of the first channel: `depth` for each channel */
	const int32_t *bias;       /**< of the first channel */
	const int32_t *multiplier; /**< of the first channel, or four equal ones for all */
	const int8_t *shift;       /**< likewise */
	int8_t *out;               /**< first channel of the first pixel */
	uint32_t blocks;           /**< blocks of 4 channels, at least 1 */
	uint32_t depth;            /**< weights of a channel */
	uint32_t multiplier_step;  /**< bytes from one block's multipliers to the next: 16 or 0 */
	uint32_t shift_step;       /**< bytes from one block's shifts to the next: 4 or 0 */
	uint32_t out_step;         /**< bytes from one pixel's output to the next */
	int32_t out_zp;
	int32_t act_min;
	int32_t act_max;
	/**
	 * What the windows of three pixels are made of: for each segment, in the order of the
	 * weights, three pointers to inputs; then NULL.
	 */
	const void *inputs;
	/** Length of a segment, in inputs or turns: see each function. */
	uint32_t segment;
	uint32_t scale; /**< `enum rnv_mve_scale` */
};

/** Pixels of rnv_mve_tile_3(). */
#define RNV_MVE_PIXELS 3u

/** Channels of a block. */
#define RNV_MVE_BLOCK 4u

/** A function that computes a tile. */
typedef void (*rnv_mve_tile_run)(const struct rnv_mve_tile *tile);

/** Three pixels: any segment alone, or several of a multiple of 16 inputs. */
void rnv_mve_tile_3(const struct rnv_mve_tile *tile);

/** Three pixels: segments in turns of 32 inputs. */
void rnv_mve_tile_3_by_32(const struct rnv_mve_tile *tile);

/** Three pixels: segments in turns of 48 inputs. */
void rnv_mve_tile_3_by_48(const struct rnv_mve_tile *tile);

/** Three pixels: one segment of `depth` inputs, at most 16; `segment` is not read. */
void rnv_mve_tile_3_short(const struct rnv_mve_tile *tile);

/** One pixel: `inputs` are its `depth` inputs themselves. */
void rnv_mve_tile_1(const struct rnv_mve_tile *tile);

#endif /* RNV_KERNELS_MVE_TILE_H_ */
