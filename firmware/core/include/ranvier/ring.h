/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_RING_H_
#define RANVIER_RING_H_

/**
 * @file
 * @brief A lock-free ring of messages between two cores: one producer, one consumer.
 *
 * Each index has one writer and lies on a line of its own; both count messages for ever, modulo
 * 2^32, so the ring knows full from empty without a spare entry. They are exchanged by loads with
 * acquire and stores with release order, never by a read-modify-write, which needs more of the
 * hardware between two cores than there is. A message is copied once, from shared memory to the
 * consumer's, before anything of it is looked at.
 *
 * Each side has a private end (struct rnv_ring), which never reads its own index back: what the
 * other side does to the shared memory can spoil messages, but never makes an end leave the ring.
 * The bytes in shared memory are in SPEC.md section 7.
 *
 * An end is used by one context at a time. Nothing here blocks; every function may be called from
 * threads and interrupts. What tells the other side that there is a message (a doorbell, and the
 * barrier before it) is the caller's.
 *
 * The scheme is Lamport's (Specifying Concurrent Program Modules, 1983) with the cached index of
 * the other side of FastForward's successors (Lee et al., MCRingBuffer, 2010).
 */

#include <stdint.h>

#include "ranvier/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RNV_RING_MAX_ENTRIES 1024 /**< Entries of a ring; a power of two. */

/** A message, 32 bytes. What the fields mean is the protocol's: see ranvier/ipc.h. */
struct rnv_message {
	uint32_t id;      /**< number of the request */
	uint32_t epoch;   /**< of the client: of its bond to the server */
	uint16_t type;    /**< enum rnv_ipc_type */
	int16_t status;   /**< responses: enum rnv_status */
	uint32_t offset;  /**< in the region, of the payload */
	uint32_t bytes;   /**< of the payload */
	uint32_t args[3]; /**< by type */
};

/** One side's end of a ring; all members are private. In memory that the other side cannot write.
 */
struct rnv_ring {
	uint32_t limit;           /**< @private producer: where it looks at `theirs` again */
	uint32_t position;        /**< @private what `mine` says */
	struct rnv_message *next; /**< @private producer: place of the next message */
	uint32_t *mine;           /**< @private index that this side writes */
	struct rnv_message *end;  /**< @private of the messages, in shared memory */
	uint32_t wrap;            /**< @private 2^32 - entries */
	const uint32_t *theirs;   /**< @private index that the other side writes */
};

/**
 * Make an end of a ring. The ring is empty for this end: its position becomes what the other side's
 * index says now, and is stored.
 *
 * @param ring     end
 * @param mine     index of this side, 4-byte aligned, in shared memory
 * @param theirs   index of the other side, 4-byte aligned, in shared memory
 * @param messages `entries` messages, 4-byte aligned, in shared memory
 * @param entries  a power of two, 1..RNV_RING_MAX_ENTRIES
 * @retval RNV_OK     made
 * @retval RNV_EINVAL NULL, or no such number of entries
 * @retval RNV_EALIGN something is not aligned
 */
int rnv_ring_init(struct rnv_ring *ring, uint32_t *mine, const uint32_t *theirs,
		  struct rnv_message *messages, uint32_t entries);

/**
 * Producer: append a message.
 *
 * @param ring    the producer's end
 * @param message copied
 * @retval RNV_OK      the consumer can see it
 * @retval RNV_EAGAIN  the ring is full
 * @retval RNV_EBADMSG the other side's index is impossible: the memory is spoilt, or it starts anew
 */
int rnv_ring_push(struct rnv_ring *ring, const struct rnv_message *message);

/**
 * Consumer: take the oldest message.
 *
 * @param ring    the consumer's end
 * @param message receives a copy; nothing of it has been checked
 * @retval RNV_OK      taken
 * @retval RNV_EAGAIN  the ring is empty
 * @retval RNV_EBADMSG the other side's index is impossible: the memory is spoilt, or it starts anew
 */
int rnv_ring_pop(struct rnv_ring *ring, struct rnv_message *message);

/**
 * Producer: messages that fit now. Never more than there are; the consumer may make room meanwhile.
 *
 * @return number of messages; 0 also where the other side's index is impossible
 */
uint32_t rnv_ring_room(struct rnv_ring *ring);

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_RING_H_ */
