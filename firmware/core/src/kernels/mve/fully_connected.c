/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief FULLY_CONNECTED with MVE: rows are pixels of a tile, see tile.h.
 */

#include "kernels/s8/fully_connected.h"

#include "kernels/mve/outputs.h"

static void run(const struct rnv_op *op)
{
	const struct rnv_fully_connected_params *p = (const void *)rnv_op_params(op);
	uint32_t depth = (uint32_t)p->in_c;
	uint32_t count = (uint32_t)p->requant.out_c;
	uint32_t rows = (uint32_t)p->rows;
	const int8_t *in = rnv_op_in(op, 0);
	int8_t *out = rnv_op_out(op, 0);
	struct rnv_mve_outputs outputs;
	struct rnv_mve_segments segments = {rnv_mve_tile_3_short, depth};
	const int8_t *inputs[RNV_MVE_PIXELS + 1u] = {NULL};

	rnv_mve_outputs_open(&outputs, op, &p->requant, depth);
	if (count < RNV_MVE_BLOCK) {
		for (; rows != 0u; rows--) {
			rnv_channels_dot(&outputs.channels, 0, count, in, depth, out);
			in += depth;
			out += count;
		}
	}
	rnv_mve_outputs_select(&outputs, 0, count);
	if (depth > 16u) {
		segments = rnv_mve_segments_of(depth);
	}
	outputs.tile.segment = segments.length;
	outputs.tile.inputs = inputs;
	for (; rows >= RNV_MVE_PIXELS; rows -= RNV_MVE_PIXELS) {
		inputs[0] = in;
		inputs[1] = in + depth;
		inputs[2] = in + 2u * depth;
		rnv_mve_outputs_run(&outputs, segments.run, out);
		in += RNV_MVE_PIXELS * depth;
		out += RNV_MVE_PIXELS * count;
	}
	for (; rows != 0u; rows--) {
		outputs.tile.inputs = in;
		rnv_mve_outputs_run(&outputs, rnv_mve_tile_1, out);
		in += depth;
		out += count;
	}
}

const struct rnv_kernel rnv_fully_connected_s8 = {.check = rnv_fully_connected_check, .run = run};
