/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief PAD: a dense tensor of any type inside of a larger one that is filled with one value.
 *
 * Everything is in bytes, so that the element size does not matter: the last dimension of the box
 * is a run of bytes, and the fill is a pattern of 8 bytes that repeats from the output's start.
 */

#include <string.h>

#include "kernels/s8/plain.h"
#include "kernels/s8/strided.h"

/* Followed by `rank` sizes of the input and `rank` positive strides in the output (strided.h). */
struct pad_params {
	int32_t fill_low;
	int32_t fill_high;
	int32_t first;
	int32_t out_bytes;
};

#define FIXED      4u
#define FILL_BYTES 8u

/** Dimensions of the box; wraps to a huge number where words are missing. */
static uint32_t box_rank(const struct rnv_op *op)
{
	return (op->rec->params_bytes / 4u - FIXED) / 2u;
}

static int check(const struct rnv_op *op)
{
	const struct pad_params *p = (const void *)rnv_op_params(op);
	const int32_t *sizes = rnv_op_params(op) + FIXED;
	const struct rnv_tensor_rec *in;
	const struct rnv_tensor_rec *out;
	uint32_t rank = box_rank(op);
	uint32_t end;

	if (rank - 1u >= RNV_MAX_RANK || !rnv_op_plain(op, 1, FIXED + 2u * rank, 0) ||
	    !rnv_words_within(sizes, rank, 1, INT32_MAX) ||
	    !rnv_words_within(sizes + rank, rank, 1, INT32_MAX) || sizes[2u * rank - 1u] != 1 ||
	    p->first < 0) {
		return RNV_EFORMAT;
	}
	in = rnv_op_in_rec(op, 0);
	out = rnv_op_out_rec(op, 0);
	end = rnv_strided_end(sizes, sizes + rank, rank, p->first);
	if (in->type != out->type || in->ring_rows != 0u || out->ring_rows != 0u ||
	    rnv_tensor_elements_bytes(in) != rnv_product(sizes, rank) ||
	    rnv_tensor_elements_bytes(out) != (uint32_t)p->out_bytes || end == 0u ||
	    end > (uint32_t)p->out_bytes) {
		return RNV_EFORMAT;
	}
	return 0;
}

static void fill(uint8_t *out, uint32_t bytes, const int32_t *pattern)
{
	uint32_t i = 0;

	for (; bytes - i >= FILL_BYTES; i += FILL_BYTES) {
		memcpy(out + i, pattern, FILL_BYTES);
	}
	memcpy(out + i, pattern, bytes - i);
}

static void run(const struct rnv_op *op)
{
	const struct pad_params *p = (const void *)rnv_op_params(op);
	const int32_t *sizes = rnv_op_params(op) + FIXED;
	uint32_t rank = box_rank(op);
	uint32_t row_bytes = (uint32_t)sizes[rank - 1u];
	uint32_t rows = rnv_product(sizes, rank - 1u);
	const uint8_t *in = rnv_op_in(op, 0);
	uint8_t *out = rnv_op_out(op, 0);

	fill(out, (uint32_t)p->out_bytes, rnv_op_params(op));
	for (uint32_t i = 0; i < rows; i++) {
		memcpy(out + (uint32_t)p->first + rnv_strided_row(sizes, sizes + rank, rank, i),
		       in + i * row_bytes, row_bytes);
	}
}

const struct rnv_kernel rnv_pad = {.check = check, .run = run};
