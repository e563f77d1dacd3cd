/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The second core: has frames, and asks the first one what they show. */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <posix/ipc.h>

#include "exchange.h"
#include "region.h"

#define HELLO_US    100000
#define MOST_ROUNDS 1000000ul
#define ROUNDS      10 /* of all frames, where the command line does not say */

static struct rnv_posix_ipc ipc;
static struct rnv_client client;

static uint64_t now_us(void)
{
	struct timespec time;

	(void)clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000u + (uint64_t)time.tv_nsec / 1000u;
}

static int start(const char *path)
{
	const struct rnv_ipc_layout layout = {
		.entries = ENTRIES, .slots = SLOTS, .slot_bytes = SLOT_BYTES};
	struct rnv_client_config config = {
		.doorbell = rnv_posix_ipc_ring,
		.context = &ipc,
		.server_dead_us = DEAD_US,
		.hello_us = HELLO_US,
	};
	int status = rnv_posix_ipc_open(&ipc, path, rnv_ipc_bytes(&layout), RNV_POSIX_IPC_CLIENT);

	if (status == 0) {
		config.region = ipc.region;
		config.region_bytes = ipc.bytes;
		status = rnv_client_init(&client, &config);
	}
	return status;
}

static int exchange(void)
{
	int before = RNV_CLIENT_ALONE;
	int more;

	do {
		const int state = rnv_client_poll(&client, now_us());

		if (state == RNV_CLIENT_BONDED && before != RNV_CLIENT_BONDED) {
			printf("bonded\n");
		} else if (state != RNV_CLIENT_BONDED && before == RNV_CLIENT_BONDED) {
			printf("the server is another one, or was lost\n");
		}
		before = state;
		more = exchange_move();
		if (more > 0) {
			(void)rnv_posix_ipc_wait(&ipc, BEAT_US);
		}
	} while (more > 0);
	return more;
}

static void print_totals(void)
{
	const struct exchange_totals *t = exchange_totals_get();
	struct rnv_client_stats s;

	rnv_client_stats_get(&client, &s);
	for (uint32_t frame = 0; frame < FRAMES; frame++) {
		const int8_t *scores = exchange_output(frame);

		printf("frame %u:", (unsigned int)frame);
		for (uint32_t i = 0; scores != NULL && i < SCORES; i++) {
			printf(" %d", scores[i]);
		}
		printf("\n");
	}
	printf("%u right, %u wrong, %u other, %u stale, %u failed; %u to %u us, mean %u\n",
	       (unsigned int)t->right, (unsigned int)t->wrong, (unsigned int)t->other,
	       (unsigned int)t->stale, (unsigned int)t->failed, (unsigned int)t->least_us,
	       (unsigned int)t->most_us,
	       (unsigned int)(t->right + t->wrong != 0u ? t->sum_us / (t->right + t->wrong) : 0u));
	printf("%u requests, %u responses, %u foreign, %u bonds, %u broken\n",
	       (unsigned int)s.requests, (unsigned int)s.responses, (unsigned int)s.foreign,
	       (unsigned int)s.bonds, (unsigned int)s.broken);
}

int main(int argc, char **argv)
{
	const struct exchange_totals *totals = exchange_totals_get();
	char *end = NULL;
	unsigned long rounds = argc > 2 ? strtoul(argv[2], &end, 10) : ROUNDS;
	int status;

	(void)setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	if (argc < 2 || argv[1][0] == '-' || (end != NULL && *end != '\0') || rounds < 1u ||
	    rounds > MOST_ROUNDS) {
		(void)fprintf(stderr, "usage: dual_core_client FILE [ROUNDS], 1 to %lu\n",
			      MOST_ROUNDS);
		return 2;
	}
	status = start(argv[1]);
	if (status != 0) {
		(void)fprintf(stderr, "%s: cannot be used (%d)\n", argv[1], status);
		return 1;
	}
	exchange_init(&client, FRAMES * (uint32_t)rounds);
	status = exchange();
	if (status != 0) {
		(void)fprintf(stderr, "the server has no such model as this program is for\n");
		return 1;
	}
	print_totals();
	return totals->wrong == 0u && totals->other == 0u ? 0 : 1;
}
