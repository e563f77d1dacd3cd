/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/f32/binary.h"
#include "kernels/s8/box.h"

#define WORDS (sizeof(struct rnv_f32_binary) / sizeof(int32_t))

int rnv_f32_binary_check(const struct rnv_op *op)
{
	const struct rnv_f32_binary *p = (const void *)rnv_op_params(op);
	int mask = rnv_box_check(op, WORDS, RNV_TYPE_FLOAT32);

	return (mask >= 0 && !rnv_f32_range_ok(&p->range)) ? RNV_EFORMAT : mask;
}

void rnv_f32_binary_run(const struct rnv_op *op, float (*combine)(float x, float y))
{
	const struct rnv_f32_binary *p = (const void *)rnv_op_params(op);
	const float low = rnv_f32(p->range.act_min);
	const float high = rnv_f32(p->range.act_max);
	const float *x = rnv_op_in(op, 0);
	const float *y = rnv_op_in(op, 1);
	float *out = rnv_op_out(op, 0);
	struct rnv_box box = rnv_box_open(op, WORDS);

	for (uint32_t i = 0; i < box.rows; i++) {
		const float *row_x = x + rnv_box_row(&box, 0, i);
		const float *row_y = y + rnv_box_row(&box, 1, i);

		for (uint32_t k = 0; k < box.count; k++) {
			*out++ = rnv_f32_clamp(combine(*row_x, *row_y), low, high);
			row_x += box.step[0];
			row_y += box.step[1];
		}
	}
}
