/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The clock where the system timer counts cycles in 32 bits: wraps are counted. Whoever asks finds
 * at most one wrap since the last time, because a timer asks twice a wrap.
 */

#include <stdint.h>

#include <zephyr/init.h>
#include <zephyr/irq.h>
#include <zephyr/kernel.h>

#include <ranvier/port.h>

#include "cycles_to_us.h"

static uint32_t last;
static uint32_t wraps;

uint64_t rnv_now_us(void)
{
	unsigned int key = irq_lock();
	uint32_t now = k_cycle_get_32();
	uint64_t cycles;

	if (now < last) {
		wraps++;
	}
	last = now;
	cycles = ((uint64_t)wraps << 32) | now;
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
	uint32_t half_a_wrap_ms = (uint32_t)(k_cyc_to_ms_floor64(UINT32_MAX) / 2U);

	k_timer_start(&asks, K_MSEC(half_a_wrap_ms), K_MSEC(half_a_wrap_ms));
	return 0;
}

SYS_INIT(start, POST_KERNEL, CONFIG_KERNEL_INIT_PRIORITY_DEFAULT);
