/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief FULLY_CONNECTED: every output of a row is the dot product of the whole row with the
 * weights of its channel [out_c][in_c].
 */

#include "kernels/s8/requant.h"

struct fully_connected_params {
	int32_t rows;
	int32_t in_c;
	struct rnv_requant requant;
};

#define PARAMS (sizeof(struct fully_connected_params) / sizeof(int32_t))

static int check(const struct rnv_op *op)
{
	const int32_t *words = rnv_op_params(op);
	const struct fully_connected_params *p = (const void *)words;
	int32_t out[2];

	if (!rnv_op_has(op, 1, 1, PARAMS) || !rnv_words_within(words, 3, 1, INT32_MAX) ||
	    op->rec->scratch_bytes != 0u) {
		return RNV_EFORMAT;
	}
	out[0] = p->rows;
	out[1] = p->requant.out_c;
	if (!rnv_tensor_is(rnv_op_in_rec(op, 0), RNV_TYPE_INT8, rnv_product(words, 2)) ||
	    !rnv_tensor_is(rnv_op_out_rec(op, 0), RNV_TYPE_INT8, rnv_product(out, 2)) ||
	    !rnv_channels_ok(op, &p->requant, rnv_product(words + 1, 2))) {
		return RNV_EFORMAT;
	}
	return 0;
}

static void run(const struct rnv_op *op)
{
	const struct fully_connected_params *p = (const void *)rnv_op_params(op);
	const int8_t *in = rnv_op_in(op, 0);
	int8_t *out = rnv_op_out(op, 0);
	struct rnv_channels channels;

	rnv_channels_open(&channels, op, &p->requant);
	for (int32_t row = 0; row < p->rows; row++) {
		rnv_channels_dot(&channels, 0, (uint32_t)p->requant.out_c, in, (uint32_t)p->in_c,
				 out);
		in += p->in_c;
		out += p->requant.out_c;
	}
}

const struct rnv_kernel rnv_fully_connected_s8 = {.check = check, .run = run};
