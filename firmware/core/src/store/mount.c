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

/* What a place of the log holds. */
enum place {
	PLACE_ENTRY,
	PLACE_BLANK,      /* looks erased */
	PLACE_UNREADABLE, /* none of its units can be read: erased ones cannot, on some flash */
	PLACE_BAD,
	PLACE_KINDS,
};

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

/* Read a place `times` times: enum place, or RNV_EIO. */
static int read_place(struct rnv_store *store, uint32_t sector, uint32_t place, uint32_t times,
		      struct rnv_log *log)
{
	const struct rnv_flash_geometry *geometry = &store->config.flash->geometry;
	uint32_t offset =
		sector * geometry->sector_bytes + store->header_bytes + place * store->entry_bytes;
	int status = rnv_registry_read(store, offset, log, sizeof(*log), times);

	if (status == RNV_EBADMSG) {
		return is_unreadable(store, offset) ? PLACE_UNREADABLE : PLACE_BAD;
	}
	if (status != RNV_OK) {
		return status;
	}
	if (rnv_log_is_valid(store, place, log)) {
		return PLACE_ENTRY;
	}
	return rnv_bytes_are((const uint8_t *)log, sizeof(*log), geometry->erased) ? PLACE_BLANK
										   : PLACE_BAD;
}

/*
 * Whether a place is what was seen of it, many times: it may have been torn by a power loss. 1, 0,
 * or RNV_EIO.
 */
static int is_stable(struct rnv_store *store, uint32_t sector, uint32_t place, int seen,
		     struct rnv_log *log)
{
	int kind = read_place(store, sector, place, RNV_TIMES_LAST, log);

	if (kind < 0) {
		return kind;
	}
	store->bad_entries += kind == seen ? 0u : 1u;
	return kind == seen ? 1 : 0;
}

/* Apply the log of a sector: returns the number of its entries, or RNV_EIO. */
static int read_log(struct rnv_store *store, uint32_t sector)
{
	uint32_t room = rnv_registry_room(store);
	uint32_t count[PLACE_KINDS] = {0}; /* blanks and unreadable ones: since the last entry */
	uint32_t next = 0;                 /* place after the last entry */
	struct rnv_log log;
	struct rnv_log last; /* entry, not applied yet */
	uint32_t left;
	int status = 1;

	for (uint32_t place = 0; place < room; place++) {
		int kind = read_place(store, sector, place, RNV_TIMES, &log);

		if (kind < 0) {
			return kind;
		}
		count[kind]++;
		if (kind == PLACE_ENTRY) {
			count[PLACE_BAD] +=
				count[PLACE_BLANK] + count[PLACE_UNREADABLE]; /* no gaps */
			count[PLACE_BLANK] = 0;
			count[PLACE_UNREADABLE] = 0;
			if (next != 0u) {
				rnv_log_apply(store, &last);
			}
			last = log;
			next = place + 1u;
		}
	}
	if (next != 0u) {
		status = is_stable(store, sector, next - 1u, PLACE_ENTRY, &log);
		if (status == 1) {
			rnv_log_apply(store, &log);
		} else {
			count[PLACE_ENTRY]--;
			next = count[PLACE_ENTRY] != 0u ? next : 0u;
		}
	}
	left = count[PLACE_BLANK] + count[PLACE_UNREADABLE];
	store->bad_entries += count[PLACE_BAD];
	if (left != count[PLACE_BLANK] && left != count[PLACE_UNREADABLE]) {
		store->bad_entries += count[PLACE_UNREADABLE];
	} else if (status >= 0 && left != 0u && room - left == next) {
		status = is_stable(store, sector, next,
				   count[PLACE_BLANK] != 0u ? PLACE_BLANK : PLACE_UNREADABLE, &log);
	}
	store->entries = count[PLACE_ENTRY];
	return status < 0 ? status : (int)store->entries;
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
		(void)rnv_registry_edit(store, 0);
		status = rnv_registry_model(store, 0, 0);
		if (status == RNV_EIO) {
			status = RNV_OK; /* it was read, and can be used as long as it can */
		}
	}
	return status;
}
