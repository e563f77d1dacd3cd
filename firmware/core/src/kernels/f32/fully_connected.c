/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief FULLY_CONNECTED_F32: every output of a row is the dot product of the whole row with the
 * weights of its channel [out_c][in_c].
 */

#include "kernels/f32/channels.h"

struct fully_connected_f32_params {
	int32_t rows;
	int32_t in_c;
	struct rnv_f32_channels channels;
};

#define PARAMS (sizeof(struct fully_connected_f32_params) / sizeof(int32_t))

static int check(const struct rnv_op *op)
{
	const int32_t *words = rnv_op_params(op);
	const struct fully_connected_f32_params *p = (const void *)words;
	int32_t out[2];

	if (!rnv_op_has(op, 1, 1, PARAMS) || !rnv_words_within(words, 3, 1, INT32_MAX) ||
	    op->rec->scratch_bytes != 0u) {
		return RNV_EFORMAT;
	}
	out[0] = p->rows;
	out[1] = p->channels.out_c;
	if (!rnv_op_is_f32(op, 0, words, 2) || !rnv_op_is_f32(op, 1, out, 2) ||
	    !rnv_f32_channels_ok(op, &p->channels, rnv_product(words + 1, 2))) {
		return RNV_EFORMAT;
	}
	return 0;
}

static void run(const struct rnv_op *op)
{
	const struct fully_connected_f32_params *p = (const void *)rnv_op_params(op);
	const struct rnv_f32_stream stream = rnv_f32_stream(op, &p->channels);
	uint32_t depth = (uint32_t)p->in_c;
	const float *in = rnv_op_in(op, 0);
	float *out = rnv_op_out(op, 0);

	for (int32_t row = 0; row < p->rows; row++) {
		for (int32_t c = 0; c < p->channels.out_c; c++) {
			float sum =
				rnv_f32_dot(in, stream.weights + (uint32_t)c * depth, depth, 0.0f);

			*out++ = rnv_f32_output(&stream, c, sum);
		}
		in += depth;
	}
}

const struct rnv_kernel rnv_fully_connected_f32 = {.check = check, .run = run};
