/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Serial frames. What is expected was made by the Python package `smp` (packet.encode), of messages
 * of n bytes, byte i being 7 i + n.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mgmt/frame.h"
#include "ranvier/package.h"

#define MOST      600
#define WIRE_MOST (2 * MOST)

static const char frame_9[] = "\x06\tAAsJEBceJSwzOkE2oQ==\n";
static const char frame_90[] =
	"\x06\tAFxaYWhvdn2Ei5KZoKeutbzDytHY3+bt9PsCCRAXHiUsMzpBSE9WXWRrcnmAh46VnKOqsbi/xs3U2+Lp8Pf+"
	"BQwTGiEoLzY9REtSWWBnbnV8g4qRmJ+mrbS7wsm/\n\x04\x14uQ==\n";
static const char frame_182[] =
	"\x06\tALi2vcTL0tng5+71/AMKERgfJi00O0JJUFdeZWxzeoGIj5adpKuyucDHztXc4+rx+P8GDRQbIikwNz5FTFNa"
	"YWhvdn2Ei5KZoKeutbzDytHY3+bt9PsCCRAXHiUs\n\x04\x14MzpBSE9WXWRrcnmAh46VnKOqsbi/xs3U2+Lp8Pf+"
	"BQwTGiEoLzY9REtSWWBnbnV8g4qRmJ+mrbS7wsnQ197l7PP6AQgPFh0kKzI5QEdOVVxjanF4f4aNlJuiqV+O\n";
#define CRC_OF_ALL 0x3dfe3a6eu /* zlib.crc32 of the frames of 8 to 600 bytes */

static uint8_t message[MOST];
static uint8_t wire[WIRE_MOST];
static uint8_t memory[MOST + 4];
static struct rnv_frame frame;

static void draw(uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i++) {
		message[i] = (uint8_t)(7 * i + bytes);
	}
}

/* The lines of `message` in `wire`; returns how many bytes. */
static uint32_t encode(uint32_t bytes)
{
	uint32_t at = 0;
	uint32_t used = 0;
	uint32_t count;

	draw(bytes);
	do {
		count = rnv_frame_line(message, bytes, &at, wire + used);
		assert_true(count <= RNV_FRAME_LINE_BYTES);
		used += count;
	} while (count != 0);
	assert_int_equal(rnv_frame_line(message, bytes, &at, wire + used), 0);
	return used;
}

static int begin(void **state)
{
	(void)state;
	frame = (struct rnv_frame){.message = memory, .room = sizeof(memory)};
	return 0;
}

/* Feed bytes; nothing but `more` comes of it. */
static void feed_quiet(const uint8_t *data, uint32_t bytes)
{
	const uint8_t *found = NULL;
	uint32_t count;

	for (uint32_t i = 0; i < bytes; i++) {
		assert_int_equal(rnv_frame_byte(&frame, data[i], &found, &count), RNV_FRAME_MORE);
	}
}

/* Feed bytes, the last of which makes an event of these bytes. */
static void feed(const uint8_t *data, uint32_t bytes, uint32_t event, const void *expected,
		 uint32_t length)
{
	const uint8_t *found = NULL;
	uint32_t count = 0;

	feed_quiet(data, bytes - 1);
	assert_int_equal(rnv_frame_byte(&frame, data[bytes - 1], &found, &count), event);
	assert_int_equal(count, length);
	assert_memory_equal(found, expected, length);
}

static void feed_text(const char *text, const char *expected)
{
	feed((const uint8_t *)text, (uint32_t)strlen(text), RNV_FRAME_TEXT, expected,
	     (uint32_t)strlen(expected));
}

/* Whatever comes of these bytes, it is no message but the one that was drawn; how many came. */
static uint32_t messages(const uint8_t *data, uint32_t bytes, uint32_t length)
{
	const uint8_t *found = NULL;
	uint32_t count = 0;
	uint32_t all = 0;

	for (uint32_t i = 0; i < bytes; i++) {
		if (rnv_frame_byte(&frame, data[i], &found, &count) == RNV_FRAME_MESSAGE) {
			assert_int_equal(count, length);
			assert_memory_equal(found, message, length);
			all++;
		}
	}
	return all;
}

static void test_lines_are_those_of_another_encoder(void **state)
{
	uint32_t crc = 0;

	(void)state;
	assert_int_equal(encode(9), sizeof(frame_9) - 1);
	assert_memory_equal(wire, frame_9, sizeof(frame_9) - 1);
	assert_int_equal(encode(90), sizeof(frame_90) - 1);
	assert_memory_equal(wire, frame_90, sizeof(frame_90) - 1);
	assert_int_equal(encode(182), sizeof(frame_182) - 1);
	assert_memory_equal(wire, frame_182, sizeof(frame_182) - 1);
	for (uint32_t bytes = 8; bytes <= MOST; bytes++) {
		crc = rnv_crc32(crc, wire, encode(bytes));
	}
	assert_int_equal(crc, CRC_OF_ALL);
}

