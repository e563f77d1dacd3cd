/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

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
