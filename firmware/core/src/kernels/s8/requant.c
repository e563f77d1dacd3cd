/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/s8/requant.h"

#include <string.h>

#include "kernels/fixed_point.h"
#include "kernels/s8/dot.h"

/* Channels whose sums are formed together. */
#define TILE 4u

/* Bytes of `count` shifts with their padding. */
static uint32_t shift_bytes(uint32_t count)
{
	return (count + 3u) & ~UINT32_C(3);
}

bool rnv_channels_ok(const struct rnv_op *op, const struct rnv_requant *params, uint32_t weights)
{
	const int32_t *multiplier;
	const int32_t *end;
	const int8_t *shift;
	uint32_t out_c = (uint32_t)params->out_c;
	uint32_t count = (uint32_t)params->channels_q;

	if (weights == 0u || !rnv_words_within(&params->out_c, 1, 1, RNV_CHANNELS_MAX) ||
	    (count != out_c && count != 1u) ||
	    !rnv_words_within(&params->out_zp, 3, INT8_MIN, INT8_MAX) ||
	    params->act_min > params->act_max ||
	    op->rec->weights_bytes != 4u * out_c + 4u * count + shift_bytes(count) + weights) {
		return false;
	}
	multiplier = (const int32_t *)(const void *)rnv_op_weights(op) + out_c;
	end = multiplier + count;
	shift = (const int8_t *)end;
	do { /* few instructions: this is most of the time that opening a package takes */
		if (*multiplier++ < 0 || (uint32_t)(*shift++ + 31) > 61u) {
			return false;
		}
	} while (multiplier != end);
	return true;
}

void rnv_channels_open(struct rnv_channels *channels, const struct rnv_op *op,
		       const struct rnv_requant *params)
{
	uint32_t count = (uint32_t)params->channels_q;

	channels->bias = (const int32_t *)(const void *)rnv_op_weights(op);
	channels->multiplier = channels->bias + params->out_c;
	channels->shift = (const int8_t *)(channels->multiplier + count);
	channels->weights = channels->shift + shift_bytes(count);
	channels->params = params;
}

void rnv_channels_outputs(const struct rnv_channels *channels, uint32_t first, uint32_t count,
			  const uint32_t *acc, int8_t *out)
{
	const struct rnv_requant *params = channels->params;
	uint32_t step = (params->channels_q == 1) ? 0u : 1u;
	const int32_t *multiplier = channels->multiplier + first * step;
	const int8_t *shift = channels->shift + first * step;
	int8_t *end = out + count;

	while (out != end) {
		int32_t scaled = rnv_requantize((int32_t)*acc++, *multiplier, *shift);
		int32_t value = (int32_t)((uint32_t)scaled + (uint32_t)params->out_zp);

		*out++ = (int8_t)rnv_clamp(value, params->act_min, params->act_max);
		multiplier += step;
		shift += step;
	}
}

void rnv_channels_dot(const struct rnv_channels *channels, uint32_t first, uint32_t count,
		      const int8_t *x, uint32_t depth, int8_t *out)
{
	const int8_t *w = channels->weights + first * depth;
	uint32_t end = first + count;
	uint32_t acc[TILE];

	for (uint32_t tile; first < end; first += tile) {
		tile = (end - first < TILE) ? 1u : TILE;
		memcpy(acc, channels->bias + first, tile * sizeof(*acc));
		if (tile == TILE) {
			rnv_dot_4(x, w, depth, acc);
		} else {
			for (uint32_t i = 0; i < depth; i++) {
				acc[0] += (uint32_t)(x[i] * w[i]);
			}
		}
		rnv_channels_outputs(channels, first, tile, acc, out);
		out += tile;
		w += tile * depth;
	}
}
