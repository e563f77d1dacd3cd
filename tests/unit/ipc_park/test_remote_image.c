/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* No core is started with anything that is not exactly what was built for its place. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "ranvier/remote_image.h"

#define CODE       0x10A000u
#define CODE_BYTES 4096u
#define RAM        0x20050000u
#define RAM_BYTES  0x10000u
#define IMAGE      333u /* bytes of it: two whole pieces and an odd one */
#define ENTRY      (CODE + 1024u)

static uint8_t place[CODE_BYTES];
static struct rnv_remote_memory memory;
static int fails_with; /* 0: it does not */
static uint32_t fails_at;
static uint32_t highest; /* byte behind the last one read */

static int read_place(void *context, uint32_t offset, void *to, uint32_t bytes)
{
	assert_ptr_equal(context, place);
	assert_true(bytes <= 128u);
	assert_true(offset <= sizeof(place) && bytes <= sizeof(place) - offset);
	if (offset + bytes > highest) {
		highest = offset + bytes;
	}
	memcpy(to, place + offset, bytes);
	return offset <= fails_at && fails_at < offset + bytes ? fails_with : RNV_OK;
}

/* CRC-32 of IEEE 802.3, bit by bit. */
static uint32_t crc_of(const uint8_t *bytes, uint32_t count)
{
	uint32_t crc = 0xFFFFFFFFu;

	for (uint32_t i = 0; i < count * 8u; i++) {
		const uint32_t bit = (crc ^ (uint32_t)bytes[i / 8u] >> i % 8u) & 1u;

		crc = crc >> 1 ^ (bit != 0u ? 0xEDB88320u : 0u);
	}
	return ~crc;
}

static void put(uint32_t offset, uint32_t value, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i++) {
		place[offset + i] = (uint8_t)(value >> 8u * i);
	}
}

static void close_header(void)
{
	put(28, crc_of(place, 28), 4);
}

static void close_image(uint32_t bytes)
{
	put(8, bytes, 4);
	put(12, crc_of(place + 1024, bytes), 4);
	close_header();
}

static int set_up(void **state)
{
	(void)state;
	memory = (struct rnv_remote_memory){.code = CODE,
					    .code_bytes = CODE_BYTES,
					    .ram = RAM,
					    .ram_bytes = RAM_BYTES,
					    .read = read_place,
					    .context = place};
	fails_with = 0;
	fails_at = UINT32_MAX;
	highest = 0;
	for (uint32_t i = 0; i < sizeof(place); i++) {
		place[i] = (uint8_t)(i * 29u + i / 256u);
	}
	put(0, 0x49435652, 4);
	put(4, 1, 2);
	put(6, 1024, 2);
	put(16, ENTRY, 4);
	put(20, 20261130, 4);
	put(24, 0, 4);
	put(1024, RAM + RAM_BYTES, 4);
	put(1028, ENTRY + 0x101u, 4);
	close_image(IMAGE);
	return 0;
}

static int check(void)
{
	struct rnv_remote_header header;

	memset(&header, 0xEE, sizeof(header));
	highest = 0;
	return rnv_remote_image_check(&memory, &header);
}

static void test_a_good_image(void **state)
{
	struct rnv_remote_header header;

	(void)state;
	assert_int_equal(rnv_remote_image_check(&memory, &header), RNV_OK);
	assert_int_equal(header.magic, RNV_REMOTE_MAGIC);
	assert_int_equal(header.image_bytes, IMAGE);
	assert_int_equal(header.address, ENTRY);
	assert_int_equal(header.build, 20261130);
	assert_int_equal(highest, 1024u + IMAGE);
	assert_int_equal(rnv_remote_image_check(&memory, NULL), RNV_OK);
	/* What is not looked at may be anything. */
	memset(place + 32, 0x55, 1024 - 32);
	memset(place + 1024 + IMAGE, 0x55, sizeof(place) - 1024 - IMAGE);
	assert_int_equal(check(), RNV_OK);
}

static void test_blank_flash(void **state)
{
	struct rnv_remote_header header;

	(void)state;
	memset(place, 0xFF, sizeof(place));
	assert_int_equal(check(), RNV_ENOENT);
	assert_int_equal(highest, 32);
	memset(place, 0x00, sizeof(place));
	assert_int_equal(check(), RNV_ENOENT);
	/* Erased flash that cannot be read, and a device that does not work. */
	fails_at = 0;
	fails_with = RNV_EBADMSG;
	assert_int_equal(rnv_remote_image_check(&memory, &header), RNV_EBADMSG);
	assert_int_equal(header.magic, 0);
	fails_with = RNV_EIO;
	assert_int_equal(check(), RNV_EIO);
	fails_with = RNV_EINVAL;
	assert_int_equal(check(), RNV_EIO);
}

