/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/f32/channels.h"

bool rnv_f32_channels_ok(const struct rnv_op *op, const struct rnv_f32_channels *channels,
			 uint32_t weights)
{
	uint64_t numbers = (uint64_t)(uint32_t)channels->out_c + weights;

	return weights != 0u && rnv_f32_range_ok(&channels->range) &&
	       op->rec->weights_bytes == numbers * sizeof(float);
}

struct rnv_f32_stream rnv_f32_stream(const struct rnv_op *op,
				     const struct rnv_f32_channels *channels)
{
	const float *bias = (const void *)rnv_op_weights(op);

	return (struct rnv_f32_stream){
		.bias = bias,
		.weights = bias + channels->out_c,
		.low = rnv_f32(channels->range.act_min),
		.high = rnv_f32(channels->range.act_max),
	};
}
