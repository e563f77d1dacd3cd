/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "ranvier/package.h"
#include "ranvier/status.h"

#include "kernels/kernel.h"
#include "verify.h"

/* Most ops that may be under way at once, each with some of its rows done. */
#define MAX_SLICED 6

/* An op of which the first `done` of its `rows` output rows were computed. */
struct sliced {
	uint16_t op;
	uint16_t done;
	uint16_t rows;
};

/* What has been executed up to a step. */
struct progress {
	const struct rnv_package *pkg;
	struct rnv_diag *diag;
	uint16_t next_op; /* first op that has not begun */
	uint16_t open;    /* entries of `sliced` */
	struct sliced sliced[MAX_SLICED];
};

static uint16_t output_of(const struct rnv_package *pkg, uint32_t op)
{
	return pkg->operands[pkg->ops[op].operand_first + pkg->ops[op].input_count];
}

/*
 * The rows `low .. high` of the `all` of input `i` were computed and are still there: no op under
 * way has yet to write them, or has overwritten them in place. Such an op counts the same rows.
 */
static bool input_there(const struct progress *s, const struct rnv_op *op, uint32_t i, uint32_t low,
			uint32_t high, uint32_t all)
{
	const struct rnv_tensor_rec *t = rnv_op_in_rec(op, i);
	uint32_t index = (uint32_t)(t - s->pkg->tensors);
	uint32_t written = all;
	uint32_t lost = 0;

	for (uint32_t j = 0; j < s->open; j++) {
		const struct sliced *sliced = &s->sliced[j];
		uint32_t output = output_of(s->pkg, sliced->op);
		const struct rnv_tensor_rec *out = &s->pkg->tensors[output];
		bool replaces = out->alias == RNV_ALIAS_SAME && out->alias_tensor == index;

		if (output == index) {
			written = sliced->done;
		} else if (replaces) {
			lost = sliced->done;
		} else {
			continue;
		}
		if (sliced->rows != all) {
			return false;
		}
	}
	if (t->ring_rows != 0u && written > t->ring_rows && written - t->ring_rows > lost) {
		lost = written - t->ring_rows;
	}
	return high < written && low >= lost;
}

/* An op that cannot run by rows: its inputs are whole. */
static int whole_inputs(const struct progress *s, const struct rnv_op *op, uint32_t step)
{
	if (op->rows != 0u) {
		return rnv_unsupported(s->diag, RNV_WHAT_SLICE, step, op->rec->code);
	}
	for (uint32_t i = 0; i < op->rec->input_count; i++) {
		const struct rnv_tensor_rec *t = rnv_op_in_rec(op, i);

		if (t->ring_rows != 0u || !input_there(s, op, i, 0, 0, 1)) {
			return rnv_malformed(s->diag, RNV_WHAT_RING,
					     (uint32_t)(t - s->pkg->tensors), step);
		}
	}
	return RNV_OK;
}

/* Where the step's op has rows left, keep how many are done; else it is complete. */
static int account(struct progress *s, const struct rnv_op *op, uint32_t out_rows, uint32_t step)
{
	uint16_t number = (uint16_t)(op->rec - s->pkg->ops);
	const struct rnv_tensor_rec *out = rnv_op_out_rec(op, 0);
	uint32_t end = op->row0 + op->rows;
	uint32_t i = 0;

	while (i < s->open && s->sliced[i].op != number) {
		i++;
	}
	if (out_rows > UINT16_MAX ||
	    (op->row0 != 0u && (i == s->open || s->sliced[i].done != op->row0)) ||
	    (i == MAX_SLICED && end != out_rows)) {
		return rnv_malformed(s->diag, RNV_WHAT_SLICE, step, op->row0);
	}
	if (end != out_rows) {
		s->sliced[i] = (struct sliced){
			.op = number, .done = (uint16_t)end, .rows = (uint16_t)out_rows};
		if (i == s->open) {
			s->open++;
		}
		return RNV_OK;
	}
	if (i != s->open) {
		s->sliced[i] = s->sliced[--s->open];
	}
	/* What it replaced is gone for good. */
	if (out->alias == RNV_ALIAS_SAME && s->pkg->tensors[out->alias_tensor].last_step > step) {
		return rnv_malformed(s->diag, RNV_WHAT_OVERLAP, (uint32_t)(out - s->pkg->tensors),
				     out->alias_tensor);
	}
	return RNV_OK;
}

/*
 * Prove that the rows that a step reads were computed and are still there, and account for those
 * that it computes.
 */
