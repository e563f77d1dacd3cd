/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef CORTEXM_SCHED_MODEL_H_
#define CORTEXM_SCHED_MODEL_H_

/*
 * Packages whose one kernel only calls on_step(): one input, one output, `STEPS` steps.
 */

#include <ranvier/package.h>
#include <ranvier/sched.h>

#define STEPS       4U
#define IO_BYTES    16U
#define ARENA_BYTES 32U

struct model {
	_Alignas(16) struct rnv_header header;
	struct rnv_section_rec sections[7];
	_Alignas(16) struct rnv_tensor_rec tensors[STEPS + 1U];
	_Alignas(16) uint16_t operands[2U * STEPS + 2U];
	_Alignas(16) struct rnv_op_rec ops[STEPS];
	_Alignas(16) struct rnv_step_rec steps[STEPS];
	_Alignas(16) struct rnv_entry_rec entry;
	_Alignas(16) int32_t params[4];
	_Alignas(16) uint8_t weights[16];
	_Alignas(16) struct rnv_trailer trailer;
};

/* What every step does; of the program. */
void on_step(void);

/* Ends the program with exit code 1 where `status` is an error. */
void must(int status, const char *what);

/* Makes a package of that name. */
void model_make(struct model *model, const char *name);

#endif /* CORTEXM_SCHED_MODEL_H_ */
