/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What is bad, marginal or torn in a registry, and that it is written anew then, and only then. */

#include "store_image.h"

/* An entry that is not there any more is made up for by the next of its model. */
static void test_an_unreadable_entry_in_the_middle(void **state)
{
	struct image image;

	(void)state;
	image_empty(&image, 3);
	image_write(&image, 0);
	image_append(0, 3, 0, 0xA1, 0, CONTENT(1, 0x33, 0, 1));
	image_append(0, 3, 1, 0xA1, 0, good_0);
	image_append(0, 3, 2, 0xA1, 0, both_1);
	break_reads(0, READ_BAD, place_at(0, 1), 16);
	reset();
	assert_int_equal(info_of(ALPHA).confirmed, 1);
	assert_int_equal(info_of(ALPHA).fills[0], 1);
	assert_int_equal(stats().bad_entries, 1);
	assert_int_equal(stats().generation, 4);
	assert_clean();
}

/* A place that looks erased before one that is not: a write that was lost. */
static void test_a_gap(void **state)
{
	struct image image;

	(void)state;
	image_empty(&image, 3);
	image_write(&image, 0);
	image_append(0, 3, 0, 0xA1, 0, good_0);
	image_append(0, 3, 2, 0xA1, 0, both_1);
	reset();
	assert_int_equal(info_of(ALPHA).confirmed, 1);
	assert_int_equal(stats().bad_entries, 1);
	assert_int_equal(stats().generation, 4);
	assert_clean();
}

/* Whichever unit of a header cannot be read, or never reads the same: the other sector counts. */
static void test_a_header_that_cannot_be_read(void **state)
{
	static const enum read_kind kinds[] = {READ_BAD, READ_UNSTABLE};

	(void)state;
	for (uint32_t i = 0; i < 2 * 9; i++) {
		struct image image;

		begin_test(NULL);
		image_empty(&image, 8);
		image_write(&image, 0);
		image_append(0, 8, 0, 0xA1, 0, good_0);
		image_empty(&image, 9);
		image_write(&image, 1);
		image_append(1, 9, 0, 0xA1, 0, both_1);
		break_reads(0, kinds[i % 2], 4096 + i / 2 * 16, i / 2 == 8 ? 4 : 16);
		reset();
		assert_int_equal(info_of(ALPHA).confirmed, 0);
		assert_int_equal(stats().generation, 8);
		assert_int_equal(stats().bad_entries, 1);
		assert_clean();
		/* The next change replaces the bad one. */
		assert_int_equal(rnv_store_revoke(&store, 0x2222), RNV_OK);
		assert_int_equal(stats().generation, 9);
		assert_clean();
		assert_int_equal(stats().bad_entries, 0);
	}
}

static void test_both_headers_are_bad(void **state)
{
	(void)state;
	install(ALPHA, &first);
	reset();
	assert_int_equal(rnv_store_revoke(&store, 0x2222), RNV_OK);
	break_reads(0, READ_BAD, 0, 16);
	break_reads(1, READ_UNSTABLE, 4096, 16);
	reset();
	assert_int_equal(stats().generation, 0);
	assert_int_equal(stats().bad_entries, 2);
	assert_int_equal(stats().revoked_count, 0);
	assert_int_equal(rnv_store_boot(&store, ALPHA), RNV_ENOENT);
	assert_clean();
	install(ALPHA, &second); /* it still takes updates */
	reset();
	assert_int_equal(rnv_store_boot(&store, ALPHA), 0);
}

