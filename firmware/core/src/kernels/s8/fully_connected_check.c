/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/s8/fully_connected.h"

#define PARAMS (sizeof(struct rnv_fully_connected_params) / sizeof(int32_t))

int rnv_fully_connected_check(const struct rnv_op *op)
{
	const int32_t *words = rnv_op_params(op);
	const struct rnv_fully_connected_params *p = (const void *)words;
	int32_t out[2];

	if (!rnv_op_has(op, 1, 1, PARAMS) || !rnv_words_within(words, 3, 1, INT32_MAX) ||
	    op->rec->scratch_bytes != 0u) {
		return RNV_EFORMAT;
	}
	out[0] = p->rows;
	out[1] = p->requant.out_c;
	if (!rnv_op_is_int8(op, 0, words, 2) || !rnv_op_is_int8(op, 1, out, 2) ||
	    !rnv_channels_ok(op, &p->requant, rnv_product(words + 1, 2))) {
		return RNV_EFORMAT;
	}
	return 0;
}
