/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Access to the region. */

#include "store/registry.h"

#define ROUNDS 4u

int rnv_write_begin(struct rnv_store *store, uint32_t offset)
{
	const struct rnv_store_config *config = &store->config;
	int status = config->write_begin == NULL
			     ? RNV_OK
			     : config->write_begin(config->hook_context, offset);

	store->refused = status != RNV_OK;
	store->refusals += store->refused;
	return status;
}

void rnv_write_end(const struct rnv_store *store)
{
	if (store->config.write_end != NULL) {
		store->config.write_end(store->config.hook_context);
	}
}

bool rnv_bytes_are(const uint8_t *bytes, uint32_t count, uint32_t value)
{
	uint32_t i = 0;

	while (i < count && bytes[i] == value) {
		i++;
	}
	return i == count;
}

/* RNV_OK: all reads agree; 1: they do, some were marginal; RNV_EBADMSG, RNV_EIO. */
static int read_round(const struct rnv_flash *flash, uint32_t offset, void *to, uint32_t bytes,
		      uint32_t times, bool *differs)
{
	uint8_t again[RNV_PIECE_BYTES];
	int marginal = 0;

	for (uint32_t i = 0; i < times; i++) {
		int status = flash->read(flash->context, offset, i == 0u ? to : again, bytes);

		if (status < 0 && status != RNV_EBADMSG) {
			return RNV_EIO;
		}
		if (i != 0u && (status < 0 || memcmp(to, again, bytes) != 0)) {
			*differs = true;
			return RNV_EBADMSG;
		}
		if (status < 0) {
			return RNV_EBADMSG;
		}
		marginal |= status;
	}
	return marginal == 0 ? RNV_OK : 1;
}

int rnv_registry_read(struct rnv_store *store, uint32_t offset, void *to, uint32_t bytes,
		      uint32_t times)
{
	bool differs = false;
	int status = RNV_EBADMSG;

	for (uint32_t i = 0; i < ROUNDS && status == RNV_EBADMSG; i++) {
		status = read_round(store->config.flash, offset, to, bytes, times, &differs);
		differs = differs || (status >= 0 && i != 0u);
	}
	if (status == 1 || differs) {
		store->marginal++;
	}
	return status == 1 ? RNV_OK : status;
}

int rnv_program(const struct rnv_store *store, uint32_t offset, const void *from, uint32_t bytes)
{
	const struct rnv_flash *flash = store->config.flash;
	uint8_t back[RNV_PIECE_BYTES];
	int status = from == NULL ? flash->erase(flash->context, offset)
				  : flash->program(flash->context, offset, from, bytes);

	for (uint32_t at = 0; at < bytes && status == RNV_OK; at += RNV_PIECE_BYTES) {
		uint32_t count = rnv_min(bytes - at, RNV_PIECE_BYTES);

		for (uint32_t i = 0; i < RNV_TIMES; i++) {
			if (flash->read(flash->context, offset + at, back, count) < 0 ||
			    memcmp(back, (const uint8_t *)from + at, count) != 0) {
				status = RNV_EIO;
			}
		}
	}
	return status == RNV_OK ? RNV_OK : RNV_EIO;
}

int rnv_slot_write(struct rnv_store *store, uint32_t offset, const void *from, uint32_t bytes)
{
	int status = rnv_write_begin(store, offset);

	if (status == RNV_OK) {
		status = rnv_program(store, offset, from, bytes);
		rnv_write_end(store);
	}
	return status;
}
