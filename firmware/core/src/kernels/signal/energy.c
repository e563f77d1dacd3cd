/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief ENERGY: squared magnitudes of the bins `start .. end - 1` of a spectrum; of the others 0.
 */

#include <string.h>

#include "kernels/s8/plain.h"

struct energy_params {
	int32_t bins;
	int32_t start;
	int32_t end;
};

#define BINS_MAX 0xFFFFFF

static int check(const struct rnv_op *op)
{
	const struct energy_params *p = (const void *)rnv_op_params(op);

	if (!rnv_op_plain(op, 1, 3, 0) || !rnv_words_within(&p->bins, 1, 1, BINS_MAX) ||
	    !rnv_words_within(&p->end, 1, 0, p->bins) ||
	    !rnv_words_within(&p->start, 1, 0, p->end) ||
	    !rnv_tensor_is(rnv_op_in_rec(op, 0), RNV_TYPE_INT16, 2u * (uint32_t)p->bins) ||
	    !rnv_tensor_is(rnv_op_out_rec(op, 0), RNV_TYPE_UINT32, (uint32_t)p->bins)) {
		return RNV_EFORMAT;
	}
	return 0x1;
}

static void run(const struct rnv_op *op)
{
	const struct energy_params *p = (const void *)rnv_op_params(op);
	const int16_t *in = rnv_op_in(op, 0);
	uint32_t *out = rnv_op_out(op, 0);

	memset(out, 0, 4u * (uint32_t)p->start);
	for (int32_t i = p->start; i < p->end; i++) {
		int32_t re = in[2 * i];
		int32_t im = in[2 * i + 1];

		out[i] = (uint32_t)(re * re) + (uint32_t)(im * im);
	}
	memset(out + p->end, 0, 4u * (uint32_t)(p->bins - p->end));
}

const struct rnv_kernel rnv_energy = {.check = check, .run = run};
