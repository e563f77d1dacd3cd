/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stddef.h>

#include "ranvier/package.h"

#include "kernels/kernel.h"
#include "verify.h"

const struct rnv_header *rnv_package_header(const struct rnv_package *pkg)
{
	return pkg->header;
}

const struct rnv_tensor_rec *rnv_package_tensor(const struct rnv_package *pkg, uint16_t tensor)
{
	return (tensor < pkg->tensor_count) ? &pkg->tensors[tensor] : NULL;
}

uint16_t rnv_package_input(const struct rnv_package *pkg, uint16_t entry, uint16_t index)
{
	if (entry >= pkg->entry_count || index >= pkg->entries[entry].input_count) {
		return RNV_NO_TENSOR;
	}
	return pkg->operands[(uint32_t)pkg->entries[entry].input_first + index];
}

uint16_t rnv_package_output(const struct rnv_package *pkg, uint16_t entry, uint16_t index)
{
	if (entry >= pkg->entry_count || index >= pkg->entries[entry].output_count) {
		return RNV_NO_TENSOR;
	}
	return pkg->operands[(uint32_t)pkg->entries[entry].output_first + index];
}

uint16_t rnv_package_label_count(const struct rnv_package *pkg)
{
	return pkg->label_count;
}

const char *rnv_package_label(const struct rnv_package *pkg, uint16_t index)
{
	return (index < pkg->label_count) ? rnv_string_at((const char *)pkg->labels, index) : NULL;
}

const struct rnv_kernel_row *rnv_kernel_find(uint32_t code)
{
	uint32_t row = 0;

	if (code <= rnv_kernel_rows[rnv_kernel_count - 1u].code) {
		row = rnv_kernel_index[code];
	}
	return (row != 0u) ? &rnv_kernel_rows[row - 1u] : NULL;
}

const struct rnv_kernel *rnv_kernel_of(const struct rnv_op_rec *rec)
{
	return rnv_kernel_find(rec->code)->kernel;
}

void rnv_opset_get(uint8_t *opset)
{
	for (uint32_t i = 0; i < RNV_OPSET_BYTES; i++) {
		opset[i] = 0;
	}
	for (uint32_t i = 0; i < rnv_kernel_count; i++) {
		uint32_t code = rnv_kernel_rows[i].code;

		opset[code / 8u] |= (uint8_t)(1u << (code % 8u));
	}
}

const char *rnv_op_name(uint16_t code)
{
	const struct rnv_kernel_row *row = rnv_kernel_find(code);

	return (row != NULL) ? row->name : NULL;
}
