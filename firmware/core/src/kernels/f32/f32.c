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