/* Each field wrong, in a header that is intact otherwise. */
static void test_every_field(void **state)
{
	static const struct {
		uint32_t offset, bytes, value;
		int status;
	} fields[] = {
		{0, 4, 0x49435653, RNV_ENOENT},
		{4, 2, 0, RNV_ENOTSUP},
		{4, 2, 2, RNV_ENOTSUP},
		{6, 2, 512, RNV_ENOTSUP},
		{6, 2, 0, RNV_ENOTSUP},
		{8, 4, 0, RNV_EFORMAT},
		{8, 4, 7, RNV_EFORMAT},
		{8, 4, IMAGE - 1, RNV_EBADMSG},
		{8, 4, IMAGE + 1, RNV_EBADMSG},
		{8, 4, CODE_BYTES - 1024 + 1, RNV_EFORMAT},
		{8, 4, 0xFFFFFFFF, RNV_EFORMAT},
		{8, 4, 0xFFFFFC00, RNV_EFORMAT},
		{12, 4, 0, RNV_EBADMSG},
		{16, 4, 0, RNV_EFORMAT},
		{16, 4, CODE, RNV_EFORMAT},
		{16, 4, ENTRY + 4, RNV_EFORMAT},
		{16, 4, ENTRY + 1024, RNV_EFORMAT},
		{16, 4, ENTRY + 0x10000000, RNV_EFORMAT},
		{24, 4, 1, RNV_ENOTSUP},
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		(void)set_up(state);
		put(fields[i].offset, fields[i].value, fields[i].bytes);
		if (fields[i].offset != 0u) { /* not closed: damaged, whatever it says */
			assert_int_equal(check(), RNV_EBADMSG);
		}
		close_header();
		if (check() != fields[i].status) {
			fail_msg("field %zu: %d", i, check());
		}
	}
	(void)set_up(state);
	put(20, 0, 4); /* the build can be any */
	close_header();
	assert_int_equal(check(), RNV_OK);
}

static void test_every_byte(void **state)
{
	(void)state;
	for (uint32_t at = 0; at < 1024u + IMAGE; at++) {
		for (uint32_t bit = 0; bit < 8u; bit++) {
			int status;

			place[at] ^= (uint8_t)(1u << bit);
			status = check();
			place[at] ^= (uint8_t)(1u << bit);
			if (at >= 32u && at < 1024u) {
				assert_int_equal(status, RNV_OK);
			} else {
				assert_int_equal(status, at < 4u ? RNV_ENOENT : RNV_EBADMSG);
			}
		}
	}
	assert_int_equal(check(), RNV_OK);
}

static void test_every_place_of_a_read_that_fails(void **state)
{
	(void)state;
	for (uint32_t at = 0; at < 1024u + IMAGE + 1u; at++) {
		const bool is_read = at < 32u || (at >= 1024u && at < 1024u + IMAGE);

		fails_at = at;
		fails_with = 1; /* read, but marginal */
		assert_int_equal(check(), RNV_OK);
		fails_with = RNV_EBADMSG;
		assert_int_equal(check(), is_read ? RNV_EBADMSG : RNV_OK);
		fails_with = RNV_EIO;
		assert_int_equal(check(), is_read ? RNV_EIO : RNV_OK);
	}
}

/* Programming stopped at any byte: the rest is erased. */
static void test_truncated(void **state)
{
	for (uint32_t at = 0; at < 1024u + IMAGE; at++) {
		(void)set_up(state);
		memset(place + at, 0xFF, sizeof(place) - at);
		assert_int_not_equal(check(), RNV_OK);
	}
}

static void test_sizes_at_their_limits(void **state)
{
	(void)state;
	close_image(CODE_BYTES - 1024);
	assert_int_equal(check(), RNV_OK);
	assert_int_equal(highest, CODE_BYTES);
	memory.code_bytes--;
	assert_int_equal(check(), RNV_EFORMAT);

	/* The smallest that has a reset handler, and the place for it. */
	(void)set_up(state);
	put(1028, ENTRY + 9u, 4);
	close_image(10);
	assert_int_equal(check(), RNV_OK);
	memory.code_bytes = 1024 + 10;
	assert_int_equal(check(), RNV_OK);
	memory.code_bytes = 1024 + 9;
	assert_int_equal(check(), RNV_EFORMAT);
	memory.code_bytes = 1024 + 7;
	assert_int_equal(check(), RNV_EFORMAT);
	memory.code_bytes = 31;
	assert_int_equal(check(), RNV_EFORMAT);
	memory.code_bytes = 0;
	assert_int_equal(check(), RNV_EFORMAT);
	close_image(9);
	memory.code_bytes = CODE_BYTES;
	assert_int_equal(check(), RNV_EFORMAT);
	close_image(8);
	assert_int_equal(check(), RNV_EFORMAT);
}

