/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stddef.h>

#include "ranvier/package.h"
#include "ranvier/status.h"

#include "kernels/kernel.h"
#include "verify.h"

static bool op_ranges_ok(const struct rnv_package *pkg, const struct rnv_op_rec *op)
{
	uint32_t operands = (uint32_t)op->input_count + op->output_count;

	return op->output_count != 0u && op->flags == 0u &&
	       rnv_range_ok(op->operand_first, operands, pkg->operand_count) &&
	       op->params_offset % 4u == 0u && op->params_bytes % 4u == 0u &&
	       rnv_range_ok(op->params_offset, op->params_bytes, pkg->params_bytes) &&
	       op->weights_offset % 16u == 0u &&
	       rnv_range_ok(op->weights_offset, op->weights_bytes, pkg->weights_bytes) &&
	       op->scratch_offset % 16u == 0u &&
	       rnv_range_ok(op->scratch_offset, op->scratch_bytes, pkg->header->arena_bytes);
}

static int verify_op(const struct rnv_package *pkg, uint32_t index, struct rnv_diag *diag)
{
	const struct rnv_op_rec *op = &pkg->ops[index];
	const struct rnv_kernel_row *row = rnv_kernel_find(op->code);

	if (!op_ranges_ok(pkg, op)) {
		return rnv_malformed(diag, RNV_WHAT_OP, index, op->code);
	}
	if (row == NULL) {
		return rnv_unsupported(diag, RNV_WHAT_OP_CODE, index, op->code);
	}
	if (op->version != 1u || op->packing != row->kernel->packing ||
	    (op->packing != RNV_ISA_GENERIC && op->packing != pkg->header->isa)) {
		return rnv_unsupported(diag, RNV_WHAT_OP, index, op->code);
	}
	return RNV_OK;
}

/* The header's op set is exactly that of the op records. */
static int verify_opset(const struct rnv_package *pkg, struct rnv_diag *diag)
{
	uint8_t opset[RNV_OPSET_BYTES] = {0};

	for (uint32_t i = 0; i < pkg->op_count; i++) {
		uint32_t code = pkg->ops[i].code;

		opset[code / 8u] |= (uint8_t)(1u << (code % 8u));
	}
	for (uint32_t i = 0; i < RNV_OPSET_BYTES; i++) {
		if (opset[i] != pkg->header->opset[i]) {
			return rnv_malformed(diag, RNV_WHAT_HEADER, 48u + i, pkg->header->opset[i]);
		}
	}
	return RNV_OK;
}

int rnv_verify_ops(const struct rnv_package *pkg, struct rnv_diag *diag)
{
	int status = RNV_OK;

	for (uint32_t i = 0; i < pkg->operand_count; i++) {
		if (pkg->operands[i] >= pkg->tensor_count) {
			return rnv_malformed(diag, RNV_WHAT_OPERAND, i, pkg->operands[i]);
		}
	}
	for (uint32_t i = 0; i < pkg->op_count && status == RNV_OK; i++) {
		status = verify_op(pkg, i, diag);
	}
	if (status == RNV_OK) {
		status = verify_opset(pkg, diag);
	}
	return status;
}
