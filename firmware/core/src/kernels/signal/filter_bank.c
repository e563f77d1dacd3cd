/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief FILTER_BANK: energies of bins to sums of overlapping triangles, uint64.
 *
 * A bin lies in the falling half of one triangle and the rising half of the next. Band i, one more
 * than there are channels, has the bins between the peaks of channels i - 2 and i - 1 with two
 * weights each: channel i - 1 is the sum of band i by its first weights and of band i - 1 by its
 * second ones. Source of the algorithm: TensorFlow Lite Micro's SignalFilterBank.
 *
 * The weight stream is `[u16 first bin, u16 bins] x (channels + 1)`, then `[u16 first weight, u16
 * second weight]` for every bin of every band, in order. Sums wrap at 2^64.
 */

#include "kernels/s8/plain.h"

struct filter_bank_params {
	int32_t bins;
	int32_t channels;
};

struct band {
	uint16_t first;
	uint16_t count;
};

struct pair {
	uint16_t here;
	uint16_t next;
};

#define BINS_MAX     0xFFFF
#define CHANNELS_MAX 1024

static int check(const struct rnv_op *op)
{
	const struct filter_bank_params *p = (const void *)rnv_op_params(op);
	const struct band *band = (const void *)rnv_op_weights(op);
	uint32_t bands;
	uint32_t pairs = 0;

	if (!rnv_op_has(op, 1, 1, 2) || op->rec->scratch_bytes != 0u ||
	    !rnv_words_within(&p->bins, 1, 1, BINS_MAX) ||
	    !rnv_words_within(&p->channels, 1, 1, CHANNELS_MAX)) {
		return RNV_EFORMAT;
	}
	bands = (uint32_t)p->channels + 1u;
	if (op->rec->weights_bytes < bands * sizeof(*band) ||
	    !rnv_tensor_is(rnv_op_in_rec(op, 0), RNV_TYPE_UINT32, (uint32_t)p->bins) ||
	    !rnv_tensor_is(rnv_op_out_rec(op, 0), RNV_TYPE_UINT64, (uint32_t)p->channels)) {
		return RNV_EFORMAT;
	}
	for (uint32_t i = 0; i < bands; i++) {
		if ((uint32_t)band[i].first + band[i].count > (uint32_t)p->bins) {
			return RNV_EFORMAT;
		}
		pairs += band[i].count;
	}
	return (op->rec->weights_bytes == bands * sizeof(*band) + pairs * sizeof(struct pair))
		       ? 0
		       : RNV_EFORMAT;
}

static void run(const struct rnv_op *op)
{
	const struct filter_bank_params *p = (const void *)rnv_op_params(op);
	const struct band *band = (const void *)rnv_op_weights(op);
	const struct band *last = band + p->channels;
	const struct pair *pair = (const void *)(last + 1);
	const uint32_t *in = rnv_op_in(op, 0);
	uint64_t *out = rnv_op_out(op, 0);
	uint64_t before = 0;

	for (const struct band *b = band; b <= last; b++) {
		const uint32_t *energy = in + b->first;
		const uint32_t *end = energy + b->count;
		uint64_t here = before;
		uint64_t next = 0;

		while (energy != end) {
			here += (uint64_t)*energy * pair->here;
			next += (uint64_t)*energy * pair->next;
			energy++;
			pair++;
		}
		if (b != band) {
			*out++ = here;
		}
		before = next;
	}
}

const struct rnv_kernel rnv_filter_bank = {.check = check, .run = run};
