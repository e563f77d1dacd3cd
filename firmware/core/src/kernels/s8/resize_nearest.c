/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief RESIZE_NEAREST: each output pixel is a copy of one input pixel; any type.
 *
 * The weight stream holds, as uint16, the input row of every output row and then the input column
 * of every output column, chosen by the compiler.
 */

#include <string.h>

#include "kernels/s8/plain.h"

struct resize_nearest_params {
	int32_t in_h;
	int32_t in_w;
	int32_t batches;
	int32_t pixel_bytes;
	int32_t out_h;
	int32_t out_w;
};

#define MOST_ROWS 0x10000

static bool all_below(const uint16_t *indexes, int32_t count, int32_t limit)
{
	for (int32_t i = 0; i < count; i++) {
		if (indexes[i] >= limit) {
			return false;
		}
	}
	return true;
}

static int check(const struct rnv_op *op)
{
	const int32_t *words = rnv_op_params(op);
	const struct resize_nearest_params *p = (const void *)words;
	const uint16_t *rows = (const void *)rnv_op_weights(op);
	const struct rnv_tensor_rec *in;
	const struct rnv_tensor_rec *out;

	/* Sizes that 16-bit indexes address; also keeps the tables' size within 32 bits. */
	if (!rnv_op_has(op, 1, 1, 6) || !rnv_words_within(words, 6, 1, INT32_MAX) ||
	    !rnv_words_within(words, 2, 1, MOST_ROWS) ||
	    !rnv_words_within(words + 4, 2, 1, MOST_ROWS)) {
		return RNV_EFORMAT;
	}
	in = rnv_op_in_rec(op, 0);
	out = rnv_op_out_rec(op, 0);
	if (in->type != out->type || !rnv_tensor_is_whole(in) || !rnv_tensor_is_whole(out) ||
	    in->bytes != rnv_product(words, 4) || out->bytes != rnv_product(words + 2, 4) ||
	    !rnv_op_plain(op, 1, 6, 2u * ((uint32_t)p->out_h + (uint32_t)p->out_w)) ||
	    !all_below(rows, p->out_h, p->in_h) || !all_below(rows + p->out_h, p->out_w, p->in_w)) {
		return RNV_EFORMAT;
	}
	return 0;
}

static void run(const struct rnv_op *op)
{
	const struct resize_nearest_params *p = (const void *)rnv_op_params(op);
	const uint16_t *rows = (const void *)rnv_op_weights(op);
	const uint16_t *columns = rows + p->out_h;
	const uint8_t *in = rnv_op_in(op, 0);
	uint8_t *out = rnv_op_out(op, 0);
	uint32_t pixel_bytes = (uint32_t)p->pixel_bytes;
	uint32_t row_bytes = (uint32_t)p->in_w * pixel_bytes;

	for (int32_t b = 0; b < p->batches; b++) {
		for (int32_t y = 0; y < p->out_h; y++) {
			for (int32_t x = 0; x < p->out_w; x++) {
				memcpy(out, in + rows[y] * row_bytes + columns[x] * pixel_bytes,
				       pixel_bytes);
				out += pixel_bytes;
			}
		}
		in += (uint32_t)p->in_h * row_bytes;
	}
}

const struct rnv_kernel rnv_resize_nearest = {.check = check, .run = run};
