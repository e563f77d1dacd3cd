/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_EXEC_H_
#define RANVIER_EXEC_H_

/**
 * @file
 * @brief Execution of an opened package, step by step, in the caller's memory.
 *
 * A run is: rnv_exec_init() once, rnv_exec_set_state() where the package has persistent state,
 * rnv_exec_bind() for every external tensor of an entry point, then rnv_exec_start() and
 * rnv_exec_step() until it returns 0, or rnv_exec_run() for all at once. A step never blocks,
 * sleeps, allocates or reads a clock; between two steps the run may be left for any time or
 * dropped. Results do not depend on what the arena held before.
 */

#include <stdint.h>

#include "ranvier/package.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * One execution context. The caller owns it and serialises all calls on it, from whatever thread or
 * interrupt they come (a step takes as long as its op); contexts of the same package are
 * independent. All members are private.
 */
struct rnv_exec {
	const struct rnv_package *pkg; /**< @private */
	uint8_t *arena;                /**< @private */
	void **externals;              /**< @private */
	uint8_t *state;                /**< @private */
	uint16_t step;                 /**< @private */
	uint16_t step_end;             /**< @private */
};

/**
 * Prepare a context. May be called again at any time to begin afresh.
 *
 * @param exec        context to fill
 * @param pkg         opened package; must outlive the context
 * @param arena       activation arena, 16-byte aligned, owned by the context until its last use;
 *                    may be NULL where the package needs none
 * @param arena_bytes at least `rnv_header.arena_bytes`
 * @param externals   array of pointers, one per external tensor (`rnv_header.external_count`),
 * owned by the context until its last use; may be NULL where there are none
 * @param external_count entries of `externals`
 * @retval RNV_OK      ready; every external tensor is unbound, and there is no state
 * @retval RNV_EINVAL  NULL pointer where memory is needed
 * @retval RNV_EALIGN  `arena` is not 16-byte aligned
 * @retval RNV_ENOMEM  `arena_bytes` or `external_count` is too small
 */
int rnv_exec_init(struct rnv_exec *exec, const struct rnv_package *pkg, void *arena,
		  uint32_t arena_bytes, void **externals, uint16_t external_count);

/**
 * Give the memory of a package's persistent state. It keeps from run to run what entry points
 * write, and is never touched otherwise: zero it before the first run, and to reset it.
 *
 * @param exec  context
 * @param state memory, 16-byte aligned, owned by the context until its last use; may be NULL where
 *              the package has no state
 * @param bytes its size, at least `rnv_header.state_bytes`
 * @retval RNV_OK      given
 * @retval RNV_EINVAL  `state` is NULL and the package has state
 * @retval RNV_EALIGN  `state` is not 16-byte aligned
 * @retval RNV_ENOMEM  `bytes` is too small
 * @retval RNV_EBUSY   a run is in progress
 */
int rnv_exec_set_state(struct rnv_exec *exec, void *state, uint32_t bytes);

/**
 * Give the memory of an external tensor; it belongs to the context from rnv_exec_start() until the
 * last step is done or the run is dropped. Inputs are only read unless the package is compiled for
 * donated inputs. Memory of outputs must overlap nothing else.
 *
 * @param exec   context
 * @param tensor tensor number as given by rnv_package_input() or rnv_package_output()
 * @param data   memory, aligned to the element size
 * @param bytes  its size, exactly the tensor's `bytes`
 * @retval RNV_OK      bound
 * @retval RNV_EINVAL  no such tensor, not external, NULL, or another size
 * @retval RNV_EALIGN  `data` is not aligned to the element size
 * @retval RNV_EBUSY   a run is in progress
 */
int rnv_exec_bind(struct rnv_exec *exec, uint16_t tensor, void *data, uint32_t bytes);

/**
 * Address of a tensor's bytes in this context: to fill a resident input, to read a resident output
 * or, between steps, any live tensor.
 *
 * @param exec   context
 * @param tensor tensor number
 * @return address in the arena, the bound buffer or the package (a constant: only to be read), or
 *         NULL where there is no such tensor or it is not bound
 */
void *rnv_exec_tensor(const struct rnv_exec *exec, uint16_t tensor);

/**
 * Begin a run of an entry point. A run in progress is dropped.
 *
 * @param exec  context
 * @param entry entry point number, 0 is the default
 * @retval RNV_OK      first step is next
 * @retval RNV_EINVAL  no such entry point
 * @retval RNV_ESTATE  an external tensor of the entry point is not bound, or the package's state
 * has no memory
 */
int rnv_exec_start(struct rnv_exec *exec, uint16_t entry);

/**
 * Execute the next step.
 *
 * @param exec context
 * @retval 1           executed, more steps follow
 * @retval 0           executed, the run is complete
 * @retval RNV_ESTATE  no run in progress
 */
int rnv_exec_step(struct rnv_exec *exec);

/**
 * Run an entry point from its first to its last step.
 *
 * @param exec  context
 * @param entry entry point number, 0 is the default
 * @retval RNV_OK      complete
 * @retval RNV_EINVAL  no such entry point
 * @retval RNV_ESTATE  as rnv_exec_start()
 */
int rnv_exec_run(struct rnv_exec *exec, uint16_t entry);

/**
 * Where a run is.
 *
 * @param exec context
 * @return number of the next step, or of the step after the last one when no run is in progress
 */
uint16_t rnv_exec_next(const struct rnv_exec *exec);

/**
 * Run the package's golden self-test: its stored or generated inputs through all steps of every
 * entry point in turn, from zero state. What every step writes is compared by its CRC-32, the
 * outputs byte for byte. Overwrites the bound inputs and outputs, and the state.
 *
 * @param exec context, initialised, with every external tensor of every entry point bound
 * @retval RNV_OK      everything is as expected
 * @retval RNV_EBADMSG a step or an output differs
 * @retval RNV_EINVAL  the package carries no self-test
 * @retval RNV_ESTATE  as rnv_exec_start()
 */
int rnv_exec_selftest(struct rnv_exec *exec);

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_EXEC_H_ */
