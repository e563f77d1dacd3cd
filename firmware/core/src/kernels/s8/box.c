/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/s8/box.h"
#include "kernels/s8/plain.h"
#include "kernels/s8/strided.h"

/** Dimensions of the box behind `fixed` words; wraps to a huge number where there are fewer. */
static uint32_t box_rank(const struct rnv_op *op, uint32_t fixed)
{
	return (op->rec->params_bytes / 4u - fixed) / 3u;
}

/** Bit `input` where the output may replace this input; RNV_EFORMAT where the box leaves it. */
static int check_input(const struct rnv_op *op, uint32_t input, const int32_t *sizes, uint32_t rank)
{
	const struct rnv_tensor_rec *rec = rnv_op_in_rec(op, input);
	const int32_t *strides = sizes + rank * (input + 1u);

	if (!rnv_words_within(strides, rank, 0, INT32_MAX) ||
	    !rnv_tensor_is(rec, rnv_op_out_rec(op, 0)->type,
			   rnv_strided_end(sizes, strides, rank, 0))) {
		return RNV_EFORMAT;
	}
	return rnv_strided_dense(sizes, strides, rank) ? 1 << input : 0;
}

int rnv_box_check(const struct rnv_op *op, uint32_t fixed, uint8_t type)
{
	const int32_t *sizes = rnv_op_params(op) + fixed;
	uint32_t rank = box_rank(op, fixed);
	int first;
	int second;

	if (rank - 1u >= RNV_MAX_RANK || !rnv_op_plain(op, 2, fixed + 3u * rank, 0) ||
	    !rnv_words_within(sizes, rank, 1, INT32_MAX) ||
	    !rnv_tensor_is(rnv_op_out_rec(op, 0), type, rnv_product(sizes, rank))) {
		return RNV_EFORMAT;
	}
	first = check_input(op, 0, sizes, rank);
	second = check_input(op, 1, sizes, rank);
	if (first < 0 || second < 0) {
		return RNV_EFORMAT;
	}
	/* A tensor that is both inputs may be replaced only where both are read in order. */
	if (rnv_op_in_rec(op, 0) == rnv_op_in_rec(op, 1) && (first == 0 || second == 0)) {
		return 0;
	}
	return first | second;
}

struct rnv_box rnv_box_open(const struct rnv_op *op, uint32_t fixed)
{
	const int32_t *sizes = rnv_op_params(op) + fixed;
	uint32_t rank = box_rank(op, fixed);

	return (struct rnv_box){
		.sizes = sizes,
		.rank = rank,
		.rows = rnv_product(sizes, rank - 1u),
		.count = (uint32_t)sizes[rank - 1u],
		.step = {(uint32_t)sizes[2u * rank - 1u], (uint32_t)sizes[3u * rank - 1u]},
	};
}

uint32_t rnv_box_row(const struct rnv_box *box, uint32_t input, uint32_t row)
{
	const int32_t *strides = box->sizes + box->rank * (input + 1u);

	return rnv_strided_row(box->sizes, strides, box->rank, row);
}