static void test_lines_of_another_encoder_are_read(void **state)
{
	(void)state;
	draw(9);
	feed((const uint8_t *)frame_9, sizeof(frame_9) - 1, RNV_FRAME_MESSAGE, message, 9);
	draw(90);
	feed((const uint8_t *)frame_90, sizeof(frame_90) - 1, RNV_FRAME_MESSAGE, message, 90);
	draw(182);
	feed((const uint8_t *)frame_182, sizeof(frame_182) - 1, RNV_FRAME_MESSAGE, message, 182);
	assert_int_equal(frame.errors, 0);
}

static void test_every_length(void **state)
{
	(void)state;
	for (uint32_t bytes = 0; bytes <= MOST; bytes++) {
		uint32_t used = encode(bytes);

		feed(wire, used, RNV_FRAME_MESSAGE, message, bytes);
	}
	assert_int_equal(frame.errors, 0);
}

static void test_room_is_used_to_the_last_byte(void **state)
{
	(void)state;
	for (uint32_t bytes = 0; bytes <= MOST; bytes += 37) {
		uint32_t used = encode(bytes);

		frame = (struct rnv_frame){.message = malloc(bytes + 4), .room = bytes + 4};
		feed(wire, used, RNV_FRAME_MESSAGE, message, bytes);
		free(frame.message);
		frame = (struct rnv_frame){.message = malloc(bytes + 3), .room = bytes + 3};
		assert_int_equal(messages(wire, used, bytes), 0);
		assert_true(frame.errors != 0);
		free(frame.message);
	}
}

static void test_text_around_and_between(void **state)
{
	uint32_t used = encode(200);
	const uint8_t *second = memchr(wire, '\n', used);
	uint32_t first = (uint32_t)(second + 1 - wire);

	(void)state;
	feed_text("[00:01] booted\n", "[00:01] booted");
	feed_quiet((const uint8_t *)"\r\n\n\r", 4);
	feed_text("uart:~$ \r", "uart:~$ ");
	feed_quiet((const uint8_t *)"\n", 1);
	feed_quiet(wire, first);
	feed_text("a log line\n", "a log line");
	feed(wire + first, used - first, RNV_FRAME_MESSAGE, message, 200);
	feed_text("a\n", "a");
	feed_text("\t\x14\n", "\t\x14");
	assert_int_equal(frame.errors, 0);
}

static void test_carriage_returns_end_lines(void **state)
{
	uint8_t other[WIRE_MOST + 8];
	uint32_t used = encode(200);
	uint32_t count = 0;

	(void)state;
	for (uint32_t i = 0; i < used; i++) {
		if (wire[i] == '\n') {
			other[count++] = '\r';
		}
		other[count++] = wire[i];
	}
	assert_int_equal(messages(other, count, 200), 1);
	assert_int_equal(frame.errors, 0);
}

static void test_a_frame_begins_within_text(void **state)
{
	uint32_t used = encode(20);

	(void)state;
	feed_quiet((const uint8_t *)"half a line", 11);
	feed(wire, used, RNV_FRAME_MESSAGE, message, 20);
}

static void test_long_lines_are_dropped(void **state)
{
	uint8_t text[1000];
	uint32_t used;

	(void)state;
	memset(text, 'x', sizeof(text));
	text[128] = '\n';
	feed(text, 129, RNV_FRAME_TEXT, text, 128);
	text[128] = 'x';
	text[129] = '\n';
	feed_quiet(text, 130);
	assert_int_equal(frame.errors, 1);
	text[129] = 'x';
	text[999] = '\r';
	feed_quiet(text, 1000);
	assert_int_equal(frame.errors, 2);
	text[0] = 0x06;
	text[1] = 0x09;
	feed_quiet(text, 1000);
	assert_int_equal(frame.errors, 3);
	used = encode(300);
	feed(wire, used, RNV_FRAME_MESSAGE, message, 300);
}

static void test_every_byte_damaged(void **state)
{
	static const uint8_t masks[] = {0x01, 0x20, 0x80, 0xFF};
	uint32_t used = encode(200);

	(void)state;
	for (uint32_t i = 0; i < used; i++) {
		for (uint32_t k = 0; k < sizeof(masks); k++) {
			wire[i] ^= masks[k];
			(void)messages(wire, used, 200);
			wire[i] ^= masks[k];
			(void)messages((const uint8_t *)"\n", 1, 200);
			assert_int_equal(messages(wire, used, 200), 1);
		}
	}
	assert_true(frame.errors > used);
}

static void test_every_byte_lost_or_doubled(void **state)
{
	uint8_t other[WIRE_MOST];
	uint32_t used = encode(200);

	(void)state;
	for (uint32_t i = 0; i < used; i++) {
		memcpy(other, wire, i);
		memcpy(other + i, wire + i + 1, used - i - 1);
		(void)messages(other, used - 1, 200);
		(void)messages((const uint8_t *)"\n", 1, 200);
		memcpy(other + i, wire + i, 1);
		memcpy(other + i + 1, wire + i, used - i);
		(void)messages(other, used + 1, 200);
		assert_int_equal(messages(wire, used, 200), 1);
	}
}

