/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* One line about a fault, then the end of the program; works with a broken stack, never hangs. */

#include "fault.h"

#include <baremetal/semihosting.h>
#include <baremetal/start.h>

#include <stdint.h>

#define SCB_CFSR  (*(volatile uint32_t *)0xE000ED28UL)
#define SCB_HFSR  (*(volatile uint32_t *)0xE000ED2CUL)
#define SCB_MMFAR (*(volatile uint32_t *)0xE000ED34UL)
#define SCB_BFAR  (*(volatile uint32_t *)0xE000ED38UL)

#define CFSR_MSTKERR   (1UL << 4)
#define CFSR_MMARVALID (1UL << 7)
#define CFSR_STKERR    (1UL << 12)
#define CFSR_BFARVALID (1UL << 15)
#define CFSR_STKOF     (1UL << 20)

/* Words of the frame that the processor pushes at exception entry. */
#define FRAME_LR 5
#define FRAME_PC 6

#define FAULT_STACK_BYTES 512

/* The report runs on a stack of its own, because the program's may be what is broken. */
uint8_t rnv_fault_stack[FAULT_STACK_BYTES] __attribute__((aligned(8), used));

void rnv_fault_report(const uint32_t *frame);

#define TEXT(x)       #x
#define VALUE_TEXT(x) TEXT(x)
#define STACK_TOP     "rnv_fault_stack + " VALUE_TEXT(FAULT_STACK_BYTES)

__attribute__((naked)) void rnv_fault_entry(void)
{
	__asm__ volatile(
#if __ARM_ARCH >= 8
		"movs r0, #0\n\t"
		"msr msplim, r0\n\t"
#endif
		"mrs r0, msp\n\t"
		"movw r1, #:lower16:" STACK_TOP "\n\t"
		"movt r1, #:upper16:" STACK_TOP "\n\t"
		"msr msp, r1\n\t"
		"b rnv_fault_report\n\t");
}

static const char *exception_name(uint32_t number)
{
	static const char *const names[] = {"Thread",    "Reset",    "NMI",        "HardFault",
					    "MemManage", "BusFault", "UsageFault", "SecureFault"};

	return number < sizeof(names) / sizeof(names[0]) ? names[number] : "unexpected exception";
}

static void field(const char *name, uint32_t value)
{
	rnv_semihost_puts(name);
	rnv_semihost_put_hex(value);
}

__attribute__((used)) void rnv_fault_report(const uint32_t *frame)
{
	uint32_t number;
	uint32_t cfsr = SCB_CFSR;

	__asm__ volatile("mrs %0, ipsr" : "=r"(number));
	rnv_semihost_puts("fault: ");
	rnv_semihost_puts(exception_name(number));
	if ((cfsr & (CFSR_MSTKERR | CFSR_STKERR | CFSR_STKOF)) != 0U) {
		rnv_semihost_puts(" (stack overflow)");
	} else {
		field(" pc=", frame[FRAME_PC]);
		field(" lr=", frame[FRAME_LR]);
	}
	field(" cfsr=", cfsr);
	field(" hfsr=", SCB_HFSR);
	if ((cfsr & CFSR_BFARVALID) != 0U) {
		field(" address=", SCB_BFAR);
	} else if ((cfsr & CFSR_MMARVALID) != 0U) {
		field(" address=", SCB_MMFAR);
	}
	rnv_semihost_puts("\n");
	rnv_semihost_exit(RNV_EXIT_FAULT);
}
