/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "ranvier/package.h"
#include "ranvier/status.h"

#include "kernels/kernel.h"
#include "verify.h"

/*
 * Two tensors whose rows lie at the same places, so that a row of one replaces the same row of the
 * other and nothing else.
 */
static bool same_rows(const struct rnv_tensor_rec *a, const struct rnv_tensor_rec *b)
{
	for (uint32_t i = 0; i < RNV_MAX_RANK; i++) {
		if (a->dims[i] != b->dims[i]) {
			return false;
		}
	}
	return a->layout == b->layout && a->ring_rows == 0u && b->ring_rows == 0u;
}

/* How often the op reads a tensor as an input of `mask` (bit i: input i, from 31 on bit 31). */
static uint32_t times_read(const struct rnv_op *op, uint32_t tensor, uint32_t mask)
{
	const uint16_t *inputs = op->pkg->operands + op->rec->operand_first;
	uint32_t times = 0;

	for (uint32_t i = 0; i < op->rec->input_count; i++) {
		uint32_t bit = (i < 31u) ? i : 31u;

		times += (inputs[i] == tensor) ? (mask >> bit) & 1u : 0u;
	}
	return times;
}

/*
 * The alias of `t` is safe: its op reads the tensor it replaces for the last time (or row by row,
 * which rnv_verify_rows() proves), and the kernel has proven (`mask`) that this input may be
 * replaced by output 0.
 */
static bool alias_safe(const struct rnv_op *op, uint32_t mask, const struct rnv_tensor_rec *t)
{
	const struct rnv_tensor_rec *other = &op->pkg->tensors[t->alias_tensor];

	if (op->rows == 0u ? other->last_step != t->first_step : !same_rows(other, t)) {
		return false;
	}
	return times_read(op, t->alias_tensor, ~UINT32_C(0)) != 0u &&
	       times_read(op, t->alias_tensor, ~mask) == 0u;
}

/* A state tensor that is both read and written is replaced in place. */
static bool state_safe(const struct rnv_op *op, uint32_t mask)
{
	const uint16_t *outputs = op->pkg->operands + op->rec->operand_first + op->rec->input_count;

	for (uint32_t i = 0; i < op->rec->output_count; i++) {
		if (times_read(op, outputs[i], (i == 0u) ? ~mask : ~UINT32_C(0)) != 0u) {
			return false;
		}
	}
	return true;
}

/*
 * Each op's kernel accepts it, and the alias of its output 0. Apart from the sweep over lifetimes,
 * so that its state is not on the stack below a kernel's check(): opening a package must stay
 * within 256 bytes.
 */
int rnv_verify_kernels(const struct rnv_package *pkg, struct rnv_diag *diag)
{
	for (uint32_t step = 0; step < pkg->step_count; step++) {
		const struct rnv_step_rec *rec = &pkg->steps[step];
		struct rnv_op op = {.pkg = pkg, .rows = rec->rows};
		const struct rnv_tensor_rec *t;
		int mask;

		if (rec->op >= pkg->op_count) {
			return rnv_malformed(diag, RNV_WHAT_STEP, step, rec->op);
		}
		if (rec->row0 != 0u) { /* a later slice of an op that was checked */
			continue;
		}
		op.rec = &pkg->ops[rec->op];
		mask = rnv_kernel_of(op.rec)->check(&op);
		if (mask < 0) {
			rnv_diagnose(diag, RNV_WHAT_OP_PARAMS, rec->op, op.rec->code);
			return mask;
		}
		t = rnv_op_out_rec(&op, 0);
		if (!state_safe(&op, (uint32_t)mask) ||
		    (t->alias == RNV_ALIAS_SAME && !alias_safe(&op, (uint32_t)mask, t))) {
			return rnv_malformed(diag, RNV_WHAT_OVERLAP, (uint32_t)(t - pkg->tensors),
					     t->alias_tensor);
		}
	}
	return RNV_OK;
}
