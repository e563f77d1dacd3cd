/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What a verification finds, and that it ends with the content that it was of; views. */

#include "store_fixture.h"

/* `package`, as it is now, lies in slot 0 of alpha, which is being filled. */
static void place(uint32_t bytes)
{
	uint8_t hash[8] = {0};
	static uint32_t count;
	uint32_t offset;

	begin_test(NULL);
	put32(hash, ++count);
	assert_int_equal(rnv_store_fill_begin(&store, ALPHA, hash, bytes, &offset), RNV_OK);
	assert_int_equal(write_range(0, bytes, 1000), RNV_OK);
	assert_int_equal(rnv_store_fill_end(&store), RNV_OK);
}

static void refused(int status, uint32_t why)
{
	struct rnv_store_verify verified;
	struct rnv_store_view view;
	uint32_t before = programs + erases;

	assert_int_equal(verify(ALPHA, 0, &verified), status);
	assert_int_equal(verified.why, why);
	assert_int_equal(rnv_store_verify_step(&store, &verified, 100), RNV_ESTATE);
	assert_int_equal(rnv_store_set_good(&store, &verified), RNV_ESTATE);
	assert_int_equal(rnv_store_activate(&store, &verified, 1), RNV_ESTATE);
	assert_int_equal(rnv_store_view_open(&store, &verified, &view), RNV_ESTATE);
	assert_int_equal(programs + erases, before);
}

static void accepted(void)
{
	struct rnv_store_verify verified;

	assert_int_equal(verify(ALPHA, 0, &verified), RNV_OK);
	assert_int_equal(verified.why, RNV_WHY_NONE);
}

static void test_pieces_of_any_size(void **state)
{
	static const uint32_t pieces[] = {1, 7, 64, 112, 4687, 4688, 4689, 4796, 4800, 0xFFFFFFFF};

	(void)state;
	make(&first);
	place(first.bytes);
	for (uint32_t i = 0; i < 10; i++) {
		struct rnv_store_verify verified;
		uint32_t steps = 0;
		int status;

		assert_int_equal(rnv_store_verify_start(&store, ALPHA, 0, &verified), RNV_OK);
		do {
			verifications = 0;
			status = rnv_store_verify_step(&store, &verified, pieces[i]);
			steps++;
		} while (status == RNV_EAGAIN);
		assert_int_equal(status, RNV_OK);
		assert_int_equal(verifications, 1);
		assert_int_equal(steps, (4800 + (uint64_t)pieces[i] - 1) / pieces[i] + 1);
	}
}

/* Every bit but those that are refused for another reason counts for hash and CRC. */
static void test_any_bit(void **state)
{
	(void)state;
	make(&first);
	place(first.bytes);
	accepted();
	for (uint32_t at = 0; at < first.bytes; at += at < 128 || at > 4680 ? 1 : 97) {
		struct rnv_store_verify verified;
		int status;

		cells[slot_at(ALPHA, 0) + at] ^= 0x80;
		status = verify(ALPHA, 0, &verified);
		assert_int_equal(status, RNV_EBADMSG);
		/* with the length's lowest byte it is just a shorter package */
		assert_true(verified.why == ((at < 12 && at != 8) || (at >= 80 && at < 86)
						     ? RNV_WHY_HEADER
						     : RNV_WHY_HASH));
		cells[slot_at(ALPHA, 0) + at] ^= 0x80;
	}
	accepted();
}

