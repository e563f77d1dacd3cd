/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stdbool.h>
#include <stddef.h>

#include "ranvier/exec.h"
#include "ranvier/status.h"

#include "exec/golden.h"
#include "kernels/kernel.h"

/* A self-test under way. */
struct selftest {
	struct rnv_exec *exec;
	struct rnv_golden_walk walk;
	uint32_t crc; /* of what every op has written when it is complete */
};

/* Fill the inputs of an entry point; or true where its outputs are as expected. */
static bool visit(struct selftest *test, const struct rnv_entry_rec *entry, bool outputs)
{
	const struct rnv_package *pkg = test->exec->pkg;
	uint32_t first = outputs ? entry->output_first : entry->input_first;
	uint32_t count = outputs ? entry->output_count : entry->input_count;

	for (; count != 0u; count--, first++) {
		uint16_t tensor = pkg->operands[first];
		uint8_t *data = rnv_exec_tensor(test->exec, tensor);
		const uint8_t *end = data + pkg->tensors[tensor].bytes;

		for (; data != end; data++) {
			if (!outputs) {
				*data = rnv_golden_input(&test->walk);
			} else if (*data != *test->walk.expected++) {
				return false;
			}
		}
	}
	return true;
}

/* True where no later step runs rows of the same op. */
static bool completes_op(const struct rnv_exec *exec)
{
	const struct rnv_step_rec *steps = exec->pkg->steps;

	for (uint32_t i = exec->step + 1u; i < exec->step_end; i++) {
		if (steps[i].op == steps[exec->step].op) {
			return false;
		}
	}
	return true;
}

/* Bytes of the elements that a tensor holds, without what may lie after them. */
static uint32_t held_bytes(const struct rnv_tensor_rec *t)
{
	uint32_t bytes = rnv_tensor_elements_bytes(t);

	if (t->ring_rows != 0u) {
		bytes = bytes / t->dims[(t->layout == RNV_LAYOUT_PLANES_TRANSPOSED) ? 2 : 1] *
			t->ring_rows;
	}
	return bytes;
}

/* Execute all steps of the entry point that has been started. */
static void run_traced(struct selftest *test)
{
	struct rnv_exec *exec = test->exec;
	const struct rnv_package *pkg = exec->pkg;
	int status;

	do {
		const struct rnv_op_rec *op = &pkg->ops[pkg->steps[exec->step].op];
		const uint16_t *outputs = pkg->operands + op->operand_first + op->input_count;
		uint32_t count = completes_op(exec) ? op->output_count : 0u;

		status = rnv_exec_step(exec);
		for (uint32_t i = 0; i < count; i++) {
			const struct rnv_tensor_rec *t = &pkg->tensors[outputs[i]];

			test->crc = rnv_crc32(test->crc, rnv_exec_tensor(exec, outputs[i]),
					      held_bytes(t));
		}
	} while (status > 0);
}

int rnv_exec_selftest(struct rnv_exec *exec)
{
	const struct rnv_package *pkg = exec->pkg;
	const struct rnv_golden *golden = (const void *)pkg->golden;
	struct selftest test = {.exec = exec};

	if (golden == NULL) {
		return RNV_EINVAL;
	}
	rnv_golden_rewind(&test.walk, golden);
	for (uint32_t i = 0; i < 2u * pkg->entry_count; i++) { /* before and after each run */
		const struct rnv_entry_rec *entry = &pkg->entries[i / 2u];
		bool outputs = i % 2u != 0u;

		if (outputs) {
			run_traced(&test);
		} else if (rnv_exec_start(exec, (uint16_t)(i / 2u)) != RNV_OK) {
			return RNV_ESTATE;
		}
		for (uint32_t k = 0; i == 0u && k < pkg->header->state_bytes; k++) {
			exec->state[k] = 0;
		}
		if (!visit(&test, entry, outputs)) {
			return RNV_EBADMSG;
		}
	}
	return (test.crc == golden->trace_crc) ? RNV_OK : RNV_EBADMSG;
}
