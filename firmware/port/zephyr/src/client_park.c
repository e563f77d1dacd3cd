/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* rnv_park_wait() itself, and the core's park_wait.c alone, is relocated to RAM by the build. */

#include <zephyr/irq.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/atomic.h>

#include <ranvier/park.h>
#include <ranvier/zephyr/client.h>

#include "client_park.h"

/* No turn of its loop takes fewer: so it waits at least as long as it is to. */
#define CYCLES_PER_TURN 4u

static atomic_t parked;
static atomic_t gone; /* by itself */

void rnv_zephyr_client_park(void *region, uint32_t token)
{
	const uint32_t cycles_per_ms = (uint32_t)sys_clock_hw_cycles_per_sec() / 1000u;
	const uint32_t spins = CONFIG_RANVIER_CLIENT_PARK_MS * (cycles_per_ms / CYCLES_PER_TURN);
	const unsigned int key = irq_lock();
	const int released = rnv_park_wait(region, token, spins);

	irq_unlock(key);
	(void)atomic_inc((released != 0) ? &parked : &gone);
}

void rnv_zephyr_client_parks(uint32_t *parks, uint32_t *left)
{
	*left = (uint32_t)atomic_get(&gone);
	*parks = (uint32_t)atomic_get(&parked) + *left;
}
