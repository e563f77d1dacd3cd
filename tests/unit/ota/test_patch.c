/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The decoder of patches, on streams that are right. */

#include "patch_fixture.h"

#define CRC 0x5A3510EBu /* the base's last four bytes */

/* Made by ranvier.package.patch.encode_runs() of the runs in golden_package(). */
static const uint8_t golden[] = {
	0x52, 0x4e, 0x56, 0x50, 0x01, 0x00, 0x14, 0x00, 0x84, 0x00, 0x00, 0x00, 0x64, 0x00, 0x00,
	0x00, 0xeb, 0x10, 0x35, 0x5a, 0x09, 0xd4, 0x95, 0x22, 0x0c, 0x44, 0xa4, 0x44, 0x4a, 0xe9,
	0x63, 0x23, 0x66, 0xc3, 0x41, 0xc5, 0x9b, 0x14, 0xd6, 0xb8, 0xa9, 0x17, 0x2a, 0xfb, 0xf5,
	0x40, 0x01, 0x1f, 0xec, 0xb5, 0x86, 0x82, 0x84, 0x84, 0xbd, 0x3a, 0x3c, 0x94, 0x75, 0x27,
	0x9a, 0xfa, 0x42, 0xbb, 0x58, 0xe7, 0x31, 0x03, 0xc9, 0x09, 0x86, 0x73, 0x73, 0x62, 0x54,
	0xc2, 0x08, 0x30, 0x2b, 0x83, 0x90, 0x8a, 0x88, 0xfa, 0x20, 0x22, 0xba,
};

static const uint8_t steps[30] = {0,   0, 1,   255, 0, 128, 0,   0, 1,   255, 0, 128, 0,   0, 1,
				  255, 0, 128, 0,   0, 1,   255, 0, 128, 0,   0, 1,   255, 0, 128};

/* What `golden` stands for; returns how long it is. */
static uint32_t golden_package(uint8_t *to)
{
	static const char text[] = "Ranvier's node: ";
	uint32_t n = 0;

	for (; n < 56; n++) {
		to[n] = (uint8_t)text[n % 16];
	}
	for (uint32_t i = 50; i < 80; i++) {
		to[n++] = base[i];
	}
	for (uint32_t i = 0; i < 30; i++) {
		to[n++] = (uint8_t)(base[10 + i] + steps[i]);
	}
	for (uint32_t i = 0; i < 8; i++, n++) {
		to[n] = to[n - 1];
	}
	to[n++] = base[99];
	memset(to + n, '!', 7);
	return n + 7;
}

static void test_golden_in_pieces_of_every_size(void **state)
{
	uint8_t expected[200];
	uint32_t bytes = golden_package(expected);
	struct rnv_patch_source source = source_of(bytes, BASE_BYTES, CRC);

	(void)state;
	assert_int_equal(bytes, 132);
	for (uint32_t piece = 1; piece <= sizeof(golden); piece++) {
		for (uint32_t room = 1; room <= bytes + 1; room++) {
			memset(got, 0, sizeof(got));
			assert_int_equal(decode(&source, golden, sizeof(golden), piece, room), 1);
			assert_int_equal(got_bytes, bytes);
			assert_memory_equal(got, expected, bytes);
		}
	}
}

static void test_the_end_stays_the_end(void **state)
{
	struct rnv_patch_source source = source_of(132, BASE_BYTES, CRC);
	struct rnv_patch patch;
	uint8_t out[8];
	uint32_t used = 99, given = 99;

	(void)state;
	rnv_patch_init(&patch, &source);
	assert_int_equal(decode_with(&patch, golden, sizeof(golden), 10, 10), 1);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(rnv_patch_decode(&patch, golden, 0, &used, out, 8, &given), 1);
		assert_int_equal(used, 0);
		assert_int_equal(given, 0);
	}
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(rnv_patch_decode(&patch, golden, 1, &used, out, 8, &given),
				 RNV_EFORMAT);
		assert_int_equal(used, 0);
		assert_int_equal(given, 0);
	}
}

