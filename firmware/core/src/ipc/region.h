/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_IPC_REGION_H_
#define RNV_IPC_REGION_H_

/*
 * The region in shared memory, as SPEC.md section 7 has it. Each word has one writer for ever, and
 * is read and written as a whole by the two functions below only.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ranvier/ipc.h"
#include "ranvier/ring.h"

/* Words of a line. */
#define RNV_LINE_WORDS (RNV_IPC_LINE / 4)

/* `version` and `line` of the header, two u16 in one word. */
#define RNV_REGION_VERSION_WORD (RNV_IPC_VERSION | RNV_IPC_LINE << 16)

/* What the server formats once, and stays. */
struct rnv_region_header {
	uint32_t magic; /* cleared first, stored last */
	uint32_t version_line;
	uint32_t bytes;
	uint32_t epoch; /* of the server, never 0 */
	uint32_t entries;
	uint32_t slots;
	uint32_t slot_bytes;
	uint32_t slots_offset;
	uint32_t beat_us;
	uint32_t reserved[2];
	uint32_t crc32; /* from `version_line` to here */
};

struct rnv_region {
	struct rnv_region_header header; /* by the server */
	uint32_t header_rest[RNV_LINE_WORDS - 12];

	struct { /* by the server */
		uint32_t beat;
		uint32_t accept; /* epoch of the client that is bonded, or 0 */
		uint32_t park;   /* token, or 0 */
		uint32_t rest[RNV_LINE_WORDS - 3];
	} server;

	struct { /* by the client */
		uint32_t epoch;
		uint32_t hello; /* epoch of the server that it is meant for */
		uint32_t beat;
		uint32_t parked; /* token of its park, the complement of one given up, or 0 */
		uint32_t rest[RNV_LINE_WORDS - 4];
	} client;

	/* Indices of the rings, each by its own side. */
	uint32_t request_client[RNV_LINE_WORDS];
	uint32_t request_server[RNV_LINE_WORDS];
	uint32_t response_server[RNV_LINE_WORDS];
	uint32_t response_client[RNV_LINE_WORDS];

	struct rnv_message messages[]; /* `entries` requests, `entries` responses; then slots */
};

_Static_assert(sizeof(struct rnv_region_header) == 48, "header");
_Static_assert(offsetof(struct rnv_region, server) == 64, "server's line");
_Static_assert(offsetof(struct rnv_region, client) == 128, "client's line");
_Static_assert(offsetof(struct rnv_region, request_client) == 192, "indices");
_Static_assert(offsetof(struct rnv_region, messages) == 448, "messages");

/* What the other side stored before this word is seen. */
static inline uint32_t rnv_shared_load(const uint32_t *word)
{
	return atomic_load_explicit((const _Atomic uint32_t *)word, memory_order_acquire);
}

/* Who sees the word sees what was stored before it. */
static inline void rnv_shared_store(uint32_t *word, uint32_t value)
{
	atomic_store_explicit((_Atomic uint32_t *)word, value, memory_order_release);
}

static inline struct rnv_message *rnv_region_requests(struct rnv_region *region)
{
	return region->messages;
}

static inline struct rnv_message *rnv_region_responses(struct rnv_region *region, uint32_t entries)
{
	return region->messages + entries;
}

/* Where the first slot is, of a region of sizes that are allowed. */
static inline uint32_t rnv_region_slots_offset(uint32_t entries)
{
	return (uint32_t)offsetof(struct rnv_region, messages) +
	       2u * entries * (uint32_t)sizeof(struct rnv_message);
}

static inline uint32_t rnv_region_next_epoch(uint32_t epoch)
{
	return epoch == UINT32_MAX ? 1u : epoch + 1u;
}

/*
 * By the server: format the region, of sizes that are allowed. Returns the server's epoch: one
 * after that of an intact header that is there, formatted or cleared, else one after the client's
 * hello.
 */
uint32_t rnv_region_format(struct rnv_region *region, const struct rnv_ipc_layout *layout,
			   uint32_t beat_us);

/* By the server: no longer formatted. A park under way is not touched: it ends by itself. */
void rnv_region_clear(struct rnv_region *region);

/*
 * By the client: copy the header once, and check the copy. False: not formatted, damaged, being
 * formatted, of another version, or larger than `region_bytes`.
 */
bool rnv_region_read(const struct rnv_region *region, uint32_t region_bytes,
		     struct rnv_region_header *header);

#endif /* RNV_IPC_REGION_H_ */
