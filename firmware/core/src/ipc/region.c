/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "ipc/region.h"

#include "ranvier/package.h"

/* Words from `version_line` to `reserved`, which the CRC covers. */
#define COVERED 10u

uint32_t rnv_ipc_bytes(const struct rnv_ipc_layout *layout)
{
	uint64_t bytes;

	if (layout == NULL || layout->entries > RNV_RING_MAX_ENTRIES ||
	    (layout->entries & (layout->entries - 1u)) != 0u || layout->slots == 0u ||
	    layout->slots > RNV_IPC_MAX_SLOTS || layout->slots >= layout->entries ||
	    layout->slot_bytes < 128u || layout->slot_bytes % RNV_IPC_LINE != 0u) {
		return 0;
	}
	bytes = rnv_region_slots_offset(layout->entries) +
		(uint64_t)layout->slots * layout->slot_bytes;
	return bytes > 0x80000000u ? 0u : (uint32_t)bytes;
}

static uint32_t header_crc(const struct rnv_region_header *header)
{
	return rnv_crc32(0, &header->version_line, COVERED * 4u);
}

/* One load of each word, in ascending order. */
static void copy_header(const struct rnv_region *region, struct rnv_region_header *copy)
{
	const uint32_t *from = (const uint32_t *)&region->header;
	uint32_t *to = (uint32_t *)copy;

	for (uint32_t i = 0; i < sizeof(*copy) / 4u; i++) {
		to[i] = rnv_shared_load(&from[i]);
	}
}

static bool is_intact(const struct rnv_region_header *header)
{
	return header->epoch != 0u && header->crc32 == header_crc(header);
}

bool rnv_region_read(const struct rnv_region *region, uint32_t region_bytes,
		     struct rnv_region_header *header)
{
	struct rnv_ipc_layout layout;
	uint32_t bytes;

	copy_header(region, header);
	if (header->magic != RNV_IPC_MAGIC || !is_intact(header) ||
	    header->version_line != RNV_REGION_VERSION_WORD) {
		return false;
	}
	layout = (struct rnv_ipc_layout){header->entries, header->slots, header->slot_bytes};
	bytes = rnv_ipc_bytes(&layout);
	if (bytes == 0u || bytes != header->bytes || bytes > region_bytes ||
	    header->slots_offset != rnv_region_slots_offset(layout.entries)) {
		return false;
	}
	/* The server may have begun to format it meanwhile. */
	return rnv_shared_load(&region->header.magic) == RNV_IPC_MAGIC &&
	       rnv_shared_load(&region->header.epoch) == header->epoch;
}

void rnv_region_clear(struct rnv_region *region)
{
	rnv_shared_store(&region->header.magic, 0);
	rnv_shared_store(&region->server.accept, 0);
}

/* Another epoch than the server before had, as far as this can be known. */
static uint32_t new_epoch(const struct rnv_region *region)
{
	struct rnv_region_header old;

	copy_header(region, &old);
	return rnv_region_next_epoch(is_intact(&old) ? old.epoch
						     : rnv_shared_load(&region->client.hello));
}

uint32_t rnv_region_format(struct rnv_region *region, const struct rnv_ipc_layout *layout,
			   uint32_t beat_us)
{
	struct rnv_region_header header = {
		.version_line = RNV_REGION_VERSION_WORD,
		.bytes = rnv_ipc_bytes(layout),
		.epoch = new_epoch(region),
		.entries = layout->entries,
		.slots = layout->slots,
		.slot_bytes = layout->slot_bytes,
		.slots_offset = rnv_region_slots_offset(layout->entries),
		.beat_us = beat_us,
	};
	const uint32_t *from = (const uint32_t *)&header;
	uint32_t *to = (uint32_t *)&region->header;

	header.crc32 = header_crc(&header);
	rnv_region_clear(region);
	rnv_shared_store(&region->server.beat, 0);
	for (uint32_t i = 1; i < sizeof(header) / 4u; i++) {
		rnv_shared_store(&to[i], from[i]);
	}
	rnv_shared_store(to, RNV_IPC_MAGIC);
	return header.epoch;
}
