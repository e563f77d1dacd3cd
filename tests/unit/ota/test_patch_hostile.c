/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The decoder of patches, on streams that are wrong; its reads are checked by the fixture. */

#include "patch_fixture.h"

#define CRC   0x5A3510EBu
#define TOTAL 300u

/* A stream with every kind of run. */
static struct rnv_patch_source make_all_kinds(void)
{
	uint8_t bytes[60];

	for (uint32_t i = 0; i < sizeof(bytes); i++) {
		bytes[i] = (uint8_t)(i * i + 3);
	}
	put_header(TOTAL, BASE_BYTES, CRC);
	put_literals(bytes, 60);
	put_match(100, 60);
	put_copy(40, 60);
	put_differences(bytes, 60, 0);
	put_match(20, 200);
	put_copy(20, 0);
	assert_int_equal(made.length, TOTAL);
	put_end();
	return source_of(TOTAL, BASE_BYTES, CRC);
}

static void test_every_bit_damaged(void **state)
{
	struct rnv_patch_source source = make_all_kinds();

	(void)state;
	for (uint32_t bit = 0; bit < 8 * made.bytes; bit++) {
		int status;

		made.stream[bit / 8] ^= (uint8_t)(1u << (bit % 8));
		status = decode(&source, made.stream, made.bytes, 1000, 1000);
		if (bit < 8 * 12) {
			assert_int_equal(status, RNV_EFORMAT);
		} else if (bit < 8 * 20) {
			assert_int_equal(status, RNV_ESTALE);
		} else { /* an error, or it wants more; never what was meant */
			assert_true(status == RNV_EFORMAT || status == RNV_OK);
		}
		made.stream[bit / 8] ^= (uint8_t)(1u << (bit % 8));
	}
	assert_int_equal(decode(&source, made.stream, made.bytes, 1000, 1000), 1);
}

static void test_another_package_or_base_than_expected(void **state)
{
	struct rnv_patch_source source = make_all_kinds();

	(void)state;
	source.bytes = TOTAL - 1;
	assert_int_equal(decode(&source, made.stream, made.bytes, 9, 9), RNV_EFORMAT);
	source = source_of(TOTAL, BASE_BYTES - 1, CRC);
	assert_int_equal(decode(&source, made.stream, made.bytes, 9, 9), RNV_ESTALE);
	source = source_of(TOTAL, BASE_BYTES, CRC + 1);
	assert_int_equal(decode(&source, made.stream, made.bytes, 9, 9), RNV_ESTALE);
	source = source_of(TOTAL, 0, 0);
	assert_int_equal(decode(&source, made.stream, made.bytes, 9, 9), RNV_ESTALE);
	assert_int_equal(got_bytes, 0);
}

static void test_what_cannot_be_read(void **state)
{
	struct rnv_patch_source source = make_all_kinds();
	struct rnv_patch patch;
	uint8_t out[8];
	uint32_t used, given;

	(void)state;
	read_status = RNV_EIO;
	rnv_patch_init(&patch, &source);
	assert_int_equal(decode_with(&patch, made.stream, made.bytes, 30, 30), RNV_EIO);
	assert_true(got_bytes >= 60);
	read_status = RNV_OK;
	assert_int_equal(rnv_patch_decode(&patch, made.stream, 1, &used, out, 8, &given), RNV_EIO);
	assert_int_equal(given, 0);
}

/* One run after 10 literals that has no right to be there. */
struct hostile {
	uint32_t kind;
	uint32_t length;
	uint32_t place; /* as it is coded */
};

static int decode_hostile(const struct hostile *hostile, uint32_t base_bytes)
{
	struct rnv_patch_source source = source_of(TOTAL, base_bytes, base_bytes != 0 ? CRC : 0);

	put_header(TOTAL, base_bytes, source.base_crc32);
	put_literals((const uint8_t *)"0123456789", 10);
	put_kind(hostile->kind, hostile->length);
	if (hostile->kind != LITERALS) {
		put_number(hostile->kind == MATCH ? 144 : 176, hostile->place);
	}
	for (uint32_t i = 0; i < 400; i++) { /* enough to go on with */
		put_symbol(208, i & 255, 8);
	}
	put_end();
	return decode(&source, made.stream, made.bytes, 50, 50);
}

