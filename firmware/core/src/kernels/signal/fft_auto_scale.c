/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief FFT_AUTO_SCALE: int16 samples shifted left until the largest uses all bits; the shift is
 * output 1.
 *
 * Source of the algorithm: TensorFlow Lite Micro's SignalFftAutoScale. Its largest magnitude is an
 * int16, so that it is -32768 after a sample of -32768 and any later sample is larger: then the
 * shift may be too large for that sample, which wraps to 0 where the shift is not.
 */

#include "kernels/s8/plain.h"

struct fft_auto_scale_params {
	int32_t samples;
};

static int check(const struct rnv_op *op)
{
	const struct fft_auto_scale_params *p = (const void *)rnv_op_params(op);
	uint32_t samples;

	if (!rnv_op_has(op, 1, 2, 1) || op->rec->weights_bytes != 0u ||
	    op->rec->scratch_bytes != 0u) {
		return RNV_EFORMAT;
	}
	samples = rnv_product(&p->samples, 1);
	if (!rnv_tensor_is(rnv_op_in_rec(op, 0), RNV_TYPE_INT16, samples) ||
	    !rnv_tensor_is(rnv_op_out_rec(op, 0), RNV_TYPE_INT16, samples) ||
	    !rnv_tensor_is(rnv_op_out_rec(op, 1), RNV_TYPE_INT32, 1)) {
		return RNV_EFORMAT;
	}
	return 0x1;
}

/* The largest magnitude, or below 0: see above. */
static int32_t largest(const int16_t *in, const int16_t *end)
{
	int32_t max = 0;

	for (; in != end; in++) {
		int32_t value = *in;

		if (value > max) {
			max = value;
		} else if (-value > max) {
			max = (value == INT16_MIN) ? INT16_MIN : -value;
		}
	}
	return max;
}

static void run(const struct rnv_op *op)
{
	const struct fft_auto_scale_params *p = (const void *)rnv_op_params(op);
	const int16_t *in = rnv_op_in(op, 0);
	const int16_t *end = in + p->samples;
	int16_t *out = rnv_op_out(op, 0);
	int32_t *shift = rnv_op_out(op, 1);
	int32_t max = largest(in, end);
	uint32_t left = 0;

	if (max > 0) {
		while ((max << (left + 1u)) <= INT16_MAX) {
			left++;
		}
	}
	*shift = (int32_t)left;
	while (in != end) {
		*out++ = (int16_t)(uint16_t)((uint32_t)*in++ << left);
	}
}

const struct rnv_kernel rnv_fft_auto_scale = {.check = check, .run = run};
