/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What a layout needs, what a mount refuses, names. */

#include "store_fixture.h"

static void test_a_region_has_two_sectors_and_all_slots(void **state)
{
	struct rnv_flash_geometry geometry = flash.geometry;
	struct rnv_store_layout wide[2] = {{"a", 0x40000000, 0}, {"b", 4096, 0}};

	(void)state;
	assert_int_equal(rnv_store_region_bytes(&geometry, layout, 2), 10 * 4096);
	assert_int_equal(rnv_store_region_bytes(&geometry, layout, 1), 8 * 4096);
	assert_int_equal(rnv_store_region_bytes(&geometry, layout, 0), 0);
	assert_int_equal(rnv_store_region_bytes(&geometry, layout, 17), 0);
	assert_int_equal(rnv_store_region_bytes(NULL, layout, 1), 0);
	assert_int_equal(rnv_store_region_bytes(&geometry, NULL, 1), 0);
	assert_int_equal(rnv_store_region_bytes(&geometry, wide, 1), 0);
	wide[0].slot_bytes -= 4096;
	assert_int_equal(rnv_store_region_bytes(&geometry, wide, 1), 0x80000000u);
	assert_int_equal(rnv_store_region_bytes(&geometry, wide, 2), 0);
	wide[0].slot_bytes = 0xFFFFF000u;
	wide[1].slot_bytes = 0xFFFFF000u;
	assert_int_equal(rnv_store_region_bytes(&geometry, wide, 2), 0);
}

static void refused(void)
{
	assert_int_equal(mount(), RNV_EINVAL);
	assert_int_equal(begin_test(NULL), 0);
}

static void test_geometries_that_are_refused(void **state)
{
	static const uint32_t units[] = {0, 3, 24, 256};

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		flash.geometry.unit_bytes = units[i];
		refused();
	}
	flash.geometry.sector_bytes = 0;
	refused();
	flash.geometry.sector_bytes = 12288;
	refused();
	flash.geometry.sector_bytes = 8;
	refused();
	flash.geometry.erased = 0x55;
	refused();
	flash.geometry.bytes -= 4096;
	refused();
	flash.geometry.bytes += 1;
	refused();
}

static void test_layouts_that_are_refused(void **state)
{
	(void)state;
	layout[1].name = "alpha";
	refused();
	layout[1].name = NULL;
	refused();
	layout[1].name = "";
	refused();
	layout[1].name = "12345678901234567890123456789012";
	refused();
	layout[1].name = "1234567890123456789012345678901";
	assert_int_equal(mount(), RNV_OK);
	layout[1].slot_bytes = 0;
	refused();
	layout[1].slot_bytes = 4096 + 2048;
	refused();
}

static void test_configurations_that_are_refused(void **state)
{
	(void)state;
	assert_int_equal(rnv_store_mount(NULL, &config), RNV_EINVAL);
	assert_int_equal(rnv_store_mount(&store, NULL), RNV_EINVAL);
	config.flash = NULL;
	refused();
	config.crypto = NULL;
	refused();
	config.layout = NULL;
	refused();
	config.models = NULL;
	refused();
	config.keys = NULL;
	refused();
	config.model_count = 0;
	refused();
	config.model_count = 17;
	refused();
	config.trial_boots = 0;
	refused();
	config.trial_boots = 16;
	refused();
	config.keys = NULL;
	config.key_count = 0;
	config.trial_boots = 15;
	assert_int_equal(mount(), RNV_OK);
}

/* A header of 132 bytes, rounded up, and two entries at least. */
static void test_a_sector_that_is_too_small(void **state)
{
	(void)state;
	layout[ALPHA].slot_bytes = layout[BETA].slot_bytes = 512;
	flash.geometry.sector_bytes = 512;
	flash.geometry.unit_bytes = 128;
	assert_int_equal(mount(), RNV_OK);
	assert_int_equal(stats().room, 2);
	flash.geometry.sector_bytes = 256;
	assert_int_equal(mount(), RNV_EINVAL);
	flash.geometry.unit_bytes = 16;
	assert_int_equal(mount(), RNV_OK);
	assert_int_equal(stats().room, 7); /* (256 - 144) / 16 */
	flash.geometry.unit_bytes = 1;
	assert_int_equal(mount(), RNV_OK);
	assert_int_equal(stats().room, 7); /* (256 - 132) / 16 */
}

