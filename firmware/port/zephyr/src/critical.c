/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Critical sections: interrupts are masked, and on several cores Zephyr's recursive global lock is
 * held. Zero-latency interrupts are not masked; they may not call the core.
 */

#include <zephyr/irq.h>

#include <ranvier/port.h>

uint32_t rnv_critical_enter(void)
{
	return irq_lock();
}

void rnv_critical_exit(uint32_t key)
{
	irq_unlock(key);
}