/* Marginal or unstable for once: it counts, and the registry is written anew, once. */
static void test_marginal_units(void **state)
{
	static const enum read_kind kinds[] = {READ_MARGINAL, READ_ONCE_BAD};

	(void)state;
	for (uint32_t i = 0; i < 2 * 4; i++) {
		const uint32_t places[] = {0, 128, place_at(0, 0), place_at(0, 1)};
		struct image image;

		begin_test(NULL);
		image_empty(&image, 8);
		image_write(&image, 0);
		image_append(0, 8, 0, 0xA1, 0, good_0);
		image_append(0, 8, 1, 0xA1, 0, both_1);
		break_reads(0, kinds[i % 2], places[i / 2], 16);
		reset();
		assert_int_equal(info_of(ALPHA).confirmed, 1);
		assert_true(stats().marginal != 0);
		assert_int_equal(stats().bad_entries, 0);
		assert_int_equal(stats().generation, 9);
		assert_int_equal(sector_erases[1], 1);
		assert_int_equal(sector_erases[0], 0);
		break_reads(0, READ_BAD, 0, 1); /* the one that was replaced may rot */
		reset();
		assert_int_equal(info_of(ALPHA).confirmed, 1);
		assert_int_equal(sector_erases[1], 1);
		assert_clean();
	}
}

/* The last entry, or the place after it, never reads the same: decided once, and for good. */
static void test_a_torn_end(void **state)
{
	static const enum read_kind kinds[] = {READ_BAD, READ_UNSTABLE};

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t place = 1 + i / 2;
		struct image image;

		begin_test(NULL);
		image_empty(&image, 8);
		image_write(&image, 0);
		image_append(0, 8, 0, 0xA1, 0, good_0);
		image_append(0, 8, 1, 0xA1, 0, both_1);
		break_reads(0, kinds[i % 2], place_at(0, place), 16);
		reset();
		assert_int_equal(info_of(ALPHA).confirmed, place == 1 ? 0 : 1);
		assert_int_equal(stats().generation, 9);
		assert_true(stats().bad_entries != 0);
		assert_clean();
	}
}

/* Unstable so rarely that two reads agree: the end of the log is read more often. */
static uint32_t rare_at;
static uint32_t rare_seen;

static int read_rarely(void *context, uint32_t offset, void *to, uint32_t bytes)
{
	int status = ram_read(context, offset, to, bytes);

	if (offset == rare_at && ++rare_seen % 7 == 0) {
		((uint8_t *)to)[5] ^= 2;
	}
	return status;
}

static void test_a_rarely_unstable_end(void **state)
{
	(void)state;
	for (uint32_t place = 1; place < 3; place++) {
		struct image image;

		begin_test(NULL);
		image_empty(&image, 8);
		image_write(&image, 0);
		image_append(0, 8, 0, 0xA1, 0, good_0);
		image_append(0, 8, 1, 0xA1, 0, both_1);
		flash.read = read_rarely;
		rare_at = place_at(0, place);
		rare_seen = 0;
		reset();
		flash.read = ram_read;
		assert_int_equal(info_of(ALPHA).confirmed, place == 1 ? 0 : 1);
		assert_int_equal(stats().generation, 9);
		assert_clean();
	}
}

/* The first entry of a newer sector is torn: the older one, and the newer one made again. */
static void test_a_torn_first_entry(void **state)
{
	static const enum read_kind kinds[] = {READ_BAD, READ_UNSTABLE};

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		begin_test(NULL);
		install(ALPHA, &first);
		bring(ALPHA, &second);
		reset();
		activate(ALPHA, 1, 1);
		break_reads(0, kinds[i], place_at(1, 0), 16);
		reset();
		assert_int_equal(info_of(ALPHA).confirmed, 0);
		assert_int_equal(info_of(ALPHA).slot[1], RNV_SLOT_GOOD);
		assert_int_equal(stats().generation, 2);
		assert_int_equal(sector_erases[1], 2);
		assert_int_equal(sector_erases[0], 1);
		assert_clean();
	}
}

/* Where there is no other sector a header without entries is all there is. */
static void test_a_header_alone_with_a_torn_entry(void **state)
{
	struct image image;

	(void)state;
	image_empty(&image, 1);
	memcpy(image.models[0], good_0, 8);
	image_write(&image, 0);
	break_reads(0, READ_UNSTABLE, place_at(0, 0), 16);
	reset();
	assert_int_equal(info_of(ALPHA).confirmed, 0);
	assert_int_equal(stats().generation, 2);
	assert_int_equal(sector_erases[0], 0);
	assert_clean();
}

