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
	ring->end = messages + entries;
	ring->wrap = 0u - entries;
	ring->next = messages;
	ring->position = rnv_shared_load(theirs);
	ring->limit = ring->position;
	rnv_shared_store(mine, ring->position);
	return RNV_OK;
}

/*
 * Entries are counted down: `wrap` is 2^32 - entries, so `position | wrap` is how far a position is
 * before the end of the ring's memory, as a negative number; and what is added to it carries where
 * there is no room.
 */
static struct rnv_message *message_at(const struct rnv_ring *ring, uint32_t to_end)
{
	return ring->end + (int32_t)to_end;
}

/* The end is done with before the message is copied, which takes all registers. */
static int append(struct rnv_ring *ring, const struct rnv_message *message, uint32_t position)
{
	struct rnv_message *to = ring->next;
	uint32_t *mine = ring->mine;

	position++;
	ring->next = to + 1;
	ring->position = position;
	*to = *message;
	rnv_shared_store(mine, position);
	return RNV_OK;
}

/*
 * Producer, at its limit: the next one is where the room ends, or the ring's memory. So a push
 * below the limit has nothing to look at.
 */
static int look(struct rnv_ring *ring, uint32_t position)
{
	uint32_t wrap = ring->wrap;
	uint32_t pending = position - rnv_shared_load(ring->theirs);
	uint32_t to_room = pending + wrap;
	uint32_t to_end = position | wrap;

	if (to_room < pending) {
		return to_room == 0u ? RNV_EAGAIN : RNV_EBADMSG;
	}
	ring->next = message_at(ring, to_end);
	ring->limit = position - (to_room > to_end ? to_room : to_end);
	return RNV_OK;
}

/* Below the limit first, and an append for each case: so gcc -Os has no jump in the usual one. */
int rnv_ring_push(struct rnv_ring *ring, const struct rnv_message *message)
{
	uint32_t position = ring->position;
	int status;

	if (position != ring->limit) {
		return append(ring, message, position);
	}
	status = look(ring, position);
	return status == RNV_OK ? append(ring, message, position) : status;
}

int rnv_ring_pop(struct rnv_ring *ring, struct rnv_message *message)
{
	uint32_t position = ring->position;
	uint32_t wrap = ring->wrap;
	uint32_t theirs = rnv_shared_load(ring->theirs);
	const struct rnv_message *from = message_at(ring, position | wrap);
	uint32_t *mine = ring->mine;
	uint32_t more;

	position++;
	more = theirs - position; /* after this one */
	if (more + wrap >= more) {
		ring->position = position;
		*message = *from;
		rnv_shared_store(mine, position);
		return RNV_OK;
	}
	return more == UINT32_MAX ? RNV_EAGAIN : RNV_EBADMSG;
}

uint32_t rnv_ring_room(struct rnv_ring *ring)
{
	uint32_t pending = ring->position - rnv_shared_load(ring->theirs);
	uint32_t to_room = pending + ring->wrap;

	return to_room >= pending ? 0u - to_room : 0u;
}
