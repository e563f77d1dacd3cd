/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The clock where the system timer counts cycles in 64 bits. */

#include <zephyr/kernel.h>

#include <ranvier/port.h>

#include "cycles_to_us.h"

uint64_t rnv_now_us(void)
{
	return cycles_to_us(k_cycle_get_64());
}
