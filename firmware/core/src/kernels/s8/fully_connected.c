/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief FULLY_CONNECTED: every output of a row is the dot product of the whole row with the
 * weights of its channel [out_c][in_c].
 */

#include "kernels/s8/fully_connected.h"

static void run(const struct rnv_op *op)
{
	const struct rnv_fully_connected_params *p = (const void *)rnv_op_params(op);
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

const struct rnv_kernel rnv_fully_connected_s8 = {.check = rnv_fully_connected_check, .run = run};
