/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Threads that touch what they must not, and what the application's handler is told of it. */

#include <string.h>

#include <zephyr/arch/arm/arch.h>
#include <zephyr/devicetree.h>
#include <zephyr/fatal.h>
#include <zephyr/kernel.h>

#include <ranvier/zephyr/fault.h>
#include <ranvier/zephyr/park.h>

#include "bench.h"

#define REMOTE_IMAGE DT_REG_ADDR(DT_NODELABEL(ranvier_remote_image))
#define REMOTE_RAM   DT_REG_ADDR(DT_NODELABEL(ranvier_remote_ram))
#define SHARED       DT_REG_ADDR(DT_CHOSEN(zephyr_ipc_shm))
#define THUMB        1u

static K_THREAD_STACK_DEFINE(stack, 1024);
static struct k_thread thread;

static uint32_t faults;
static unsigned int last_reason;
static bool last_was_guard;
static bool went_on;
static struct arch_esf last_esf;

/* The application's own: here all threads that fault are aborted. */
void k_sys_fatal_error_handler(unsigned int reason, const struct arch_esf *esf)
{
	faults++;
	last_reason = reason;
	last_was_guard = rnv_fault_is_guard(reason, esf);
	last_esf = *esf;
}

static void write_to(void *address, void *p2, void *p3)
{
	ARG_UNUSED(p2);
	ARG_UNUSED(p3);
	*(volatile uint32_t *)address = 0;
	went_on = true;
}

static void read_service(void *address, void *p2, void *p3)
{
	ARG_UNUSED(p2);
	ARG_UNUSED(p3);
	rnv_runtime_service_stats(address);
	went_on = true;
}

static void read_parks(void *address, void *p2, void *p3)
{
	ARG_UNUSED(p2);
	ARG_UNUSED(p3);
	rnv_runtime_parks_get(address);
	went_on = true;
}

static void execute(void *address, void *p2, void *p3)
{
	ARG_UNUSED(p2);
	ARG_UNUSED(p3);
	((void (*)(void))address)();
	went_on = true;
}

static void undefined(void *p1, void *p2, void *p3)
{
	ARG_UNUSED(p1);
	ARG_UNUSED(p2);
	ARG_UNUSED(p3);
	__asm__ volatile("udf #0");
	went_on = true;
}

/* A thread that faults, and all else goes on. */
static void expect_fault(k_thread_entry_t entry, uint32_t address)
{
	const uint32_t before = faults;

	went_on = false;
	(void)k_thread_create(&thread, stack, K_THREAD_STACK_SIZEOF(stack), entry,
			      UINT_TO_POINTER(address), NULL, NULL, K_PRIO_PREEMPT(10), 0,
			      K_NO_WAIT);
	zassert_ok(k_thread_join(&thread, K_MSEC(LONG_MS)));
	zassert_equal(faults, before + 1u);
	zassert_false(went_on);
	local_expect_right();
	remote_expect_right(3);
}

ZTEST(ipc, test_guarded_memory)
{
	const uint32_t of_second_core = *(volatile uint32_t *)REMOTE_RAM;

	expect_fault(write_to, REMOTE_RAM);
	zassert_true(last_was_guard);
	zassert_equal(last_reason, K_ERR_ARM_MEM_DATA_ACCESS);
	zassert_equal(*(volatile uint32_t *)REMOTE_RAM, of_second_core);
	expect_fault(write_to, REMOTE_IMAGE);
	zassert_true(last_was_guard);
	expect_fault(write_to, (uint32_t)&expect_fault & ~3u); /* this core's code */
	zassert_true(last_was_guard);
	expect_fault(write_to, 0); /* a null pointer */
	zassert_true(last_was_guard);
	expect_fault(execute, SHARED | THUMB);
	zassert_true(last_was_guard);
	zassert_equal(last_reason, K_ERR_ARM_MEM_INSTRUCTION_ACCESS);
	expect_fault(execute, REMOTE_RAM | THUMB);
	zassert_true(last_was_guard);
	zassert_equal(last_reason, K_ERR_ARM_MEM_INSTRUCTION_ACCESS);
}

/* The pointer of a call: no lock stays behind. */
ZTEST(ipc, test_stray_pointer_of_a_call)
{
	expect_fault(read_service, REMOTE_RAM);
	zassert_true(last_was_guard);
	(void)service_stats();
	expect_fault(read_parks, REMOTE_RAM);
	zassert_true(last_was_guard);
	zassert_ok(rnv_runtime_park_begin());
	zassert_ok(rnv_runtime_park_end());
}

static uint32_t service_rang;
static uint32_t service_was_guard;

static void would_fault(void)
{
	if (strcmp(k_thread_name_get(k_current_get()), "ranvier_service") == 0) {
		service_rang++;
		service_was_guard += rnv_fault_is_guard(K_ERR_ARM_MEM_DATA_ACCESS, &last_esf);
	}
}

/* It has jobs half ended, and holds its lock. */
ZTEST(ipc, test_no_guard_of_the_service)
{
	expect_fault(write_to, REMOTE_RAM); /* of a thread */
	zassert_true(last_was_guard);
	bench_rings = would_fault;
	remote_expect_right(3);
	bench_rings = NULL;
	zassert_true(service_rang > 0u);
	zassert_equal(service_was_guard, 0);
}

ZTEST(ipc, test_other_faults_are_the_applications)
{
	expect_fault(undefined, 0);
	zassert_false(last_was_guard);
}

/* What the system cannot go on without. */
ZTEST(ipc, test_no_guard)
{
	struct arch_esf esf;

	expect_fault(write_to, REMOTE_RAM);
	esf = last_esf;
	zassert_true(rnv_fault_is_guard(K_ERR_ARM_MEM_DATA_ACCESS, &esf));
	zassert_false(rnv_fault_is_guard(K_ERR_ARM_BUS_PRECISE_DATA_BUS, &esf));
	zassert_false(rnv_fault_is_guard(K_ERR_STACK_CHK_FAIL, &esf));
	zassert_false(rnv_fault_is_guard(K_ERR_KERNEL_PANIC, &esf));
	zassert_false(rnv_fault_is_guard(K_ERR_ARM_MEM_DATA_ACCESS, NULL));
	esf.basic.xpsr |= 16u; /* the first interrupt */
	zassert_false(rnv_fault_is_guard(K_ERR_ARM_MEM_DATA_ACCESS, &esf));
}
