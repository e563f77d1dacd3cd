/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/f32/unary.h"
#include "kernels/s8/plain.h"

bool rnv_f32_unary_ok(const struct rnv_op *op, uint32_t params)
{
	const struct rnv_f32_unary *p = (const void *)rnv_op_params(op);

	return rnv_op_plain(op, 1, params, 0) && p->elements > 0 &&
	       rnv_op_is_f32(op, 0, &p->elements, 1) && rnv_op_is_f32(op, 1, &p->elements, 1);
}

int rnv_f32_unary_check(const struct rnv_op *op)
{
	return rnv_f32_unary_ok(op, 1) ? 1 : RNV_EFORMAT;
}

void rnv_f32_unary_run(const struct rnv_op *op, float (*function)(float x))
{
	const struct rnv_f32_unary *p = (const void *)rnv_op_params(op);
	const float *in = rnv_op_in(op, 0);
	float *out = rnv_op_out(op, 0);

	for (int32_t i = 0; i < p->elements; i++) {
		out[i] = function(in[i]);
	}
}
