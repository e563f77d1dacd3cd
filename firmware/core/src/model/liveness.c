/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stddef.h>

#include "ranvier/package.h"
#include "ranvier/status.h"

#include "kernels/kernel.h"
#include "verify.h"

/*
 * `live` holds the arena tensors that are live at the present step. Records are sorted by first
 * step, so each tensor is added once and compared with at most RNV_MAX_LIVE others.
 */
struct rnv_sweep {
	const struct rnv_package *pkg;
	struct rnv_diag *diag;
	uint32_t next;  /* first tensor record not yet begun */
	uint32_t count; /* entries of `live` */
	uint16_t live[RNV_MAX_LIVE];
};

static bool overlaps(uint32_t offset, uint32_t bytes, const struct rnv_tensor_rec *t)
{
	return offset < t->offset + t->bytes && t->offset < offset + bytes;
}

static void expire(struct rnv_sweep *s, uint32_t step)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->count; i++) {
		if (s->pkg->tensors[s->live[i]].last_step >= step) {
			s->live[kept++] = s->live[i];
		}
	}
	s->count = kept;
}

/* Begin tensor `index` at the present step. */
static int begin(struct rnv_sweep *s, const struct rnv_op *op, uint32_t index)
{
	const struct rnv_tensor_rec *t = &s->pkg->tensors[index];

	/* That output 0 may replace its alias was proven with the op's parameters. */
	if (t->alias == RNV_ALIAS_SAME && rnv_op_out_rec(op, 0) != t) {
		return rnv_malformed(s->diag, RNV_WHAT_OVERLAP, index, t->alias_tensor);
	}
	if (t->storage != RNV_STORAGE_ARENA) {
		return RNV_OK;
	}
	for (uint32_t i = 0; i < s->count; i++) {
		bool aliased = t->alias == RNV_ALIAS_SAME && t->alias_tensor == s->live[i];

		if (!aliased && overlaps(t->offset, t->bytes, &s->pkg->tensors[s->live[i]])) {
			return rnv_malformed(s->diag, RNV_WHAT_OVERLAP, index, s->live[i]);
		}
	}
	if (s->count >= s->pkg->header->max_live) {
		return rnv_malformed(s->diag, RNV_WHAT_MAX_LIVE, t->first_step,
				     s->pkg->header->max_live);
	}
	s->live[s->count++] = (uint16_t)index;
	return RNV_OK;
}

/* Filled before the first run: constants, and what earlier runs left. */
static bool lasts(const struct rnv_tensor_rec *t)
{
	return t->storage == RNV_STORAGE_CONST || t->storage == RNV_STORAGE_STATE;
}

/* How many different state tensors the op writes. */
static uint32_t state_outputs(const struct rnv_op *op)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < op->rec->output_count; i++) {
		const struct rnv_tensor_rec *t = rnv_op_out_rec(op, i);
		uint32_t j = 0;

		while (rnv_op_out_rec(op, j) != t) {
			j++;
		}
		count += (t->storage == RNV_STORAGE_STATE && j == i) ? 1u : 0u;
	}
	return count;
}

static bool is_output_of(const struct rnv_op *op, uint32_t index)
{
	const struct rnv_op_rec *rec = op->rec;
	const uint16_t *outputs = op->pkg->operands + rec->operand_first + rec->input_count;

	for (uint32_t i = 0; i < rec->output_count; i++) {
		if (outputs[i] == index) {
			return true;
		}
	}
	return false;
}

/*
 * Begin every tensor whose first step this is; each but inputs and what lasts must be written. That
 * an input begins with its entry point was proven before.
 */
static int begin_all(struct rnv_sweep *s, const struct rnv_op *op, uint32_t step)
{
	uint32_t written = (op->row0 == 0u) ? state_outputs(op) : 0u;

	while (s->next < s->pkg->tensor_count && s->pkg->tensors[s->next].first_step == step) {
		const struct rnv_tensor_rec *t = &s->pkg->tensors[s->next];
		bool given = lasts(t) || (t->flags & RNV_TENSOR_INPUT) != 0u;
		int status;

		if (t->storage == RNV_STORAGE_STATE) { /* read and written at any time */
			s->next++;
			continue;
		}
		if (is_output_of(op, s->next) == given || (lasts(t) && step != 0u)) {
			return rnv_malformed(s->diag, RNV_WHAT_LIFETIME, s->next, step);
		}
		written += given ? 0u : 1u;
		status = begin(s, op, s->next);
		if (status != RNV_OK) {
			return status;
		}
		s->next++;
	}
	if (op->row0 != 0u) { /* a later slice: what it writes has begun and is still live */
		return (written == 0u && rnv_op_out_rec(op, 0)->last_step >= step)
			       ? RNV_OK
			       : rnv_malformed(s->diag, RNV_WHAT_LIFETIME, s->next, step);
	}
	/* Also fails where an output began earlier or is listed twice. */
	return (written == op->rec->output_count)
		       ? RNV_OK
		       : rnv_malformed(s->diag, RNV_WHAT_STEP, step, written);
}

/* Inputs were given or written before, and are still live. */
static int verify_reads(struct rnv_sweep *s, const struct rnv_op *op, uint32_t step)
{
	for (uint32_t i = 0; i < op->rec->input_count; i++) {
		const struct rnv_tensor_rec *t = rnv_op_in_rec(op, i);
		uint32_t begun = t->first_step + ((t->flags & RNV_TENSOR_INPUT) != 0u ? 0u : 1u);

		if (t->last_step < step || (step < begun && !lasts(t))) {
			return rnv_malformed(s->diag, RNV_WHAT_LIFETIME,
					     (uint32_t)(t - s->pkg->tensors), step);
		}
	}
	return RNV_OK;
}

static int verify_scratch(struct rnv_sweep *s, const struct rnv_op *op, uint32_t step)
{
	const struct rnv_op_rec *rec = op->rec;

	for (uint32_t i = 0; i < s->count && rec->scratch_bytes != 0u; i++) {
		if (overlaps(rec->scratch_offset, rec->scratch_bytes,
			     &s->pkg->tensors[s->live[i]])) {
			return rnv_malformed(s->diag, RNV_WHAT_SCRATCH, step, s->live[i]);
		}
	}
	return RNV_OK;
}

int rnv_verify_liveness(const struct rnv_package *pkg, struct rnv_diag *diag)
{
	struct rnv_sweep sweep = {.pkg = pkg, .diag = diag};
	struct rnv_op op = {.pkg = pkg};
	int status = RNV_OK;

	for (uint32_t step = 0; step < pkg->step_count && status == RNV_OK; step++) {
		op.rec = &pkg->ops[pkg->steps[step].op];
		op.row0 = pkg->steps[step].row0;
		expire(&sweep, step);
		status = verify_reads(&sweep, &op, step);
		if (status == RNV_OK) {
			status = begin_all(&sweep, &op, step);
		}
		if (status == RNV_OK) {
			status = verify_scratch(&sweep, &op, step);
		}
	}
	return status;
}
