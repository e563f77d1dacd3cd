/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * FULLY_CONNECTED: every output of a row is the dot product of the whole row with the weights of
 * its channel [out_c][in_c].
 */

#include <stddef.h>

#include "kernels/s8/requant.h"

struct fully_connected_params {
	int32_t rows;
	int32_t in_c;
	int32_t out_c;
	int32_t channels_q;
	int32_t out_zp;
	int32_t act_min;
	int32_t act_max;
};

#define PARAMS (sizeof(struct fully_connected_params) / sizeof(int32_t))

_Static_assert(offsetof(struct fully_connected_params, act_max) -
			       offsetof(struct fully_connected_params, out_c) ==
		       offsetof(struct rnv_requant, act_max),
	       "shared parameter words");

static const struct rnv_requant *requant_of(const struct fully_connected_params *p)
{
	return (const struct rnv_requant *)(const void *)&p->out_c;
}

static int check(const struct rnv_op *op)
{
	const struct fully_connected_params *p = (const void *)rnv_op_params(op);
	int32_t out[2];

	if (!rnv_op_has(op, 1u, 1u, PARAMS) || !rnv_words_within(&p->rows, 3u, 1, INT32_MAX) ||
	    op->rec->scratch_bytes != 0u) {
		return RNV_EFORMAT;
	}
	out[0] = p->rows;
	out[1] = p->out_c;
	if (!rnv_tensor_is(rnv_op_in_rec(op, 0u), RNV_TYPE_INT8, rnv_product(&p->rows, 2u)) ||
	    !rnv_tensor_is(rnv_op_out_rec(op, 0u), RNV_TYPE_INT8, rnv_product(out, 2u)) ||
	    !rnv_channels_ok(op, requant_of(p), rnv_product(&p->in_c, 2u))) {
		return RNV_EFORMAT;
	}
	return 0;
}

static void run(const struct rnv_op *op)
{
	const struct fully_connected_params *p = (const void *)rnv_op_params(op);
	const int8_t *in = rnv_op_in(op, 0u);
	int8_t *out = rnv_op_out(op, 0u);
	struct rnv_channels channels;

	rnv_channels_open(&channels, op, requant_of(p));
	for (int32_t row = 0; row < p->rows; row++) {
		rnv_channels_dot(&channels, 0u, (uint32_t)p->out_c, in, (uint32_t)p->in_c, out);
		in += p->in_c;
		out += p->out_c;
	}
}

const struct rnv_kernel rnv_fully_connected_s8 = {.check = check, .run = run};
