/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_PORT_ZEPHYR_COUNT_WRAPS_H_
#define RANVIER_PORT_ZEPHYR_COUNT_WRAPS_H_

#include <stdint.h>

/** What was read of a counter of 32 bits so far: zero at first. */
struct wraps {
	uint32_t last;  /**< the latest reading */
	uint32_t count; /**< wraps before it */
};

/**
 * Extend a counter to 64 bits. It must be read more than once in each half of a wrap; a reading
 * that lies less than that back counts as the latest one. Not by two at once.
 *
 * @param wraps what was read so far
 * @param now   the counter
 */
static inline uint64_t count_wraps(struct wraps *wraps, uint32_t now)
{
	if (now < wraps->last) {
		if (wraps->last - now > UINT32_C(0x80000000)) {
			wraps->count++;
		} else {
			now = wraps->last;
		}
	}
	wraps->last = now;
	return ((uint64_t)wraps->count << 32) | now;
}

#endif /* RANVIER_PORT_ZEPHYR_COUNT_WRAPS_H_ */
