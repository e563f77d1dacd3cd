/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_EXEC_EXEC_H_
#define RNV_EXEC_EXEC_H_

/* Runs as the scheduler makes them: everything was checked before. */

#include <stdbool.h>
#include <stdint.h>

#include "ranvier/exec.h"
#include "ranvier/package.h"

/*
 * Prepare `exec` and begin a run of `entry`: as rnv_exec_init(), rnv_exec_set_state(),
 * rnv_exec_bind() and rnv_exec_start(), with what they demand known to be so. `externals` has the
 * entry's buffers.
 */
static inline void rnv_exec_begin(struct rnv_exec *exec, const struct rnv_package *pkg, void *arena,
				  void **externals, void *state, uint16_t entry)
{
	const struct rnv_entry_rec *rec = &pkg->entries[entry];

	exec->pkg = pkg;
	exec->arena = arena;
	exec->externals = externals;
	exec->state = state;
	exec->step = rec->step_first;
	exec->step_end = (uint16_t)(rec->step_first + rec->step_count);
}

/* True where the inputs and outputs of an entry point are bound, and the state has memory. */
bool rnv_exec_is_ready(const struct rnv_exec *exec, const struct rnv_entry_rec *entry);

/* The next step of a run was executed elsewhere: true if more steps follow. */
static inline bool rnv_exec_skip(struct rnv_exec *exec)
{
	exec->step++;
	return exec->step != exec->step_end;
}

/* True where the next step of a run is marked for an accelerator. */
static inline bool rnv_exec_is_marked(const struct rnv_exec *exec)
{
	return (exec->pkg->steps[exec->step].flags & RNV_STEP_NPU) != 0u;
}

#endif /* RNV_EXEC_EXEC_H_ */
