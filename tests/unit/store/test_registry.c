/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What is written into the registry, byte by byte; a full log; a flash that fails meanwhile. */

#include "store_image.h"

static void assert_header(const struct image *image, uint32_t sector)
{
	uint8_t header[HEADER_BYTES];

	image_header(image, header);
	assert_memory_equal(cells + sector * sector_bytes(), header, sizeof(header));
	for (uint32_t i = HEADER_BYTES; i < header_end(); i++) {
		assert_int_equal(cells[sector * sector_bytes() + i], flash.geometry.erased);
	}
}

static void assert_entry(uint32_t sector, uint32_t generation, uint32_t number, uint8_t kind,
			 uint8_t model, const uint8_t *content)
{
	uint8_t entry[16];

	image_entry(entry, generation, number, kind, model, content);
	assert_memory_equal(cells + place_at(sector, number), entry, sizeof(entry));
	for (uint32_t i = 16; i < entry_step(); i++) {
		assert_int_equal(cells[place_at(sector, number) + i], flash.geometry.erased);
	}
}

/* The first session writes sector 0, the second one sector 1. */
static void check_two_sessions(void)
{
	struct image image;

	image_empty(&image, 1);
	image.erases[0] = 1;
	install(ALPHA, &first);
	assert_int_equal(rnv_store_revoke(&store, 0x2222), RNV_OK);
	assert_header(&image, 0);
	assert_entry(0, 1, 0, 0xA1, 0, CONTENT(1, 0x33, 0, 1)); /* filling, begun */
	assert_entry(0, 1, 1, 0xA2, 0, CONTENT(11, 0, 0, 0, 0, 0, 0, 0xEE));
	if (sector_bytes() == 4096) { /* of 4,800 bytes one sector is whole */
		assert_entry(0, 1, 2, 0xA3, 0, CONTENT(0, 0x10));
	}
	uint32_t next = sector_bytes() == 4096 ? 3 : 2;
	assert_entry(0, 1, next, 0xA1, 0, CONTENT(2, 0x33)); /* good */
	/* confirmed, floor 1 */
	assert_entry(0, 1, next + 1, 0xA1, 0, CONTENT(PROVEN_0 | 2, 0x30, 0, 0, 1));
	assert_entry(0, 1, next + 2, 0xA4, 0, CONTENT(0x22, 0x22));
	assert_rest_erased(0, next + 3);
	assert_int_equal(stats().entries, next + 3);
	assert_int_equal(sector_erases[0], 1);
	assert_int_equal(sector_erases[1], 0);

	reset();
	bring(ALPHA, &second);
	activate(ALPHA, 1, 0);
	assert_int_equal(rnv_store_boot(&store, ALPHA), 1);
	image.generation = 2;
	image.erases[1] = 1;
	image.revoked_count = 1;
	image.revoked[0] = 0x2222;
	image.models[0][0] = PROVEN_0 | 2;
	image.models[0][1] = 0x30;
	image.models[0][4] = 1;
	image.models[0][8] = 1;
	assert_header(&image, 1);
	assert_entry(1, 2, 0, 0xA1, 0, CONTENT(PROVEN_0 | 2 | 1 << 3, 0x30, 0, 2, 1));
	next = sector_bytes() == 4096 ? 4 : sector_bytes() == 8192 ? 3 : 2;
	assert_entry(1, 2, next, 0xA1, 0, CONTENT(PROVEN_0 | 2 | 2 << 3, 0x30, 0, 0, 1));
	/* pending, trying */
	assert_entry(1, 2, next + 1, 0xA1, 0, CONTENT(PROVEN_0 | 2 | 2 << 3, 0x14, 0, 0, 1));
	assert_entry(1, 2, next + 2, 0xA1, 0, CONTENT(PROVEN_0 | 2 | 2 << 3, 0x18, 1, 0, 1));
	assert_rest_erased(1, next + 3);
	assert_int_equal(stats().generation, 2);
}

static void test_every_byte(void **state)
{
	static const uint32_t units[] = {1, 4, 8, 16, 32, 128};

	(void)state;
	for (uint32_t i = 0; i < 36; i++) {
		begin_with(units[i % 6], 4096u << (i / 6 % 3), i < 18 ? 0xFF : 0x00);
		check_two_sessions();
	}
}

