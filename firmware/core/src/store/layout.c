/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Where the models lie. */

#include "store/registry.h"

#define MOST_BYTES 0x80000000u

static bool power_of_two(uint32_t value)
{
	return value != 0u && (value & (value - 1u)) == 0u;
}

static bool geometry_ok(const struct rnv_flash_geometry *geometry)
{
	return power_of_two(geometry->unit_bytes) && geometry->unit_bytes <= RNV_FLASH_MAX_UNIT &&
	       power_of_two(geometry->sector_bytes) &&
	       geometry->sector_bytes >= geometry->unit_bytes &&
	       (geometry->erased == 0xFFu || geometry->erased == 0u);
}

/* Its length is that of a package's name, and no model before has it. */
static bool name_ok(const struct rnv_store_layout *layout, uint32_t model)
{
	const char *name = layout[model].name;
	uint32_t length = 0;

	if (name == NULL) {
		return false;
	}
	while (length < RNV_NAME_BYTES && name[length] != '\0') {
		length++;
	}
	if (length == 0u || length == RNV_NAME_BYTES) {
		return false;
	}
	for (uint32_t i = 0; i < model; i++) {
		if (strcmp(layout[i].name, name) == 0) {
			return false;
		}
	}
	return true;
}

bool rnv_layout_ok(const struct rnv_flash_geometry *geometry, const struct rnv_store_layout *layout,
		   uint32_t model_count)
{
	if (geometry == NULL || layout == NULL || !geometry_ok(geometry) || model_count == 0u ||
	    model_count > RNV_STORE_MAX_MODELS) {
		return false;
	}
	for (uint32_t i = 0; i < model_count; i++) {
		if (!name_ok(layout, i) || layout[i].slot_bytes == 0u ||
		    layout[i].slot_bytes % geometry->sector_bytes != 0u) {
			return false;
		}
	}
	return true;
}

uint32_t rnv_store_region_bytes(const struct rnv_flash_geometry *geometry,
				const struct rnv_store_layout *layout, uint32_t model_count)
{
	uint64_t bytes;

	if (!rnv_layout_ok(geometry, layout, model_count)) {
		return 0;
	}
	bytes = 2u * (uint64_t)geometry->sector_bytes;
	for (uint32_t i = 0; i < model_count; i++) {
		bytes += 2u * (uint64_t)layout[i].slot_bytes;
	}
	return bytes > MOST_BYTES ? 0u : (uint32_t)bytes;
}

uint32_t rnv_layout_crc(const struct rnv_store_config *config)
{
	const struct rnv_flash_geometry *geometry = &config->flash->geometry;
	uint8_t row[RNV_NAME_BYTES + 4u];
	uint32_t crc;

	rnv_put32(row, geometry->bytes);
	rnv_put32(row + 4, geometry->sector_bytes);
	rnv_put32(row + 8, geometry->unit_bytes);
	crc = rnv_crc32(0, row, 12);
	for (uint32_t i = 0; i < config->model_count; i++) {
		memset(row, 0, RNV_NAME_BYTES);
		memcpy(row, config->layout[i].name, strlen(config->layout[i].name));
		rnv_put32(row + RNV_NAME_BYTES, config->layout[i].slot_bytes);
		crc = rnv_crc32(crc, row, sizeof(row));
	}
	return crc;
}

int rnv_store_find(const struct rnv_store *store, const char *name)
{
	for (uint32_t i = 0; i < store->config.model_count; i++) {
		if (strcmp(store->config.layout[i].name, name) == 0) {
			return (int)i;
		}
	}
	return RNV_ENOENT;
}
