/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief FULLY_CONNECTED for computers: a row is widened to 16 bits and read once for four outputs.
 *
 * Rows that are too long for the block on the stack go the portable way, as do the last outputs of
 * a number that is no multiple of four.
 */

#include "kernels/s8/fully_connected.h"

#include "kernels/host/wide.h"

/* Outputs whose sums are formed together. */
#define TILE 4u

/* The first `count` outputs of a row, a multiple of TILE. */
static void run_tiles(const struct rnv_channels *channels, const int8_t *in, uint32_t depth,
		      uint32_t count, int8_t *out)
{
	int16_t wide[RNV_WIDE_INPUTS];
	int32_t sums[TILE];
	uint32_t acc[TILE];

	rnv_widen(in, depth, wide);
	for (uint32_t first = 0; first < count; first += TILE) {
		rnv_wide_dot_4(wide, channels->weights + first * depth, depth, sums);
		for (uint32_t i = 0; i < TILE; i++) {
			acc[i] = (uint32_t)channels->bias[first + i] + (uint32_t)sums[i];
		}
		rnv_channels_outputs(channels, first, TILE, acc, out + first);
	}
}

static void run(const struct rnv_op *op)
{
	const struct rnv_fully_connected_params *p = (const void *)rnv_op_params(op);
	uint32_t depth = (uint32_t)p->in_c;
	uint32_t out_c = (uint32_t)p->requant.out_c;
	uint32_t tiled = (depth <= RNV_WIDE_INPUTS) ? out_c & ~(TILE - 1u) : 0u;
	const int8_t *in = rnv_op_in(op, 0);
	int8_t *out = rnv_op_out(op, 0);
	struct rnv_channels channels;

	rnv_channels_open(&channels, op, &p->requant);
	for (int32_t row = 0; row < p->rows; row++) {
		if (tiled != 0u) {
			run_tiles(&channels, in, depth, tiled, out);
		}
		rnv_channels_dot(&channels, tiled, out_c - tiled, in, depth, out + tiled);
		in += depth;
		out += out_c;
	}
}

const struct rnv_kernel rnv_fully_connected_s8 = {.check = rnv_fully_connected_check, .run = run};
