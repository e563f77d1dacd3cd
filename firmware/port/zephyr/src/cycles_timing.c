/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The profiler's counter: Zephyr's timing functions, on Cortex-M the DWT. */

#include <zephyr/init.h>
#include <zephyr/timing/timing.h>

#include <ranvier/port.h>

static uint32_t per_second;

uint32_t rnv_cycles(void)
{
	return (uint32_t)timing_counter_get();
}

uint32_t rnv_cycles_per_second(void)
{
	return per_second;
}

static int start(void)
{
	timing_init();
	timing_start();
	per_second = (uint32_t)timing_freq_get();
	return 0;
}

SYS_INIT(start, POST_KERNEL, CONFIG_KERNEL_INIT_PRIORITY_DEFAULT);
