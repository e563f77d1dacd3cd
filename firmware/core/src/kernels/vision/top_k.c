/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief TOP_K_S8: the classes of the highest scores, from a threshold on.
 *
 * Outputs are a count and `k` entries, of which only class and score are used. The weight stream
 * is int16[256], the score (Q15) by the input's raw byte.
 */

#include "kernels/vision/entries.h"

struct top_k_params {
	int32_t classes;
	int32_t k;
	int32_t threshold;
};

#define PARAMS 3

static int check(const struct rnv_op *op)
{
	const struct top_k_params *p = (const void *)rnv_op_params(op);

	if (!rnv_op_has(op, 1, 2, PARAMS) || op->rec->weights_bytes != 2u * RNV_SCORES ||
	    op->rec->scratch_bytes != 0u || !rnv_words_within(&p->classes, 1, 1, INT16_MAX) ||
	    !rnv_words_within(&p->k, 1, 1, RNV_ENTRIES_MAX) || p->k > p->classes ||
	    !rnv_words_within(&p->threshold, 1, 0, INT16_MAX) ||
	    !rnv_op_is_int8(op, 0, &p->classes, 1) || !rnv_entries_are(op, 1, 2, p->k)) {
		return RNV_EFORMAT;
	}
	return 0;
}

static void run(const struct rnv_op *op)
{
	const struct top_k_params *p = (const void *)rnv_op_params(op);
	const int16_t *scores = (const void *)rnv_op_weights(op);
	const uint8_t *in = rnv_op_in(op, 0);
	struct rnv_detection *entries = rnv_op_out(op, 1);
	struct rnv_detection entry = {0};
	uint32_t count = 0;

	for (int32_t c = 0; c < p->classes; c++) {
		entry.class_index = (int16_t)c;
		entry.score = scores[in[c]];
		if (entry.score >= p->threshold) {
			count = rnv_entries_insert(entries, count, (uint32_t)p->k, &entry);
		}
	}
	rnv_entries_close(entries, count, (uint32_t)p->k, rnv_op_out(op, 0));
}

const struct rnv_kernel rnv_top_k_s8 = {.check = check, .run = run};
