/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief FILTER_BANK_LOG: `scale` times the natural logarithm of `value << correction_bits`, int16.
 *
 * The logarithm to base 2 is the place of the highest bit and, of the 16 bits below it, themselves
 * and a correction between two entries of a table of 128 segments. The weight stream is that table,
 * u16[129]. Source of the algorithm: TensorFlow Lite Micro's SignalFilterBankLog.
 */

#include "kernels/s8/plain.h"
#include "kernels/signal/top_bit.h"

struct filter_bank_log_params {
	int32_t channels;
	int32_t correction_bits;
	int32_t scale;
};

#define ENTRIES      129u
#define LOG2_BITS    16u /* fraction of a logarithm to base 2 */
#define SEGMENT_BITS 9u  /* 2^16 / 128 */
#define LN_2         45426u
#define HALF         (1u << (LOG2_BITS - 1u))

static int check(const struct rnv_op *op)
{
	const struct filter_bank_log_params *p = (const void *)rnv_op_params(op);
	uint32_t channels;

	if (!rnv_op_plain(op, 1, 3, ENTRIES * 2u) ||
	    !rnv_words_within(&p->correction_bits, 1, 0, 31)) {
		return RNV_EFORMAT;
	}
	channels = rnv_product(&p->channels, 1);
	if (!rnv_tensor_is(rnv_op_in_rec(op, 0), RNV_TYPE_UINT32, channels) ||
	    !rnv_tensor_is(rnv_op_out_rec(op, 0), RNV_TYPE_INT16, channels)) {
		return RNV_EFORMAT;
	}
	return 0x1;
}

/* The logarithm to base 2 of a value of at least 2. */
static uint32_t log2_of(uint32_t value, const uint16_t *table)
{
	uint32_t power = rnv_top_bit(value);
	uint32_t fraction;
	uint32_t segment;
	int32_t rise;

	fraction = value - (1u << power);
	fraction = (power < LOG2_BITS) ? fraction << (LOG2_BITS - power)
				       : fraction >> (power - LOG2_BITS);
	segment = fraction >> SEGMENT_BITS;
	rise = (int32_t)table[segment + 1u] - table[segment];
	rise *= (int32_t)(fraction & ((1u << SEGMENT_BITS) - 1u));
	return (power << LOG2_BITS) + fraction + table[segment] + (uint32_t)(rise >> LOG2_BITS);
}

static void run(const struct rnv_op *op)
{
	const struct filter_bank_log_params *p = (const void *)rnv_op_params(op);
	const uint16_t *table = (const void *)rnv_op_weights(op);
	const volatile uint32_t *in = rnv_op_in(op, 0); /* may change: each is read once */
	int16_t *out = rnv_op_out(op, 0);

	for (int32_t i = 0; i < p->channels; i++) {
		uint32_t value = in[i] << p->correction_bits;
		uint32_t log = 0;

		if (value > 1u) {
			log = (uint32_t)(((uint64_t)LN_2 * log2_of(value, table) + HALF) >>
					 LOG2_BITS);
			log = ((uint32_t)p->scale * log + HALF) >> LOG2_BITS;
		}
		out[i] = (int16_t)((log < INT16_MAX) ? log : INT16_MAX);
	}
}

const struct rnv_kernel rnv_filter_bank_log = {.check = check, .run = run};
