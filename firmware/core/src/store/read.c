/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What a slot holds, as it is. */

#include "store/registry.h"

int rnv_store_read(const struct rnv_store *store, uint32_t model, uint32_t slot, uint32_t offset,
		   void *to, uint32_t bytes)
{
	const struct rnv_flash *flash = store->config.flash;
	uint32_t slot_bytes;
	int status;

	if (model >= store->config.model_count || slot > 1u) {
		return RNV_ENOENT;
	}
	slot_bytes = store->config.layout[model].slot_bytes;
	if (offset > slot_bytes || bytes > slot_bytes - offset) {
		return RNV_EINVAL;
	}
	status = flash->read(flash->context, rnv_slot_offset(store, model, slot) + offset, to,
			     bytes);
	return (status > 0) ? RNV_OK : status;
}

bool rnv_header_is_of(const struct rnv_header *header, const char *name)
{
	return header->magic == RNV_PACKAGE_MAGIC && header->format == RNV_PACKAGE_FORMAT &&
	       header->header_bytes == RNV_HEADER_BYTES &&
	       header->total_bytes >= RNV_HEADER_BYTES + RNV_TRAILER_BYTES &&
	       strncmp((const char *)header->name, name, RNV_NAME_BYTES) == 0;
}