static void test_an_erased_flash_is_an_empty_store(void **state)
{
	struct rnv_store_info info;

	(void)state;
	for (uint32_t model = 0; model < MODELS; model++) {
		info = info_of(model);
		assert_string_equal(info.name, model == ALPHA ? "alpha" : "beta");
		assert_int_equal(info.slot_bytes, (model == ALPHA ? 3 : 1) * 4096);
		assert_int_equal(info.floor + info.written + info.fills[0] + info.fills[1], 0);
		assert_int_equal(info.slot[0], RNV_SLOT_EMPTY);
		assert_int_equal(info.slot[1], RNV_SLOT_EMPTY);
		assert_int_equal(info.confirmed, NONE);
		assert_int_equal(info.trial, RNV_TRIAL_NONE);
		assert_int_equal(info.trial_slot, NONE);
		assert_int_equal(info.next, NONE);
		assert_int_equal(rnv_store_boot(&store, model), RNV_ENOENT);
	}
	assert_int_equal(stats().generation, 0);
	assert_int_equal(stats().bad_entries, 0);
	assert_int_equal(programs + erases, 0);
	assert_int_equal(begins, 0);
}

static void test_names(void **state)
{
	(void)state;
	assert_int_equal(rnv_store_find(&store, "alpha"), ALPHA);
	assert_int_equal(rnv_store_find(&store, "beta"), BETA);
	assert_int_equal(rnv_store_find(&store, "alph"), RNV_ENOENT);
	assert_int_equal(rnv_store_find(&store, "betab"), RNV_ENOENT);
}

static void test_no_such_model(void **state)
{
	struct rnv_store_info info;
	struct rnv_store_verify verified;
	uint32_t offset;

	(void)state;
	assert_int_equal(rnv_store_info_get(&store, 2, &info), RNV_ENOENT);
	assert_int_equal(rnv_store_boot(&store, 2), RNV_ENOENT);
	assert_int_equal(rnv_store_confirm(&store, 2, 1), RNV_ENOENT);
	assert_int_equal(rnv_store_revert(&store, 2), RNV_ENOENT);
	assert_int_equal(rnv_store_erase(&store, 2, 0), RNV_ENOENT);
	assert_int_equal(rnv_store_erase(&store, 0, 2), RNV_ENOENT);
	assert_int_equal(rnv_store_mark_bad(&store, 2, 0), RNV_ENOENT);
	assert_int_equal(rnv_store_mark_bad(&store, 0, 2), RNV_ENOENT);
	assert_int_equal(rnv_store_fill_begin(&store, 2, (const uint8_t *)"12345678", 1, &offset),
			 RNV_ENOENT);
	assert_int_equal(rnv_store_verify_start(&store, 2, 0, &verified), RNV_ENOENT);
	assert_int_equal(rnv_store_verify_start(&store, 0, 2, &verified), RNV_ENOENT);
	assert_int_equal(rnv_store_verify_start(&store, 0, 0, &verified), RNV_ENOENT);
	assert_int_equal(programs + erases, 0);
}

#define TEST(name) cmocka_unit_test_setup(name, begin_test)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_region_has_two_sectors_and_all_slots),
		TEST(test_geometries_that_are_refused),
		TEST(test_layouts_that_are_refused),
		TEST(test_configurations_that_are_refused),
		TEST(test_a_sector_that_is_too_small),
		TEST(test_an_erased_flash_is_an_empty_store),
		TEST(test_names),
		TEST(test_no_such_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