static void test_addresses_at_their_limits(void **state)
{
	/* Down from 2^32, and up from 0. */
	static const uint32_t codes[] = {0, 0u - CODE_BYTES};
	static const uint32_t rams[] = {0u - RAM_BYTES, 0};

	for (size_t i = 0; i < 2u; i++) {
		(void)set_up(state);
		memory.code = codes[i];
		memory.ram = rams[i];
		put(16, codes[i] + 1024u, 4);
		put(1024, rams[i] + RAM_BYTES - 8u, 4);
		put(1028, codes[i] + 1024u + 0x41u, 4);
		close_image(IMAGE);
		assert_int_equal(check(), RNV_OK);
	}
	memory.code_bytes = 0xFFFFFFFF;
	assert_int_equal(check(), RNV_EINVAL);
	(void)set_up(state);
	memory.code = 0u - CODE_BYTES + 1u;
	assert_int_equal(check(), RNV_EINVAL);
	(void)set_up(state);
	memory.ram_bytes = 0u - RAM + 1u;
	assert_int_equal(check(), RNV_EINVAL);
	memory.ram_bytes--;
	assert_int_equal(check(), RNV_OK);
	/* A place that no vector table can be in. */
	(void)set_up(state);
	memory.code = CODE + 512u;
	put(16, ENTRY + 512u, 4);
	put(1028, ENTRY + 512u + 0x41u, 4);
	close_image(IMAGE);
	assert_int_equal(check(), RNV_EFORMAT);
	assert_int_equal(rnv_remote_image_check(NULL, NULL), RNV_EINVAL);
	memory.read = NULL;
	assert_int_equal(check(), RNV_EINVAL);
}

static void test_vector_table(void **state)
{
	static const struct {
		uint32_t stack, reset;
		int status;
	} tables[] = {
		{RAM + RAM_BYTES, ENTRY + 9, RNV_OK},
		{RAM + 8, ENTRY + IMAGE - 2, RNV_OK},
		{RAM, ENTRY + 9, RNV_EFORMAT},
		{RAM - 8, ENTRY + 9, RNV_EFORMAT},
		{RAM + RAM_BYTES + 8, ENTRY + 9, RNV_EFORMAT},
		{RAM + 1024 + 4, ENTRY + 9, RNV_EFORMAT},
		{0, ENTRY + 9, RNV_EFORMAT},
		{0xFFFFFFFF, ENTRY + 9, RNV_EFORMAT},
		{RAM + 1024, ENTRY + 8, RNV_EFORMAT}, /* not Thumb */
		{RAM + 1024, ENTRY + 7, RNV_EFORMAT}, /* in the two vectors */
		{RAM + 1024, ENTRY + 1, RNV_EFORMAT},
		{RAM + 1024, ENTRY + IMAGE, RNV_EFORMAT},
		{RAM + 1024, ENTRY - 511, RNV_EFORMAT},
		{RAM + 1024, RAM + 1, RNV_EFORMAT},
		{RAM + 1024, 0, RNV_EFORMAT},
		{RAM + 1024, 1, RNV_EFORMAT},
		{RAM + 1024, 0xFFFFFFFF, RNV_EFORMAT},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		put(1024, tables[i].stack, 4);
		put(1028, tables[i].reset, 4);
		close_image(IMAGE);
		if (check() != tables[i].status) {
			fail_msg("table %zu: %d", i, check());
		}
	}
	memory.ram_bytes = 0;
	put(1024, RAM, 4);
	put(1028, ENTRY + 9, 4);
	close_image(IMAGE);
	assert_int_equal(check(), RNV_EFORMAT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_a_good_image, set_up),
		cmocka_unit_test_setup(test_blank_flash, set_up),
		cmocka_unit_test_setup(test_every_field, set_up),
		cmocka_unit_test_setup(test_every_byte, set_up),
		cmocka_unit_test_setup(test_every_place_of_a_read_that_fails, set_up),
		cmocka_unit_test_setup(test_truncated, set_up),
		cmocka_unit_test_setup(test_sizes_at_their_limits, set_up),
		cmocka_unit_test_setup(test_addresses_at_their_limits, set_up),
		cmocka_unit_test_setup(test_vector_table, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
