/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief CLEAR: zeros in every byte of the output, of any type; for persistent state.
 */

#include <string.h>

#include "kernels/s8/plain.h"

struct clear_params {
	int32_t bytes;
};

static int check(const struct rnv_op *op)
{
	const struct clear_params *p = (const void *)rnv_op_params(op);
	const struct rnv_tensor_rec *out;

	if (!rnv_op_plain(op, 0, 1, 0)) {
		return RNV_EFORMAT;
	}
	out = rnv_op_out_rec(op, 0);
	return (rnv_tensor_is_whole(out) && out->bytes == (uint32_t)p->bytes) ? 0 : RNV_EFORMAT;
}

static void run(const struct rnv_op *op)
{
	const struct clear_params *p = (const void *)rnv_op_params(op);

	memset(rnv_op_out(op, 0), 0, (uint32_t)p->bytes);
}

const struct rnv_kernel rnv_clear = {.check = check, .run = run};
