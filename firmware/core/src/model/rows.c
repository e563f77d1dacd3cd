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
	uint16_t output;   /* its output 0: no two ops under way have the same */
	uint16_t replaced; /* by the output, row by row; or RNV_NO_TENSOR */
	uint16_t done;
	uint16_t rows;
};

/* What has been executed up to a step. */
struct progress {
	const struct rnv_package *pkg;
	struct rnv_diag *diag;
	uint32_t step;
	uint32_t next_op; /* first op that has not begun */
	uint32_t open;    /* entries of `sliced` */
	struct sliced sliced[MAX_SLICED + 1];
};

/*
 * The rows `low .. high` of the `all` of a tensor were computed and are still there: no op under
 * way has yet to write them, or has overwritten them in place. Such an op counts the same rows.
 */
static bool rows_there(const struct progress *s, uint32_t tensor, uint32_t low, uint32_t high,
		       uint32_t all)
{
	uint32_t ring = s->pkg->tensors[tensor].ring_rows;
	uint32_t written = all;
	uint32_t lost = 0;

	for (const struct sliced *sliced = s->sliced; sliced != s->sliced + s->open; sliced++) {
		if (sliced->output == tensor) {
			written = sliced->done;
		} else if (sliced->replaced == tensor) {
			lost = sliced->done;
		} else {
			continue;
		}
		if (sliced->rows != all) {
			return false;
		}
	}
	if (ring != 0u && low + ring < written) {
		return false;
	}
	return high < written && low >= lost;
}

/* Keep how many rows of the step's op are done, unless it is complete. */
static int account(struct progress *s, const struct rnv_op *op, uint32_t out_rows)
{
	uint32_t output = s->pkg->operands[op->rec->operand_first + op->rec->input_count];
	const struct rnv_tensor_rec *t = &s->pkg->tensors[output];
	struct sliced *sliced = s->sliced;
	struct sliced *end = sliced + s->open;

	while (sliced != end && sliced->output != output) {
		sliced++;
	}
	if (sliced == end) {
		*sliced = (struct sliced){.output = (uint16_t)output,
					  .replaced = t->alias_tensor,
					  .rows = (uint16_t)out_rows};
		s->open++;
	}
	if (out_rows > UINT16_MAX || sliced->done != op->row0) {
		return rnv_malformed(s->diag, RNV_WHAT_SLICE, s->step, op->row0);
	}
	sliced->done = (uint16_t)(op->row0 + op->rows);
	if (sliced->done != sliced->rows) {
		return (s->open <= MAX_SLICED)
			       ? RNV_OK
			       : rnv_malformed(s->diag, RNV_WHAT_SLICE, s->step, op->row0);
	}
	*sliced = s->sliced[--s->open];
	/* What it replaced is gone for good. */
	if (t->alias == RNV_ALIAS_SAME && s->pkg->tensors[t->alias_tensor].last_step > s->step) {
		return rnv_malformed(s->diag, RNV_WHAT_OVERLAP, output, t->alias_tensor);
	}
	return RNV_OK;
}

/*
 * Prove that the rows that a step reads were computed and are still there, and account for those
 * that it computes.
 */
static int verify_rows(struct progress *s, const struct rnv_op *op)
{
	const struct rnv_kernel *kernel = rnv_kernel_of(op->rec);
	const uint16_t *inputs = s->pkg->operands + op->rec->operand_first;
	/* An op that cannot run by rows needs more of them than a ring has, or a slice has done. */
	struct rnv_reach reach = {.in_rows = INT32_MAX};
	int32_t low = 0;
	int32_t high = INT32_MAX;

	if (kernel->reach != NULL) {
		kernel->reach(op, &reach);
	} else if (op->rows != 0u) {
		return rnv_unsupported(s->diag, RNV_WHAT_SLICE, s->step, op->rec->code);
	}
	if (op->rows != 0u) {
		if (op->row0 + op->rows > reach.out_rows) { /* bounds the products below, too */
			return rnv_malformed(s->diag, RNV_WHAT_SLICE, s->step, op->row0);
		}
		low = (int32_t)(op->row0 * reach.stride) - reach.before;
		high = low + (int32_t)((op->rows - 1u) * reach.stride) + reach.extent - 1;
	}
	low = (low < 0) ? 0 : low;
	high = (high >= (int32_t)reach.in_rows) ? (int32_t)reach.in_rows - 1 : high;
	for (uint32_t i = 0; i < op->rec->input_count && high >= low; i++) {
		if (rows_there(s, inputs[i], (uint32_t)low, (uint32_t)high, reach.in_rows)) {
			continue;
		}
		return (kernel->reach != NULL)
			       ? rnv_malformed(s->diag, RNV_WHAT_SLICE, s->step, (uint32_t)low)
			       : rnv_malformed(s->diag, RNV_WHAT_RING, inputs[i], s->step);
	}
	return (op->rows == 0u) ? RNV_OK : account(s, op, reach.out_rows);
}

/*
 * Whole ops, and the first slices of sliced ones, come in the order of their records; `rows` is set
 * where the step is a slice.
 */
static bool step_ok(const struct progress *s, const struct rnv_step_rec *rec)
{
	uint32_t flags = rec->flags & ~(uint32_t)RNV_STEP_NPU;

	return flags == (rec->rows != 0u ? RNV_STEP_SLICE : 0u) && rec->row0 <= UINT16_MAX &&
	       rec->rows <= UINT16_MAX && rec->op < s->pkg->op_count &&
	       (rec->row0 == 0u ? rec->op == s->next_op : rec->rows != 0u && rec->op < s->next_op);
}

int rnv_verify_rows(const struct rnv_package *pkg, struct rnv_diag *diag)
{
	struct progress s = {.pkg = pkg, .diag = diag};
	const struct rnv_entry_rec *entry = pkg->entries;
	uint32_t end = entry->step_count;

	for (; s.step < pkg->step_count; s.step++) {
		const struct rnv_step_rec *rec = &pkg->steps[s.step];
		struct rnv_op op = {.pkg = pkg, .row0 = rec->row0, .rows = rec->rows};
		int status;

		if (s.step == end) { /* the run of an entry point completes its ops */
			if (s.open != 0u) {
				return rnv_malformed(diag, RNV_WHAT_SLICE, s.step, s.open);
			}
			entry++;
			end += entry->step_count;
		}
		if (!step_ok(&s, rec)) {
			return rnv_malformed(diag, RNV_WHAT_STEP, s.step, rec->op);
		}
		if (rec->row0 == 0u) {
			s.next_op++;
		}
		op.rec = &pkg->ops[rec->op];
		status = verify_rows(&s, &op);
		if (status != RNV_OK) {
			return status;
		}
	}
	if (s.next_op != pkg->op_count || s.open != 0u) {
		return rnv_malformed(diag, RNV_WHAT_STEP, s.step, s.next_op);
	}
	return RNV_OK;
}