static void test_headers(void **state)
{
	static const struct {
		uint32_t offset;
		uint32_t value;
	} wrong[] = {
		{0, 0x4D564E53}, {4, 0x00800002}, {4, 0x00810001}, {8, 4792},
		{8, 224},        {8, 0},          {8, 12288 + 16}, {8, 0xFFFFFFF0},
	};

	(void)state;
	for (uint32_t i = 0; i < 8; i++) {
		make(&first);
		put32(package + wrong[i].offset, wrong[i].value);
		seal(&first);
		place(first.bytes);
		refused(RNV_EBADMSG, RNV_WHY_HEADER);
	}
	for (uint32_t i = 0; i < 3; i++) {
		static const char *const names[] = {"alph", "alphaa", "beta"};

		make(&first);
		memset(package + 80, 0, 32);
		memcpy(package + 80, names[i], strlen(names[i]));
		seal(&first);
		place(first.bytes);
		refused(RNV_EBADMSG, RNV_WHY_HEADER);
	}
	make(&(struct package){"alpha", 240, 1, 1, 5}); /* the shortest, and the longest */
	place(240);
	accepted();
	make(&(struct package){"alpha", 12288, 1, 1, 6});
	place(12288);
	accepted();
}

/* What is signed with a right hash and a wrong CRC, and the other way round. */
static void test_both_sums_count(void **state)
{
	uint8_t *trailer = package + first.bytes - 112;

	(void)state;
	make(&first);
	trailer[108] ^= 1;
	place(first.bytes);
	refused(RNV_EBADMSG, RNV_WHY_HASH);
	make(&first);
	trailer[31] ^= 1;
	put32(trailer + 108, crc_of(0, package, first.bytes - 4));
	place(first.bytes);
	refused(RNV_EBADMSG, RNV_WHY_HASH);
}

static void test_signatures(void **state)
{
	uint8_t *trailer = package + first.bytes - 112;

	(void)state;
	for (uint32_t i = 0; i < 7; i++) {
		static const uint32_t whys[] = {
			RNV_WHY_KEY,       RNV_WHY_SIGNATURE, RNV_WHY_SIGNATURE, RNV_WHY_SIGNATURE,
			RNV_WHY_SIGNATURE, RNV_WHY_KEY,       RNV_WHY_KEY};

		make(&first);
		switch (i) {
		case 0:
			put32(trailer + 32, 0x3333);
			break;
		case 1:
			put32(trailer + 32, 0x2222); /* the other key's */
			break;
		case 2:
			put32(trailer + 36, 0);
			break;
		case 3:
			put32(trailer + 36, 2);
			break;
		case 4:
			memset(trailer + 40, 0, 64);
			break;
		case 5:
			put32(trailer + 32, 0);
			break;
		default:
			put32(trailer + 32, 0); /* neither signed nor unsigned */
			put32(trailer + 36, 0);
			break;
		}
		put32(trailer + 108, crc_of(0, package, first.bytes - 4));
		place(first.bytes);
		refused(RNV_EACCES, whys[i]);
		config.flags = RNV_STORE_ALLOW_UNSIGNED; /* is for none of these */
		reset();
		refused(RNV_EACCES, whys[i]);
	}
}

static void test_unsigned(void **state)
{
	(void)state;
	make(&(struct package){"alpha", 4800, 1, 0, 3});
	place(4800);
	refused(RNV_EACCES, RNV_WHY_UNSIGNED);
	config.flags = RNV_STORE_ALLOW_UNSIGNED;
	reset();
	accepted();
	assert_int_equal(verifications, 0);
}

static void test_revoked(void **state)
{
	(void)state;
	make(&first);
	place(first.bytes);
	accepted();
	assert_int_equal(rnv_store_revoke(&store, 0x1111), RNV_OK);
	verifications = 0;
	refused(RNV_EACCES, RNV_WHY_REVOKED);
	reset();
	refused(RNV_EACCES, RNV_WHY_REVOKED);
	assert_int_equal(verifications, 0);
	config.keys = &keys[1]; /* revoked, and no more compiled in */
	config.key_count = 1;
	reset();
	refused(RNV_EACCES, RNV_WHY_REVOKED);
}

static void test_the_floor(void **state)
{
	(void)state;
	make(&first);
	place(first.bytes);
	layout[ALPHA].security_version = 1;
	reset();
	accepted();
	layout[ALPHA].security_version = 2;
	reset();
	refused(RNV_EACCES, RNV_WHY_OLDER);
	assert_int_equal(info_of(ALPHA).floor, 2);
}

