/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "ranvier/park.h"

#include <stdbool.h>
#include <stddef.h>

#include "ipc/region.h"

#define COUNT 0xFFFFu /* bits of a token that count; above them is the server's epoch */

/*
 * A token of no server before this one, nor one that the client's word says anything of already: a
 * client that was held up may answer to what it read long ago.
 */
static uint32_t next_token(const struct rnv_park *park, const struct rnv_region *shared)
{
	const uint32_t answer = rnv_shared_load(&shared->client.parked);
	const uint32_t epoch = rnv_shared_load(&shared->header.epoch) << 16;
	uint32_t token = park->token;

	do {
		token = epoch | ((token + 1u) & COUNT);
	} while (token == 0u || token == answer || token == ~answer);
	return token;
}

static bool is_late(const struct rnv_park *park, uint64_t asked_us)
{
	return park->now_us(park->context) - asked_us > park->begin_us;
}

/* Whether the client has answered in time, and nothing will come between. */
static bool is_answered(struct rnv_park *park, const struct rnv_region *shared, uint64_t asked_us)
{
	while (rnv_shared_load(&shared->client.parked) != park->token) {
		if (is_late(park, asked_us)) {
			return false;
		}
		if (park->relax != NULL) {
			park->relax(park->context);
		}
	}
	if (park->hold != NULL) {
		park->hold(park->context);
	}
	/* Nor has it been released since, and is about to go on: by a service that starts anew. */
	if (rnv_shared_load(&shared->server.park) == park->token &&
	    rnv_shared_load(&shared->client.parked) == park->token && !is_late(park, asked_us)) {
		return true;
	}
	if (park->let_go != NULL) {
		park->let_go(park->context);
	}
	return false;
}

int rnv_park_begin(struct rnv_park *park)
{
	struct rnv_region *shared = park->region;
	uint64_t asked_us;

	if (park->runs != NULL && park->runs(park->context) == 0) {
		return RNV_OK;
	}
	park->token = next_token(park, shared);
	asked_us = park->now_us(park->context);
	rnv_shared_store(&shared->server.park, park->token);
	if (park->doorbell != NULL) {
		park->doorbell(park->context);
	}
	if (!is_answered(park, shared, asked_us)) {
		rnv_shared_store(&shared->server.park, 0);
		park->late++;
		return RNV_ETIMEDOUT;
	}
	park->parks++;
	park->held = 1;
	return RNV_OK;
}

int rnv_park_end(struct rnv_park *park)
{
	struct rnv_region *shared = park->region;
	bool left;

	if (park->held == 0u) {
		return RNV_OK;
	}
	left = rnv_shared_load(&shared->client.parked) != park->token;
	rnv_shared_store(&shared->server.park, 0);
	park->held = 0;
	if (park->let_go != NULL) {
		park->let_go(park->context);
	}
	if (left) {
		park->left++;
		return RNV_ESTATE;
	}
	return RNV_OK;
}
