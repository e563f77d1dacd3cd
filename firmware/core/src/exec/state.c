/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stdbool.h>
#include <stddef.h>

#include "ranvier/exec.h"
#include "ranvier/status.h"

#include "exec/exec.h"

int rnv_exec_set_state(struct rnv_exec *exec, void *state, uint32_t bytes)
{
	uint32_t needed = exec->pkg->header->state_bytes;

	if (state == NULL && needed != 0u) {
		return RNV_EINVAL;
	}
	if ((uintptr_t)state % RNV_PACKAGE_ALIGN != 0u) {
		return RNV_EALIGN;
	}
	if (bytes < needed) {
		return RNV_ENOMEM;
	}
	if (exec->step != exec->step_end) {
		return RNV_EBUSY;
	}
	exec->state = state;
	return RNV_OK;
}

static bool are_bound(const struct rnv_exec *exec, uint32_t first, uint32_t count)
{
	const struct rnv_package *pkg = exec->pkg;

	for (uint32_t i = first; i < first + count; i++) {
		const struct rnv_tensor_rec *t = &pkg->tensors[pkg->operands[i]];

		if (t->storage == RNV_STORAGE_EXTERNAL && exec->externals[t->offset] == NULL) {
			return false;
		}
	}
	return true;
}

bool rnv_exec_is_ready(const struct rnv_exec *exec, const struct rnv_entry_rec *entry)
{
	return (exec->state != NULL || exec->pkg->header->state_bytes == 0u) &&
	       are_bound(exec, entry->input_first, entry->input_count) &&
	       are_bound(exec, entry->output_first, entry->output_count);
}
