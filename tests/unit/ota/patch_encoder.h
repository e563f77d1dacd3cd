/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_TESTS_PATCH_ENCODER_H_
#define RNV_TESTS_PATCH_ENCODER_H_

/*
 * Streams of SPEC.md 4.6 made run by run, valid or not, with the package that they stand for. For
 * the power-cut sweep as well, so without a test framework.
 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MADE_BYTES 49152u /* that a stream can stand for */

enum {
	LITERALS,
	MATCH,
	COPY,
	DIFFERENCES
};

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

static uint8_t base[MADE_BYTES];

static inline void put_byte(void)
{
	uint32_t at = made.bytes;

	for (uint64_t carry = made.low >> 32; carry != 0 && at-- > 0;) {
		made.stream[at]++;
		carry = made.stream[at] == 0;
	}
	if (made.bytes == sizeof(made.stream)) {
		abort();
	}
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

#endif /* RNV_TESTS_PATCH_ENCODER_H_ */
