/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/s8/binary.h"
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
	    !rnv_tensor_is(rec, RNV_TYPE_INT8, rnv_strided_end(sizes, strides, rank, 0))) {
		return RNV_EFORMAT;
	}
	return rnv_strided_dense(sizes, strides, rank) ? 1 << input : 0;
}

/**
 * Prove that the box behind `fixed` words fits the operands: mask of the inputs that the output may
 * replace in place, those read in the output's order; or RNV_EFORMAT.
 */
static int check_box(const struct rnv_op *op, uint32_t fixed)
{
	const int32_t *sizes = rnv_op_params(op) + fixed;
	uint32_t rank = box_rank(op, fixed);
	int first;
	int second;

	if (rank - 1u >= RNV_MAX_RANK || !rnv_op_plain(op, 2, fixed + 3u * rank, 0) ||
	    !rnv_words_within(sizes, rank, 1, INT32_MAX) ||
	    !rnv_tensor_is(rnv_op_out_rec(op, 0), RNV_TYPE_INT8, rnv_product(sizes, rank))) {
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

int rnv_add_check(const struct rnv_op *op)
{
	const int32_t *words = rnv_op_params(op);
	const struct rnv_add_params *p = (const void *)words;
	int mask = check_box(op, RNV_ADD_WORDS);

	if (mask >= 0 &&
	    (!rnv_words_within(words, 5, INT8_MIN, INT8_MAX) || p->act_min > p->act_max ||
	     !rnv_words_within(words + 5, 3, 0, INT32_MAX) ||
	     !rnv_words_within(words + 8, 3, -31, 30))) {
		return RNV_EFORMAT;
	}
	return mask;
}

int rnv_mul_check(const struct rnv_op *op)
{
	const int32_t *words = rnv_op_params(op);
	const struct rnv_mul_params *p = (const void *)words;
	int mask = check_box(op, RNV_MUL_WORDS);

	if (mask >= 0 &&
	    (!rnv_words_within(words, 5, INT8_MIN, INT8_MAX) || p->act_min > p->act_max ||
	     p->multiplier < 0 || !rnv_words_within(words + 6, 1, -31, 30))) {
		return RNV_EFORMAT;
	}
	return mask;
}

void rnv_binary_run(const struct rnv_op *op, uint32_t fixed,
		    void (*run_row)(const int32_t *params, const struct rnv_binary_row *row))
{
	const int32_t *params = rnv_op_params(op);
	const int32_t *sizes = params + fixed;
	uint32_t rank = box_rank(op, fixed);
	const int32_t *x_strides = sizes + rank;
	const int32_t *y_strides = x_strides + rank;
	const int8_t *x = rnv_op_in(op, 0);
	const int8_t *y = rnv_op_in(op, 1);
	struct rnv_binary_row row = {
		.out = rnv_op_out(op, 0),
		.x_step = (uint32_t)x_strides[rank - 1u],
		.y_step = (uint32_t)y_strides[rank - 1u],
		.count = (uint32_t)sizes[rank - 1u],
	};
	uint32_t rows = rnv_product(sizes, rank - 1u);

	for (uint32_t i = 0; i < rows; i++) {
		row.x = x + rnv_strided_row(sizes, x_strides, rank, i);
		row.y = y + rnv_strided_row(sizes, y_strides, rank, i);
		run_row(params, &row);
		row.out += row.count;
	}
}
