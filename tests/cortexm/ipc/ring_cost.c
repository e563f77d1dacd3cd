/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Counts a message's way through a ring: rnv_ring_push() and rnv_ring_pop(), called one after the
 * other. What loads their arguments is in `arguments`, too.
 */

#include <baremetal/semihosting.h>
#include <ranvier/ring.h>

#include <string.h>

#include "roi.h"

#define ENTRIES 16U
#define LAPS    4U

RNV_ROI(arguments)
RNV_ROI(push_pop)
RNV_ROI(push_pop_look)

static uint32_t indices[2];
static struct rnv_message messages[ENTRIES];
static struct rnv_ring producer;
static struct rnv_ring consumer;

/* They return at once: 4 instructions for both, with their calls. */
__attribute__((noinline)) static void no_push(struct rnv_ring *ring,
					      const struct rnv_message *message)
{
	__asm__ volatile("" : : "r"(ring), "r"(message) : "memory");
}

__attribute__((noinline)) static void no_pop(struct rnv_ring *ring, struct rnv_message *message)
{
	__asm__ volatile("" : : "r"(ring), "r"(message) : "memory");
}

int main(void)
{
	char line[64];
	char *argv[2];
	struct rnv_message sent = {.type = 1};
	struct rnv_message received;
	int failed;

	(void)rnv_roi_start(rnv_semihost_args(line, sizeof(line), argv, 2), argv);
	failed = rnv_ring_init(&consumer, &indices[1], &indices[0], messages, ENTRIES);
	failed |= rnv_ring_init(&producer, &indices[0], &indices[1], messages, ENTRIES);
	for (uint32_t i = 0; i < LAPS * ENTRIES; i++) {
		sent.id = i;
		memset(&received, 0xFF, sizeof(received));
		ROI_BEGIN(arguments);
		no_push(&producer, &sent);
		no_pop(&consumer, &received);
		ROI_END(arguments);
		if (i % ENTRIES == 0U) { /* the producer is at its limit */
			ROI_BEGIN(push_pop_look);
			(void)rnv_ring_push(&producer, &sent);
			(void)rnv_ring_pop(&consumer, &received);
			ROI_END(push_pop_look);
		} else {
			ROI_BEGIN(push_pop);
			(void)rnv_ring_push(&producer, &sent);
			(void)rnv_ring_pop(&consumer, &received);
			ROI_END(push_pop);
		}
		failed |= memcmp(&sent, &received, sizeof(sent));
	}
	rnv_roi_print();
	return failed == 0 ? 0 : 1;
}
