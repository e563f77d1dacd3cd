/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "stray.h"

#include <stdbool.h>

#include <zephyr/devicetree.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>

static K_THREAD_STACK_DEFINE(stack, 512);
static struct k_thread thread;
static bool went_on;

static void stray(void *p1, void *p2, void *p3)
{
	ARG_UNUSED(p1);
	ARG_UNUSED(p2);
	ARG_UNUSED(p3);
	*(volatile uint32_t *)DT_REG_ADDR(DT_NODELABEL(ranvier_remote_ram)) = 0;
	went_on = true;
}

void stray_run(void)
{
	(void)k_thread_create(&thread, stack, K_THREAD_STACK_SIZEOF(stack), stray, NULL, NULL, NULL,
			      K_PRIO_PREEMPT(10), 0, K_NO_WAIT);
	(void)k_thread_name_set(&thread, "stray");
	(void)k_thread_join(&thread, K_FOREVER);
	printk("stray thread: %s\n", went_on ? "NOT stopped" : "aborted, all else goes on");
}
