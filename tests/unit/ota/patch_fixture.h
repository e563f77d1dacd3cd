/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_TESTS_PATCH_FIXTURE_H_
#define RNV_TESTS_PATCH_FIXTURE_H_

/*
 * Streams of SPEC.md 4.6 made run by run, valid or not, with the package that they stand for; and a
 * decoder whose every access is checked.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ranvier/patch.h"

#define BASE_BYTES 100u
#define MOST_BYTES 4096u  /* decoded here */
#define MADE_BYTES 49152u /* that a stream can stand for */

enum {
	LITERALS,
	MATCH,
	COPY,
	DIFFERENCES
};

/* ENCODER */

static struct {
	uint64_t low;
	uint32_t range;
	uint32_t bytes;
	uint8_t stream[2 * MADE_BYTES];
	uint16_t chances[976];
	uint8_t package[MADE_BYTES];
	uint32_t length;
	uint32_t kind;
	uint32_t distance;
	uint32_t shift;
	uint32_t changed;
} made;

static uint8_t base[MADE_BYTES]; /* BASE_BYTES of it, where nothing else is said */

static inline void put_byte(void)
{
	uint32_t at = made.bytes;

	for (uint64_t carry = made.low >> 32; carry != 0 && at-- > 0;) {
		made.stream[at]++;
		carry = made.stream[at] == 0;
	}
	assert_true(made.bytes < sizeof(made.stream));
	made.stream[made.bytes++] = (uint8_t)(made.low >> 24);
	made.low = (made.low << 8) & 0xFFFFFFFFu;
}

static inline void put_bit(uint16_t *chance, uint32_t bit)
{
	uint32_t bound = (made.range / 2048) * (chance != NULL ? *chance : 1024);

	if (bit != 0) {
		made.low += bound;
		made.range -= bound;
	} else {
		made.range = bound;
	}
	if (chance != NULL) {
		*chance = (uint16_t)(bit != 0 ? *chance - *chance / 32
					      : *chance + (2048 - *chance) / 32);
	}
	if (made.range < (1u << 24)) {
		made.range *= 256;
		put_byte();
	}
}

static inline void put_symbol(uint32_t tree, uint32_t value, uint32_t bits)
{
	uint32_t node = 1;

	while (bits-- > 0) {
		uint32_t bit = (value >> bits) & 1;

		put_bit(&made.chances[tree + node], bit);
		node = 2 * node + bit;
	}
}

static inline void put_number(uint32_t tree, uint32_t value)
{
	uint32_t bits = 0;

	while (bits < 32 && value >> bits != 0) {
		bits++;
	}
	put_symbol(tree, bits, 5);
	for (uint32_t i = bits; i > 1; i--) {
		put_bit(NULL, (value >> (i - 2)) & 1);
	}
}

static inline void put_header(uint32_t bytes, uint32_t base_bytes, uint32_t crc)
{
	const uint32_t words[] = {0x50564E52, 0x00140001, bytes, base_bytes, crc};

	memset(&made, 0, sizeof(made));
	made.range = UINT32_MAX;
	for (uint32_t i = 0; i < 976; i++) {
		made.chances[i] = 1024;
	}
	for (uint32_t i = 0; i < 20; i++) {
		made.stream[made.bytes++] = (uint8_t)(words[i / 4] >> (8 * (i % 4)));
	}
}

static inline void put_kind(uint32_t kind, uint32_t length)
{
	put_symbol(4 * made.kind, kind, 2);
	put_number(16 + 32 * kind, length - 1);
	made.kind = kind;
}

static inline void put_literals(const uint8_t *bytes, uint32_t length)
{
	put_kind(LITERALS, length);
	for (uint32_t i = 0; i < length; i++) {
		put_symbol(208, bytes[i], 8);
		made.package[made.length++] = bytes[i];
	}
}

