/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Runs a package on a Cortex-M:  runner PACKAGE INPUTS OUTPUTS
 *
 * INPUTS holds any number of input sets one after the other; a set is the bytes of all inputs of
 * the first entry point in order. OUTPUTS receives the outputs of each set in the same way. State
 * is zero at first and lasts from set to set. Sizes are printed as lines "name value". The regions
 * open (with CRC), verify (the same without CRC), infer and in it each step can be counted; see
 * roi.h. Any error is a message and exit code 1.
 */

#include <baremetal/semihosting.h>
#include <baremetal/start.h>
#include <ranvier/exec.h>
#include <ranvier/package.h>
#include <ranvier/status.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "roi.h"

#define MAX_PACKAGE_BYTES (1024U * 1024U)
#define MAX_ARENA_BYTES   (128U * 1024U)
#define MAX_IO_BYTES      (128U * 1024U)
#define MAX_STATE_BYTES   (16U * 1024U)
#define MAX_EXTERNALS     16U
#define MAX_ENTRIES       8U
#define MAX_ARGS          5
#define CANARY_BYTES      64U
#define POISON            0xA5

RNV_ROI(open)
RNV_ROI(verify)
RNV_ROI(infer)
RNV_ROI(step)

static uint8_t package_memory[MAX_PACKAGE_BYTES] __attribute__((aligned(16)));
static uint8_t arena[MAX_ARENA_BYTES + CANARY_BYTES] __attribute__((aligned(16)));
static uint8_t io_memory[MAX_IO_BYTES] __attribute__((aligned(16)));
static uint8_t state[MAX_STATE_BYTES] __attribute__((aligned(16)));
static void *externals[MAX_EXTERNALS];

static struct rnv_package package;
static struct rnv_exec exec;

static void __attribute__((noreturn)) fail(const char *what, int32_t status)
{
	rnv_semihost_puts("runner: ");
	rnv_semihost_puts(what);
	rnv_semihost_puts(": ");
	rnv_semihost_put_i32(status);
	rnv_semihost_puts("\n");
	rnv_semihost_exit(1);
}

static void must(int status, const char *what)
{
	if (status < 0) {
		fail(what, status);
	}
}

static void print(const char *name, uint32_t value)
{
	rnv_semihost_puts(name);
	rnv_semihost_puts(" ");
	rnv_semihost_put_i32((int32_t)value);
	rnv_semihost_puts("\n");
}

static int open_file(const char *path, enum rnv_semihost_mode mode)
{
	int file = rnv_semihost_open(path, mode);

	must(file, path);
	return file;
}

static uint32_t read_package(const char *path)
{
	int file = open_file(path, RNV_SEMIHOST_READ);
	int32_t bytes = rnv_semihost_length(file);

	must(bytes, "length of the package");
	if ((uint32_t)bytes > MAX_PACKAGE_BYTES) {
		fail("package is larger than this program's memory", bytes);
	}
	if (rnv_semihost_read(file, package_memory, (size_t)bytes) != (size_t)bytes) {
		fail("package cannot be read whole", bytes);
	}
	must(rnv_semihost_close(file), "closing the package");
	return (uint32_t)bytes;
}

static void open_package(uint32_t bytes)
{
	struct rnv_diag diag = {0};
	size_t stack_before;
	int status;

	ROI_BEGIN(verify);
	(void)rnv_package_open(&package, package_memory, bytes, RNV_OPEN_SKIP_CRC, NULL);
	ROI_END(verify);
	rnv_stack_paint();
	stack_before = rnv_stack_high_water();
	ROI_BEGIN(open);
	status = rnv_package_open(&package, package_memory, bytes, 0, &diag);
	ROI_END(open);
	print("open_stack_bytes", (uint32_t)(rnv_stack_high_water() - stack_before));
	if (status != RNV_OK) {
		print("diag_index", diag.index);
		print("diag_value", diag.value);
		fail(rnv_what_name(diag.what), status);
	}
}

static uint16_t entry_tensor(uint16_t entry, bool output, uint16_t index)
{
	return output ? rnv_package_output(&package, entry, index)
		      : rnv_package_input(&package, entry, index);
}

static uint16_t io_tensor(bool output, uint16_t index)
{
	return entry_tensor(0, output, index);
}

/*
 * Gives memory to the external inputs or outputs of an entry point, from `used` bytes on; returns
 * the bytes then in use.
 */
static uint32_t bind(uint16_t entry, bool output, uint32_t used)
{
	uint16_t tensor;

	for (uint16_t i = 0; (tensor = entry_tensor(entry, output, i)) != RNV_NO_TENSOR; i++) {
		const struct rnv_tensor_rec *rec = rnv_package_tensor(&package, tensor);

		if (rec->storage != RNV_STORAGE_EXTERNAL) {
			continue;
		}
		if (rec->bytes > MAX_IO_BYTES - used) {
			fail("inputs and outputs exceed this program's memory",
			     (int32_t)rec->bytes);
		}
		must(rnv_exec_bind(&exec, tensor, &io_memory[used], rec->bytes), "rnv_exec_bind");
		used += (rec->bytes + 15U) & ~15U;
	}
	return used;
}

