/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Which registry is mounted, and what is none. */

#include "store_image.h"

static void test_a_registry_made_by_hand(void **state)
{
	struct image image;
	struct rnv_store_info info;

	(void)state;
	image_empty(&image, 7);
	image.erases[0] = 3;
	image.erases[1] = 4;
	image.revoked_count = 2;
	image.revoked[0] = 0xAABBCCDD;
	image.revoked[1] = 5;
	memcpy(image.models[0],
	       ((uint8_t[32]){PROVEN_0 | 2 | 1 << 3,
			      0x30,
			      0,
			      1,
			      9,
			      0,
			      0,
			      0,
			      1,
			      2,
			      0,
			      0,
			      3,
			      0,
			      1,
			      0,
			      0,
			      0x20,
			      0,
			      0,
			      'h',
			      'a',
			      's',
			      'h',
			      '5',
			      '6',
			      '7',
			      '8'}),
	       32);
	memcpy(image.models[1],
	       ((uint8_t[32]){PROVEN_0 | PROVEN_1 | 4 | 3 << 3, 0x33, 0, 0, 0, 1, 0, 0, 6, 0, 0, 0,
			      8}),
	       32);
	image_write(&image, 1);
	reset();
	info = info_of(ALPHA);
	assert_int_equal(info.slot[0], RNV_SLOT_GOOD);
	assert_int_equal(info.slot[1], RNV_SLOT_FILLING);
	assert_int_equal(info.confirmed, 0);
	assert_int_equal(info.proven, 1);
	assert_int_equal(info.trial, RNV_TRIAL_NONE);
	assert_int_equal(info.floor, 9);
	assert_int_equal(info.fills[0], 0x201);
	assert_int_equal(info.fills[1], 0x10003);
	assert_int_equal(info.written, 8192);
	assert_memory_equal(info.hash, "hash5678", 8);
	assert_int_equal(info.next, 0);
	info = info_of(BETA);
	assert_int_equal(info.slot[0], RNV_SLOT_REJECTED);
	assert_int_equal(info.slot[1], RNV_SLOT_BAD);
	assert_int_equal(info.proven, 3);
	assert_int_equal(info.floor, 256);
	assert_int_equal(info.next, NONE);
	assert_int_equal(stats().generation, 7);
	assert_int_equal(stats().erases[0], 3);
	assert_int_equal(stats().erases[1], 4);
	assert_int_equal(stats().revoked_count, 2);
	assert_int_equal(stats().revoked[0], 0xAABBCCDD);
	assert_int_equal(stats().entries, 0);
	assert_clean();

	image_append(1, 7, 0, 0xA1, 0, CONTENT(PROVEN_1 | 2 | 2 << 3, 0x18, 2, 2, 9)); /* trying */
	image_append(1, 7, 1, 0xA4, 0, CONTENT(6));
	image_append(1, 7, 2, 0xA4, 0, CONTENT(6)); /* again */
	image_append(1, 7, 3, 0xA1, 1, CONTENT(1 << 3, 0x33, 0, 3, 1));
	image_append(1, 7, 4, 0xA2, 1, CONTENT('H', 0, 0, 0, 0, 0, 0, 'h'));
	image_append(1, 7, 5, 0xA3, 1, CONTENT(0, 0x10));
	reset();
	info = info_of(ALPHA);
	assert_int_equal(info.slot[1], RNV_SLOT_GOOD);
	assert_int_equal(info.trial, RNV_TRIAL_TRYING);
	assert_int_equal(info.trial_slot, 1);
	assert_int_equal(info.tries, 2);
	assert_int_equal(info.next, 1);
	assert_int_equal(info.fills[0], 0x201);
	assert_int_equal(info.fills[1], 0x10004);
	assert_int_equal(info.written, 0);
	info = info_of(BETA);
	assert_int_equal(info.fills[0], 7);
	assert_int_equal(info.fills[1], 9);
	assert_int_equal(info.written, 4096);
	assert_memory_equal(info.hash, "H\0\0\0\0\0\0h", 8);
	assert_int_equal(stats().revoked_count, 3);
	assert_int_equal(stats().entries, 6);
	assert_clean();
}

