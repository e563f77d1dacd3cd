/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The profiler's counter: the system timer's. */

#include <zephyr/kernel.h>

#include <ranvier/port.h>

uint32_t rnv_cycles(void)
{
	return k_cycle_get_32();
}

uint32_t rnv_cycles_per_second(void)
{
	return sys_clock_hw_cycles_per_sec();
}
