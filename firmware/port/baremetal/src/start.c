/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Vector table and reset. Register addresses: Arm v7-M and v8-M Architecture Reference Manuals. */

#include <baremetal/semihosting.h>
#include <baremetal/start.h>

#include <stdint.h>
#include <string.h>

#include "fault.h"

#define SCB_CCR   (*(volatile uint32_t *)0xE000ED14UL)
#define SCB_SHCSR (*(volatile uint32_t *)0xE000ED24UL)
#define SCB_CPACR (*(volatile uint32_t *)0xE000ED88UL)

#define MPU_CTRL (*(volatile uint32_t *)0xE000ED94UL)
#define MPU_RBAR (*(volatile uint32_t *)0xE000ED9CUL)
#define MPU_RASR (*(volatile uint32_t *)0xE000EDA0UL)

#define CCR_UNALIGN_TRP   (1UL << 3)
#define CCR_DIV_0_TRP     (1UL << 4)
#define CCR_BRANCH_CACHES (3UL << 18) /* v8.1-M: branch prediction and low-overhead loops */
#define SHCSR_ALL_FAULTS  (0xFUL << 16)
#define CPACR_CP10_CP11   (0xFUL << 20)

#define MPU_RBAR_REGION_0   (1UL << 4)
#define MPU_RASR_NO_ACCESS  (1UL << 28) /* access permission 0, execute never */
#define MPU_RASR_64_KB      (15UL << 1)
#define MPU_RASR_ENABLE     1UL
#define MPU_CTRL_ENABLE     1UL
#define MPU_CTRL_PRIVDEFENA (1UL << 2) /* the default map applies elsewhere */
#define STACK_GUARD_BYTES   0x10000UL

#define STACK_PAINT 0xA5C3F00DUL

/* Defined by the linker script. */
extern uint32_t rnv_ld_stack_bottom[];
extern uint32_t rnv_ld_stack_top[];
extern uint8_t rnv_ld_data_start[];
extern uint8_t rnv_ld_data_end[];
extern const uint8_t rnv_ld_data_load[];
extern uint8_t rnv_ld_bss_start[];
extern uint8_t rnv_ld_bss_end[];

int main(void);
void rnv_reset(void);

/* Volatile, so that no memset is called whose frame would lie in the memory being painted. */
void rnv_stack_paint(void)
{
	uint32_t sp;

	__asm__ volatile("mov %0, sp" : "=r"(sp));
	for (volatile uint32_t *p = rnv_ld_stack_bottom; (uint32_t)(uintptr_t)p < sp; p++) {
		*p = STACK_PAINT;
	}
}

size_t rnv_stack_high_water(void)
{
	const volatile uint32_t *p = rnv_ld_stack_bottom;

	while (p < rnv_ld_stack_top && *p == STACK_PAINT) {
		p++;
	}
	return (size_t)((uintptr_t)rnv_ld_stack_top - (uintptr_t)p);
}

/* Not inlined into reset: these may use vector registers, which reset enables first. */
static void __attribute__((noinline)) run(void)
{
	memcpy(rnv_ld_data_start, rnv_ld_data_load, (size_t)(rnv_ld_data_end - rnv_ld_data_start));
	memset(rnv_ld_bss_start, 0, (size_t)(rnv_ld_bss_end - rnv_ld_bss_start));
	rnv_stack_paint();
	rnv_semihost_exit(main());
}

/* Makes a stack overflow a fault: v8-M has a limit register, before it an MPU region serves. */
static inline void guard_stack(void)
{
	uint32_t bottom = (uint32_t)(uintptr_t)rnv_ld_stack_bottom;

#if __ARM_ARCH >= 8
	__asm__ volatile("msr msplim, %0" : : "r"(bottom));
#else
	MPU_RBAR = (bottom - STACK_GUARD_BYTES) | MPU_RBAR_REGION_0;
	MPU_RASR = MPU_RASR_NO_ACCESS | MPU_RASR_64_KB | MPU_RASR_ENABLE;
	MPU_CTRL = MPU_CTRL_PRIVDEFENA | MPU_CTRL_ENABLE;
#endif
}

void rnv_reset(void)
{
	SCB_SHCSR |= SHCSR_ALL_FAULTS;
	SCB_CCR = (SCB_CCR & ~CCR_UNALIGN_TRP) | CCR_DIV_0_TRP;
#if defined(__ARM_FP) || defined(__ARM_FEATURE_MVE)
	SCB_CPACR |= CPACR_CP10_CP11;
#endif
#if defined(__ARM_FEATURE_MVE)
	SCB_CCR |= CCR_BRANCH_CACHES;
#endif
	guard_stack();
	__asm__ volatile("dsb\n\tisb" : : : "memory");
	run();
}

/* No interrupt is ever enabled, so the table ends with the system exceptions. */
__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {
	rnv_ld_stack_top,
	(const void *)rnv_reset,
	(const void *)rnv_fault_entry, /* NMI */
	(const void *)rnv_fault_entry, /* HardFault */
	(const void *)rnv_fault_entry, /* MemManage */
	(const void *)rnv_fault_entry, /* BusFault */
	(const void *)rnv_fault_entry, /* UsageFault */
	(const void *)rnv_fault_entry, /* SecureFault */
	NULL,
	NULL,
	NULL,
	(const void *)rnv_fault_entry, /* SVCall */
	(const void *)rnv_fault_entry, /* DebugMonitor */
	NULL,
	(const void *)rnv_fault_entry, /* PendSV */
	(const void *)rnv_fault_entry, /* SysTick */
};
