/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief RFFT_S16: spectrum of one row of int16 samples, as interleaved real and imaginary parts.
 *
 * Samples that are missing to the number of points are zeros. The arithmetic is rfft() of
 * ranvier/dsp.h; scratch holds the samples with their zeros.
 */

#include <string.h>

#include "dsp/portable.h"
#include "kernels/kernel.h"

struct rfft_s16_params {
	int32_t samples;
	int32_t points;
};

static int check(const struct rnv_op *op)
{
	const struct rfft_s16_params *p = (const void *)rnv_op_params(op);
	uint32_t points;

	if (!rnv_op_has(op, 1, 1, 2) || op->rec->weights_bytes != 0u ||
	    !rnv_words_within(&p->points, 1, RNV_DSP_FFT_MIN, RNV_DSP_FFT_MAX) ||
	    !rnv_words_within(&p->samples, 1, 1, p->points)) {
		return RNV_EFORMAT;
	}
	points = (uint32_t)p->points;
	if ((points & (points - 1u)) != 0u ||
	    op->rec->scratch_bytes != ((p->samples < p->points) ? 2u * points : 0u) ||
	    !rnv_tensor_is(rnv_op_in_rec(op, 0), RNV_TYPE_INT16, (uint32_t)p->samples) ||
	    !rnv_tensor_is(rnv_op_out_rec(op, 0), RNV_TYPE_INT16, points + 2u)) {
		return RNV_EFORMAT;
	}
	return 0;
}

static void run(const struct rnv_op *op)
{
	const struct rfft_s16_params *p = (const void *)rnv_op_params(op);
	const int16_t *in = rnv_op_in(op, 0);
	uint32_t samples = (uint32_t)p->samples;
	uint32_t points = (uint32_t)p->points;

	if (samples < points) {
		int16_t *padded = rnv_op_scratch(op);

		memcpy(padded, in, 2u * samples);
		memset(padded + samples, 0, 2u * (points - samples));
		in = padded;
	}
	(void)rnv_dsp_rfft(NULL, in, rnv_op_out(op, 0), points);
}

const struct rnv_kernel rnv_rfft_s16 = {.check = check, .run = run};
