/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/mve/outputs.h"

#include <stdbool.h>

#include "kernels/mve/vector.h"

enum rnv_mve_scale rnv_mve_scale_of(const struct rnv_channels *channels)
{
	const int8_t *shift = channels->shift;
	int32_t left = channels->params->channels_q;
	int8_t most = INT8_MIN;

	do {
		most = vmaxvq_p_s8(most, vld1q_z_s8(shift, vctp8q((uint32_t)left)),
				   vctp8q((uint32_t)left));
		shift += 16;
		left -= 16;
	} while (left > 0);
	if (most <= 0 && channels->params->act_min >= channels->params->out_zp) {
		return RNV_MVE_SCALE_RECTIFIED;
	}
	return (most < 0) ? RNV_MVE_SCALE_RIGHT : RNV_MVE_SCALE_ANY;
}

void rnv_mve_outputs_open(struct rnv_mve_outputs *outputs, const struct rnv_op *op,
			  const struct rnv_requant *params, uint32_t depth)
{
	struct rnv_mve_tile *tile = &outputs->tile;
	bool each = params->channels_q != 1;

	rnv_channels_open(&outputs->channels, op, params);
	for (uint32_t i = 0; i < RNV_MVE_BLOCK; i++) {
		outputs->multipliers[i] = *outputs->channels.multiplier;
		outputs->shifts[i] = *outputs->channels.shift;
	}
	tile->depth = depth;
	tile->multiplier_step = each ? RNV_MVE_BLOCK * sizeof(int32_t) : 0u;
	tile->shift_step = each ? RNV_MVE_BLOCK : 0u;
	tile->out_step = (uint32_t)params->out_c;
	tile->out_zp = params->out_zp;
	tile->act_min = params->act_min;
	tile->act_max = params->act_max;
	tile->scale = rnv_mve_scale_of(&outputs->channels);
}

/* Let the tile compute `blocks` blocks from channel `first` on. */
static void set_blocks(struct rnv_mve_outputs *outputs, uint32_t first, uint32_t blocks)
{
	struct rnv_mve_tile *tile = &outputs->tile;
	const struct rnv_channels *channels = &outputs->channels;

	tile->weights = channels->weights + first * tile->depth;
	tile->bias = channels->bias + first;
	tile->multiplier = outputs->multipliers;
	tile->shift = outputs->shifts;
	if (tile->shift_step != 0u) {
		tile->multiplier = channels->multiplier + first;
		tile->shift = channels->shift + first;
	}
	tile->blocks = blocks;
}

void rnv_mve_outputs_select(struct rnv_mve_outputs *outputs, uint32_t first, uint32_t count)
{
	outputs->first = first;
	outputs->count = count;
	set_blocks(outputs, first, count / RNV_MVE_BLOCK);
}

struct rnv_mve_segments rnv_mve_segments_of(uint32_t inputs)
{
	if (inputs % 48u == 0u) {
		return (struct rnv_mve_segments){rnv_mve_tile_3_by_48, inputs / 48u};
	}
	if (inputs % 32u == 0u) {
		return (struct rnv_mve_segments){rnv_mve_tile_3_by_32, inputs / 32u};
	}
	return (struct rnv_mve_segments){rnv_mve_tile_3, inputs};
}

void rnv_mve_outputs_rest(struct rnv_mve_outputs *outputs, rnv_mve_tile_run run)
{
	uint32_t last = outputs->count - RNV_MVE_BLOCK;

	set_blocks(outputs, outputs->first + last, 1u);
	outputs->tile.out += last;
	run(&outputs->tile);
	rnv_mve_outputs_select(outputs, outputs->first, outputs->count);
}
