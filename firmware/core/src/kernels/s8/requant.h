/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_S8_REQUANT_H_
#define RNV_KERNELS_S8_REQUANT_H_

/**
 * @file
 * @brief The output side of convolutions: biases, multipliers and weights of every output channel.
 *
 * The weight stream of such an op is
 * `[int32 bias x out_c][int32 multiplier x n][int8 shift x n, zero-padded to 4][int8 weights]`
 * with n = `channels_q`. A bias has the input's zero point folded in, so that an output is
 * `requantise(bias + sum of weight x input) + out_zp`, clamped.
 */

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kernel.h"

/** Parameter words that describe the output channels; contiguous in the parameters of each op. */
struct rnv_requant {
	int32_t out_c;      /**< output channels */
	int32_t channels_q; /**< multipliers and shifts: `out_c`, or 1 for all channels */
	int32_t out_zp;     /**< zero point of the output */
	int32_t act_min;    /**< lowest output */
	int32_t act_max;    /**< highest output */
};

/** The weight stream of an op, taken apart. */
struct rnv_channels {
	const int32_t *bias;
	const int32_t *multiplier;
	const int8_t *shift;
	const int8_t *weights;
	const struct rnv_requant *params;
};

/** Highest `out_c`: keeps the size of a stream within 32 bits. */
#define RNV_CHANNELS_MAX 0xFFFFFF

/**
 * True where the parameters are valid and the op's weight stream has exactly their size.
 *
 * @param op      op whose stream is checked
 * @param params  its parameter words
 * @param weights number of weights; 0 is refused
 */
bool rnv_channels_ok(const struct rnv_op *op, const struct rnv_requant *params, uint32_t weights);

/** Take the weight stream of a checked op apart. */
void rnv_channels_open(struct rnv_channels *channels, const struct rnv_op *op,
		       const struct rnv_requant *params);

/**
 * Outputs of `count` channels from `first` on for their sums, biases included.
 *
 * @param channels stream
 * @param first    first channel
 * @param count    number of channels, at least 1
 * @param acc      `count` sums
 * @param out      `count` outputs
 */
void rnv_channels_outputs(const struct rnv_channels *channels, uint32_t first, uint32_t count,
			  const uint32_t *acc, int8_t *out);

/**
 * Outputs of `count` channels from `first` on whose `depth` weights each lie one after the other.
 *
 * @param channels stream
 * @param first    first channel
 * @param count    number of channels
 * @param x        `depth` inputs, the same for all channels
 * @param depth    inputs of a channel
 * @param out      `count` outputs
 */
void rnv_channels_dot(const struct rnv_channels *channels, uint32_t first, uint32_t count,
		      const int8_t *x, uint32_t depth, int8_t *out);

#endif /* RNV_KERNELS_S8_REQUANT_H_ */
