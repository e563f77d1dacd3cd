/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Exercises the bare-metal port itself, one check per run, named on the command line:
 *   copy IN OUT | exit CODE | stack BYTES | vector | dsp | unaligned | loop N | fault KIND
 */

#include <baremetal/semihosting.h>
#include <baremetal/start.h>

#include <stdint.h>
#include <string.h>

#include "roi.h"

#define MAX_ARGS     4
#define VECTOR_ITEMS 64
#define EXIT_USAGE   64

RNV_ROI(loop)

static volatile int32_t initialised = 0x12345678;
static volatile int32_t zeroed;
static uint8_t buffer[1000];

static int32_t number(const char *text)
{
	int32_t value = 0;

	while (*text >= '0' && *text <= '9') {
		value = value * 10 + (*text++ - '0');
	}
	return value;
}

/* Copies through a buffer that divides neither file nor block sizes. */
static int copy(const char *from, const char *to)
{
	int in = rnv_semihost_open(from, RNV_SEMIHOST_READ);
	int out = rnv_semihost_open(to, RNV_SEMIHOST_WRITE);
	size_t bytes;

	if (in < 0 || out < 0) {
		rnv_semihost_puts("open: ");
		rnv_semihost_put_i32(in < 0 ? in : out);
		rnv_semihost_puts("\n");
		return 1;
	}
	rnv_semihost_puts("length: ");
	rnv_semihost_put_i32(rnv_semihost_length(in));
	rnv_semihost_puts("\n");
	do {
		bytes = rnv_semihost_read(in, buffer, sizeof(buffer));
		if (rnv_semihost_write(out, buffer, bytes) != bytes) {
			return 2;
		}
	} while (bytes == sizeof(buffer));
	return rnv_semihost_close(in) != 0 || rnv_semihost_close(out) != 0 ? 3 : 0;
}

static void __attribute__((noinline)) use_stack(uint32_t bytes)
{
	volatile uint8_t *memory = __builtin_alloca(bytes);

	for (uint32_t i = 0; i < bytes; i++) {
		memory[i] = (uint8_t)i;
	}
}

static int stack(uint32_t bytes)
{
	size_t before;

	rnv_stack_paint();
	before = rnv_stack_high_water();
	use_stack(bytes);
	rnv_semihost_puts("stack: ");
	rnv_semihost_put_i32((int32_t)(rnv_stack_high_water() - before));
	rnv_semihost_puts("\n");
	return 0;
}

/* Executes floating point, and MVE where there is one; the compiler cannot know the operands. */
static int vector(void)
{
	volatile float a = 1.5F;
	volatile float b = 2.25F;
	int32_t sum = 0;

	for (int32_t i = 0; i < VECTOR_ITEMS; i++) {
		buffer[i] = (uint8_t)i;
	}
#if defined(__ARM_FEATURE_MVE)
	for (int32_t i = 0; i < VECTOR_ITEMS; i += 16) {
		__asm__ volatile("vldrb.u8 q0, [%1]\n\t"
				 "vaddva.u8 %0, q0"
				 : "+Te"(sum)
				 : "r"(&buffer[i])
				 : "q0", "memory");
	}
	rnv_semihost_puts("mve ");
#else
	for (int32_t i = 0; i < VECTOR_ITEMS; i++) {
		sum += buffer[i];
	}
#endif
	rnv_semihost_puts("vector: ");
	rnv_semihost_put_i32(sum + (int32_t)(a * b * 1000.0F));
	rnv_semihost_puts("\n");
	return 0;
}

/*
 * Executes an instruction of the DSP extension for which QEMU checks that the CPU has it. Encoded,
 * because the compiler may be told that there is none: sadd16 r0, r0, r1.
 */
static int dsp(void)
{
	register uint32_t r0 __asm__("r0") = (7U << 16) | 3U;
	register uint32_t r1 __asm__("r1") = (11U << 16) | 5U;
	uint32_t sum;

	__asm__ volatile(".inst.w 0xfa90f001" : "+r"(r0) : "r"(r1));
	sum = r0;
	rnv_semihost_puts("dsp: ");
	rnv_semihost_put_i32((int32_t)sum);
	rnv_semihost_puts("\n");
	return 0;
}

/* Two instructions a turn, one before the loop. */
static void __attribute__((noinline)) loop(int32_t turns)
{
	ROI_BEGIN(loop);
	__asm__ volatile("1: subs %0, %0, #1\n\t"
			 "bne 1b"
			 : "+r"(turns)
			 :
			 : "cc");
	ROI_END(loop);
}

static int fault(const char *kind)
{
	volatile uint32_t zero = 0U;

	if (strcmp(kind, "bus") == 0) {
		return (int)*(volatile uint32_t *)0xF0000000UL;
	}
	if (strcmp(kind, "undefined") == 0) {
		__asm__ volatile("udf #0");
	}
	if (strcmp(kind, "divide") == 0) {
		return (int)(1000U / zero);
	}
	return 0;
}

static int unaligned(void)
{
	uint32_t value;

	memset(buffer, 0x11, 8);
	__asm__ volatile("ldr %0, [%1]" : "=r"(value) : "r"(&buffer[1]) : "memory");
	return value == 0x11111111U ? 0 : 1;
}

int main(void)
{
	char line[256];
	char *argv[MAX_ARGS];
	int argc = rnv_roi_start(rnv_semihost_args(line, sizeof(line), argv, MAX_ARGS), argv);

	if (initialised != 0x12345678 || zeroed != 0) {
		rnv_semihost_puts("start-up left .data or .bss wrong\n");
		return 1;
	}
	if (argc == 4 && strcmp(argv[1], "copy") == 0) {
		return copy(argv[2], argv[3]);
	}
	if (argc == 3 && strcmp(argv[1], "exit") == 0) {
		return (int)number(argv[2]);
	}
	if (argc == 3 && strcmp(argv[1], "stack") == 0) {
		return stack((uint32_t)number(argv[2]));
	}
	if (argc == 3 && strcmp(argv[1], "loop") == 0) {
		loop(number(argv[2]));
		loop(2 * number(argv[2]));
		rnv_roi_print();
		return 0;
	}
	if (argc == 3 && strcmp(argv[1], "fault") == 0) {
		return fault(argv[2]);
	}
	if (argc == 2 && strcmp(argv[1], "vector") == 0) {
		return vector();
	}
	if (argc == 2 && strcmp(argv[1], "dsp") == 0) {
		return dsp();
	}
	if (argc == 2 && strcmp(argv[1], "unaligned") == 0) {
		return unaligned();
	}
	rnv_semihost_puts(
		"usage: copy IN OUT | exit CODE | stack BYTES | vector | dsp | unaligned | "
		"loop N | fault bus|undefined|divide\n");
	return EXIT_USAGE;
}
