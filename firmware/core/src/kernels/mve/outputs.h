/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_MVE_OUTPUTS_H_
#define RNV_KERNELS_MVE_OUTPUTS_H_

/**
 * @file
 * @brief The weight stream of requant.h as tiles want it.
 */

#include <stdint.h>

#include "kernels/mve/tile.h"
#include "kernels/s8/requant.h"

/** An op's channels and the tile that computes them. */
struct rnv_mve_outputs {
	struct rnv_mve_tile tile;
	struct rnv_channels channels;
	uint32_t first;                     /**< first channel that is computed */
	uint32_t count;                     /**< channels that are computed */
	int32_t multipliers[RNV_MVE_BLOCK]; /**< the multiplier of all channels */
	int8_t shifts[RNV_MVE_BLOCK];       /**< and their shift */
};

/** The cheapest way to requantise that is exact for all channels. */
enum rnv_mve_scale rnv_mve_scale_of(const struct rnv_channels *channels);

/**
 * Prepare the outputs of an op.
 *
 * @param outputs to be filled
 * @param op      checked op
 * @param params  its parameter words
 * @param depth   weights of a channel, one after the other in the stream
 */
void rnv_mve_outputs_open(struct rnv_mve_outputs *outputs, const struct rnv_op *op,
			  const struct rnv_requant *params, uint32_t depth);

/**
 * Choose the channels that are computed.
 *
 * @param outputs prepared
 * @param first   first channel
 * @param count   channels, at least RNV_MVE_BLOCK
 */
void rnv_mve_outputs_select(struct rnv_mve_outputs *outputs, uint32_t first, uint32_t count);

/** What computes three pixels of one kind of segments, and their length for it. */
struct rnv_mve_segments {
	rnv_mve_tile_run run;
	uint32_t length;
};

/** The fastest way for several segments of a multiple of 16 inputs, or one of any length. */
struct rnv_mve_segments rnv_mve_segments_of(uint32_t inputs);

/** The channels that do not fill a block, as a block that overlaps the one before. */
void rnv_mve_outputs_rest(struct rnv_mve_outputs *outputs, rnv_mve_tile_run run);

/**
 * Compute the chosen channels of the pixels whose inputs are set in the tile.
 *
 * @param outputs prepared; `tile.inputs` and `tile.segment` are set
 * @param run     what computes the tile
 * @param out     output of the first chosen channel of the first pixel
 */
static inline void rnv_mve_outputs_run(struct rnv_mve_outputs *outputs, rnv_mve_tile_run run,
				       int8_t *out)
{
	outputs->tile.out = out;
	run(&outputs->tile);
	if (outputs->count % RNV_MVE_BLOCK != 0u) {
		rnv_mve_outputs_rest(outputs, run);
	}
}

#endif /* RNV_KERNELS_MVE_OUTPUTS_H_ */
