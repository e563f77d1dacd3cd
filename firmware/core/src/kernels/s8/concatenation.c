/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief CONCATENATION: dense tensors of one type, of any type, joined along one dimension.
 *
 * Seen from there every tensor is `outer` runs of bytes; the output's run is the inputs' runs in
 * their order.
 */

#include <string.h>

#include "kernels/s8/plain.h"

/* Followed by the bytes of one run of each input. */
struct concatenation_params {
	int32_t outer;
};

static int check(const struct rnv_op *op)
{
	const int32_t *words = rnv_op_params(op);
	const struct rnv_tensor_rec *out;
	uint32_t inputs = op->rec->input_count;
	uint32_t rest;

	if (inputs == 0u || !rnv_op_plain(op, inputs, 1u + inputs, 0) ||
	    !rnv_words_within(words, 1u + inputs, 1, INT32_MAX)) {
		return RNV_EFORMAT;
	}
	out = rnv_op_out_rec(op, 0);
	rest = rnv_tensor_is_whole(out) ? out->bytes : 0u;
	for (uint32_t i = 0; i < inputs; i++) {
		const struct rnv_tensor_rec *in = rnv_op_in_rec(op, i);

		if (in->type != out->type || !rnv_tensor_is_whole(in) || in->bytes > rest ||
		    in->bytes != (uint64_t)(uint32_t)words[0] * (uint32_t)words[1u + i]) {
			return RNV_EFORMAT;
		}
		rest -= in->bytes;
	}
	return (rest == 0u) ? 0 : RNV_EFORMAT;
}

static void run(const struct rnv_op *op)
{
	const struct concatenation_params *p = (const void *)rnv_op_params(op);
	const int32_t *runs = rnv_op_params(op) + 1;
	uint32_t outer = (uint32_t)p->outer;
	uint32_t out_run = rnv_op_out_rec(op, 0)->bytes / outer;
	uint8_t *out = rnv_op_out(op, 0);

	for (uint32_t i = 0; i < op->rec->input_count; i++) {
		const uint8_t *in = rnv_op_in(op, i);
		uint32_t run = (uint32_t)runs[i];

		for (uint32_t k = 0; k < outer; k++) {
			memcpy(out + k * out_run, in + k * run, run);
		}
		out += run;
	}
}

const struct rnv_kernel rnv_concatenation = {.check = check, .run = run};
