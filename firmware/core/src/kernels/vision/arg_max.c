/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief ARG_MAX_S8: where along one dimension the largest value is, the first one of several.
 */

#include "kernels/s8/plain.h"

struct arg_max_params {
	int32_t outer;
	int32_t size;
	int32_t inner;
};

static int check(const struct rnv_op *op)
{
	const int32_t *words = rnv_op_params(op);
	const struct arg_max_params *p = (const void *)words;
	int32_t out_size[2];

	if (!rnv_op_plain(op, 1, 3, 0) || !rnv_words_within(words, 3, 1, INT32_MAX)) {
		return RNV_EFORMAT;
	}
	out_size[0] = p->outer;
	out_size[1] = p->inner;
	if (!rnv_op_is_int8(op, 0, words, 3) ||
	    !rnv_tensor_is(rnv_op_out_rec(op, 0), RNV_TYPE_INT32, rnv_product(out_size, 2))) {
		return RNV_EFORMAT;
	}
	return 0;
}

static void run(const struct rnv_op *op)
{
	const struct arg_max_params *p = (const void *)rnv_op_params(op);
	const int8_t *in = rnv_op_in(op, 0);
	int32_t *out = rnv_op_out(op, 0);
	uint32_t inner = (uint32_t)p->inner;

	for (int32_t o = 0; o < p->outer; o++) {
		for (uint32_t i = 0; i < inner; i++) {
			const int8_t *value = in + i;
			int8_t best = *value;
			int32_t where = 0;

			for (int32_t k = 1; k < p->size; k++) {
				value += inner;
				if (*value > best) {
					best = *value;
					where = k;
				}
			}
			*out++ = where;
		}
		in += (uint32_t)p->size * inner;
	}
}

const struct rnv_kernel rnv_arg_max_s8 = {.check = check, .run = run};
