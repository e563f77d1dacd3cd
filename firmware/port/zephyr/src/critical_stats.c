/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Critical sections as in critical.c, and the longest one is measured. What is static here is
 * accessed inside of sections only.
 */

#include <zephyr/irq.h>

#include <ranvier/port.h>
#include <ranvier/zephyr/critical.h>

static uint32_t depth;
static uint32_t entered;
static uint32_t longest;

uint32_t rnv_critical_enter(void)
{
	uint32_t key = irq_lock();

	if (depth++ == 0U) {
		entered = rnv_cycles();
	}
	return key;
}

void rnv_critical_exit(uint32_t key)
{
	if (--depth == 0U) {
		uint32_t cycles = rnv_cycles() - entered;

		/* Half of the range and more: the counter has run back. */
		if (cycles > longest && cycles <= INT32_MAX) {
			longest = cycles;
		}
	}
	irq_unlock(key);
}

uint32_t rnv_critical_longest(void)
{
	unsigned int key = irq_lock();
	uint32_t cycles = longest;

	irq_unlock(key);
	return cycles;
}
