/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The flash port keeps the contract of the flash seam, and is where devicetree says. */

#include <zephyr/drivers/flash.h>
#include <zephyr/drivers/flash/flash_simulator.h>
#include <zephyr/storage/flash_map.h>
#include <zephyr/ztest.h>

#include <ranvier/zephyr/flash.h>

#include "contract/flash/contract.h"

#define DEVICE FIXED_PARTITION_DEVICE(ranvier_store_partition)
#define START  FIXED_PARTITION_OFFSET(ranvier_store_partition)
#define BYTES  FIXED_PARTITION_SIZE(ranvier_store_partition)
#define SECTOR 8192
#define UNIT   16

static struct rnv_flash flash;

static void before(void *fixture)
{
	ARG_UNUSED(fixture);
	zassert_equal(rnv_zephyr_flash_init(&flash), RNV_OK);
}

ZTEST(ranvier_flash, test_contract)
{
	const struct flash_contract_device device = {.flash = &flash};
	uint32_t checks = 0;
	const char *broken = flash_contract_run(&device, &checks);

	zassert_is_null(broken, "%s", broken);
	zassert_true(checks > 1000, "%u", checks);
}

ZTEST(ranvier_flash, test_geometry)
{
	zassert_equal(flash.geometry.bytes, BYTES);
	zassert_equal(flash.geometry.sector_bytes, SECTOR);
	zassert_equal(flash.geometry.unit_bytes, UNIT);
	zassert_equal(flash.geometry.erased, 0xff);
}

/* What is outside of the partition is never touched. */
ZTEST(ranvier_flash, test_neighbours)
{
	static const uint8_t unit[UNIT] = {1, 2, 3};
	uint8_t back[UNIT];
	size_t bytes;
	const uint8_t *memory = flash_simulator_get_memory(DEVICE, &bytes);

	zassert_ok(flash_erase(DEVICE, START + BYTES, SECTOR));
	zassert_ok(flash_write(DEVICE, START + BYTES, unit, UNIT));
	zassert_equal(flash.erase(flash.context, BYTES - SECTOR), RNV_OK);
	zassert_equal(flash.program(flash.context, BYTES - UNIT, unit, UNIT), RNV_OK);
	zassert_true(flash.erase(flash.context, BYTES) < 0);
	zassert_true(flash.program(flash.context, BYTES, unit, UNIT) < 0);
	zassert_true(flash.program(flash.context, 0 - (uint32_t)UNIT, unit, UNIT) < 0);
	zassert_true(flash.read(flash.context, BYTES, back, UNIT) < 0);
	zassert_is_null(flash.map(flash.context, BYTES - UNIT, UNIT + 1));
	zassert_mem_equal(memory + START + BYTES, unit, UNIT);
	zassert_mem_equal(memory + START + BYTES - UNIT, unit, UNIT);
	zassert_equal_ptr(flash.map(flash.context, 0, 1), memory + START);
}

ZTEST_SUITE(ranvier_flash, NULL, NULL, before, NULL, NULL);
