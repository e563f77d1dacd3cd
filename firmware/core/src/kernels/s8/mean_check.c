/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/s8/mean.h"
#include "kernels/s8/plain.h"

#define PARAMS (sizeof(struct rnv_mean_params) / sizeof(int32_t))

int rnv_mean_check(const struct rnv_op *op)
{
	const struct rnv_mean_params *p = (const void *)rnv_op_params(op);
	int32_t keep[3];

	if (!rnv_op_plain(op, 1, PARAMS, 0) || !rnv_words_within(&p->keep0, 6, 1, INT32_MAX) ||
	    !rnv_words_within(&p->multiplier, 1, 0, INT32_MAX) ||
	    !rnv_words_within(&p->shift, 1, -31, 30) ||
	    !rnv_words_within(&p->out_zp, 1, INT8_MIN, INT8_MAX)) {
		return RNV_EFORMAT;
	}
	keep[0] = p->keep0;
	keep[1] = p->keep1;
	keep[2] = p->keep2;
	if (!rnv_op_is_int8(op, 0, &p->keep0, 6) || !rnv_op_is_int8(op, 1, keep, 3)) {
		return RNV_EFORMAT;
	}
	return 0;
}
