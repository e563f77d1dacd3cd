/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/f32/f32.h"

#define INFINITY_BITS INT32_C(0x7F800000)

bool rnv_f32_range_ok(const struct rnv_f32_range *range)
{
	return rnv_f32(range->act_min) <= rnv_f32(range->act_max);
}

bool rnv_f32_is_finite(int32_t bits)
{
	return (bits & INT32_MAX) < INFINITY_BITS;
}

bool rnv_op_is_f32(const struct rnv_op *op, uint32_t number, const int32_t *sizes, uint32_t count)
{
	return rnv_tensor_is(rnv_op_in_rec(op, number), RNV_TYPE_FLOAT32,
			     rnv_product(sizes, count));
}

bool rnv_f32_window_ok(const struct rnv_op *op, const struct rnv_window *window, int32_t out_c)
{
	const int32_t out[4] = {window->batch, window->out_h, window->out_w, out_c};

	return rnv_words_within(&window->batch, 10, 1, RNV_WINDOW_MAX) &&
	       rnv_words_within(&window->pad_top, 2, 0, RNV_WINDOW_MAX) &&
	       rnv_words_within(&out_c, 1, 1, RNV_WINDOW_MAX) &&
	       rnv_tensor_is(rnv_op_in_rec(op, 0), RNV_TYPE_FLOAT32,
			     rnv_product(&window->batch, 4)) &&
	       rnv_tensor_is(rnv_op_in_rec(op, 1), RNV_TYPE_FLOAT32, rnv_product(out, 4));
}
