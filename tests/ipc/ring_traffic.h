/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_TESTS_IPC_RING_TRAFFIC_H_
#define RNV_TESTS_IPC_RING_TRAFFIC_H_

/* Two threads on a ring: one sends numbered messages, the other one checks every byte of them. */

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>

#include "ranvier/ring.h"

struct ring_traffic {
	uint32_t entries;     /* of the ring, at most 1,024 */
	uint32_t start;       /* of the indices: near 2^32 for the wrap */
	uint64_t messages;    /* to send */
	uint64_t wrong;       /* messages that were not those expected; then it ends */
	uint64_t full, empty; /* times that the ring was */

	_Alignas(64) uint32_t producer_index;
	_Alignas(64) uint32_t consumer_index;
	_Alignas(64) struct rnv_ring producer;
	_Alignas(64) struct rnv_ring consumer;
	_Alignas(64) struct rnv_message ring[1024];
};

/* Message of a number: each word depends on it otherwise. */
static inline struct rnv_message ring_traffic_message(uint64_t number)
{
	uint32_t low = (uint32_t)number;
	uint32_t high = (uint32_t)(number >> 32);

	return (struct rnv_message){.id = low,
				    .epoch = high,
				    .type = (uint16_t)(low ^ 0x5555u),
				    .status = (int16_t)(low >> 16),
				    .offset = ~low,
				    .bytes = low * 2654435761u,
				    .args = {low + high, low ^ 0xA5A5A5A5u, 0u - low}};
}

static inline void *ring_traffic_send(void *context)
{
	struct ring_traffic *traffic = context;

	for (uint64_t number = 0; number < traffic->messages; number++) {
		struct rnv_message message = ring_traffic_message(number);
		int status;

		while ((status = rnv_ring_push(&traffic->producer, &message)) == RNV_EAGAIN) {
			traffic->full++;
			sched_yield();
		}
		if (status != RNV_OK) {
			break;
		}
	}
	return NULL;
}

/* In the caller's thread. Returns the number of messages that came as they were sent. */
static inline uint64_t ring_traffic_receive(struct ring_traffic *traffic)
{
	uint64_t number = 0;

	while (number < traffic->messages) {
		struct rnv_message expected = ring_traffic_message(number), message;
		int status = rnv_ring_pop(&traffic->consumer, &message);

		if (status == RNV_EAGAIN) {
			traffic->empty++;
			sched_yield();
			continue;
		}
		if (status != RNV_OK || memcmp(&message, &expected, sizeof(message)) != 0) {
			traffic->wrong++;
			break;
		}
		number++;
	}
	return number;
}

/* Send `messages` through a ring of `entries` whose indices begin at `start`: how many came right.
 */
static inline uint64_t ring_traffic_run(struct ring_traffic *traffic, uint32_t entries,
					uint32_t start, uint64_t messages)
{
	pthread_t sender;
	uint64_t received;

	memset(traffic, 0, sizeof(*traffic));
	traffic->entries = entries;
	traffic->start = start;
	traffic->messages = messages;
	traffic->producer_index = start;
	traffic->consumer_index = start;
	if (rnv_ring_init(&traffic->producer, &traffic->producer_index, &traffic->consumer_index,
			  traffic->ring, entries) != RNV_OK ||
	    rnv_ring_init(&traffic->consumer, &traffic->consumer_index, &traffic->producer_index,
			  traffic->ring, entries) != RNV_OK ||
	    pthread_create(&sender, NULL, ring_traffic_send, traffic) != 0) {
		return 0;
	}
	received = ring_traffic_receive(traffic);
	if (traffic->wrong != 0u) {
		pthread_detach(sender); /* the ring may stay full for ever */
		return received;
	}
	pthread_join(sender, NULL);
	return received;
}

#endif /* RNV_TESTS_IPC_RING_TRAFFIC_H_ */
