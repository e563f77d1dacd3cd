/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The ring at full speed: ring_soak MESSAGES. Half of them between two threads, half between two
 * processes; in rings of several sizes, with indices that wrap on the way. Every byte of every
 * message is checked.
 */

#define _GNU_SOURCE

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ring_traffic.h"

/* Small rings are slow, since the sides wait for each other: they have a smaller share. */
static const struct {
	uint32_t entries, share; /* of 1,000 messages */
} rings[] = {{1, 1}, {2, 1}, {4, 2}, {8, 6}, {64, 190}, {256, 300}, {1024, 500}};

static uint64_t between_threads(struct ring_traffic *traffic, uint32_t entries, uint32_t start,
				uint64_t messages)
{
	return ring_traffic_run(traffic, entries, start, messages);
}

static uint64_t between_processes(struct ring_traffic *traffic, uint32_t entries, uint32_t start,
				  uint64_t messages)
{
	uint64_t received;
	int status = 1;
	pid_t child;

	memset(traffic, 0, sizeof(*traffic));
	traffic->messages = messages;
	traffic->producer_index = start;
	traffic->consumer_index = start;
	if (rnv_ring_init(&traffic->producer, &traffic->producer_index, &traffic->consumer_index,
			  traffic->ring, entries) != RNV_OK ||
	    rnv_ring_init(&traffic->consumer, &traffic->consumer_index, &traffic->producer_index,
			  traffic->ring, entries) != RNV_OK) {
		return 0;
	}
	child = fork();
	if (child < 0) {
		return 0;
	}
	if (child == 0) {
		(void)ring_traffic_send(traffic);
		_exit(0);
	}
	received = ring_traffic_receive(traffic);
	if (received != messages) {
		(void)kill(child, SIGKILL);
	}
	(void)waitpid(child, &status, 0);
	return received;
}

int main(int argc, char **argv)
{
	const uint64_t total = argc > 1 ? strtoull(argv[1], NULL, 0) : 0u;
	struct ring_traffic *traffic = mmap(NULL, sizeof(*traffic), PROT_READ | PROT_WRITE,
					    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t done = 0;

	if (total < 2000u || traffic == MAP_FAILED) {
		(void)fprintf(stderr, "usage: ring_soak MESSAGES (2,000 or more)\n");
		return 2;
	}
	for (size_t i = 0; i < 2u * (sizeof(rings) / sizeof(rings[0])); i++) {
		const uint32_t entries = rings[i / 2u].entries;
		const uint64_t messages = total / 2000u * rings[i / 2u].share;
		const uint32_t start = 0u - (uint32_t)(messages / 2u);
		const uint64_t received = (i % 2u == 0u ? between_threads : between_processes)(
			traffic, entries, start, messages);

		if (received != messages) {
			printf("ring of %" PRIu32 ": message %" PRIu64 " of %" PRIu64 " is wrong\n",
			       entries, received, messages);
			return 1;
		}
		done += received;
	}
	printf("%" PRIu64 " messages, each as it was sent\n", done);
	return 0;
}