static inline void put_match(uint32_t length, uint32_t distance)
{
	put_kind(MATCH, length);
	put_number(144, distance == made.distance ? 0 : distance);
	made.distance = distance;
	for (uint32_t i = 0; i < length; i++, made.length++) {
		made.package[made.length] = made.package[made.length - distance];
	}
}

static inline void put_shift(uint32_t at)
{
	int32_t turn = (int32_t)(at - made.length - made.shift);

	put_number(176, turn < 0 ? 2 * (uint32_t)-turn - 1 : 2 * (uint32_t)turn);
	made.shift = at - made.length;
}

static inline void put_copy(uint32_t length, uint32_t at)
{
	put_kind(COPY, length);
	put_shift(at);
	memcpy(made.package + made.length, base + at, length);
	made.length += length;
}

static inline void put_differences(const uint8_t *differences, uint32_t length, uint32_t at)
{
	put_kind(DIFFERENCES, length);
	put_shift(at);
	for (uint32_t i = 0; i < length; i++) {
		put_symbol(464 + 256 * made.changed, differences[i], 8);
		made.changed = differences[i] != 0;
		made.package[made.length++] = (uint8_t)(base[at + i] + differences[i]);
	}
}

static inline void put_end(void)
{
	for (uint32_t i = 0; i < 4; i++) {
		put_byte();
	}
}

/* DECODER */

static uint8_t got[MOST_BYTES];
static uint32_t got_bytes; /* as the caller has them: not those of the call under way */
static int read_status;

static inline int read_output(void *context, uint32_t offset, void *to, uint32_t bytes)
{
	assert_ptr_equal(context, got);
	assert_true(bytes != 0 && offset < got_bytes && bytes <= got_bytes - offset);
	memcpy(to, got + offset, bytes);
	return read_status;
}

static inline int read_base(void *context, uint32_t offset, void *to, uint32_t bytes)
{
	assert_ptr_equal(context, got);
	assert_true(bytes != 0 && offset < BASE_BYTES && bytes <= BASE_BYTES - offset);
	memcpy(to, base + offset, bytes);
	return read_status;
}

static inline struct rnv_patch_source source_of(uint32_t bytes, uint32_t base_bytes, uint32_t crc)
{
	return (struct rnv_patch_source){
		read_output, base_bytes != 0 ? read_base : NULL, got, bytes, base_bytes, crc};
}

/* Until the end, an error, or the stream's end; `given` counts to what is behind `room`. */
static inline int decode_with(struct rnv_patch *patch, const uint8_t *stream, uint32_t bytes,
			      uint32_t piece, uint32_t room)
{
	uint32_t at = 0;

	got_bytes = 0;
	for (;;) {
		uint32_t count = bytes - at < piece ? bytes - at : piece;
		uint8_t out[MOST_BYTES + 1];
		uint32_t used = 99, given = 99;
		int status;

		out[room] = 0x5A;
		status = rnv_patch_decode(patch, stream + at, count, &used, out, room, &given);
		assert_int_equal(out[room], 0x5A);
		assert_true(used <= count && given <= room);
		assert_true(given <= patch->source.bytes - got_bytes);
		memcpy(got + got_bytes, out, given);
		got_bytes += given;
		at += used;
		if (status != RNV_OK) {
			return status;
		}
		assert_true(used == count || given == room);
		if (at == bytes && given < room) {
			return RNV_OK;
		}
	}
}

static inline int decode(const struct rnv_patch_source *source, const uint8_t *stream,
			 uint32_t bytes, uint32_t piece, uint32_t room)
{
	struct rnv_patch patch;

	memset(&patch, 0xA5, sizeof(patch));
	rnv_patch_init(&patch, source);
	return decode_with(&patch, stream, bytes, piece, room);
}

static inline int begin_patch(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < BASE_BYTES; i++) {
		base[i] = (uint8_t)(i * 37 + 11);
	}
	read_status = RNV_OK;
	return 0;
}

#endif /* RNV_TESTS_PATCH_FIXTURE_H_ */