static void test_runs_beyond_what_there_is(void **state)
{
	static const struct hostile wrong[] = {
		{LITERALS, TOTAL - 9, 0},           /* beyond the package */
		{LITERALS, 0x7FFFFFFF, 0},          /* far beyond it */
		{MATCH, TOTAL - 9, 1},              /* beyond it too */
		{MATCH, 5, 0},                      /* again as before, and there is none */
		{MATCH, 5, 11},                     /* before the package */
		{MATCH, 5, 0x7FFFFFFF},             /* far before it */
		{COPY, 5, 2 * (BASE_BYTES - 14)},   /* beyond the base by one */
		{COPY, 5, 2 * (BASE_BYTES - 10)},   /* begins at its end */
		{COPY, 5, 0x7FFFFFFE},              /* far beyond it */
		{COPY, 5, 2 * 11 - 1},              /* before the base by one */
		{COPY, 5, 0x7FFFFFFF},              /* far before it */
		{COPY, BASE_BYTES + 1, 2 * 10 - 1}, /* longer than the base */
		{COPY, 100, 2 * 1},                 /* likewise */
		{DIFFERENCES, 5, 2 * (BASE_BYTES - 14)},
		{DIFFERENCES, 5, 2 * 11 - 1},
	};
	static const struct hostile right[] = {
		{LITERALS, TOTAL - 10, 0},        {MATCH, 5, 10},
		{COPY, 5, 2 * (BASE_BYTES - 15)}, {COPY, BASE_BYTES, 2 * 10 - 1},
		{DIFFERENCES, 5, 2 * 10 - 1},
	};

	(void)state;
	for (uint32_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(decode_hostile(&wrong[i], BASE_BYTES), RNV_EFORMAT);
		assert_int_equal(got_bytes, 10);
		assert_memory_equal(got, "0123456789", 10);
	}
	for (uint32_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		(void)decode_hostile(&right[i], BASE_BYTES);
		assert_true(got_bytes >= 10 + right[i].length);
	}
	assert_int_equal(decode_hostile(&(struct hostile){COPY, 1, 0}, 0), RNV_EFORMAT);
	assert_int_equal(decode_hostile(&(struct hostile){DIFFERENCES, 1, 0}, 0), RNV_EFORMAT);
}

/* Whatever follows a right header: it ends, and reads and writes what it may. */
static void test_random_streams(void **state)
{
	uint32_t seed = 1;
	uint32_t ends[2] = {0, 0}; /* in an error, for want of input */

	(void)state;
	for (uint32_t round = 0; round < 20000; round++) {
		uint32_t base_bytes = round % 2 * BASE_BYTES;
		uint32_t crc = round % 2 * CRC;
		struct rnv_patch_source source = source_of(MOST_BYTES, base_bytes, crc);
		uint32_t mask = round % 3 == 0 ? 255 : 15; /* few bits: deep into the runs */
		int status;

		put_header(MOST_BYTES, base_bytes, crc);
		while (made.bytes < 20 + 60) {
			seed = seed * 1664525u + 1013904223u;
			made.stream[made.bytes++] = (uint8_t)((seed >> 16) & mask);
		}
		status = decode(&source, made.stream, made.bytes, 1 + round % 60, 1 + round % 777);
		assert_true(status == RNV_EFORMAT || status == RNV_OK);
		ends[status == RNV_OK]++;
	}
	assert_true(ends[0] > 1000);
	assert_true(ends[1] > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_every_bit_damaged, begin_patch),
		cmocka_unit_test_setup(test_another_package_or_base_than_expected, begin_patch),
		cmocka_unit_test_setup(test_what_cannot_be_read, begin_patch),
		cmocka_unit_test_setup(test_runs_beyond_what_there_is, begin_patch),
		cmocka_unit_test_setup(test_random_streams, begin_patch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