/* A fill that is under way is in the header: what is written, and its hash. */
static void test_the_header_has_a_fill(void **state)
{
	struct image image;
	uint32_t offset;

	(void)state;
	assert_int_equal(
		rnv_store_fill_begin(&store, ALPHA, (const uint8_t *)"12345678", 9000, &offset),
		RNV_OK);
	assert_int_equal(write_range(0, 8192, 5000), RNV_OK);
	reset();
	install(BETA, &other);
	image_empty(&image, 2);
	image.erases[0] = image.erases[1] = 1;
	image.models[0][0] = 1;
	image.models[0][3] = 1;
	image.models[0][8] = 1;
	image.models[0][17] = 0x20;
	memcpy(image.models[0] + 20, "12345678", 8);
	assert_header(&image, 1);
}

/* Entries fill a sector; the one that does not fit begins the other one, and so on. */
static void test_a_full_log(void **state)
{
	static const uint32_t units[] = {1, 16, 128};

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t room;
		uint32_t calls;

		begin_with(units[i], 4096, 0xFF);
		room = stats().room;
		assert_int_equal(room, (4096 - header_end()) / entry_step());
		for (calls = 1; calls <= 3 * room + 1; calls++) {
			assert_int_equal(rnv_store_erase(&store, BETA, calls % 2), RNV_EAGAIN);
			assert_int_equal(stats().generation, 1 + (calls - 1) / room);
			assert_int_equal(stats().entries, 1 + (calls - 1) % room);
		}
		assert_int_equal(sector_erases[0], 2);
		assert_int_equal(sector_erases[1], 2);
		assert_int_equal(stats().erases[0], 2);
		assert_int_equal(stats().erases[1], 2);
		reset();
		assert_int_equal(stats().generation, 4);
		assert_int_equal(stats().entries, 1);
		assert_int_equal(stats().bad_entries, 0);
		assert_int_equal(info_of(BETA).fills[0] + info_of(BETA).fills[1], calls - 1);
	}
}

/* Two entries that belong together go into one sector: with one place left both go to the next. */
static void test_a_pair_is_not_split(void **state)
{
	uint32_t offset;
	uint32_t room = stats().room;

	(void)state;
	for (uint32_t i = 0; i < room - 1; i++) {
		assert_int_equal(rnv_store_erase(&store, BETA, i % 2), RNV_EAGAIN);
	}
	assert_int_equal(stats().entries, room - 1);
	assert_int_equal(
		rnv_store_fill_begin(&store, ALPHA, (const uint8_t *)"12345678", 9000, &offset),
		RNV_OK);
	assert_int_equal(stats().generation, 2);
	assert_int_equal(stats().entries, 2);
	reset();
	assert_memory_equal(info_of(ALPHA).hash, "12345678", 8);
	assert_int_equal(info_of(ALPHA).fills[0], 1);
}

/* One entry that fails, in each way: the other sector gets it, and the state is as asked. */
static void test_an_entry_that_fails_is_repeated(void **state)
{
	static const enum fault_kind kinds[] = {FAIL, SKIP, FLIP};

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		begin_test(NULL);
		more_keys();
		install(ALPHA, &first);
		assert_int_equal(stats().generation, 1);
		break_programs(kinds[i], 0, 1);
		assert_int_equal(rnv_store_revoke(&store, 77), RNV_OK);
		assert_int_equal(stats().generation, 2);
		assert_int_equal(stats().entries, 1);
		assert_int_equal(stats().revoked_count, 1);
		assert_int_equal(rnv_store_revoke(&store, 78), RNV_OK); /* goes on there */
		assert_int_equal(stats().generation, 2);
		reset();
		assert_int_equal(stats().revoked_count, 2);
		assert_int_equal(stats().revoked[0], 77);
		assert_int_equal(stats().revoked[1], 78);
		assert_int_equal(rnv_store_boot(&store, ALPHA), 0);
	}
}

/* The first change of a session, failing at its erase, header or entry, once or twice. */
static void test_a_new_sector_that_fails(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 16; i++) {
		uint32_t at = i / 2 % 4;
		uint32_t times = i < 8 ? 1 : 2;
		enum fault_kind kind = i % 2 == 0 ? SKIP : FLIP;
		int status;

		begin_test(NULL);
		more_keys();
		install(ALPHA, &first);
		reset();
		/* the header is 144 bytes: two programs; then comes the entry */
		if (at == 3) {
			break_erases(0, times);
		} else {
			break_programs(kind, at, times == 1 ? 1 : 9);
		}
		status = rnv_store_revoke(&store, 77);
		assert_int_equal(status, times == 1 ? RNV_OK : RNV_EIO);
		assert_int_equal(stats().revoked_count, times == 1);
		assert_int_equal(stats().generation, times == 1 ? 2 : 1);
		assert_int_equal(sector_erases[0], 1); /* what was in use is never touched */
		assert_int_equal(sector_erases[1], 2);
		break_programs(SKIP, 0, 0);
		reset();
		assert_int_equal(stats().revoked_count, times == 1);
		assert_int_equal(rnv_store_boot(&store, ALPHA), 0);
		assert_int_equal(rnv_store_revoke(&store, 78), RNV_OK);
		reset();
		assert_int_equal(stats().revoked_count, times == 1 ? 2 : 1);
	}
}

