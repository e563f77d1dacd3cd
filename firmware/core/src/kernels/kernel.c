/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "ranvier/package.h"

#include "kernels/kernel.h"

const struct rnv_tensor_rec *rnv_op_in_rec(const struct rnv_op *op, uint32_t i)
{
	return &op->pkg->tensors[op->pkg->operands[op->rec->operand_first + i]];
}

const struct rnv_tensor_rec *rnv_op_out_rec(const struct rnv_op *op, uint32_t i)
{
	return rnv_op_in_rec(op, op->rec->input_count + i);
}

bool rnv_op_has(const struct rnv_op *op, uint32_t inputs, uint32_t outputs, uint32_t params)
{
	return op->rec->input_count == inputs && op->rec->output_count == outputs &&
	       op->rec->params_bytes == params * 4u;
}

bool rnv_words_within(const int32_t *words, uint32_t count, int32_t low, int32_t high)
{
	for (uint32_t i = 0; i < count; i++) {
		if (words[i] < low || words[i] > high) {
			return false;
		}
	}
	return true;
}

uint32_t rnv_product(const int32_t *words, uint32_t count)
{
	uint64_t product = 1;

	for (uint32_t i = 0; i < count; i++) {
		product *= (uint32_t)words[i];
		if (product > INT32_MAX) {
			return 0;
		}
	}
	return (uint32_t)product;
}

uint32_t rnv_type_bytes(uint8_t type)
{
	static const uint8_t bytes[] = {
		[RNV_TYPE_INT8] = 1,  [RNV_TYPE_UINT8] = 1,  [RNV_TYPE_INT16] = 2,
		[RNV_TYPE_INT32] = 4, [RNV_TYPE_INT64] = 8,  [RNV_TYPE_FLOAT32] = 4,
		[RNV_TYPE_BOOL] = 1,  [RNV_TYPE_UINT32] = 4, [RNV_TYPE_UINT64] = 8,
	};

	return (type < sizeof(bytes)) ? bytes[type] : 0u;
}

uint32_t rnv_tensor_elements_bytes(const struct rnv_tensor_rec *rec)
{
	uint32_t bytes = rec->bytes;

	if (rec->layout != RNV_LAYOUT_DENSE) {
		bytes = rec->dims[1] * rec->dims[2] * rec->dims[3];
	}
	return bytes;
}

bool rnv_tensor_is_whole(const struct rnv_tensor_rec *rec)
{
	return rec->ring_rows == 0u && rec->bytes == rnv_tensor_elements_bytes(rec);
}

bool rnv_tensor_is(const struct rnv_tensor_rec *rec, uint8_t type, uint32_t elements)
{
	return rec->type == type && elements != 0u && rec->ring_rows == 0u &&
	       rnv_tensor_elements_bytes(rec) == (uint64_t)elements * rnv_type_bytes(type);
}

bool rnv_op_is_int8(const struct rnv_op *op, uint32_t number, const int32_t *sizes, uint32_t count)
{
	return rnv_tensor_is(rnv_op_in_rec(op, number), RNV_TYPE_INT8, rnv_product(sizes, count));
}
