/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The region's sizes, its bytes against SPEC.md section 7, and headers that are not believed. */

#include "raw.h"

#include "ipc/region.h"
#include "ranvier/remote_image.h"

static struct rnv_region *const shared = (struct rnv_region *)(memory + GUARD);
static const struct rnv_ipc_layout layout = {4, 2, 256};

static int begin_test(void **state)
{
	(void)state;
	raw_power_on();
	return 0;
}

static void test_sizes(void **state)
{
	static const struct {
		struct rnv_ipc_layout layout;
		uint32_t bytes;
	} cases[] = {
		{{2, 1, 128}, 448 + 128 + 128},
		{{4, 2, 256}, 448 + 256 + 512},
		{{64, 32, 1024}, 448 + 4096 + 32768},
		{{1024, 1, 128}, 448 + 65536 + 128},
		{{2, 1, 0x80000000u - 448 - 128}, 0x80000000u},
		{{2, 1, 0x80000000u - 448 - 64}, 0},
		{{64, 32, 0xFFFFFFC0u}, 0},
		{{4, 2, 0}, 0},
		{{4, 2, 64}, 0},
		{{4, 2, 160}, 0},
		{{4, 0, 256}, 0},
		{{64, 33, 256}, 0},
		{{4, 4, 256}, 0},
		{{1, 1, 256}, 0},
		{{0, 1, 256}, 0},
		{{6, 2, 256}, 0},
		{{2048, 2, 256}, 0},
	};

	(void)state;
	for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(rnv_ipc_bytes(&cases[i].layout), cases[i].bytes);
	}
	assert_int_equal(rnv_ipc_bytes(NULL), 0);
}

#define AT(type, field, offset, bytes)                                                             \
	do {                                                                                       \
		assert_int_equal(offsetof(struct type, field), offset);                            \
		assert_int_equal(sizeof(((struct type *)0)->field), bytes);                        \
	} while (0)

static void test_structs_are_those_of_the_specification(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct rnv_message), 32);
	AT(rnv_message, id, 0, 4);
	AT(rnv_message, epoch, 4, 4);
	AT(rnv_message, type, 8, 2);
	AT(rnv_message, status, 10, 2);
	AT(rnv_message, offset, 12, 4);
	AT(rnv_message, bytes, 16, 4);
	AT(rnv_message, args, 20, 12);
	assert_int_equal(sizeof(struct rnv_ipc_model), 96);
	AT(rnv_ipc_model, model, 0, 4);
	AT(rnv_ipc_model, lanes, 4, 4);
	AT(rnv_ipc_model, bytes, 8, 4);
	AT(rnv_ipc_model, inputs, 12, 2);
	AT(rnv_ipc_model, outputs, 14, 2);
	AT(rnv_ipc_model, tensor_bytes, 16, 48);
	AT(rnv_ipc_model, reserved, 64, 32);
	assert_int_equal(sizeof(struct rnv_remote_header), 32);
	AT(rnv_remote_header, magic, 0, 4);
	AT(rnv_remote_header, version, 4, 2);
	AT(rnv_remote_header, header_bytes, 6, 2);
	AT(rnv_remote_header, image_bytes, 8, 4);
	AT(rnv_remote_header, image_crc32, 12, 4);
	AT(rnv_remote_header, address, 16, 4);
	AT(rnv_remote_header, build, 20, 4);
	AT(rnv_remote_header, reserved, 24, 4);
	AT(rnv_remote_header, header_crc32, 28, 4);
	AT(rnv_region, server.beat, 64, 4);
	AT(rnv_region, server.accept, 68, 4);
	AT(rnv_region, server.park, 72, 4);
	AT(rnv_region, client.epoch, 128, 4);
	AT(rnv_region, client.hello, 132, 4);
	AT(rnv_region, client.beat, 136, 4);
	AT(rnv_region, client.parked, 140, 4);
	AT(rnv_region, request_client, 192, 64);
	AT(rnv_region, request_server, 256, 64);
	AT(rnv_region, response_server, 320, 64);
	AT(rnv_region, response_client, 384, 64);
	assert_int_equal(RNV_REMOTE_MAGIC, 'R' | 'V' << 8 | 'C' << 16 | 'I' << 24);
	assert_int_equal(RNV_IPC_MAGIC, 'R' | 'N' << 8 | 'V' << 16 | 'I' << 24);
}

static void test_the_format_is_that_of_the_specification(void **state)
{
	uint8_t ours[4096];
	uint32_t epoch;

	(void)state;
	put(PARK, 0);
	epoch = rnv_region_format(shared, &layout, 1000);
	assert_int_equal(get(EPOCH), epoch);
	assert_int_equal(get(SERVER_BEAT), 0);
	memcpy(ours, region, sizeof(ours));
	raw_format(epoch, &usual);
	assert_memory_equal(ours, region, sizeof(ours));
	assert_true(guards_are_whole());
}

