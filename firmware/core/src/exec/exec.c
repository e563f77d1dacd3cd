/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stddef.h>

#include "ranvier/exec.h"
#include "ranvier/status.h"

#include "exec/exec.h"
#include "kernels/kernel.h"

int rnv_exec_init(struct rnv_exec *exec, const struct rnv_package *pkg, void *arena,
		  uint32_t arena_bytes, void **externals, uint16_t external_count)
{
	const struct rnv_header *header;

	if (exec == NULL || pkg == NULL) {
		return RNV_EINVAL;
	}
	header = pkg->header;
	if ((arena == NULL && header->arena_bytes != 0u) ||
	    (externals == NULL && header->external_count != 0u)) {
		return RNV_EINVAL;
	}
	if ((uintptr_t)arena % RNV_PACKAGE_ALIGN != 0u) {
		return RNV_EALIGN;
	}
	if (arena_bytes < header->arena_bytes || external_count < header->external_count) {
		return RNV_ENOMEM;
	}
	exec->pkg = pkg;
	exec->arena = arena;
	exec->externals = externals;
	exec->state = NULL;
	exec->step = 0;
	exec->step_end = 0;
	for (uint32_t i = 0; i < header->external_count; i++) {
		externals[i] = NULL;
	}
	return RNV_OK;
}

int rnv_exec_bind(struct rnv_exec *exec, uint16_t tensor, void *data, uint32_t bytes)
{
	const struct rnv_tensor_rec *rec = rnv_package_tensor(exec->pkg, tensor);

	if (rec == NULL || rec->storage != RNV_STORAGE_EXTERNAL || rec->flags == 0u ||
	    data == NULL || bytes != rec->bytes) {
		return RNV_EINVAL;
	}
	if (((uintptr_t)data & (rnv_type_bytes(rec->type) - 1u)) != 0u) { /* a power of two */
		return RNV_EALIGN;
	}
	if (exec->step != exec->step_end) {
		return RNV_EBUSY;
	}
	exec->externals[rec->offset] = data;
	return RNV_OK;
}

static void *tensor_data(const struct rnv_exec *exec, const struct rnv_tensor_rec *rec)
{
	switch (rec->storage) {
	case RNV_STORAGE_ARENA:
		return exec->arena + rec->offset;
	case RNV_STORAGE_EXTERNAL:
		return exec->externals[rec->offset];
	case RNV_STORAGE_STATE:
		return exec->state + rec->offset;
	default: /* constants; kernels only read them */
		return (void *)(uintptr_t)(exec->pkg->weights + rec->offset);
	}
}

void *rnv_exec_tensor(const struct rnv_exec *exec, uint16_t tensor)
{
	const struct rnv_tensor_rec *rec = rnv_package_tensor(exec->pkg, tensor);

	return (rec != NULL) ? tensor_data(exec, rec) : NULL;
}

const void *rnv_op_in(const struct rnv_op *op, uint32_t i)
{
	return tensor_data(op->exec, rnv_op_in_rec(op, i));
}

void *rnv_op_out(const struct rnv_op *op, uint32_t i)
{
	return tensor_data(op->exec, rnv_op_out_rec(op, i));
}

void *rnv_op_scratch(const struct rnv_op *op)
{
	return op->exec->arena + op->rec->scratch_offset;
}

int rnv_exec_start(struct rnv_exec *exec, uint16_t entry)
{
	const struct rnv_package *pkg = exec->pkg;

	if (entry >= pkg->entry_count) {
		return RNV_EINVAL;
	}
	if (!rnv_exec_is_ready(exec, &pkg->entries[entry])) {
		return RNV_ESTATE;
	}
	exec->step = pkg->entries[entry].step_first;
	exec->step_end = (uint16_t)(exec->step + pkg->entries[entry].step_count);
	return RNV_OK;
}

int rnv_exec_step(struct rnv_exec *exec)
{
	const struct rnv_package *pkg = exec->pkg;
	const struct rnv_step_rec *step = &pkg->steps[exec->step];
	struct rnv_op op;

	if (exec->step == exec->step_end) {
		return RNV_ESTATE;
	}
	op.pkg = pkg;
	op.rec = &pkg->ops[step->op];
	op.exec = exec;
	op.row0 = step->row0;
	op.rows = step->rows;
	/* rnv_kernel_of() without a call: this is every step's overhead. */
	rnv_kernel_rows[rnv_kernel_index[op.rec->code] - 1u].kernel->run(&op);
	exec->step++;
	return (exec->step != exec->step_end) ? 1 : 0;
}

int rnv_exec_run(struct rnv_exec *exec, uint16_t entry)
{
	int status = rnv_exec_start(exec, entry);

	while (status == RNV_OK && exec->step != exec->step_end) {
		(void)rnv_exec_step(exec);
	}
	return status;
}

uint16_t rnv_exec_next(const struct rnv_exec *exec)
{
	return exec->step;
}
