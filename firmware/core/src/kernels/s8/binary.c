/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/s8/binary.h"
#include "kernels/s8/box.h"

int rnv_add_check(const struct rnv_op *op)
{
	const int32_t *words = rnv_op_params(op);
	const struct rnv_add_params *p = (const void *)words;
	int mask = rnv_box_check(op, RNV_ADD_WORDS, RNV_TYPE_INT8);

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
	int mask = rnv_box_check(op, RNV_MUL_WORDS, RNV_TYPE_INT8);

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
	const struct rnv_box box = rnv_box_open(op, fixed);
	const int8_t *x = rnv_op_in(op, 0);
	const int8_t *y = rnv_op_in(op, 1);
	struct rnv_binary_row row = {
		.out = rnv_op_out(op, 0),
		.x_step = box.step[0],
		.y_step = box.step[1],
		.count = box.count,
	};

	for (uint32_t i = 0; i < box.rows; i++) {
		row.x = x + rnv_box_row(&box, 0, i);
		row.y = y + rnv_box_row(&box, 1, i);
		run_row(params, &row);
		row.out += row.count;
	}
}
