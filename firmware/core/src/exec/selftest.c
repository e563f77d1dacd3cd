/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stddef.h>
#include <string.h>

#include "ranvier/exec.h"
#include "ranvier/status.h"

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

/* Execute all steps; returns the CRC-32 of what each of them writes. */
static uint32_t run_traced(struct rnv_exec *exec)
{
	const struct rnv_package *pkg = exec->pkg;
	uint32_t crc = 0;
	int status;

	do {
		const struct rnv_op_rec *op = &pkg->ops[pkg->steps[exec->step].op];
		const uint16_t *outputs = pkg->operands + op->operand_first + op->input_count;

		status = rnv_exec_step(exec);
		for (uint32_t i = 0; i < op->output_count; i++) {
			crc = rnv_crc32(crc, rnv_exec_tensor(exec, outputs[i]),
					pkg->tensors[outputs[i]].bytes);
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
	fill_inputs(exec, golden);
	if (run_traced(exec) != golden->trace_crc) {
		return RNV_EBADMSG;
	}
	expected = (const uint8_t *)(golden + 1) + golden->input_bytes;
	for (uint16_t i = 0; (tensor = rnv_package_output(pkg, 0, i)) != RNV_NO_TENSOR; i++) {
		uint32_t bytes = pkg->tensors[tensor].bytes;

		if (memcmp(rnv_exec_tensor(exec, tensor), expected, bytes) != 0) {
			return RNV_EBADMSG;
		}
		expected += bytes;
	}
	return RNV_OK;
}
