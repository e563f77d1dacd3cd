/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_TESTS_IPC_SOAK_H_
#define RNV_TESTS_IPC_SOAK_H_

/*
 * A server and a client that never rest, each to run in a process or a thread of its own. The model
 * maps every byte by a table, which the client has, too: it checks every byte of every result.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "ranvier/ipc.h"

#define TENSOR     208 /* bytes of the model's input and of its output */
#define SLOTS      4
#define ENTRIES    8
#define SLOT_BYTES 448

/* What both sides and who watches them know of each other: not part of what is tested. */
struct soak_board {
	/* By the client: how requests ended. */
	_Atomic uint64_t right;     /* every byte as it has to be */
	_Atomic uint64_t cancelled; /* as was asked for */
	_Atomic uint64_t late;      /* a deadline was over */
	_Atomic uint64_t full;      /* more than the server takes at a time */
	_Atomic uint64_t stale;     /* the bond was over */
	_Atomic uint64_t answers;   /* of look-ups and status */
	_Atomic uint64_t wrong;     /* anything else */
	_Atomic uint64_t foreign;   /* rnv_client_stats.foreign and broken, of clients that ended */
	_Atomic uint64_t bonds;     /* times that a client was accepted */
	/* By who watches. */
	_Atomic uint32_t spoilt; /* the region is written by others: nothing is wrong */
	_Atomic uint32_t stop_server;
	_Atomic uint32_t stop_client;
	_Atomic uint32_t server_again; /* start anew, as after a reset */
	_Atomic uint32_t client_again;
	/* By the server, at its end. */
	_Atomic uint64_t jobs_left;
	_Atomic uint64_t served;
};

struct soak {
	const char *region;  /* file */
	const void *package; /* of the model */
	uint32_t package_bytes;
	const uint8_t *map; /* 256 bytes: what the model makes of each */
	struct soak_board *board;
	uint64_t seed;
};

static inline uint64_t soak_random(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	*state = x;
	return x * 0x2545F4914F6CDD1DULL >> 16;
}

/* Both return when they are told to, 0 if nothing was in the way. */
int soak_server(const struct soak *soak);
int soak_client(const struct soak *soak);

#endif /* RNV_TESTS_IPC_SOAK_H_ */
