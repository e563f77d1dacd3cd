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
static void fill_inputs(struct rnv_exec *exec, const struct rnv_golden *golden)
{
	const struct rnv_package *pkg = exec->pkg;
	const uint8_t *stored = (const uint8_t *)(golden + 1);
	uint32_t state = golden->seed;
	uint16_t tensor;

	for (uint16_t i = 0; (tensor = rnv_package_input(pkg, 0, i)) != RNV_NO_TENSOR; i++) {
		uint8_t *data = rnv_exec_tensor(exec, tensor);

		for (uint32_t j = 0; j < pkg->tensors[tensor].bytes; j++) {
			if (golden->kind == RNV_GOLDEN_STORED) {
				data[j] = *stored++;
			} else {
				state = next_random(state);
				data[j] = (uint8_t)(state >> 24);
			}
		}
	}
}

/* True where a step runs its op whole, or the last of its rows. */
static bool completes_op(const struct rnv_package *pkg, const struct rnv_step_rec *step)
{
	struct rnv_op op = {.pkg = pkg, .rec = &pkg->ops[step->op]};
	struct rnv_reach reach;

	if (step->rows == 0u) {
		return true;
	}
	rnv_kernel_of(op.rec)->reach(&op, &reach);
	return step->row0 + step->rows == reach.out_rows;
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
		bool complete = completes_op(pkg, &pkg->steps[exec->step]);

		status = rnv_exec_step(exec);
		for (uint32_t i = 0; complete && i < op->output_count; i++) {
			const struct rnv_tensor_rec *t = &pkg->tensors[outputs[i]];

			crc = rnv_crc32(crc, rnv_exec_tensor(exec, outputs[i]), held_bytes(t));
		}
	} while (status > 0);
	return crc;
}

int rnv_exec_selftest(struct rnv_exec *exec)
{
	const struct rnv_package *pkg = exec->pkg;
	const struct rnv_golden *golden = (const void *)pkg->golden;
	const uint8_t *expected;
	uint16_t tensor;
	int status;

	if (golden == NULL) {
		return RNV_EINVAL;
	}
	status = rnv_exec_start(exec, 0);
	if (status != RNV_OK) {
		return status;
	}
	for (uint32_t i = 0; i < pkg->header->state_bytes; i++) {
		exec->state[i] = 0;
	}
	fill_inputs(exec, golden);
	if (run_traced(exec) != golden->trace_crc) {
		return RNV_EBADMSG;
	}
	expected = (const uint8_t *)(golden + 1) + golden->input_bytes;
	for (uint16_t i = 0; (tensor = rnv_package_output(pkg, 0, i)) != RNV_NO_TENSOR; i++) {
		const uint8_t *data = rnv_exec_tensor(exec, tensor);

		for (uint32_t left = pkg->tensors[tensor].bytes; left != 0u; left--) {
			if (*data++ != *expected++) {
				return RNV_EBADMSG;
			}
		}
	}
	return RNV_OK;
}
