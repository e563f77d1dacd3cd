/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The flash seam: a fixed partition. What is no whole unit or sector is refused here, since drivers
 * differ in what they make of it. */

#include <string.h>

#include <zephyr/drivers/flash.h>
#include <zephyr/kernel.h>
#include <zephyr/storage/flash_map.h>

#include <ranvier/zephyr/flash.h>

#include "flash_internal.h"

#define PARTITION ranvier_store_partition
#define START     ((uint32_t)FIXED_PARTITION_OFFSET(PARTITION))
#define BYTES     ((uint32_t)FIXED_PARTITION_SIZE(PARTITION))

#define MAP_ALIGN 16u

/* Programmed at once: a driver may exclude interrupts for as long. */
#define PIECE RNV_FLASH_MAX_UNIT

BUILD_ASSERT(FIXED_PARTITION_EXISTS(PARTITION), "devicetree: ranvier_store_partition");

static const struct device *const device = FIXED_PARTITION_DEVICE(PARTITION);
static struct rnv_flash_geometry geometry;
static const uint8_t *mapped; /* the partition */

static bool is_inside(uint32_t offset, uint32_t bytes)
{
	return offset <= BYTES && bytes <= BYTES - offset;
}

static int flash_port_read(void *context, uint32_t offset, void *to, uint32_t bytes)
{
	ARG_UNUSED(context);
	if (!is_inside(offset, bytes)) {
		return RNV_EIO;
	}
	return rnv_zephyr_flash_read(device, START + offset, mapped + offset, to, bytes);
}

static int flash_port_program(void *context, uint32_t offset, const void *from, uint32_t bytes)
{
	const uint32_t sector_mask = ~(geometry.sector_bytes - 1u);
	const uint8_t *source = from;
	uint8_t piece[PIECE] __aligned(sizeof(uint64_t)); /* drivers read their source by words */

	ARG_UNUSED(context);
	if (!is_inside(offset, bytes) || bytes == 0u ||
	    ((offset | bytes) & (geometry.unit_bytes - 1u)) != 0u ||
	    (offset & sector_mask) != ((offset + bytes - 1u) & sector_mask)) {
		return RNV_EINVAL;
	}
	while (bytes != 0u) {
		const uint32_t part = MIN(bytes, sizeof(piece));

		memcpy(piece, source, part);
		if (flash_write(device, (off_t)(START + offset), piece, part) != 0) {
			return RNV_EIO;
		}
		source += part;
		offset += part;
		bytes -= part;
	}
	return RNV_OK;
}

static int flash_port_erase(void *context, uint32_t offset)
{
	ARG_UNUSED(context);
	if (offset >= BYTES || (offset & (geometry.sector_bytes - 1u)) != 0u) {
		return RNV_EINVAL;
	}
	return (flash_erase(device, (off_t)(START + offset), geometry.sector_bytes) == 0) ? RNV_OK
											  : RNV_EIO;
}

static const void *flash_port_map(void *context, uint32_t offset, uint32_t bytes)
{
	ARG_UNUSED(context);
	return is_inside(offset, bytes) ? mapped + offset : NULL;
}

/* Sectors are equal, and the partition is made of whole ones. */
static int measure(const struct flash_parameters *parameters)
{
	struct flash_pages_info first;
	struct flash_pages_info last;

	if (flash_get_page_info_by_offs(device, (off_t)START, &first) != 0 ||
	    flash_get_page_info_by_offs(device, (off_t)(START + BYTES - 1u), &last) != 0) {
		return RNV_EIO;
	}
	geometry = (struct rnv_flash_geometry){
		.bytes = BYTES,
		.sector_bytes = (uint32_t)first.size,
		.unit_bytes = (uint32_t)parameters->write_block_size,
		.erased = parameters->erase_value,
	};
	if (!IS_POWER_OF_TWO(geometry.sector_bytes) || !IS_POWER_OF_TWO(geometry.unit_bytes) ||
	    geometry.unit_bytes > RNV_FLASH_MAX_UNIT ||
	    geometry.sector_bytes < geometry.unit_bytes || first.start_offset != (off_t)START ||
	    last.size != first.size || BYTES % geometry.sector_bytes != 0u ||
	    last.index - first.index + 1u != BYTES / geometry.sector_bytes) {
		return RNV_EINVAL;
	}
	return RNV_OK;
}

int rnv_zephyr_flash_init(struct rnv_flash *flash)
{
	const struct flash_parameters *parameters;
	const uint8_t *base;
	int status;

	if (!device_is_ready(device)) {
		return RNV_EIO;
	}
	parameters = flash_get_parameters(device);
	base = rnv_zephyr_flash_base(device);
	if (base == NULL ||
	    (flash_params_get_erase_cap(parameters) & FLASH_ERASE_C_EXPLICIT) == 0) {
		return RNV_ENOTSUP;
	}
	mapped = base + START;
	if ((uintptr_t)mapped % MAP_ALIGN != 0u) {
		return RNV_EALIGN;
	}
	status = measure(parameters);
	if (status != RNV_OK) {
		return status;
	}
	*flash = (struct rnv_flash){
		.geometry = geometry,
		.read = flash_port_read,
		.program = flash_port_program,
		.erase = flash_port_erase,
		.map = flash_port_map,
	};
	return RNV_OK;
}