/* The mount's own write may be refused or fail: refused, it is repeated; failed, what was read is
 * used. */
static void test_writing_anew_that_fails(void **state)
{
	struct image image;

	(void)state;
	image_empty(&image, 8);
	image_write(&image, 0);
	image_append(0, 8, 0, 0xA1, 0, good_0);
	cells[place_at(0, 1)] = 0;
	refuse_at = 1;
	assert_int_equal(mount(), RNV_EAGAIN);
	assert_int_equal(programs + erases, 0);
	break_programs(SKIP, 0, 1000);
	reset();
	assert_int_equal(stats().generation, 8);
	assert_int_equal(info_of(ALPHA).confirmed, 0);
	break_programs(SKIP, 0, 0);
	reset();
	assert_int_equal(stats().generation, 9);
	assert_clean();
}

/* Cut after each operation of the mount's write: the next mount ends where it would have. */
static void test_a_mount_that_is_cut(void **state)
{
	(void)state;
	for (uint32_t cut = 0; cut < 5; cut++) {
		struct image image;

		begin_test(NULL);
		image_empty(&image, 8);
		image_write(&image, 0);
		image_append(0, 8, 0, 0xA1, 0, good_0);
		image_append(0, 8, 1, 0xA1, 0, both_1);
		cells[place_at(0, 2)] = 0;
		if (cut == 0) {
			break_erases(0, 1000);
		} else {
			break_programs(FAIL, cut - 1, 1000);
		}
		reset();
		break_erases(0, 0);
		break_programs(FAIL, 0, 0);
		reset();
		assert_int_equal(info_of(ALPHA).confirmed, 1);
		assert_int_equal(info_of(ALPHA).floor, 4);
		assert_int_equal(stats().generation, 9);
		assert_clean();
	}
}

/* A flash that cannot read what is erased: that alone is no damage, but torn units are. */
static void test_erased_units_that_cannot_be_read(void **state)
{
	struct image image;

	(void)state;
	erased_is_bad = 1;
	reset();
	assert_int_equal(programs + erases, 0);
	install(ALPHA, &first);
	assert_clean();
	bring(ALPHA, &second);
	activate(ALPHA, 1, 0);
	assert_clean();
	assert_int_equal(rnv_store_boot(&store, ALPHA), 1);
	assert_clean();
	assert_int_equal(stats().bad_entries + stats().marginal, 0);

	for (uint32_t i = 0; i < 3; i++) {
		begin_test(NULL);
		erased_is_bad = 1;
		image_empty(&image, 3);
		image_write(&image, 0);
		image_append(0, 3, 0, 0xA1, 0, good_0);
		if (i == 0) { /* garbage, a gap, or a place that reads sometimes */
			image_append(0, 2, 1, 0xA1, 0, both_1);
		} else if (i == 1) {
			image_append(0, 3, 2, 0xA1, 0, good_0);
		} else {
			image_put(place_at(0, 1), package, 16);
			break_reads(0, READ_ONCE_BAD, place_at(0, 1), 16);
		}
		reset();
		assert_int_equal(info_of(ALPHA).confirmed, 0);
		assert_int_equal(stats().generation, 4);
		assert_clean();
	}
}

#define TEST(name) cmocka_unit_test_setup(name, begin_test)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_an_unreadable_entry_in_the_middle),
		TEST(test_a_gap),
		TEST(test_a_header_that_cannot_be_read),
		TEST(test_both_headers_are_bad),
		TEST(test_marginal_units),
		TEST(test_a_torn_end),
		TEST(test_a_rarely_unstable_end),
		TEST(test_a_torn_first_entry),
		TEST(test_a_header_alone_with_a_torn_entry),
		TEST(test_writing_anew_that_fails),
		TEST(test_a_mount_that_is_cut),
		TEST(test_erased_units_that_cannot_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
