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

/*
 * The alias of `t` is safe: its op reads the tensor it replaces for the last time (or row by row,
 * which rnv_verify_rows() proves), and the kernel has proven that this input (bit i of `inputs`:
 * input i) may be replaced by output 0 (the same of `mask`).
 */
static bool alias_safe(const struct rnv_op *op, uint32_t inputs, uint32_t mask,
		       const struct rnv_tensor_rec *t)
{
	const struct rnv_tensor_rec *other = &op->pkg->tensors[t->alias_tensor];

	if (op->rows == 0u ? other->last_step != t->first_step : !same_rows(other, t)) {
		return false;
	}
	return inputs != 0u && (inputs & ~mask) == 0u;
}

/* A state tensor that is both read and written is replaced in place. */
static bool state_safe(const struct rnv_op_rec *op, const uint16_t *inputs, uint32_t mask)
{
	const uint16_t *outputs = inputs + op->input_count;

	for (uint32_t i = 0; i < op->output_count; i++) {
		if ((rnv_listed(inputs, op->input_count, outputs[i]) & ~mask) != 0u) {
			return false;
		}
		mask = 0;
	}
	return true;
}

/*
 * Each op's kernel accepts it, and the alias of its output 0. Where an accelerator may execute a
 * step, no output replaces an input: the op may begin again after it has written something. (That
 * only output 0 has an alias is proven with the lifetimes.)
 *
 * Apart from the sweep over lifetimes, so that its state is not on the stack below a kernel's
 * check(): opening a package must stay within 256 bytes.
 */
int rnv_verify_kernels(const struct rnv_package *pkg, struct rnv_diag *diag)
{
	for (uint32_t step = 0; step < pkg->step_count; step++) {
		const struct rnv_step_rec *rec = &pkg->steps[step];
		struct rnv_op op = {.pkg = pkg, .rows = rec->rows};
		const struct rnv_tensor_rec *t;
		const uint16_t *inputs;
		uint32_t output;
		int mask;

		if (rec->op >= pkg->op_count) {
			return rnv_malformed(diag, RNV_WHAT_STEP, step, rec->op);
		}
		op.rec = &pkg->ops[rec->op];
		inputs = pkg->operands + op.rec->operand_first;
		output = inputs[op.rec->input_count];
		t = &pkg->tensors[output];
		if ((rec->flags & RNV_STEP_NPU) != 0u &&
		    (t->alias != RNV_ALIAS_NONE || !state_safe(op.rec, inputs, 0))) {
			return rnv_malformed(diag, RNV_WHAT_STEP, step, rec->op);
		}
		if (rec->row0 != 0u) { /* a later slice of an op that was checked */
			continue;
		}
		mask = rnv_kernel_of(op.rec)->check(&op);
		if (mask < 0) {
			rnv_diagnose(diag, RNV_WHAT_OP_PARAMS, rec->op, op.rec->code);
			return mask;
		}
		if (!state_safe(op.rec, inputs, (uint32_t)mask) ||
		    (t->alias == RNV_ALIAS_SAME &&
		     !alias_safe(&op, rnv_listed(inputs, op.rec->input_count, t->alias_tensor),
				 (uint32_t)mask, t))) {
			return rnv_malformed(diag, RNV_WHAT_OVERLAP, output, t->alias_tensor);
		}
	}
	return RNV_OK;
}