static int verify_rows(struct progress *s, const struct rnv_op *op, uint32_t step)
{
	const struct rnv_kernel *kernel = rnv_kernel_of(op->rec);
	struct rnv_reach reach;
	int32_t low;
	int32_t high;

	if (op->row0 == 0u) {
		s->next_op++;
	}
	if (kernel->reach == NULL) {
		return whole_inputs(s, op, step);
	}
	kernel->reach(op, &reach);
	if (op->row0 + op->rows > reach.out_rows) { /* bounds the products below, too */
		return rnv_malformed(s->diag, RNV_WHAT_SLICE, step, op->row0);
	}
	if (op->rows == 0u) {
		low = 0;
		high = (int32_t)reach.in_rows - 1;
	} else {
		low = (int32_t)(op->row0 * reach.stride) - reach.before;
		high = (int32_t)((op->row0 + op->rows - 1u) * reach.stride) - reach.before +
		       reach.extent - 1;
	}
	low = (low < 0) ? 0 : low;
	high = (high >= (int32_t)reach.in_rows) ? (int32_t)reach.in_rows - 1 : high;
	for (uint32_t i = 0; i < op->rec->input_count && high >= low; i++) {
		if (!input_there(s, op, i, (uint32_t)low, (uint32_t)high, reach.in_rows)) {
			return rnv_malformed(s->diag, RNV_WHAT_SLICE, step, (uint32_t)low);
		}
	}
	return (op->rows == 0u) ? RNV_OK : account(s, op, reach.out_rows, step);
}

/* No output of the op replaces an input: it may begin again after it has written something. */
static bool restartable(const struct rnv_package *pkg, uint32_t op)
{
	const uint16_t *operands = pkg->operands + pkg->ops[op].operand_first;
	uint32_t inputs = pkg->ops[op].input_count;

	for (uint32_t i = inputs; i < inputs + pkg->ops[op].output_count; i++) {
		if (pkg->tensors[operands[i]].alias != RNV_ALIAS_NONE) {
			return false;
		}
		for (uint32_t j = 0; j < inputs; j++) {
			if (operands[j] == operands[i]) {
				return false;
			}
		}
	}
	return true;
}

/*
 * The op of a step. Whole ops, and the first slices of sliced ones, come in the order of their
 * records; op->rows is set where the step is a slice.
 */
static int open_step(const struct progress *s, uint32_t step, struct rnv_op *op)
{
	const struct rnv_step_rec *rec = &s->pkg->steps[step];
	bool slice = (rec->flags & RNV_STEP_SLICE) != 0u;

	if ((rec->flags & ~(uint32_t)(RNV_STEP_SLICE | RNV_STEP_NPU)) != 0u ||
	    slice != (rec->rows != 0u) || (rec->row0 != 0u && !slice) ||
	    rec->op >= s->pkg->op_count || rec->row0 > UINT16_MAX || rec->rows > UINT16_MAX ||
	    (rec->row0 == 0u ? rec->op != s->next_op : rec->op >= s->next_op) ||
	    ((rec->flags & RNV_STEP_NPU) != 0u && !restartable(s->pkg, rec->op))) {
		return rnv_malformed(s->diag, RNV_WHAT_STEP, step, rec->op);
	}
	op->rec = &s->pkg->ops[rec->op];
	op->row0 = rec->row0;
	op->rows = rec->rows;
	return RNV_OK;
}

/* The run of an entry point completes its ops. */
static bool begins_entry(const struct rnv_package *pkg, uint32_t step)
{
	for (uint32_t i = 0; i < pkg->entry_count; i++) {
		if (pkg->entries[i].step_first == step) {
			return true;
		}
	}
	return false;
}

int rnv_verify_rows(const struct rnv_package *pkg, struct rnv_diag *diag)
{
	struct progress progress = {.pkg = pkg, .diag = diag};
	struct rnv_op op = {.pkg = pkg};
	int status = RNV_OK;

	for (uint32_t step = 0; step < pkg->step_count && status == RNV_OK; step++) {
		if (progress.open != 0u && begins_entry(pkg, step)) {
			return rnv_malformed(diag, RNV_WHAT_SLICE, step, progress.open);
		}
		status = open_step(&progress, step, &op);
		if (status == RNV_OK) {
			status = verify_rows(&progress, &op, step);
		}
	}
	if (status == RNV_OK && (progress.next_op != pkg->op_count || progress.open != 0u)) {
		status = rnv_malformed(diag, RNV_WHAT_STEP, pkg->step_count, progress.next_op);
	}
	return status;
}
