/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#define _GNU_SOURCE /* ppoll() */

#include "smp_pace.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>

#include "ranvier/port.h"

#define BITS      10u /* of a byte: start, eight, stop */
#define PIECE_US  5000u
#define SECOND_US 1000000u

uint32_t rnv_pace_piece(const struct rnv_pace *pace, uint32_t most)
{
	uint64_t bytes = (uint64_t)pace->baud * PIECE_US / (BITS * SECOND_US);

	if (pace->baud == 0u || bytes > most) {
		return most;
	}
	return (bytes != 0u) ? (uint32_t)bytes : 1u;
}

void rnv_pace_begin(struct rnv_pace *pace)
{
	uint64_t now_us = rnv_now_us();

	if (pace->free_us < now_us) {
		pace->free_us = now_us;
		pace->rest_bits = 0;
	}
}

bool rnv_pace_wait(struct rnv_pace *pace, uint32_t bytes, int stop)
{
	uint64_t now_us;
	uint64_t bits;

	if (pace->baud == 0u) {
		return true;
	}
	bits = (uint64_t)bytes * BITS * SECOND_US + pace->rest_bits;
	pace->free_us += bits / pace->baud;
	pace->rest_bits = bits % pace->baud;
	while ((now_us = rnv_now_us()) < pace->free_us) {
		uint64_t left_us = pace->free_us - now_us;
		struct timespec time = {.tv_sec = (time_t)(left_us / SECOND_US),
					.tv_nsec = (long)(left_us % SECOND_US) * 1000};
		struct pollfd poll = {.fd = stop, .events = POLLIN};

		if (ppoll(&poll, 1, &time, NULL) > 0) {
			return false;
		}
	}
	return true;
}

bool rnv_pace_poll(int file, short events, int stop, int timeout_ms)
{
	struct pollfd polls[2] = {{.fd = file, .events = events}, {.fd = stop, .events = POLLIN}};
	int count;

	do {
		count = poll(polls, 2, timeout_ms);
	} while (count < 0 && errno == EINTR);
	return count > 0 && polls[1].revents == 0;
}
