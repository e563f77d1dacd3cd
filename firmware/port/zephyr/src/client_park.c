/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* rnv_park_wait() itself, and the core's park_wait.c alone, is relocated to RAM by the build. */

#include <zephyr/irq.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/atomic.h>
#include <zephyr/sys/util.h>

#include <ranvier/park.h>
#include <ranvier/zephyr/client.h>

#include "client_park.h"

BUILD_ASSERT(
	IS_ENABLED(CONFIG_CORTEX_M_SYSTICK),
	"CONFIG_RANVIER_CLIENT_PARK: the system timer has to be the SysTick, whose clock is the "
	"CPU's");

/* No turn of its loop takes fewer: so it waits at least as long as it is to. */
#define CYCLES_PER_TURN 4u
#define TURNS                                                                                      \
	DIV_ROUND_UP((uint64_t)CONFIG_RANVIER_CLIENT_PARK_MS *CONFIG_SYS_CLOCK_HW_CYCLES_PER_SEC,  \
		     1000u * CYCLES_PER_TURN)

BUILD_ASSERT(TURNS <= UINT32_MAX, "CONFIG_RANVIER_CLIENT_PARK_MS: too long");

static uint32_t left; /* token of the last park, if it was left by itself; else 0 */
static atomic_t parked;
static atomic_t gone; /* by itself */

void rnv_zephyr_client_park(void *region, uint32_t token)
{
	unsigned int key;
	int released;

	if (token == left) {
		return; /* the server has not withdrawn it yet */
	}
	key = irq_lock();
	released = rnv_park_wait(region, token, (uint32_t)TURNS);
	irq_unlock(key);
	left = (released != 0) ? 0u : token;
	(void)atomic_inc((released != 0) ? &parked : &gone);
}

void rnv_zephyr_client_parks(uint32_t *parks, uint32_t *by_itself)
{
	*by_itself = (uint32_t)atomic_get(&gone);
	*parks = (uint32_t)atomic_get(&parked) + *by_itself;
}
