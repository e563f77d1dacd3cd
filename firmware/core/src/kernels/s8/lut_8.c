/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief LUT_8: any function of one 8-bit tensor, as a table in the weight stream.
 *
 * The table has 256 bytes, indexed by the input's raw byte.
 */

#include "kernels/s8/plain.h"

struct lut_8_params {
	int32_t elements;
};

#define TABLE_BYTES 256u

static int check(const struct rnv_op *op)
{
	const struct lut_8_params *p = (const void *)rnv_op_params(op);

	if (!rnv_op_plain(op, 1, 1, TABLE_BYTES) ||
	    !rnv_tensor_is_byte(rnv_op_in_rec(op, 0), (uint32_t)p->elements) ||
	    !rnv_tensor_is_byte(rnv_op_out_rec(op, 0), (uint32_t)p->elements)) {
		return RNV_EFORMAT;
	}
	return 1;
}

static void run(const struct rnv_op *op)
{
	const struct lut_8_params *p = (const void *)rnv_op_params(op);
	const uint8_t *table = rnv_op_weights(op);
	const uint8_t *in = rnv_op_in(op, 0);
	uint8_t *out = rnv_op_out(op, 0);

	for (uint32_t i = 0; i < (uint32_t)p->elements; i++) {
		out[i] = table[in[i]];
	}
}

const struct rnv_kernel rnv_lut_8 = {.check = check, .run = run};