static void test_a_flash_that_fails(void **state)
{
	struct rnv_store_verify verified;

	(void)state;
	make(&first);
	place(first.bytes);
	for (uint32_t i = 0; i < 4; i++) {
		static const uint32_t places[] = {0, 112, 2000, 4784};

		break_reads(0, READ_BAD, slot_at(ALPHA, 0) + places[i], 16);
		refused(RNV_EBADMSG, RNV_WHY_FLASH);
		break_reads(0, READ_DEAD, slot_at(ALPHA, 0) + places[i], 16);
		refused(RNV_EIO, RNV_WHY_NONE);
		break_reads(0, READ_MARGINAL, slot_at(ALPHA, 0) + places[i], 16);
		accepted();
		/* What is read is not what is mapped. */
		break_reads(0, READ_UNSTABLE, slot_at(ALPHA, 0) + places[i], 16);
		read_faults[0].seen = 1;
		refused(RNV_EBADMSG, RNV_WHY_FLASH);
	}
	break_reads(0, READ_BAD, 0, 0);
	break_reads(1, READ_BAD, slot_at(ALPHA, 0) + 4800, 16); /* beyond the package */
	accepted();
	not_mapped = 1;
	assert_int_equal(verify(ALPHA, 0, &verified), RNV_ENOTSUP);
}

static void test_a_crypto_that_fails(void **state)
{
	(void)state;
	make(&first);
	place(first.bytes);
	for (uint32_t at = 0; at < 7; at++) { /* in step 1: start and update; in the last: finish */
		struct rnv_store_verify verified;
		int status = RNV_EAGAIN;

		assert_int_equal(rnv_store_verify_start(&store, ALPHA, 0, &verified), RNV_OK);
		for (uint32_t step = 0; status == RNV_EAGAIN; step++) {
			crypto_status = step == at ? RNV_EIO : RNV_OK;
			status = rnv_store_verify_step(&store, &verified, 1000);
			assert_true(step < 6);
		}
		crypto_status = RNV_OK;
		assert_int_equal(status, at < 6 ? RNV_EIO : RNV_OK);
		assert_int_equal(verified.why, RNV_WHY_NONE);
		assert_int_equal(rnv_store_verify_step(&store, &verified, 1000), RNV_ESTATE);
	}
	accepted();
}

/* It is over with any change of the slot, and none of the other slot or model. */
static void test_a_slot_that_changes(void **state)
{
	struct rnv_store_verify complete;
	struct rnv_store_verify half;
	struct rnv_store_view view;
	uint8_t hash[8];
	uint32_t offset;
	uint32_t taken;

	(void)state;
	hash_of(second.seed, hash);
	for (uint32_t i = 0; i < 3; i++) {
		begin_test(NULL);
		install(ALPHA, &first);
		fill(ALPHA, &second, 500); /* in slot 1 */
		assert_int_equal(verify(ALPHA, 1, &complete), RNV_OK);
		assert_int_equal(rnv_store_verify_start(&store, ALPHA, 1, &half), RNV_OK);
		assert_int_equal(rnv_store_verify_step(&store, &half, 1000), RNV_EAGAIN);
		if (i == 0) { /* resumed: a sector is erased again */
			assert_int_equal(
				rnv_store_fill_begin(&store, ALPHA, hash, second.bytes, &offset),
				RNV_OK);
			assert_int_equal(rnv_store_fill_write(&store, package, 1, &taken), RNV_OK);
			assert_int_equal(taken, 0);
		} else if (i == 1) {
			hash[0]++;
			assert_int_equal(
				rnv_store_fill_begin(&store, ALPHA, hash, second.bytes, &offset),
				RNV_OK);
		} else {
			assert_int_equal(rnv_store_erase(&store, ALPHA, 1), RNV_EAGAIN);
		}
		assert_int_equal(rnv_store_verify_step(&store, &half, 1000), RNV_ESTATE);
		assert_int_equal(rnv_store_set_good(&store, &complete), RNV_ESTATE);
		assert_int_equal(rnv_store_activate(&store, &complete, 0), RNV_ESTATE);
		assert_int_equal(rnv_store_view_open(&store, &complete, &view), RNV_ESTATE);
	}
	begin_test(NULL);
	install(ALPHA, &first);
	assert_int_equal(verify(ALPHA, 0, &complete), RNV_OK);
	fill(ALPHA, &second, 500);
	install(BETA, &other);
	assert_int_equal(rnv_store_view_open(&store, &complete, &view), RNV_OK);
}

