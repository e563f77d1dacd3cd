/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/s8/plain.h"

bool rnv_op_plain(const struct rnv_op *op, uint32_t inputs, uint32_t params, uint32_t weights_bytes)
{
	return rnv_op_has(op, inputs, 1, params) && op->rec->weights_bytes == weights_bytes &&
	       op->rec->scratch_bytes == 0u;
}

bool rnv_tensor_is_byte(const struct rnv_tensor_rec *rec, uint32_t elements)
{
	return rnv_tensor_is(rec, RNV_TYPE_INT8, elements) ||
	       rnv_tensor_is(rec, RNV_TYPE_UINT8, elements);
}
