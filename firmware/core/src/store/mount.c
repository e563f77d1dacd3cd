/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Mount: which registry sector is in use, and what it says. */

#include "store/registry.h"

/* What was found of both sectors. */
struct found {
	uint32_t generation[2]; /* 0: no valid header */
	uint32_t problems[2];   /* what is bad or marginal in the sector */
};

/* Read a header into the state: RNV_OK, RNV_EBADMSG, RNV_EIO. */
static int read_header(struct rnv_store *store, uint32_t sector)
{
	uint32_t start = sector * store->config.flash->geometry.sector_bytes;
	uint32_t crc_at = rnv_header_length(store) - 4u;
	uint8_t piece[RNV_PIECE_BYTES];
	uint32_t crc = 0;
	int status;

	rnv_store_forget(store);
	for (uint32_t at = 0; at < crc_at; at += RNV_PIECE_BYTES) {
		status = rnv_registry_read(store, start + at, piece, RNV_PIECE_BYTES, RNV_TIMES);
		if (status != RNV_OK) {
			return status;
		}
		if (!rnv_header_decode(store, at / RNV_PIECE_BYTES, piece)) {
			return RNV_EBADMSG;
		}
		crc = rnv_crc32(crc, piece, RNV_PIECE_BYTES);
	}
	status = rnv_registry_read(store, start + crc_at, piece, 4, RNV_TIMES);
	if (status == RNV_OK && rnv_get32(piece) != crc) {
		status = RNV_EBADMSG;
	}
	return status;
}

/* A log that is being read. */
struct cursor {
	uint32_t start;              /* of place 0, in the region */
	uint32_t last;               /* place of the last valid entry, when there is one */
	uint32_t valid;              /* entries before the last one, applied, and it */
	uint32_t blanks;             /* places since then that look erased */
	uint32_t unreadable;         /* and that cannot be read: erased ones, on some flash */
	uint8_t held[RNV_LOG_BYTES]; /* the last valid entry, not applied yet */
};

/*
 * Whether a place says what was held, or, without that, what the places after it do, many times: it
 * may have been torn by a power loss. 1, 0, or RNV_EIO.
 */
static int is_stable(struct rnv_store *store, const struct cursor *cursor, uint32_t place,
		     const uint8_t *held)
{
	uint8_t bytes[RNV_LOG_BYTES];
	bool same;
	int status = rnv_registry_read(store, cursor->start + place * store->entry_bytes, bytes,
				       sizeof(bytes), RNV_TIMES_LAST);

	if (status == RNV_EIO) {
		return RNV_EIO;
	}
	if (held != NULL) {
		same = status == RNV_OK && memcmp(bytes, held, sizeof(bytes)) == 0;
	} else if (cursor->unreadable != 0u) {
		same = status == RNV_EBADMSG;
	} else {
		same = status == RNV_OK &&
		       rnv_bytes_are(bytes, sizeof(bytes), store->config.flash->geometry.erased);
	}
	store->bad_entries += same ? 0u : 1u;
	return same ? 1 : 0;
}

/* Of a place that cannot be read: whether that is so of each of its units. */
static bool is_unreadable(struct rnv_store *store, uint32_t offset)
{
	uint32_t unit = rnv_min(store->config.flash->geometry.unit_bytes, RNV_LOG_BYTES);
	uint8_t bytes[RNV_LOG_BYTES];
	uint32_t at = 0;

	while (at < RNV_LOG_BYTES &&
	       rnv_registry_read(store, offset + at, bytes, unit, 1) == RNV_EBADMSG) {
		at += unit;
	}
	return at == RNV_LOG_BYTES;
}

static int read_place(struct rnv_store *store, struct cursor *cursor, uint32_t place)
{
	uint8_t bytes[RNV_LOG_BYTES];
	struct rnv_log log;
	uint32_t offset = cursor->start + place * store->entry_bytes;
	int status = rnv_registry_read(store, offset, bytes, sizeof(bytes), RNV_TIMES);

	if (status == RNV_EIO) {
		return RNV_EIO;
	}
	if (status == RNV_OK && rnv_log_decode(store, place, bytes, &log)) {
		store->bad_entries += cursor->blanks + cursor->unreadable; /* it has no gaps */
		cursor->blanks = 0;
		cursor->unreadable = 0;
		if (cursor->valid != 0u) {
			rnv_log_decode(store, cursor->last, cursor->held, &log);
			rnv_log_apply(store, &log);
		}
		memcpy(cursor->held, bytes, sizeof(bytes));
		cursor->last = place;
		cursor->valid++;
	} else if (status == RNV_OK &&
		   rnv_bytes_are(bytes, sizeof(bytes), store->config.flash->geometry.erased)) {
		cursor->blanks++;
	} else if (status == RNV_EBADMSG && is_unreadable(store, offset)) {
		cursor->unreadable++;
	} else {
		store->bad_entries++;
	}
	return RNV_OK;
}