static void test_views(void **state)
{
	struct rnv_store_verify verified;
	static struct rnv_store_view views[256];

	(void)state;
	install(ALPHA, &first);
	assert_int_equal(rnv_store_verify_start(&store, ALPHA, 0, &verified), RNV_OK);
	assert_int_equal(rnv_store_view_open(&store, &verified, &views[0]), RNV_ESTATE);
	assert_int_equal(rnv_store_verify_step(&store, &verified, 10000), RNV_EAGAIN);
	assert_int_equal(rnv_store_view_open(&store, &verified, &views[0]), RNV_ESTATE);
	assert_int_equal(rnv_store_verify_step(&store, &verified, 10000), RNV_OK);
	for (uint32_t i = 0; i < 255; i++) {
		assert_int_equal(rnv_store_view_open(&store, &verified, &views[i]), RNV_OK);
		assert_ptr_equal(views[i].data, cells + slot_at(ALPHA, 0));
		assert_int_equal(views[i].bytes, first.bytes);
		assert_int_equal(info_of(ALPHA).views[0], i + 1);
	}
	assert_int_equal(rnv_store_view_open(&store, &verified, &views[255]), RNV_EAGAIN);
	rnv_store_view_close(&store, &views[255]); /* is not open */
	assert_int_equal(info_of(ALPHA).views[0], 255);
	for (uint32_t i = 0; i < 255; i++) {
		rnv_store_view_close(&store, &views[i]);
		rnv_store_view_close(&store, &views[i]);
		assert_null(views[i].data);
	}
	assert_int_equal(info_of(ALPHA).views[0], 0);
	assert_int_equal(info_of(ALPHA).views[1], 0);
}

/* Good is what was being filled, no more. */
static void test_set_good(void **state)
{
	struct rnv_store_verify verified;
	uint32_t taken;

	(void)state;
	fill(ALPHA, &first, 500);
	assert_int_equal(verify(ALPHA, 0, &verified), RNV_OK);
	refuse_at = 1;
	assert_int_equal(rnv_store_set_good(&store, &verified), RNV_EAGAIN);
	assert_int_equal(info_of(ALPHA).slot[0], RNV_SLOT_FILLING);
	assert_int_equal(rnv_store_set_good(&store, &verified), RNV_OK);
	assert_int_equal(info_of(ALPHA).written, 0);
	assert_int_equal(info_of(ALPHA).hash[0], 0);
	assert_int_equal(rnv_store_set_good(&store, &verified), RNV_ESTATE);
	assert_int_equal(rnv_store_fill_write(&store, package, 1, &taken), RNV_ESTATE);
	reset();
	assert_int_equal(info_of(ALPHA).slot[0], RNV_SLOT_GOOD);
	assert_int_equal(info_of(ALPHA).confirmed, NONE);
}

#define TEST(name) cmocka_unit_test_setup(name, begin_test)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_pieces_of_any_size),
		TEST(test_any_bit),
		TEST(test_headers),
		TEST(test_both_sums_count),
		TEST(test_signatures),
		TEST(test_unsigned),
		TEST(test_revoked),
		TEST(test_the_floor),
		TEST(test_a_flash_that_fails),
		TEST(test_a_crypto_that_fails),
		TEST(test_a_slot_that_changes),
		TEST(test_views),
		TEST(test_set_good),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
