/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stdbool.h>
#include <stddef.h>

#include "ranvier/exec.h"
#include "ranvier/status.h"

#include "exec/exec.h"
#include "kernels/kernel.h"
#include "model/golden.h"

/* Marsaglia's xorshift32; the package writer's generator is the same. */
static uint32_t next_random(uint32_t x)
{
	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return x;
}

/* A self-test under way: what is left of the generator, or of the stored bytes. */
struct selftest {
	struct rnv_exec *exec;
	const struct rnv_golden *golden;
	const uint8_t *stored;   /* the next input's bytes */
	const uint8_t *expected; /* the next output's */
	uint32_t random;
	uint32_t crc; /* of what every op has written when it is complete */
};

/* Fill every input of an entry point from the generator or from the stored bytes. */
static void fill_inputs(struct selftest *test, const struct rnv_entry_rec *entry)
{
	const struct rnv_package *pkg = test->exec->pkg;
	const uint16_t *inputs = pkg->operands + entry->input_first;

	for (uint32_t i = 0; i < entry->input_count; i++) {
		uint8_t *data = rnv_exec_tensor(test->exec, inputs[i]);
		const uint8_t *end = data + pkg->tensors[inputs[i]].bytes;

		while (data != end) {
			if (test->golden->kind == RNV_GOLDEN_STORED) {
				*data++ = *test->stored++;
			} else {
				test->random = next_random(test->random);
				*data++ = (uint8_t)(test->random >> 24);
			}
		}
	}
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

/* True where every output of an entry point is as stored. */
static bool outputs_match(struct selftest *test, const struct rnv_entry_rec *entry)
{
	const struct rnv_package *pkg = test->exec->pkg;
	const uint16_t *outputs = pkg->operands + entry->output_first;

	for (uint32_t i = 0; i < entry->output_count; i++) {
		const uint8_t *data = rnv_exec_tensor(test->exec, outputs[i]);
		const uint8_t *end = data + pkg->tensors[outputs[i]].bytes;

		while (data != end) {
			if (*data++ != *test->expected++) {
				return false;
			}
		}
	}
	return true;
}

int rnv_exec_selftest(struct rnv_exec *exec)
{
	const struct rnv_package *pkg = exec->pkg;
	struct selftest test = {.exec = exec, .golden = (const void *)pkg->golden};

	if (test.golden == NULL) {
		return RNV_EINVAL;
	}
	for (uint32_t i = 0; i < pkg->entry_count; i++) {
		if (!rnv_exec_is_ready(exec, &pkg->entries[i])) {
			return RNV_ESTATE;
		}
	}
	for (uint32_t i = 0; i < pkg->header->state_bytes; i++) {
		exec->state[i] = 0;
	}
	test.random = test.golden->seed;
	test.stored = (const uint8_t *)(test.golden + 1);
	test.expected = test.stored + test.golden->input_bytes;
	for (uint16_t i = 0; i < pkg->entry_count; i++) {
		(void)rnv_exec_start(exec, i);
		fill_inputs(&test, &pkg->entries[i]);
		run_traced(&test);
		if (!outputs_match(&test, &pkg->entries[i])) {
			return RNV_EBADMSG;
		}
	}
	return (test.crc == test.golden->trace_crc) ? RNV_OK : RNV_EBADMSG;
}
