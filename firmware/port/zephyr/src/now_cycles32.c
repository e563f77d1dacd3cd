/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The clock where the system timer counts cycles in 32 bits: wraps are counted. A timer asks four
 * times a wrap, so that none is missed.
 */

#include <stdint.h>

#include <zephyr/init.h>
#include <zephyr/irq.h>
#include <zephyr/kernel.h>

#include <ranvier/port.h>

#include "count_wraps.h"
#include "cycles_to_us.h"

static struct wraps wraps;

uint64_t rnv_now_us(void)
{
	unsigned int key = irq_lock();
	uint64_t cycles = count_wraps(&wraps, k_cycle_get_32());

	irq_unlock(key);
	return cycles_to_us(cycles);
}

static void ask(struct k_timer *timer)
{
	ARG_UNUSED(timer);
	(void)rnv_now_us();
}

static K_TIMER_DEFINE(asks, ask, NULL);

static int start(void)
{
	uint32_t quarter_of_a_wrap_ms = (uint32_t)(k_cyc_to_ms_floor64(UINT32_MAX) / 4U);

	k_timer_start(&asks, K_MSEC(quarter_of_a_wrap_ms), K_MSEC(quarter_of_a_wrap_ms));
	return 0;
}

SYS_INIT(start, POST_KERNEL, CONFIG_KERNEL_INIT_PRIORITY_DEFAULT);
