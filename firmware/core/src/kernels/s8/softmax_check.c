/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/s8/plain.h"
#include "kernels/s8/softmax.h"

#define PARAMS      (sizeof(struct rnv_softmax_params) / sizeof(int32_t))
#define TABLE_BYTES 1024u

int rnv_softmax_check(const struct rnv_op *op)
{
	const struct rnv_softmax_params *p = (const void *)rnv_op_params(op);

	if (!rnv_op_plain(op, 1, PARAMS, TABLE_BYTES) ||
	    !rnv_words_within(&p->rows, 1, 1, INT32_MAX) ||
	    !rnv_words_within(&p->depth, 1, 1, RNV_SOFTMAX_DEPTH_MAX) ||
	    !rnv_op_is_int8(op, 0, &p->rows, 2) || !rnv_op_is_int8(op, 1, &p->rows, 2)) {
		return RNV_EFORMAT;
	}
	return 0x1;
}
