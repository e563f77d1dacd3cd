/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef CORTEXM_KERNELS_BASE_ORACLE_H_
#define CORTEXM_KERNELS_BASE_ORACLE_H_

/*
 * A layer of weights as plain numbers, its stream in packing base, and its outputs by the plain
 * formula: sums of products of int8, never of packed words.
 */

#include <stdbool.h>
#include <stdint.h>

#include "kernels/planes/tile.h"

#define MAX_INPUTS  1100u
#define MAX_OUTPUTS 65u

/* Weights of an output; its sum is `bias + w0 x0 + w1 x1 + ..`, and fits 24 bits. */
struct channel {
	int8_t weights[MAX_INPUTS];
	int32_t bias;
	int32_t m;
	int64_t k[2]; /* for sums below 0, and others; of sums, not of what the stream has */
	int8_t shift;
	int8_t zero_point;
	int8_t act_min;
	int8_t act_max;
};

struct layer {
	uint32_t inputs; /* at least 4 where it is not a multiple of 4 and `overlap` */
	uint32_t outputs;
	enum rnv_epilogue epilogue;
	struct channel channels[MAX_OUTPUTS];
};

/* The one layer of a test. */
extern struct layer layer;

/* Columns of inputs: value i of column p is at `x[p * pixel + i * step]`. */
struct columns {
	const int8_t *x;
	uint32_t count;
	uint32_t pixel;
	uint32_t step;
};

/*
 * Fill `layer` with random weights and constants, so that many outputs for `columns` are not
 * saturated, and some sums are the largest or smallest that fit.
 */
void layer_random(uint32_t inputs, uint32_t outputs, enum rnv_epilogue epilogue,
		  const struct columns *columns);

/*
 * Pack `layer`; returns the number of bytes. Where the inputs are no multiple of 4, the last quad
 * is the last four inputs (`overlap`), or filled up with zeros.
 */
uint32_t layer_pack(uint32_t *stream, bool overlap);

/* Output for a sum by TensorFlow Lite's formula, multiplier not negative and shift -31..30. */
int8_t textbook_output(const struct channel *channel, int32_t sum);

/* Output `o` of `layer` for inputs `step` bytes apart. */
int8_t layer_output(uint32_t o, const int8_t *x, uint32_t step);

#endif /* CORTEXM_KERNELS_BASE_ORACLE_H_ */
