/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_POSIX_SMP_PACE_H_
#define RNV_POSIX_SMP_PACE_H_

/* Bytes at the speed of a serial line. */

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

/* One direction of a line. */
struct rnv_pace {
	uint32_t baud;      /* 0: not paced */
	uint64_t free_us;   /* the line is busy until then */
	uint64_t rest_bits; /* of the last microsecond, in millionths of a bit */
};

/* Most bytes to read or write at once: some milliseconds of the line. */
uint32_t rnv_pace_piece(const struct rnv_pace *pace, uint32_t most);

/* The line was idle until now. */
void rnv_pace_begin(struct rnv_pace *pace);

/* Wait until `bytes` that follow those before without a gap are over the line. False: `stop`, a
 * descriptor, became readable. Waiting too long is made up for by the next ones. */
bool rnv_pace_wait(struct rnv_pace *pace, uint32_t bytes, int stop);

/* Poll a descriptor for events; `timeout_ms` -1: for ever. False: nothing in that time, or `stop`
 * became readable. */
bool rnv_pace_poll(int file, short events, int stop, int timeout_ms);

#endif /* RNV_POSIX_SMP_PACE_H_ */
