/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief MATMUL_S16: a constant int16 matrix times one int16 vector, as matmul() of ranvier/dsp.h.
 *
 * The weight stream is the matrix, `[rows][depth]`.
 */

#include "dsp/portable.h"
#include "kernels/s8/plain.h"

struct matmul_s16_params {
	int32_t rows;
	int32_t depth;
	int32_t shift;
};

static int check(const struct rnv_op *op)
{
	const struct matmul_s16_params *p = (const void *)rnv_op_params(op);

	if (!rnv_op_has(op, 1, 1, 3) || !rnv_words_within(&p->rows, 2, 1, INT16_MAX) ||
	    !rnv_words_within(&p->shift, 1, 0, 31) ||
	    !rnv_op_plain(op, 1, 3, 2u * rnv_product(&p->rows, 2)) ||
	    !rnv_tensor_is(rnv_op_in_rec(op, 0), RNV_TYPE_INT16, (uint32_t)p->depth) ||
	    !rnv_tensor_is(rnv_op_out_rec(op, 0), RNV_TYPE_INT16, (uint32_t)p->rows)) {
		return RNV_EFORMAT;
	}
	return 0;
}

static void run(const struct rnv_op *op)
{
	const struct matmul_s16_params *p = (const void *)rnv_op_params(op);
	const struct rnv_dsp_matmul product = {
		.a = (const void *)rnv_op_weights(op),
		.b = rnv_op_in(op, 0),
		.out = rnv_op_out(op, 0),
		.rows = (uint16_t)p->rows,
		.depth = (uint16_t)p->depth,
		.columns = 1,
		.shift = (uint8_t)p->shift,
	};

	(void)rnv_dsp_matmul(NULL, &product);
}

const struct rnv_kernel rnv_matmul_s16 = {.check = check, .run = run};
