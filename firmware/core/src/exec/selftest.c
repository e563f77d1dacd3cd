/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stdbool.h>
#include <stddef.h>

#include "ranvier/exec.h"
#include "ranvier/status.h"

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

/* Fill every input from the generator or from the stored bytes. */
static void fill_inputs(const struct rnv_exec *exec, const struct rnv_golden *golden)
{
	const struct rnv_package *pkg = exec->pkg;
	const uint16_t *inputs = pkg->operands + pkg->entries[0].input_first;
	const uint8_t *stored = (const uint8_t *)(golden + 1);
	uint32_t state = golden->seed;

	for (uint32_t i = 0; i < pkg->entries[0].input_count; i++) {
		uint8_t *data = rnv_exec_tensor(exec, inputs[i]);

		const uint8_t *end = data + pkg->tensors[inputs[i]].bytes;

		while (data != end) {
			if (golden->kind == RNV_GOLDEN_STORED) {
				*data++ = *stored++;
			} else {
				state = next_random(state);
				*data++ = (uint8_t)(state >> 24);
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

/* Execute all steps; returns the CRC-32 of what every op has written when it is complete. */
static uint32_t run_traced(struct rnv_exec *exec)
{
	const struct rnv_package *pkg = exec->pkg;
	uint32_t crc = 0;
	int status;

	do {
		const struct rnv_op_rec *op = &pkg->ops[pkg->steps[exec->step].op];
		const uint16_t *outputs = pkg->operands + op->operand_first + op->input_count;
		uint32_t count = completes_op(exec) ? op->output_count : 0u;

		status = rnv_exec_step(exec);
		for (uint32_t i = 0; i < count; i++) {
			const struct rnv_tensor_rec *t = &pkg->tensors[outputs[i]];

			crc = rnv_crc32(crc, rnv_exec_tensor(exec, outputs[i]), held_bytes(t));
		}
	} while (status > 0);
	return crc;
}

/* True where every output is as stored. */
static bool outputs_match(const struct rnv_exec *exec, const uint8_t *expected)
{
	const struct rnv_package *pkg = exec->pkg;
	const uint16_t *outputs = pkg->operands + pkg->entries[0].output_first;

	for (uint32_t i = 0; i < pkg->entries[0].output_count; i++) {
		const uint8_t *data = rnv_exec_tensor(exec, outputs[i]);

		const uint8_t *end = data + pkg->tensors[outputs[i]].bytes;

		while (data != end) {
			if (*data++ != *expected++) {
				return false;
			}
		}
	}
	return true;
}

int rnv_exec_selftest(struct rnv_exec *exec)
{
	const struct rnv_golden *golden = (const void *)exec->pkg->golden;
	int status;

	if (golden == NULL) {
		return RNV_EINVAL;
	}
	status = rnv_exec_start(exec, 0);
	if (status != RNV_OK) {
		return status;
	}
	for (uint32_t i = 0; i < exec->pkg->header->state_bytes; i++) {
		exec->state[i] = 0;
	}
	fill_inputs(exec, golden);
	if (run_traced(exec) != golden->trace_crc ||
	    !outputs_match(exec, (const uint8_t *)(golden + 1) + golden->input_bytes)) {
		return RNV_EBADMSG;
	}
	return RNV_OK;
}
