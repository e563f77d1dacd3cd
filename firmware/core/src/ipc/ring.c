/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "ranvier/ring.h"

#include <stddef.h>

#include "ipc/region.h"

_Static_assert(sizeof(struct rnv_message) == 32, "a message's bytes are in SPEC.md");
_Static_assert((RNV_RING_MAX_ENTRIES & (RNV_RING_MAX_ENTRIES - 1)) == 0, "a power of two");

static int is_aligned(const void *address)
{
	return ((uintptr_t)address & 3u) == 0u;
}

int rnv_ring_init(struct rnv_ring *ring, uint32_t *mine, const uint32_t *theirs,
		  struct rnv_message *messages, uint32_t entries)
{
	if (ring == NULL || mine == NULL || theirs == NULL || messages == NULL || entries == 0u ||
	    entries > RNV_RING_MAX_ENTRIES || (entries & (entries - 1u)) != 0u) {
		return RNV_EINVAL;
	}
	if (!is_aligned(mine) || !is_aligned(theirs) || !is_aligned(messages)) {
		return RNV_EALIGN;
	}
	ring->mine = mine;
	ring->theirs = theirs;
	ring->messages = messages;
	ring->mask = entries - 1u;
	ring->next = messages;
	ring->position = rnv_shared_load(theirs);
	ring->limit = ring->position;
	rnv_shared_store(mine, ring->position);
	return RNV_OK;
}

/* Messages that fit; more than there are if the index of the other side is impossible. */
static uint32_t room_of(const struct rnv_ring *ring, uint32_t position, uint32_t entries)
{
	return entries - position + rnv_shared_load(ring->theirs);
}

/*
 * Producer, at its limit: the next one is where the room ends, or the ring's memory. So a push
 * below the limit has nothing to look at.
 */
static int look(struct rnv_ring *ring, uint32_t position)
{
	uint32_t mask = ring->mask;
	uint32_t index = position & mask;
	uint32_t left = mask + 1u - index;
	uint32_t room = room_of(ring, position, mask + 1u);

	if (room > mask + 1u) {
		return RNV_EBADMSG;
	}
	if (room == 0u) {
		return RNV_EAGAIN;
	}
	ring->next = &ring->messages[index];
	ring->limit = position + (room < left ? room : left);
	return RNV_OK;
}

int rnv_ring_push(struct rnv_ring *ring, const struct rnv_message *message)
{
	uint32_t position = ring->position;
	struct rnv_message *to;
	uint32_t *mine;

	if (position == ring->limit) {
		int status = look(ring, position);

		if (status != RNV_OK) {
			return status;
		}
	}
	/* The end is done with before the message is copied, which takes all registers. */
	to = ring->next;
	mine = ring->mine;
	position++;
	ring->next = to + 1;
	ring->position = position;
	*to = *message;
	rnv_shared_store(mine, position);
	return RNV_OK;
}

int rnv_ring_pop(struct rnv_ring *ring, struct rnv_message *message)
{
	uint32_t position = ring->position;
	uint32_t mask = ring->mask;
	uint32_t theirs = rnv_shared_load(ring->theirs);
	const struct rnv_message *from = &ring->messages[position & mask];
	uint32_t *mine = ring->mine;

	position++;
	if (theirs - position <= mask) {
		ring->position = position;
		*message = *from;
		rnv_shared_store(mine, position);
		return RNV_OK;
	}
	return theirs + 1u == position ? RNV_EAGAIN : RNV_EBADMSG;
}

uint32_t rnv_ring_room(struct rnv_ring *ring)
{
	uint32_t room = room_of(ring, ring->position, ring->mask + 1u);

	return room <= ring->mask + 1u ? room : 0u;
}
