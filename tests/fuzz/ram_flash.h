/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_FUZZ_RAM_FLASH_H_
#define RNV_FUZZ_RAM_FLASH_H_

/* A flash in RAM for fuzzers, and a crypto that takes every package as whole and signed: what is
 * behind these is fuzzed. */

#include <stdlib.h>
#include <string.h>

#include "ranvier/crypto.h"
#include "ranvier/flash.h"

#define FLASH_MOST (64u << 10)

static _Alignas(16) uint8_t cells[FLASH_MOST];
static const uint8_t *hashed; /* behind what was hashed last: in a package its hash */

static inline void demand(int right)
{
	if (!right) {
		abort();
	}
}

static inline int ram_read(void *context, uint32_t offset, void *to, uint32_t bytes)
{
	const struct rnv_flash *flash = context;

	demand(bytes != 0u && bytes <= flash->geometry.bytes &&
	       offset <= flash->geometry.bytes - bytes);
	memcpy(to, cells + offset, bytes);
	return RNV_OK;
}

static inline int ram_program(void *context, uint32_t offset, const void *from, uint32_t bytes)
{
	const struct rnv_flash *flash = context;
	uint32_t sector = flash->geometry.sector_bytes;

	demand(bytes != 0u && bytes % flash->geometry.unit_bytes == 0u &&
	       offset % flash->geometry.unit_bytes == 0u && bytes <= sector &&
	       offset / sector == (offset + bytes - 1u) / sector &&
	       offset + bytes <= flash->geometry.bytes);
	for (uint32_t i = 0; i < bytes; i++) {
		demand(cells[offset + i] == 0xFFu); /* programmed once */
	}
	memcpy(cells + offset, from, bytes);
	return RNV_OK;
}

static inline int ram_erase(void *context, uint32_t offset)
{
	const struct rnv_flash *flash = context;

	demand(offset % flash->geometry.sector_bytes == 0u && offset < flash->geometry.bytes);
	memset(cells + offset, 0xFF, flash->geometry.sector_bytes);
	return RNV_OK;
}

static inline const void *ram_map(void *context, uint32_t offset, uint32_t bytes)
{
	const struct rnv_flash *flash = context;

	demand(bytes <= flash->geometry.bytes && offset <= flash->geometry.bytes - bytes);
	return cells + offset;
}

static inline int any_start(void *context)
{
	(void)context;
	return RNV_OK;
}

static inline int any_update(void *context, const void *data, uint32_t bytes)
{
	(void)context;
	hashed = (const uint8_t *)data + bytes;
	return RNV_OK;
}

static inline int any_finish(void *context, uint8_t *hash)
{
	(void)context;
	demand(hashed >= cells && hashed <= cells + FLASH_MOST - RNV_SHA256_BYTES);
	memcpy(hash, hashed, RNV_SHA256_BYTES);
	return RNV_OK;
}

static inline int any_verify(void *context, const uint8_t *xy, const uint8_t *hash,
			     const uint8_t *signature)
{
	(void)context;
	(void)xy;
	(void)hash;
	(void)signature;
	return RNV_OK;
}

static const struct rnv_crypto any_crypto = {.hash_start = any_start,
					     .hash_update = any_update,
					     .hash_finish = any_finish,
					     .verify = any_verify};

static struct rnv_flash ram_flash = {.context = &ram_flash,
				     .geometry = {.erased = 0xFF},
				     .read = ram_read,
				     .program = ram_program,
				     .erase = ram_erase,
				     .map = ram_map};

#endif /* RNV_FUZZ_RAM_FLASH_H_ */
