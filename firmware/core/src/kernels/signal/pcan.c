/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief PCAN: per-channel gain that falls with the noise estimate (input 1), and a soft threshold.
 *
 * The gain is a function of the estimate as a parabola for every doubling; the weight stream is its
 * i16[125] coefficients: the values for 0, 1 and 2, then, of each doubling, value, slope and
 * curvature, and one that is not used. Source of the algorithm: TensorFlow Lite Micro's SignalPCAN.
 */

#include "kernels/s8/plain.h"
#include "kernels/signal/top_bit.h"

struct pcan_params {
	int32_t channels;
	int32_t snr_shift;
};

#define COEFFICIENTS  125u
#define FRACTION_BITS 10u /* of a place within a doubling */
#define SNR_BITS      12u
#define OUTPUT_BITS   6u

static int check(const struct rnv_op *op)
{
	const struct pcan_params *p = (const void *)rnv_op_params(op);
	uint32_t channels;

	if (!rnv_op_plain(op, 2, 2, COEFFICIENTS * 2u) ||
	    !rnv_words_within(&p->snr_shift, 1, 0, 63)) {
		return RNV_EFORMAT;
	}
	channels = rnv_product(&p->channels, 1);
	for (uint32_t i = 0; i < 3u; i++) { /* two inputs, one output */
		if (!rnv_tensor_is(rnv_op_in_rec(op, i), RNV_TYPE_UINT32, channels)) {
			return RNV_EFORMAT;
		}
	}
	return 0x3;
}

static uint32_t gain_of(uint32_t noise, const int16_t *coefficients)
{
	uint32_t power = rnv_top_bit(noise);
	uint32_t place;
	uint32_t sum;
	int32_t change;

	if (noise <= 2u) {
		return (uint32_t)coefficients[noise];
	}
	place = (power < FRACTION_BITS) ? noise << (FRACTION_BITS - power)
					: noise >> (power - FRACTION_BITS);
	place &= (1u << FRACTION_BITS) - 1u;
	coefficients += 4u * power - 2u;
	sum = (uint32_t)((coefficients[2] * (int32_t)place) >> 5);
	sum = (sum + ((uint32_t)coefficients[1] << 5)) * place;
	change = (int32_t)(sum + (1u << 14)) >> 15;
	return (uint32_t)(int16_t)(change + coefficients[0]);
}

/* x^2 / 4 for x below 2, else x - 1. */
static uint32_t shrunk(uint32_t snr)
{
	if (snr < (2u << SNR_BITS)) {
		return (snr * snr) >> (2u + 2u * SNR_BITS - OUTPUT_BITS);
	}
	return (snr >> (SNR_BITS - OUTPUT_BITS)) - (1u << OUTPUT_BITS);
}

static void run(const struct rnv_op *op)
{
	const struct pcan_params *p = (const void *)rnv_op_params(op);
	const int16_t *coefficients = (const void *)rnv_op_weights(op);
	const uint32_t *in = rnv_op_in(op, 0);
	const volatile uint32_t *noise = rnv_op_in(op, 1); /* may change: each is read once */
	uint32_t *out = rnv_op_out(op, 0);

	for (int32_t i = 0; i < p->channels; i++) {
		uint64_t product = (uint64_t)in[i] * gain_of(noise[i], coefficients);

		out[i] = shrunk((uint32_t)(product >> p->snr_shift));
	}
}

const struct rnv_kernel rnv_pcan = {.check = check, .run = run};