static void test_lines_lost_doubled_and_out_of_order(void **state)
{
	uint32_t used = encode(300);
	const uint8_t *lines[5];
	uint32_t count = 0;

	(void)state;
	lines[0] = wire;
	for (uint32_t i = 0; i < used; i++) {
		if (wire[i] == '\n') {
			lines[++count] = wire + i + 1;
		}
	}
	assert_int_equal(count, 4);
#define LINE(i) lines[i], (uint32_t)(lines[(i) + 1] - lines[i])
	for (uint32_t lost = 0; lost < count; lost++) {
		for (uint32_t i = 0; i < count; i++) {
			assert_int_equal((i == lost) ? 0 : messages(LINE(i), 300), 0);
		}
		assert_int_equal(messages(wire, used, 300), 1);
	}
	for (uint32_t twice = 0; twice < count; twice++) {
		uint32_t found = 0;

		for (uint32_t i = 0; i < count; i++) {
			found += messages(LINE(i), 300);
			found += (i == twice) ? messages(LINE(i), 300) : 0;
		}
		/* The first line begins anew; the last one comes too late. */
		assert_int_equal(found, twice == 0 || twice == count - 1);
	}
	for (uint32_t i = count; i-- > 0;) {
		assert_int_equal(messages(LINE(i), 300), 0);
	}
	assert_int_equal(messages(wire, used, 300), 1);
}

/* A frame of one line by hand, with its right CRC unless it says less. */
static void test_lengths_that_lie(void **state)
{
	static const char *const lies[] = {
		"\x06\tAAoJEBceJSwzOkE2oQ==\n", /* 10 instead of 11 */
		"\x06\tAAwJEBceJSwzOkE2oQ==\n", /* 12; it goes on, and has no end */
		"\x06\tAAAAAA==\n",             /* 0 */
		"\x06\tAAEAAA==\n",             /* 1: less than a CRC */
		"\x06\tAAI=\n",                 /* no CRC */
		"\x06\t//8JEBceJSwzOkE2oQ==\n", /* 65,535 */
		"\x06\tAAsJEBceJSwzOkE2oQ=\n",  /* not whole groups */
		"\x06\tAAsJEBceJSwzOkE2o===\n", /* too much fill */
		"\x06\tAA=JEBceJSwzOkE2oQ==\n", /* fill in the middle */
		"\x06\tAAsJEBceJSwz kE2oQ==\n", /* no digit */
		"\x06\t\n",                     /* nothing */
	};

	(void)state;
	draw(9);
	for (uint32_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		feed_quiet((const uint8_t *)lies[i], (uint32_t)strlen(lies[i]));
		assert_int_equal(frame.errors, i == 1 ? i : i + 1);
		feed((const uint8_t *)frame_9, sizeof(frame_9) - 1, RNV_FRAME_MESSAGE, message, 9);
		assert_int_equal(frame.errors, i + 1);
	}
	feed_quiet((const uint8_t *)"\x04\x14uQ==\n", 7); /* continues nothing */
	assert_int_equal(frame.errors, sizeof(lies) / sizeof(lies[0]) + 1);
}

/* What a line lacks is not taken from the one before; what it has too much is not passed over. */
static void test_groups_that_are_not_whole(void **state)
{
	uint32_t used = encode(8); /* 16 digits */

	(void)state;
	for (uint32_t less = 1; less < 4; less++) {
		feed(wire, used, RNV_FRAME_MESSAGE, message, 8);
		feed_quiet(wire, used - 1 - less);
		feed_quiet((const uint8_t *)"\n", 1);
		assert_int_equal(frame.errors, less);
	}
	feed_quiet(wire, used - 1);
	feed_quiet((const uint8_t *)"A===\n", 5);
	assert_int_equal(frame.errors, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_lines_are_those_of_another_encoder, begin),
		cmocka_unit_test_setup(test_lines_of_another_encoder_are_read, begin),
		cmocka_unit_test_setup(test_every_length, begin),
		cmocka_unit_test_setup(test_room_is_used_to_the_last_byte, begin),
		cmocka_unit_test_setup(test_text_around_and_between, begin),
		cmocka_unit_test_setup(test_carriage_returns_end_lines, begin),
		cmocka_unit_test_setup(test_a_frame_begins_within_text, begin),
		cmocka_unit_test_setup(test_long_lines_are_dropped, begin),
		cmocka_unit_test_setup(test_every_byte_damaged, begin),
		cmocka_unit_test_setup(test_every_byte_lost_or_doubled, begin),
		cmocka_unit_test_setup(test_lines_lost_doubled_and_out_of_order, begin),
		cmocka_unit_test_setup(test_lengths_that_lie, begin),
		cmocka_unit_test_setup(test_groups_that_are_not_whole, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