/* Each field of the header out of range, with the right CRC: there is no registry. */
static void test_headers_that_are_none(void **state)
{
	static const struct {
		uint8_t offset;
		uint8_t value;
	} wrong[] = {
		{0, 0x53},  {3, 0x52},  {4, 2},     {5, 1},     {6, 0x85},  {7, 1},
		{8, 0},     {20, 0x77}, {24, 1},    {25, 1},    {26, 9},    {27, 1},
		{28, 1},    {31, 1},    {32, 1},    {60, 1},    {64, 5},    {64, 5 << 3},
		{64, 0x40}, {64, 0x41}, {64, 0x80}, {64, 0x88}, {65, 0x32}, {65, 0x3F},
		{65, 0x23}, {65, 0x37}, {65, 0x03}, {65, 0xB3}, {66, 16},   {67, 2},
		{80, 1},    {82, 1},    {84, 1},    {91, 1},    {92, 1},    {95, 1},
		{96, 6},    {127, 1},
	};
	struct image image;
	uint8_t header[HEADER_BYTES];

	(void)state;
	image_empty(&image, 1);
	for (uint32_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		image_header(&image, header);
		header[wrong[i].offset] = wrong[i].value;
		image_seal(header);
		wipe(0);
		image_put(0, header, sizeof(header));
		reset();
		assert_int_equal(stats().generation, 0);
		assert_int_equal(stats().bad_entries, 1);
		assert_int_equal(info_of(ALPHA).next, NONE);
	}
	image_header(&image, header); /* and every bit, with the CRC that was right before */
	for (uint32_t bit = 0; bit < 8 * HEADER_BYTES; bit++) {
		header[bit / 8] ^= (uint8_t)(1 << bit % 8);
		wipe(0);
		image_put(0, header, sizeof(header));
		reset();
		assert_int_equal(stats().generation, 0);
		header[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	image_write(&image, 0);
	reset();
	assert_int_equal(stats().generation, 1);
	assert_int_equal(programs + erases, 0);
}

/* Entries that are not valid are passed over, and the registry is written anew, once. */
static void test_entries_that_are_none(void **state)
{
	static const struct {
		uint8_t kind;
		uint8_t model;
		uint8_t content[8];
	} wrong[] = {
		{0xA0, 0, {2, 0x30}},       {0xA5, 0, {2, 0x30}},     {0xA1, 2, {2, 0x30}},
		{0xA1, 0, {5, 0x30}},       {0xA1, 0, {0x40, 0x30}},  {0xA1, 0, {2, 0x32}},
		{0xA1, 0, {0x82, 0x30}},    {0xA1, 0, {0x8A, 0x30}},  {0xA1, 0, {0x50, 0x30}},
		{0xA1, 0, {2, 0x70}},       {0xA1, 0, {2, 0x10}},     {0xA1, 0, {2, 0x34}},
		{0xA1, 0, {2, 0x1C}},       {0xA1, 0, {2, 0x30, 16}}, {0xA1, 0, {2, 0x30, 0, 4}},
		{0xA3, 0, {1, 0x10}},       {0xA3, 0, {0, 0x40}},     {0xA3, 0, {0, 0x10, 0, 0, 1}},
		{0xA3, 1, {0, 0x20}},       {0xA4, 0, {0}},           {0xA4, 1, {1}},
		{0xA4, 0, {1, 0, 0, 0, 1}},
	};

	(void)state;
	for (uint32_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]) + 3; i++) {
		uint32_t kind = i - sizeof(wrong) / sizeof(wrong[0]);
		struct image image;

		begin_test(NULL);
		image_empty(&image, 3);
		image_write(&image, 0);
		image_append(0, 3, 0, 0xA1, 0, good_0);
		if (i < sizeof(wrong) / sizeof(wrong[0])) {
			image_append(0, 3, 1, wrong[i].kind, wrong[i].model, wrong[i].content);
		} else { /* of another generation, of another place, with another CRC */
			image_append(0, kind == 0 ? 2 : 3, 1, 0xA1, 0, both_1);
			if (kind == 1) {
				image_entry(cells + place_at(0, 1), 3, 2, 0xA1, 0, both_1);
			}
			cells[place_at(0, 1) + 15] ^= kind == 2;
		}
		reset();
		assert_int_equal(info_of(ALPHA).slot[1], RNV_SLOT_EMPTY);
		assert_int_equal(info_of(ALPHA).floor, 3);
		assert_int_equal(stats().revoked_count, 0);
		assert_int_equal(stats().generation, 4);
		assert_int_equal(stats().entries, 1);
		assert_int_equal(stats().bad_entries, 1);
		assert_int_equal(sector_erases[1], 1);
		assert_int_equal(sector_erases[0], 0);
		/* a model entry with the present state */
		assert_int_equal(cells[place_at(1, 0)], 0xA1);
		assert_memory_equal(cells + place_at(1, 0) + 4, good_0, 8);
		assert_clean();
		assert_int_equal(stats().bad_entries, 0);
	}
}

