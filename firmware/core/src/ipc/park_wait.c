/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* A file of its own: the client's image has it in RAM. */

#include "ipc/region.h"
#include "ranvier/park.h"

int rnv_park_wait(void *region, uint32_t token, uint32_t spins)
{
	struct rnv_region *shared = region;

	if (spins != 0u && rnv_shared_load(&shared->client.parked) != ~token) {
		rnv_shared_store(&shared->client.parked, token);
		for (; spins > 0u; spins--) {
			if (rnv_shared_load(&shared->server.park) != token) {
				rnv_shared_store(&shared->client.parked, 0);
				return 1;
			}
		}
	}
	rnv_shared_store(&shared->client.parked, ~token);
	return 0;
}