/* Apply a sector's log: returns the number of its entries, or RNV_EIO. */
static int read_log(struct rnv_store *store, uint32_t sector)
{
	uint32_t room = rnv_registry_room(store);
	struct cursor cursor = {0};
	struct rnv_log log;
	uint32_t left;
	uint32_t next;
	int status = RNV_OK;

	cursor.start = sector * store->config.flash->geometry.sector_bytes + store->header_bytes;
	for (uint32_t place = 0; place < room && status == RNV_OK; place++) {
		status = read_place(store, &cursor, place);
	}
	if (status != RNV_OK) {
		return status;
	}
	if (cursor.valid != 0u) {
		status = is_stable(store, &cursor, cursor.last, cursor.held);
		if (status == 1) {
			rnv_log_decode(store, cursor.last, cursor.held, &log);
			rnv_log_apply(store, &log);
		} else {
			cursor.valid--;
		}
	}
	next = cursor.valid == 0u ? 0u : cursor.last + 1u;
	left = cursor.blanks + cursor.unreadable;
	if (cursor.blanks != 0u && cursor.unreadable != 0u) {
		store->bad_entries += cursor.unreadable;
	} else if (status >= 0 && left != 0u && room - left == next) {
		status = is_stable(store, &cursor, next, NULL);
	}
	store->entries = cursor.valid;
	return status < 0 ? status : (int)cursor.valid;
}

static uint32_t problems(const struct rnv_store *store)
{
	return store->bad_entries + store->marginal;
}

/* Make a sector's content the state: the number of its entries, RNV_EBADMSG, RNV_EIO. */
static int load(struct rnv_store *store, struct found *found, uint32_t sector)
{
	uint32_t before = problems(store);
	int status = read_header(store, sector);

	if (status == RNV_OK) {
		status = read_log(store, sector);
	}
	found->problems[sector] += problems(store) - before;
	store->sector = (uint8_t)sector;
	return status;
}

static int look(struct rnv_store *store, struct found *found, uint32_t sector)
{
	uint32_t start = sector * store->config.flash->geometry.sector_bytes;
	uint32_t before = problems(store);
	uint8_t first[RNV_LOG_BYTES];
	int status = read_header(store, sector);

	found->generation[sector] = status == RNV_OK ? store->generation : 0u;
	if (status == RNV_EBADMSG) {
		status = rnv_registry_read(store, start, first, sizeof(first), RNV_TIMES);
		if (status != RNV_OK ||
		    !rnv_bytes_are(first, sizeof(first), store->config.flash->geometry.erased)) {
			store->bad_entries++;
		}
	}
	found->problems[sector] = problems(store) - before;
	return status == RNV_EIO ? RNV_EIO : RNV_OK;
}

/*
 * Load the sector in use. A newer header without an entry is what a power loss has left: the older
 * sector says the same and is known to be whole. Returns 1 where the registry has to be written
 * anew, 0 where not, RNV_EIO.
 */
static int choose(struct rnv_store *store, struct found *found)
{
	uint32_t newer = found->generation[1] > found->generation[0] ? 1u : 0u;
	uint32_t older = 1u - newer;
	int status = RNV_EBADMSG;

	if (found->generation[newer] != 0u) {
		status = load(store, found, newer);
		if (status > 0 || status == RNV_EIO) {
			return status < 0 ? status : found->problems[newer] != 0u;
		}
		if (found->generation[older] != 0u) {
			status = load(store, found, older);
			if (status != RNV_EBADMSG) {
				return status < 0 ? status : 1;
			}
		}
		status = load(store, found, newer);
		if (status != RNV_EBADMSG) {
			return status < 0 ? status : found->problems[newer] != 0u;
		}
	}
	rnv_store_forget(store);
	store->sector = 1; /* so that the first one to be written is 0 */
	return 0;
}

static bool config_ok(const struct rnv_store_config *config)
{
	uint32_t bytes;

	if (config == NULL || config->flash == NULL || config->crypto == NULL ||
	    config->models == NULL || (config->keys == NULL && config->key_count != 0u) ||
	    config->trial_boots == 0u || config->trial_boots > RNV_STORE_MAX_TRIES) {
		return false;
	}
	bytes = rnv_store_region_bytes(&config->flash->geometry, config->layout,
				       config->model_count);
	return bytes != 0u && bytes <= config->flash->geometry.bytes &&
	       config->flash->geometry.bytes % config->flash->geometry.sector_bytes == 0u;
}

/* Everything that does not depend on what the flash holds. */
static int prepare(struct rnv_store *store, const struct rnv_store_config *config)
{
	const struct rnv_flash_geometry *geometry = &config->flash->geometry;
	uint32_t unit = geometry->unit_bytes;
	uint32_t offset = 2u * geometry->sector_bytes;

	memset(store, 0, sizeof(*store));
	store->config = *config;
	store->fill_model = RNV_NO_FILL;
	store->layout_crc = rnv_layout_crc(config);
	store->header_bytes = (rnv_header_length(store) + unit - 1u) & ~(unit - 1u);
	store->entry_bytes = rnv_max(RNV_LOG_BYTES, unit);
	for (uint32_t i = 0; i < config->model_count; i++) {
		config->models[i].offset = offset;
		offset += 2u * config->layout[i].slot_bytes;
	}
	return geometry->sector_bytes < store->header_bytes + 2u * store->entry_bytes ? RNV_EINVAL
										      : RNV_OK;
}

int rnv_store_mount(struct rnv_store *store, const struct rnv_store_config *config)
{
	struct found found;
	int status;

	if (store == NULL || !config_ok(config) || prepare(store, config) != RNV_OK) {
		return RNV_EINVAL;
	}
	for (uint32_t sector = 0; sector < 2u; sector++) {
		if (look(store, &found, sector) != RNV_OK) {
			return RNV_EIO;
		}
	}
	status = choose(store, &found);
	if (status == 1) {
		status = rnv_registry_model(store, 0, &config->models[0], 0);
		if (status == RNV_EIO) {
			status = RNV_OK; /* it was read, and can be used as long as it can */
		}
	}
	return status;
}