/* What the client and the rings have is left alone, and so is what no one has. */
static void test_a_format_writes_the_servers_lines_only(void **state)
{
	uint8_t before[4096];

	(void)state;
	put(PARK, 0x50001);
	memcpy(before, region, sizeof(before));
	rnv_region_format(shared, &layout, 1000);
	assert_int_equal(get(PARK), 0x50001); /* a client in a park stays there */
	assert_memory_equal(before + 48, region + 48, 16);
	assert_memory_equal(before + 76, region + 76, sizeof(before) - 76);
}

static void test_each_server_has_another_epoch(void **state)
{
	(void)state;
	put(HELLO, 0x1234);
	assert_int_equal(rnv_region_format(shared, &layout, 1000), 0x1235);
	assert_int_equal(rnv_region_format(shared, &layout, 1000), 0x1236);
	rnv_region_clear(shared);
	assert_int_equal(get(MAGIC), 0);
	assert_int_equal(rnv_region_format(shared, &layout, 1000), 0x1237);
	put(HELLO, 0x1237);
	region[20] ^= 1;
	assert_int_equal(rnv_region_format(shared, &layout, 1000), 0x1238);
	raw_format(0xFFFFFFFFu, &usual);
	assert_int_equal(rnv_region_format(shared, &layout, 1000), 1);
	memset(region, 0, 4096);
	assert_int_equal(rnv_region_format(shared, &layout, 1000), 1);
}

static void test_end_clears_what_the_client_looks_at(void **state)
{
	(void)state;
	raw_format(9, &usual);
	put(ACCEPT, 5);
	put(PARK, 6);
	rnv_region_clear(shared);
	assert_int_equal(get(MAGIC), 0);
	assert_int_equal(get(ACCEPT), 0);
	assert_int_equal(get(PARK), 6);
}

static void test_a_reader_takes_what_the_specification_says(void **state)
{
	struct rnv_region_header header;

	(void)state;
	raw_format(77, &usual);
	assert_true(rnv_region_read(shared, 4096, &header));
	assert_int_equal(header.epoch, 77);
	assert_int_equal(header.entries, 4);
	assert_int_equal(header.slots, 2);
	assert_int_equal(header.slot_bytes, 256);
	assert_int_equal(header.slots_offset, 448 + 256);
	assert_int_equal(header.beat_us, 1000);
	assert_true(rnv_region_read(shared, 448 + 256 + 512, &header));
	assert_false(rnv_region_read(shared, 448 + 256 + 511, &header));
}

static void test_a_reader_finds_each_wrong_bit(void **state)
{
	struct rnv_region_header header;

	(void)state;
	raw_format(77, &usual);
	for (uint32_t bit = 0; bit < 48 * 8; bit++) {
		region[bit / 8] ^= (uint8_t)(1u << bit % 8);
		assert_false(rnv_region_read(shared, 4096, &header));
		region[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	assert_true(rnv_region_read(shared, 4096, &header));
}

static void test_a_reader_checks_each_field_although_the_crc_fits(void **state)
{
	static const struct {
		uint32_t offset;
		uint32_t value;
	} wrong[] = {
		{4, 2 | 64 << 16},
		{4, 1 | 32 << 16},
		{8, 448 + 256 + 511},
		{8, 448 + 256 + 513},
		{8, 0},
		{12, 0},
		{16, 0},
		{16, 3},
		{16, 8},
		{16, 2},
		{16, 2048},
		{16, 0x80000004u},
		{20, 0},
		{20, 1},
		{20, 3},
		{20, 33},
		{20, 0x80000002u},
		{24, 0},
		{24, 128},
		{24, 257},
		{24, 0x80000100u},
		{28, 448 + 255},
		{28, 448 + 256 + 64},
		{28, 0},
	};
	struct rnv_region_header header;

	(void)state;
	for (uint32_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		raw_format(77, &usual);
		put(wrong[i].offset, wrong[i].value);
		put(44, crc_of(region + 4, 40));
		assert_false(rnv_region_read(shared, 4096, &header));
	}
	raw_format(77, &usual);
	put(36, 1);
	put(44, crc_of(region + 4, 40));
	assert_true(rnv_region_read(shared, 4096, &header));
}

static void test_a_reader_believes_no_random_bytes(void **state)
{
	struct rnv_region_header header;

	(void)state;
	for (uint32_t i = 0; i < 50000; i++) {
		for (uint32_t word = 1; word < 12; word++) {
			put(4 * word, random_word());
		}
		put(MAGIC, 0x49564E52);
		if ((i & 1u) != 0u) {
			put(44, crc_of(region + 4, 40));
		}
		assert_false(rnv_region_read(shared, 4096, &header));
	}
}

#define TEST(name) cmocka_unit_test_setup(name, begin_test)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_sizes),
		TEST(test_structs_are_those_of_the_specification),
		TEST(test_the_format_is_that_of_the_specification),
		TEST(test_a_format_writes_the_servers_lines_only),
		TEST(test_each_server_has_another_epoch),
		TEST(test_end_clears_what_the_client_looks_at),
		TEST(test_a_reader_takes_what_the_specification_says),
		TEST(test_a_reader_finds_each_wrong_bit),
		TEST(test_a_reader_checks_each_field_although_the_crc_fits),
		TEST(test_a_reader_believes_no_random_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
