/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef CORTEXM_KERNELS_DSP_ORACLE_H_
#define CORTEXM_KERNELS_DSP_ORACLE_H_

/*
 * A layer of weights as plain numbers, its stream in packing dsp, and its outputs by the plain
 * formula: sums of products of int8, never of packed words.
 */

#include <stdint.h>

#include "kernels/planes/tile.h"

#define MAX_INPUTS  1100u
#define MAX_OUTPUTS 65u

/* Weights of an output; its sum is `base + 256 (w0 x0 + w1 x1 + ..)` modulo 2^32. */
struct channel {
	int8_t weights[MAX_INPUTS];
	int32_t base;
	int32_t m;
	int32_t k;
	int32_t v;
	int8_t shift;
	int8_t zero_point;
	int8_t act_min;
	int8_t act_max;
};

struct layer {
	uint32_t inputs; /* at least 4 where it is not a multiple of 4 */
	uint32_t outputs;
	enum rnv_epilogue epilogue;
	struct channel channels[MAX_OUTPUTS];
};

/* The one layer of a test. */
extern struct layer layer;

/*
 * Fill `layer` with random weights and constants, so that many outputs for the inputs `x`, each
 * `step` bytes from the one before, are not saturated, and some sums are near +-2^31.
 */
void layer_random(uint32_t inputs, uint32_t outputs, enum rnv_epilogue epilogue, const int8_t *x,
		  uint32_t step);

/* Pack `layer` for POINTWISE; returns the number of bytes. An odd output comes last, behind junk.
 */
uint32_t layer_pack(uint32_t *stream);

/* Output `o` of `layer` for inputs `step` bytes apart. */
int8_t layer_output(uint32_t o, const int8_t *x, uint32_t step);

#endif /* CORTEXM_KERNELS_DSP_ORACLE_H_ */