/* A flash that takes nothing any more: every change fails, nothing changes, what is there runs. */
static void test_a_dead_flash_changes_nothing(void **state)
{
	struct rnv_store_verify verified;
	struct rnv_store_model before[MODELS];
	uint32_t offset;

	(void)state;
	more_keys();
	install(ALPHA, &first);
	bring(ALPHA, &second);
	assert_int_equal(verify(ALPHA, 1, &verified), RNV_OK);
	memcpy(before, models, sizeof(before));
	break_programs(SKIP, 0, 1000);
	assert_int_equal(rnv_store_activate(&store, &verified, 0), RNV_EIO);
	assert_int_equal(rnv_store_activate(&store, &verified, 1), RNV_EIO);
	assert_int_equal(rnv_store_mark_bad(&store, ALPHA, 0), RNV_EIO);
	assert_int_equal(rnv_store_erase(&store, ALPHA, 1), RNV_EIO);
	assert_int_equal(rnv_store_revoke(&store, 5), RNV_EIO);
	assert_int_equal(rnv_store_fill_begin(&store, ALPHA, package, 100, &offset), RNV_EIO);
	assert_memory_equal(before, models, sizeof(before));
	assert_int_equal(stats().revoked_count, 0);
	assert_int_equal(rnv_store_boot(&store, ALPHA), 0);
	reset();
	assert_int_equal(rnv_store_boot(&store, ALPHA), 0);
	assert_int_equal(info_of(ALPHA).slot[1], RNV_SLOT_GOOD);
}

static void test_the_registry_fails_during_a_fill(void **state)
{
	uint32_t offset;
	uint32_t taken;

	(void)state;
	assert_int_equal(rnv_store_fill_begin(&store, ALPHA, package, 9000, &offset), RNV_OK);
	assert_int_equal(rnv_store_fill_write(&store, package, 4096, &taken), RNV_OK);
	break_programs(SKIP, 1, 1000); /* all but the data */
	assert_int_equal(rnv_store_fill_write(&store, package, 4096, &taken), RNV_OK);
	assert_int_equal(taken, 4096);
	assert_int_equal(info_of(ALPHA).written, 0);
	assert_int_equal(rnv_store_fill_write(&store, package, 4096, &taken), RNV_EIO);
	assert_int_equal(rnv_store_fill_write(&store, package, 4096, &taken), RNV_ESTATE);
	reset();
	assert_int_equal(info_of(ALPHA).slot[0], RNV_SLOT_FILLING);
}

/* Refused by write_begin, also when the try is a second one: the code comes back. */
static void test_refusals(void **state)
{
	(void)state;
	more_keys();
	install(ALPHA, &first);
	refuse_at = 1;
	refusal = RNV_EBUSY;
	assert_int_equal(rnv_store_revoke(&store, 5), RNV_EBUSY);
	assert_int_equal(stats().revoked_count, 0);
	assert_int_equal(stats().generation, 1);
	refuse_at = 2;
	break_programs(FAIL, 0, 1);
	assert_int_equal(rnv_store_revoke(&store, 5), RNV_EBUSY);
	assert_int_equal(stats().revoked_count, 0);
	assert_int_equal(rnv_store_revoke(&store, 5), RNV_OK);
	assert_int_equal(stats().generation, 2);
	config.write_begin = NULL;
	config.write_end = NULL;
	hooks_on = 0;
	reset();
	assert_int_equal(rnv_store_revoke(&store, 6), RNV_OK);
	assert_int_equal(stats().revoked_count, 2);
}

#define TEST(name) cmocka_unit_test_setup(name, begin_test)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_every_byte),
		TEST(test_the_header_has_a_fill),
		TEST(test_a_full_log),
		TEST(test_a_pair_is_not_split),
		TEST(test_an_entry_that_fails_is_repeated),
		TEST(test_a_new_sector_that_fails),
		TEST(test_a_dead_flash_changes_nothing),
		TEST(test_the_registry_fails_during_a_fill),
		TEST(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