static void test_a_stream_that_is_cut_never_ends(void **state)
{
	struct rnv_patch_source source = source_of(132, BASE_BYTES, CRC);
	uint8_t expected[200];

	(void)state;
	(void)golden_package(expected);
	for (uint32_t bytes = 0; bytes < sizeof(golden); bytes++) {
		assert_int_equal(decode(&source, golden, bytes, 7, 16), RNV_OK);
		assert_memory_equal(got, expected, got_bytes);
	}
}

static void test_nothing_is_an_end_too(void **state)
{
	struct rnv_patch_source source = source_of(0, 0, 0);

	(void)state;
	put_header(0, 0, 0);
	put_end();
	assert_int_equal(decode(&source, made.stream, made.bytes, 1, 1), 1);
	assert_int_equal(got_bytes, 0);
	made.stream[made.bytes - 1] = 1;
	assert_int_equal(decode(&source, made.stream, made.bytes, 1, 1), RNV_EFORMAT);
}

static uint32_t seed;

static uint32_t below(uint32_t count)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % count;
}

static void put_random_run(uint32_t length)
{
	uint8_t bytes[BASE_BYTES];
	uint32_t kind = below(4);
	uint32_t few = below(2);

	for (uint32_t i = 0; i < BASE_BYTES; i++) {
		bytes[i] = (uint8_t)(few != 0 ? below(3) : below(256));
	}
	if (kind == LITERALS || (kind == MATCH && made.length == 0)) {
		put_literals(bytes, length);
	} else if (kind == MATCH) {
		put_match(length, below(2) != 0 && made.distance != 0 ? made.distance
								      : 1 + below(made.length));
	} else if (kind == COPY) {
		put_copy(length, below(BASE_BYTES - length + 1));
	} else {
		put_differences(bytes, length, below(BASE_BYTES - length + 1));
	}
}

static void test_random_runs(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < 2000; round++) {
		uint32_t bytes;
		struct rnv_patch_source source;

		seed = round;
		bytes = 1 + below(MOST_BYTES);
		source = source_of(bytes, BASE_BYTES, CRC);
		put_header(bytes, BASE_BYTES, CRC);
		while (made.length < bytes) {
			uint32_t most = bytes - made.length;

			put_random_run(1 + below(most < BASE_BYTES ? most : BASE_BYTES));
		}
		put_end();
		assert_int_equal(decode(&source, made.stream, made.bytes, 1 + below(500),
					1 + below(MOST_BYTES)),
				 1);
		assert_int_equal(got_bytes, bytes);
		assert_memory_equal(got, made.package, bytes);
	}
}

/* The golden stream is not the Python encoder's alone. */
static void test_golden_is_what_the_runs_say(void **state)
{
	(void)state;
	put_header(132, BASE_BYTES, CRC);
	put_literals((const uint8_t *)"Ranvier's node: ", 16);
	put_match(40, 16);
	put_copy(30, 50);
	put_differences(steps, 30, 10);
	put_match(3, 1);
	put_match(5, 1);
	put_copy(1, 99);
	put_literals((const uint8_t *)"!!!!!!!", 7);
	put_end();
	assert_int_equal(made.bytes, sizeof(golden));
	assert_memory_equal(made.stream, golden, sizeof(golden));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_golden_in_pieces_of_every_size, begin_patch),
		cmocka_unit_test_setup(test_the_end_stays_the_end, begin_patch),
		cmocka_unit_test_setup(test_a_stream_that_is_cut_never_ends, begin_patch),
		cmocka_unit_test_setup(test_nothing_is_an_end_too, begin_patch),
		cmocka_unit_test_setup(test_random_runs, begin_patch),
		cmocka_unit_test_setup(test_golden_is_what_the_runs_say, begin_patch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
