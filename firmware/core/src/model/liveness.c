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
	const struct rnv_op_rec *op; /* of the present step */
	const uint16_t *inputs;      /* its operands */
	const uint16_t *outputs;
	uint32_t step;
	uint32_t row0;
	uint32_t next;  /* first tensor record not yet begun */
	uint32_t count; /* entries of `live` */
	uint16_t live[RNV_MAX_LIVE];
};

/* A live tensor other than `allowed` that has one of `bytes` bytes of the arena; or none. */
static uint32_t overlapped(const struct rnv_sweep *s, uint32_t offset, uint32_t bytes,
			   uint32_t allowed)
{
	for (uint32_t i = 0; i < s->count && bytes != 0u; i++) {
		const struct rnv_tensor_rec *t = &s->pkg->tensors[s->live[i]];

		if (offset < t->offset + t->bytes && t->offset < offset + bytes &&
		    s->live[i] != allowed) {
			return s->live[i];
		}
	}
	return RNV_NO_TENSOR;
}

static void expire(struct rnv_sweep *s)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->count; i++) {
		if (s->pkg->tensors[s->live[i]].last_step >= s->step) {
			s->live[kept++] = s->live[i];
		}
	}
	s->count = kept;
}

/* Begin tensor `index` at the present step. */
static int begin(struct rnv_sweep *s, uint32_t index)
{
	const struct rnv_tensor_rec *t = &s->pkg->tensors[index];
	uint32_t other;

	/* That output 0 may replace its alias was proven with the op's parameters. */
	if (t->alias == RNV_ALIAS_SAME && s->outputs[0] != index) {
		return rnv_malformed(s->diag, RNV_WHAT_OVERLAP, index, t->alias_tensor);
	}
	if (t->storage != RNV_STORAGE_ARENA) {
		return RNV_OK;
	}
	other = overlapped(s, t->offset, t->bytes, t->alias_tensor);
	if (other != RNV_NO_TENSOR) {
		return rnv_malformed(s->diag, RNV_WHAT_OVERLAP, index, other);
	}
	if (s->count >= s->pkg->header->max_live) {
		return rnv_malformed(s->diag, RNV_WHAT_MAX_LIVE, s->step, s->pkg->header->max_live);
	}
	s->live[s->count++] = (uint16_t)index;
	return RNV_OK;
}

/* Filled before the first run: constants, and what earlier runs left. */
static bool lasts(const struct rnv_tensor_rec *t)
{
	return t->storage == RNV_STORAGE_CONST || t->storage == RNV_STORAGE_STATE;
}

/* Outputs are distinct, and begin at this step or are state. */
static bool outputs_ok(const struct rnv_sweep *s)
{
	for (uint32_t i = 0; i < s->op->output_count; i++) {
		const struct rnv_tensor_rec *t = &s->pkg->tensors[s->outputs[i]];

		if (rnv_listed(s->outputs, i, s->outputs[i]) != 0u ||
		    (t->storage != RNV_STORAGE_STATE && t->first_step != s->step)) {
			return false;
		}
	}
	return true;
}

/*
 * Begin every tensor whose first step this is; each but inputs and what lasts must be written, by
 * the first slice of the op. That an input begins with its entry point was proven before.
 */
static int begin_all(struct rnv_sweep *s)
{
	uint32_t begun = (s->row0 == 0u) ? s->op->output_count : 0u;

	for (; s->next < s->pkg->tensor_count; s->next++) {
		const struct rnv_tensor_rec *t = &s->pkg->tensors[s->next];
		bool constant = t->storage == RNV_STORAGE_CONST;
		bool written;
		int status;

		if (t->first_step != s->step) {
			break;
		}
		if (t->storage == RNV_STORAGE_STATE) { /* read and written at any time */
			continue;
		}
		written = rnv_listed(s->outputs, begun, s->next) != 0u;
		if (written == (constant || (t->flags & RNV_TENSOR_INPUT) != 0u) ||
		    (constant && s->step != 0u)) {
			return rnv_malformed(s->diag, RNV_WHAT_LIFETIME, s->next, s->step);
		}
		status = begin(s, s->next);
		if (status != RNV_OK) {
			return status;
		}
	}
	if (s->row0 == 0u) {
		return outputs_ok(s) ? RNV_OK
				     : rnv_malformed(s->diag, RNV_WHAT_STEP, s->step,
						     s->op->output_count);
	}
	/* A later slice: what it writes has begun and is still live. */
	return (s->pkg->tensors[s->outputs[0]].last_step >= s->step)
		       ? RNV_OK
		       : rnv_malformed(s->diag, RNV_WHAT_LIFETIME, s->outputs[0], s->step);
}

/* Inputs were given or written before, and are still live. */
static int verify_reads(const struct rnv_sweep *s)
{
	for (uint32_t i = 0; i < s->op->input_count; i++) {
		const struct rnv_tensor_rec *t = &s->pkg->tensors[s->inputs[i]];
		uint32_t begun = t->first_step + ((t->flags & RNV_TENSOR_INPUT) != 0u ? 0u : 1u);

		if (t->last_step < s->step || (s->step < begun && !lasts(t))) {
			return rnv_malformed(s->diag, RNV_WHAT_LIFETIME, s->inputs[i], s->step);
		}
	}
	return RNV_OK;
}

static int verify_scratch(const struct rnv_sweep *s)
{
	uint32_t other = overlapped(s, s->op->scratch_offset, s->op->scratch_bytes, RNV_NO_TENSOR);

	return (other == RNV_NO_TENSOR) ? RNV_OK
					: rnv_malformed(s->diag, RNV_WHAT_SCRATCH, s->step, other);
}

int rnv_verify_liveness(const struct rnv_package *pkg, struct rnv_diag *diag)
{
	struct rnv_sweep s = {.pkg = pkg, .diag = diag};
	int status = RNV_OK;

	for (; s.step < pkg->step_count && status == RNV_OK; s.step++) {
		s.op = &pkg->ops[pkg->steps[s.step].op];
		s.inputs = pkg->operands + s.op->operand_first;
		s.outputs = s.inputs + s.op->input_count;
		s.row0 = pkg->steps[s.step].row0;
		expire(&s);
		status = verify_reads(&s);
		if (status == RNV_OK) {
			status = begin_all(&s);
		}
		if (status == RNV_OK) {
			status = verify_scratch(&s);
		}
	}
	return status;
}
