/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief FILTER_BANK_SQUARE_ROOT: rounded square roots of uint64, shifted right by input 1, which
 * is the shift of FFT_AUTO_SCALE.
 *
 * Source of the algorithm: TensorFlow Lite Micro's SignalFilterBankSquareRoot. Roots are rounded to
 * nearest, but stay below 2^16 for values below 2^32.
 */

#include "kernels/s8/plain.h"
#include "kernels/signal/top_bit.h"

struct filter_bank_square_root_params {
	int32_t channels;
};

static int check(const struct rnv_op *op)
{
	const struct filter_bank_square_root_params *p = (const void *)rnv_op_params(op);
	uint32_t channels;

	if (!rnv_op_plain(op, 2, 1, 0)) {
		return RNV_EFORMAT;
	}
	channels = rnv_product(&p->channels, 1);
	if (!rnv_tensor_is(rnv_op_in_rec(op, 0), RNV_TYPE_UINT64, channels) ||
	    !rnv_tensor_is(rnv_op_in_rec(op, 1), RNV_TYPE_INT32, 1) ||
	    !rnv_tensor_is(rnv_op_out_rec(op, 0), RNV_TYPE_UINT32, channels)) {
		return RNV_EFORMAT;
	}
	return 0x1; /* the shift is read first, and root i written after value i was read */
}

/* Digit by digit: `root` is the root's digits so far, shifted left by those that are missing. */
static uint32_t root_32(uint32_t value)
{
	uint32_t root = 0;

	for (uint32_t bit = UINT32_C(1) << (rnv_top_bit(value) & ~1u); bit != 0u; bit >>= 2) {
		if (value >= root + bit) {
			value -= root + bit;
			root = (root >> 1) + bit;
		} else {
			root >>= 1;
		}
	}
	return (value > root && root != UINT16_MAX) ? root + 1u : root;
}

static uint32_t root_64(uint64_t value)
{
	uint32_t high = (uint32_t)(value >> 32);
	uint64_t root = 0;

	if (high == 0u) {
		return root_32((uint32_t)value);
	}
	for (uint64_t bit = UINT64_C(1) << (32u + (rnv_top_bit(high) & ~1u)); bit != 0u;
	     bit >>= 2) {
		if (value >= root + bit) {
			value -= root + bit;
			root = (root >> 1) + bit;
		} else {
			root >>= 1;
		}
	}
	return (uint32_t)((value > root && root != UINT32_MAX) ? root + 1u : root);
}

static void run(const struct rnv_op *op)
{
	const struct filter_bank_square_root_params *p = (const void *)rnv_op_params(op);
	const uint64_t *in = rnv_op_in(op, 0);
	const int32_t *shift = rnv_op_in(op, 1);
	uint32_t *out = rnv_op_out(op, 0);
	uint32_t right = (uint32_t)*shift;

	for (int32_t i = 0; i < p->channels; i++) {
		uint32_t root = root_64(in[i]);

		out[i] = (right < 32u) ? root >> right : 0u;
	}
}

const struct rnv_kernel rnv_filter_bank_square_root = {.check = check, .run = run};
