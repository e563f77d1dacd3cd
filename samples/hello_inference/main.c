/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Names the digit on one frame: opens the package that is linked in, gives it memory, and runs it
 * step by step. The same on a host and on a bare-metal Cortex-M; all memory is static.
 */

#include <stddef.h>
#include <stdint.h>

#include <ranvier/exec.h>
#include <ranvier/package.h>
#include <ranvier/status.h>

#include "console.h"
#include "frame.h"
#include "ranvier_digits.h"

#define INPUT_BYTES  RANVIER_DIGITS_INPUT_0_BYTES
#define OUTPUT_BYTES RANVIER_DIGITS_OUTPUT_0_BYTES

_Static_assert(sizeof(frame) == INPUT_BYTES, "the frame has another size than the model's input");

static _Alignas(RNV_PACKAGE_ALIGN) uint8_t arena[RANVIER_DIGITS_ARENA_BYTES];
static void *externals[RANVIER_DIGITS_EXTERNAL_COUNT];
static int8_t input[INPUT_BYTES];
static int8_t output[OUTPUT_BYTES];

static struct rnv_package package;
static struct rnv_exec exec;

static int failed(const char *what, int status)
{
	console_text(what);
	console_text(": ");
	console_number(status);
	console_text("\n");
	return status;
}

static void print_size(const char *name, size_t bytes)
{
	console_text(name);
	console_number((int32_t)bytes);
}

/* Why the package was refused; of an op that is not linked only the code is known here. */
static int refused(const struct rnv_diag *diag, int status)
{
	console_text(rnv_what_name(diag->what));
	print_size(": index ", diag->index);
	print_size(", value ", diag->value);
	console_text("\n");
	if (diag->what == RNV_WHAT_OP_CODE) {
		print_size("op code ", diag->value);
		console_text(": run `ranvier ops model.rnv` and link what it prints\n");
	}
	return failed("package", status);
}

static int open_package(void)
{
	struct rnv_diag diag;
	int status = rnv_package_open(&package, ranvier_digits, sizeof(ranvier_digits), 0, &diag);
	const struct rnv_header *header;

	if (status != RNV_OK) {
		return refused(&diag, status);
	}
	header = rnv_package_header(&package);
	console_text("model ");
	console_text((const char *)header->name);
	print_size(": flash ", header->total_bytes);
	print_size(" bytes\nRAM: arena ", sizeof(arena));
	print_size(" + input ", sizeof(input));
	print_size(" + output ", sizeof(output));
	print_size(" + view ", sizeof(package) + sizeof(exec) + sizeof(externals));
	print_size(" = ", sizeof(arena) + sizeof(input) + sizeof(output) + sizeof(package) +
				  sizeof(exec) + sizeof(externals));
	console_text(" bytes\n");
	return RNV_OK;
}

static int give_memory(void)
{
	int status = rnv_exec_init(&exec, &package, arena, sizeof(arena), externals,
				   RANVIER_DIGITS_EXTERNAL_COUNT);

	if (status == RNV_OK) {
		status = rnv_exec_bind(&exec, rnv_package_input(&package, 0, 0), input,
				       sizeof(input));
	}
	if (status == RNV_OK) {
		status = rnv_exec_bind(&exec, rnv_package_output(&package, 0, 0), output,
				       sizeof(output));
	}
	return (status == RNV_OK) ? RNV_OK : failed("memory", status);
}

/* The model takes real numbers from 0 (black) to 1 (white), quantised. */
static void fill_input(void)
{
	for (size_t i = 0; i < INPUT_BYTES; i++) {
		float steps = (float)frame[i] / 255.0f / RANVIER_DIGITS_INPUT_0_SCALE;

		input[i] = (int8_t)((int32_t)(steps + 0.5f) + RANVIER_DIGITS_INPUT_0_ZERO_POINT);
	}
}

/* One line for each tensor that the step wrote: its shape and the CRC of its bytes. */
static void print_step(uint16_t step)
{
	const struct rnv_tensor_rec *rec;

	for (uint16_t tensor = 0; (rec = rnv_package_tensor(&package, tensor)) != NULL; tensor++) {
		if (rec->first_step != step || rec->storage == RNV_STORAGE_CONST ||
		    (rec->flags & RNV_TENSOR_INPUT) != 0U) {
			continue;
		}
		console_text("step ");
		console_number(step);
		console_text(":");
		for (uint32_t i = 0; i < rec->rank; i++) {
			console_text((i == 0U) ? " " : "x");
			console_number((int32_t)rec->dims[i]);
		}
		console_text(" crc ");
		console_hex(rnv_crc32(0, rnv_exec_tensor(&exec, tensor), rec->bytes));
		console_text("\n");
	}
}

static int run(void)
{
	int status = rnv_exec_start(&exec, 0);

	if (status != RNV_OK) {
		return failed("start", status);
	}
	do { /* between two steps an application may do anything else, or drop the run */
		uint16_t step = rnv_exec_next(&exec);

		status = rnv_exec_step(&exec);
		print_step(step);
	} while (status > 0);
	return status;
}

static void print_result(void)
{
	uint16_t best = 0;
	int32_t per_mille;

	console_text("scores:");
	for (uint16_t i = 0; i < OUTPUT_BYTES; i++) {
		console_text(" ");
		console_number(output[i]);
		if (output[i] > output[best]) {
			best = i;
		}
	}
	per_mille = (int32_t)(1000.0f * RANVIER_DIGITS_OUTPUT_0_SCALE *
				      (float)(output[best] - RANVIER_DIGITS_OUTPUT_0_ZERO_POINT) +
			      0.5f);
	console_text("\ndigit: ");
	console_text(rnv_package_label(&package, best));
	console_text(", ");
	console_number(per_mille / 10);
	console_text(".");
	console_number(per_mille % 10);
	console_text(" %\n");
}

int main(void)
{
	if (open_package() != RNV_OK || give_memory() != RNV_OK) {
		return 1;
	}
	fill_input();
	if (run() != RNV_OK) {
		return 1;
	}
	print_result();
	return 0;
}
