/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_PORT_ZEPHYR_CYCLES_TO_US_H_
#define RANVIER_PORT_ZEPHYR_CYCLES_TO_US_H_

#include <stdint.h>

#include <zephyr/sys/time_units.h>
#include <zephyr/sys_clock.h>

/** Microseconds of a number of the system timer's cycles, rounded down; cannot overflow. */
static inline uint64_t cycles_to_us(uint64_t cycles)
{
	const uint32_t hz = sys_clock_hw_cycles_per_sec();
	uint64_t seconds;

	if (hz % USEC_PER_SEC == 0U) { /* usual, and known when compiling: one division */
		return cycles / (hz / USEC_PER_SEC);
	}
	seconds = cycles / hz;
	return seconds * USEC_PER_SEC + (cycles - seconds * hz) * USEC_PER_SEC / hz;
}

#endif /* RANVIER_PORT_ZEPHYR_CYCLES_TO_US_H_ */
