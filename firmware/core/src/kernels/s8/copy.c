/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief COPY: the bytes of a dense tensor of any type to another one.
 */

#include <string.h>

#include "kernels/s8/plain.h"

struct copy_params {
	int32_t bytes;
};

static int check(const struct rnv_op *op)
{
	const struct copy_params *p = (const void *)rnv_op_params(op);
	const struct rnv_tensor_rec *in;
	const struct rnv_tensor_rec *out;

	if (!rnv_op_plain(op, 1, 1, 0)) {
		return RNV_EFORMAT;
	}
	in = rnv_op_in_rec(op, 0);
	out = rnv_op_out_rec(op, 0);
	if (in->type != out->type || !rnv_tensor_is_whole(in) || !rnv_tensor_is_whole(out) ||
	    in->bytes != (uint32_t)p->bytes || out->bytes != (uint32_t)p->bytes) {
		return RNV_EFORMAT;
	}
	return 1;
}

static void run(const struct rnv_op *op)
{
	const struct copy_params *p = (const void *)rnv_op_params(op);
	const void *in = rnv_op_in(op, 0);
	void *out = rnv_op_out(op, 0);

	if (out != in) {
		memcpy(out, in, (uint32_t)p->bytes);
	}
}

const struct rnv_kernel rnv_copy = {.check = check, .run = run};
