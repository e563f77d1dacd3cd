/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef TESTS_UNIT_IPC_PARK_PARK_FIXTURE_H_
#define TESTS_UNIT_IPC_PARK_PARK_FIXTURE_H_

/*
 * A client that is played by the server's hooks, in virtual time: a turn of the server's wait takes
 * TURN_US, and the client does what its script says once that many turns are over.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "ranvier/park.h"

#define TURN_US  10u
#define BEGIN_US 100u
#define NEVER    UINT32_MAX

/* Words of the region, by their place in SPEC.md. */
#define EPOCH  (12 / 4)
#define PARK   (72 / 4)
#define ANSWER (140 / 4)

struct played_client {
	_Alignas(64) uint32_t region[128];
	struct rnv_park park;
	uint64_t now_us;
	uint32_t answers_at; /* turn, or NEVER */
	uint32_t leaves_at;
	uint32_t turns; /* since it was asked */
	uint32_t rings;
	uint32_t hold_us; /* what comes between before nothing does */
	uint32_t held;
	uint32_t holds;
	int runs;
	bool leaves_in_hold;
	bool released_in_hold; /* by a service that starts anew: it clears the token */
};

static uint64_t played_now(void *context)
{
	return ((struct played_client *)context)->now_us;
}

static void played_move(struct played_client *client)
{
	const uint32_t token = client->region[PARK];

	if (token != 0u && client->turns >= client->answers_at) {
		client->region[ANSWER] = token;
	}
	if (token != 0u && client->turns >= client->leaves_at) {
		client->region[ANSWER] = ~token;
	}
}

static void played_relax(void *context)
{
	struct played_client *client = context;

	assert_int_equal(client->held, 0);
	client->now_us += TURN_US;
	client->turns++;
	played_move(client);
}

static void played_ring(void *context)
{
	struct played_client *client = context;

	client->rings++;
	client->turns = 0;
	played_move(client);
}

static void played_hold(void *context)
{
	struct played_client *client = context;

	assert_int_equal(client->held, 0);
	client->held = 1;
	client->holds++;
	client->now_us += client->hold_us;
	if (client->leaves_in_hold) {
		client->region[ANSWER] = ~client->region[PARK];
	}
	if (client->released_in_hold) {
		client->region[PARK] = 0;
	}
}

static void played_let_go(void *context)
{
	struct played_client *client = context;

	assert_int_equal(client->held, 1);
	client->held = 0;
}

static int played_runs(void *context)
{
	return ((struct played_client *)context)->runs;
}

static void play(struct played_client *client)
{
	memset(client, 0, sizeof(*client));
	client->answers_at = 3;
	client->leaves_at = NEVER;
	client->now_us = 0xFFFFFFF0u; /* 32 bits are not enough */
	client->runs = 1;
	client->park = (struct rnv_park){
		.region = client->region,
		.begin_us = BEGIN_US,
		.now_us = played_now,
		.relax = played_relax,
		.hold = played_hold,
		.let_go = played_let_go,
		.doorbell = played_ring,
		.runs = played_runs,
		.context = client,
	};
}

#endif /* TESTS_UNIT_IPC_PARK_PARK_FIXTURE_H_ */