/* Fill entries of a slot of which is not known that it is being filled. */
static void test_entries_of_no_fill(void **state)
{
	struct image image;

	(void)state;
	image_empty(&image, 3);
	image_write(&image, 0);
	image_append(0, 3, 0, 0xA2, 0, CONTENT('x'));
	image_append(0, 3, 1, 0xA3, 0, CONTENT(0, 0x10));
	reset();
	assert_int_equal(info_of(ALPHA).written, 0);
	assert_int_equal(info_of(ALPHA).hash[0], 0);
	image_append(0, 3, 2, 0xA1, 0, CONTENT(1, 0x33, 0, 1));
	image_append(0, 3, 3, 0xA2, 0, CONTENT('x'));
	image_append(0, 3, 4, 0xA3, 0, CONTENT(0, 0x10));
	reset();
	assert_int_equal(info_of(ALPHA).written, 4096);
	assert_int_equal(info_of(ALPHA).hash[0], 'x');
	image_append(0, 3, 5, 0xA1, 0, good_0); /* it is over */
	reset();
	assert_int_equal(info_of(ALPHA).written, 0);
	assert_int_equal(info_of(ALPHA).hash[0], 0);
	assert_clean();
}

/* Older and newer, in both orders; entries decide whether the newer one counts. */
static void test_which_sector_is_in_use(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 8; i++) {
		uint32_t newer = i & 1;
		uint32_t has_entry = i & 2;
		uint32_t has_older = i & 4;
		struct image image;

		begin_test(NULL);
		if (has_older) {
			image_empty(&image, 8);
			image_write(&image, 1 - newer);
			image_append(1 - newer, 8, 0, 0xA1, 0, good_0);
		}
		image_empty(&image, 9);
		memcpy(image.models[0], good_0, 8);
		image.models[0][31 - 3] = 0;
		image_write(&image, newer);
		if (has_entry) {
			image_append(newer, 9, 0, 0xA1, 0, both_1);
		}
		reset();
		assert_int_equal(info_of(ALPHA).confirmed, has_entry ? 1 : 0);
		assert_int_equal(stats().entries, has_entry || has_older ? 1 : 0);
		/* The older one counted: the newer one is made again, with an entry. */
		assert_int_equal(stats().generation, 9);
		assert_int_equal(sector_erases[newer], has_older && !has_entry);
		assert_int_equal(sector_erases[1 - newer], 0);
		assert_clean();
	}
}

static void test_a_flash_that_does_not_work(void **state)
{
	(void)state;
	install(ALPHA, &first);
	for (uint32_t sector = 0; sector < 2; sector++) {
		break_reads(0, READ_DEAD, sector * 4096, 16);
		assert_int_equal(mount(), RNV_EIO);
		break_reads(0, READ_DEAD, 0, 0);
	}
	for (uint32_t place = 0; place < 7; place++) { /* entries, the one after, one far away */
		break_reads(0, READ_DEAD, place_at(0, place == 6 ? 200 : place), 16);
		assert_int_equal(mount(), RNV_EIO);
	}
}

/* Another layout: its registry is none. Nothing is written before the first change. */
static void test_another_layout(void **state)
{
	static const char *const names[] = {"alpha", "alphb"};

	(void)state;
	install(ALPHA, &first);
	for (uint32_t i = 0; i < 2; i++) {
		layout[ALPHA].name = names[i];
		layout[ALPHA].slot_bytes = i == 0 ? 2 * 4096 : 3 * 4096;
		reset();
		assert_int_equal(stats().generation, 0);
		assert_int_equal(info_of(ALPHA).slot[0], RNV_SLOT_EMPTY);
		assert_int_equal(info_of(ALPHA).fills[0], 0);
		assert_clean();
	}
	layout[ALPHA].name = "alpha";
	layout[ALPHA].security_version = 9; /* no part of it */
	reset();
	assert_int_equal(stats().generation, 1);
	flash.geometry.unit_bytes = 8;
	reset();
	assert_int_equal(stats().generation, 0);
	flash.geometry.unit_bytes = 16;
	flash.geometry.bytes -= 4096;
	config.model_count = 1;
	reset();
	assert_int_equal(stats().generation, 0);
}

#define TEST(name) cmocka_unit_test_setup(name, begin_test)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_registry_made_by_hand), TEST(test_headers_that_are_none),
		TEST(test_entries_that_are_none),   TEST(test_entries_of_no_fill),
		TEST(test_which_sector_is_in_use),  TEST(test_a_flash_that_does_not_work),
		TEST(test_another_layout),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
