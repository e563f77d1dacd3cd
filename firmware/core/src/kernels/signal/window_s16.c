/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief WINDOW_S16: rows of int16 samples times one row of int16 weights, shifted right,
 * saturated.
 */

#include "kernels/fixed_point.h"
#include "kernels/s8/plain.h"

struct window_s16_params {
	int32_t rows;
	int32_t samples;
	int32_t shift;
};

/** Weights of more samples than an FFT can have are no use, and their bytes fit 32 bits. */
#define SAMPLES_MAX 0xFFFFFF

static int check(const struct rnv_op *op)
{
	const struct window_s16_params *p = (const void *)rnv_op_params(op);
	uint32_t elements;

	if (!rnv_op_has(op, 1, 1, 3) || !rnv_words_within(&p->rows, 1, 1, INT32_MAX) ||
	    !rnv_words_within(&p->samples, 1, 1, SAMPLES_MAX) ||
	    !rnv_words_within(&p->shift, 1, 0, 31) ||
	    !rnv_op_plain(op, 1, 3, 2u * (uint32_t)p->samples)) {
		return RNV_EFORMAT;
	}
	elements = rnv_product(&p->rows, 2);
	if (!rnv_tensor_is(rnv_op_in_rec(op, 0), RNV_TYPE_INT16, elements) ||
	    !rnv_tensor_is(rnv_op_out_rec(op, 0), RNV_TYPE_INT16, elements)) {
		return RNV_EFORMAT;
	}
	return 0x1;
}

static void run(const struct rnv_op *op)
{
	const struct window_s16_params *p = (const void *)rnv_op_params(op);
	const int16_t *weights = (const void *)rnv_op_weights(op);
	const int16_t *in = rnv_op_in(op, 0);
	int16_t *out = rnv_op_out(op, 0);

	for (int32_t row = 0; row < p->rows; row++) {
		for (uint32_t i = 0; i < (uint32_t)p->samples; i++) {
			int32_t product = (int32_t)*in++ * weights[i];

			*out++ = (int16_t)rnv_clamp(product >> p->shift, INT16_MIN, INT16_MAX);
		}
	}
}

const struct rnv_kernel rnv_window_s16 = {.check = check, .run = run};
