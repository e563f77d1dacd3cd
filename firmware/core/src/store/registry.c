/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Writing the registry. */

#include "store/registry.h"

/*
 * Erase a sector and give it a header with the present state. Until it has an entry as well the
 * other sector counts.
 */
static int sector_begin(struct rnv_store *store, uint32_t sector, uint32_t generation)
{
	const struct rnv_flash_geometry *geometry = &store->config.flash->geometry;
	uint32_t start = sector * geometry->sector_bytes;
	uint32_t crc_piece = rnv_header_length(store) / RNV_PIECE_BYTES;
	uint8_t buffer[RNV_FLASH_MAX_UNIT];
	uint32_t crc = 0;
	int status = rnv_program(store, start, NULL, 0);

	store->erases[sector]++;
	for (uint32_t at = 0; at < store->header_bytes && status == RNV_OK; at += sizeof(buffer)) {
		uint32_t count = rnv_min(store->header_bytes - at, sizeof(buffer));

		memset(buffer, (int)geometry->erased, sizeof(buffer));
		for (uint32_t i = 0; i < sizeof(buffer); i += RNV_PIECE_BYTES) {
			uint32_t piece = (at + i) / RNV_PIECE_BYTES;

			if (piece < crc_piece) {
				rnv_header_encode(store, generation, piece, buffer + i);
				crc = rnv_crc32(crc, buffer + i, RNV_PIECE_BYTES);
			} else if (piece == crc_piece) {
				rnv_put32(buffer + i, crc);
			}
		}
		status = rnv_program(store, start + at, buffer, count);
	}
	return status;
}

static int append(struct rnv_store *store, uint32_t sector, uint32_t generation, uint32_t number,
		  struct rnv_log *log)
{
	const struct rnv_flash_geometry *geometry = &store->config.flash->geometry;
	uint8_t buffer[RNV_FLASH_MAX_UNIT];

	memset(buffer, (int)geometry->erased, sizeof(buffer));
	rnv_log_encode(log, generation, number);
	memcpy(buffer, log, sizeof(*log));
	return rnv_program(store,
			   sector * geometry->sector_bytes + store->header_bytes +
				   number * store->entry_bytes,
			   buffer, store->entry_bytes);
}

/* One try: in the sector in use, or anew in the other one. */
static int try_write(struct rnv_store *store, uint32_t sector, struct rnv_log *log, uint32_t count)
{
	bool anew = sector != store->sector;
	uint32_t generation = store->generation + (anew ? 1u : 0u);
	uint32_t number = anew ? 0u : store->entries;
	int status = anew ? sector_begin(store, sector, generation) : RNV_OK;

	for (uint32_t i = 0; i < count && status == RNV_OK; i++) {
		status = append(store, sector, generation, number + i, &log[i]);
	}
	store->writable = status == RNV_OK;
	if (status == RNV_OK) {
		store->sector = (uint8_t)sector;
		store->generation = generation;
		store->entries = number + count;
	}
	return status;
}

int rnv_registry_write(struct rnv_store *store, struct rnv_log *log, uint32_t count)
{
	for (uint32_t tries = 0; tries < 2u; tries++) {
		bool fits =
			store->writable != 0u && store->entries + count <= rnv_registry_room(store);
		uint32_t sector = fits ? store->sector : 1u - store->sector;
		int status =
			rnv_write_begin(store, sector * store->config.flash->geometry.sector_bytes);

		if (status != RNV_OK) {
			return status;
		}
		status = try_write(store, sector, log, count);
		rnv_write_end(store);
		if (status == RNV_OK) {
			for (uint32_t i = 0; i < count; i++) {
				rnv_log_apply(store, &log[i]);
			}
			return RNV_OK;
		}
	}
	return RNV_EIO;
}

struct rnv_store_model *rnv_registry_edit(struct rnv_store *store, uint32_t model)
{
	if (model >= store->config.model_count) {
		return NULL;
	}
	store->next = store->config.models[model];
	return &store->next;
}

int rnv_registry_model(struct rnv_store *store, uint32_t model, uint32_t begun)
{
	struct rnv_log log;

	rnv_log_model(&log, store, model, begun);
	return rnv_registry_write(store, &log, 1);
}
