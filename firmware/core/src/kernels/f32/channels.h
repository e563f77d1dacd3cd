/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_F32_CHANNELS_H_
#define RNV_KERNELS_F32_CHANNELS_H_

/**
 * @file
 * @brief The output side of float32 ops with weights.
 *
 * The weight stream of such an op is `[float32 bias x out_c][float32 weights]`. An output is the
 * sum of its products in the order of the weights, plus the bias, clamped.
 */

#include <stdbool.h>
#include <stdint.h>

#include "kernels/f32/f32.h"

/** Trailing parameter words of each of these ops. */
struct rnv_f32_channels {
	int32_t out_c; /**< output channels */
	struct rnv_f32_range range;
};

/** The weight stream of an op and its range, taken apart. */
struct rnv_f32_stream {
	const float *bias;
	const float *weights;
	float low;
	float high;
};

/**
 * True where the range is one and the op's weight stream has exactly its size.
 *
 * @param op       op whose stream is checked
 * @param channels its parameter words, with positive `out_c`
 * @param weights  number of weights; 0 is refused
 */
bool rnv_f32_channels_ok(const struct rnv_op *op, const struct rnv_f32_channels *channels,
			 uint32_t weights);

/** Take the weight stream of a checked op apart. */
struct rnv_f32_stream rnv_f32_stream(const struct rnv_op *op,
				     const struct rnv_f32_channels *channels);

/** Output of a channel whose products have this sum. */
static inline float rnv_f32_output(const struct rnv_f32_stream *stream, int32_t channel, float sum)
{
	return rnv_f32_clamp(sum + stream->bias[channel], stream->low, stream->high);
}

/** `sum` plus the products of `depth` inputs and weights, 1 or more, added one after the other. */
static inline float rnv_f32_dot(const float *x, const float *w, uint32_t depth, float sum)
{
	const float *end = w + depth;

	do {
		sum += *x++ * *w++;
	} while (w != end);
	return sum;
}

#endif /* RNV_KERNELS_F32_CHANNELS_H_ */