static void prepare(void)
{
	const struct rnv_header *header = rnv_package_header(&package);
	uint32_t used = 0U;

	print("arena_bytes", header->arena_bytes);
	print("state_bytes", header->state_bytes);
	print("io_bytes", header->io_bytes);
	print("view_bytes", sizeof(package));
	print("exec_bytes", sizeof(exec));
	print("externals_bytes", header->external_count * sizeof(externals[0]));
	if (header->arena_bytes > MAX_ARENA_BYTES) {
		fail("arena exceeds this program's memory", (int32_t)header->arena_bytes);
	}
	must(rnv_exec_init(&exec, &package, arena, header->arena_bytes, externals, MAX_EXTERNALS),
	     "rnv_exec_init");
	if (header->state_bytes > MAX_STATE_BYTES) {
		fail("state exceeds this program's memory", (int32_t)header->state_bytes);
	}
	if (header->state_bytes != 0U) {
		must(rnv_exec_set_state(&exec, state, header->state_bytes), "rnv_exec_set_state");
	}
	for (uint16_t entry = 0; entry < MAX_ENTRIES; entry++) { /* the self-test runs them all */
		used = bind(entry, true, bind(entry, false, used));
	}
}

/* Moves one set of inputs from the file to memory; false at the end of the file. */
static bool read_inputs(int file)
{
	uint16_t tensor;

	for (uint16_t i = 0; (tensor = io_tensor(false, i)) != RNV_NO_TENSOR; i++) {
		uint32_t bytes = rnv_package_tensor(&package, tensor)->bytes;
		size_t got = rnv_semihost_read(file, rnv_exec_tensor(&exec, tensor), bytes);

		if (got == 0U && i == 0U) {
			return false;
		}
		if (got != bytes) {
			fail("inputs end inside a set; bytes missing", (int32_t)(bytes - got));
		}
	}
	return true;
}

static void write_outputs(int file)
{
	uint16_t tensor;

	for (uint16_t i = 0; (tensor = io_tensor(true, i)) != RNV_NO_TENSOR; i++) {
		uint32_t bytes = rnv_package_tensor(&package, tensor)->bytes;

		if (rnv_semihost_write(file, rnv_exec_tensor(&exec, tensor), bytes) != bytes) {
			fail("outputs cannot be written", (int32_t)bytes);
		}
	}
}

/* Results must not depend on old arena content, and nothing may be written behind the arena. */
static void check_canary(uint32_t arena_bytes)
{
	for (uint32_t i = 0; i < CANARY_BYTES; i++) {
		if (arena[arena_bytes + i] != POISON) {
			fail("written behind the arena, at byte", (int32_t)(arena_bytes + i));
		}
	}
}

/* As rnv_exec_run(), with markers around each step. */
static int run_steps(void)
{
	int status = rnv_exec_start(&exec, 0);
	bool more = status == RNV_OK;

	while (more) {
		ROI_BEGIN(step);
		more = rnv_exec_step(&exec) == 1;
		ROI_END(step);
	}
	return status;
}

static uint32_t run_sets(int inputs, int outputs)
{
	uint32_t arena_bytes = rnv_package_header(&package)->arena_bytes;
	size_t stack_most = 0U;
	uint32_t sets = 0U;

	for (;;) {
		size_t stack_before;
		size_t stack_used;
		int status;

		memset(arena, POISON, arena_bytes + CANARY_BYTES);
		if (!read_inputs(inputs)) {
			break;
		}
		rnv_stack_paint();
		stack_before = rnv_stack_high_water();
		ROI_BEGIN(infer);
		status = run_steps();
		ROI_END(infer);
		stack_used = rnv_stack_high_water() - stack_before;
		stack_most = stack_used > stack_most ? stack_used : stack_most;
		must(status, "rnv_exec_run");
		check_canary(arena_bytes);
		write_outputs(outputs);
		sets++;
	}
	print("infer_stack_bytes", (uint32_t)stack_most);
	return sets;
}

int main(void)
{
	char line[256];
	char *argv[MAX_ARGS];
	int argc = rnv_roi_start(rnv_semihost_args(line, sizeof(line), argv, MAX_ARGS), argv);
	uint32_t bytes;
	int inputs;
	int outputs;
	int selftest;

	if (argc != 4) {
		fail("usage: runner PACKAGE INPUTS OUTPUTS", argc);
	}
	bytes = read_package(argv[1]);
	print("package_bytes", bytes);
	open_package(bytes);
	prepare();
	inputs = open_file(argv[2], RNV_SEMIHOST_READ);
	outputs = open_file(argv[3], RNV_SEMIHOST_WRITE);
	print("sets", run_sets(inputs, outputs));
	rnv_roi_print();
	must(rnv_semihost_close(inputs), "closing the inputs");
	must(rnv_semihost_close(outputs), "closing the outputs");
	selftest = rnv_exec_selftest(&exec);
	print("selftest", (uint32_t)selftest);
	if (selftest == RNV_EBADMSG) {
		fail("self-test of the package", selftest);
	}
	return 0;
}
