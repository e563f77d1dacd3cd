/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief SPECTRAL_SUBTRACTION: channels less the noise that a slow average of each, the state,
 * takes for granted.
 *
 * Inputs are the channels and the estimate, outputs the new estimate and what is left. Source of
 * the algorithm: TensorFlow Lite Micro's SignalFilterBankSpectralSubtraction.
 */

#include "kernels/s8/plain.h"

struct spectral_subtraction_params {
	int32_t channels;
	int32_t smoothing; /**< weight of the new value, of channels 0, 2, ..; 2^bits is 1 */
	int32_t one_minus_smoothing;
	int32_t alternate_smoothing; /**< of channels 1, 3, .. */
	int32_t alternate_one_minus_smoothing;
	int32_t min_signal_remaining;
	int32_t smoothing_bits; /**< fraction of the estimate */
	int32_t bits;           /**< fraction of the weights */
	int32_t clamping;       /**< 1: an estimate above the signal falls at once */
};

static int check(const struct rnv_op *op)
{
	const struct spectral_subtraction_params *p = (const void *)rnv_op_params(op);
	uint32_t channels;

	if (!rnv_op_has(op, 2, 2, 9) || op->rec->weights_bytes != 0u ||
	    op->rec->scratch_bytes != 0u || !rnv_words_within(&p->smoothing_bits, 2, 0, 31) ||
	    !rnv_words_within(&p->clamping, 1, 0, 1)) {
		return RNV_EFORMAT;
	}
	channels = rnv_product(&p->channels, 1);
	for (uint32_t i = 0; i < 4u; i++) { /* two inputs, two outputs */
		if (!rnv_tensor_is(rnv_op_in_rec(op, i), RNV_TYPE_UINT32, channels)) {
			return RNV_EFORMAT;
		}
	}
	return 0x2;
}

static void run(const struct rnv_op *op)
{
	const struct spectral_subtraction_params *p = (const void *)rnv_op_params(op);
	const uint32_t *in = rnv_op_in(op, 0);
	const uint32_t *estimate = rnv_op_in(op, 1);
	uint32_t *new_estimate = rnv_op_out(op, 0);
	uint32_t *out = rnv_op_out(op, 1);

	for (int32_t i = 0; i < p->channels; i++) {
		const int32_t *weights = &p->smoothing + 2 * (i & 1);
		uint32_t signal = in[i] << p->smoothing_bits;
		uint32_t noise = (uint32_t)(((uint64_t)signal * (uint32_t)weights[0] +
					     (uint64_t)estimate[i] * (uint32_t)weights[1]) >>
					    p->bits);
		uint32_t least = (uint32_t)(((uint64_t)in[i] * (uint32_t)p->min_signal_remaining) >>
					    p->bits);
		uint32_t left = 0;

		if (noise < signal) {
			left = (signal - noise) >> p->smoothing_bits;
		} else if (p->clamping != 0) {
			noise = signal;
		}
		new_estimate[i] = noise;
		out[i] = (left > least) ? left : least;
	}
}

const struct rnv_kernel rnv_spectral_subtraction = {.check = check, .run = run};
