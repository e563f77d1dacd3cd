/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief STREAM_PUSH: the newest elements of a stream, of any type: those of input 0 come in at the
 * end of input 1, the state, and as many of the oldest drop out.
 */

#include <string.h>

#include "kernels/s8/plain.h"

struct stream_push_params {
	int32_t new_bytes;
	int32_t state_bytes;
};

static int check(const struct rnv_op *op)
{
	const struct stream_push_params *p = (const void *)rnv_op_params(op);
	const struct rnv_tensor_rec *in;
	const struct rnv_tensor_rec *state;
	const struct rnv_tensor_rec *out;

	if (!rnv_op_plain(op, 2, 2, 0)) {
		return RNV_EFORMAT;
	}
	in = rnv_op_in_rec(op, 0);
	state = rnv_op_in_rec(op, 1);
	out = rnv_op_out_rec(op, 0);
	if (in->type != state->type || in->type != out->type || !rnv_tensor_is_whole(in) ||
	    !rnv_tensor_is_whole(state) || !rnv_tensor_is_whole(out) ||
	    in->bytes != (uint32_t)p->new_bytes || state->bytes != (uint32_t)p->state_bytes ||
	    out->bytes != state->bytes || in->bytes > state->bytes) {
		return RNV_EFORMAT;
	}
	return 0x2;
}

static void run(const struct rnv_op *op)
{
	const struct stream_push_params *p = (const void *)rnv_op_params(op);
	const uint8_t *state = rnv_op_in(op, 1);
	uint8_t *out = rnv_op_out(op, 0);
	uint32_t added = (uint32_t)p->new_bytes;
	uint32_t kept = (uint32_t)p->state_bytes - added;

	memmove(out, state + added, kept);
	memcpy(out + kept, rnv_op_in(op, 0), added);
}

const struct rnv_kernel rnv_stream_push = {.check = check, .run = run};
