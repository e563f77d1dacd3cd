/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_TESTS_STORE_IMAGE_H_
#define RNV_TESTS_STORE_IMAGE_H_

/* The registry made by hand, from the offsets of SPEC.md section 4. */

#include "store_fixture.h"

#define HEADER_BYTES 132 /* 64 + 2 * 32 + 4 */

static inline uint32_t header_end(void)
{
	uint32_t unit = flash.geometry.unit_bytes;

	return (HEADER_BYTES + unit - 1) / unit * unit;
}

static inline uint32_t entry_step(void)
{
	return flash.geometry.unit_bytes > 16 ? flash.geometry.unit_bytes : 16;
}

static inline uint32_t place_at(uint32_t sector, uint32_t number)
{
	return sector * sector_bytes() + header_end() + number * entry_step();
}

static inline uint32_t layout_crc(void)
{
	uint8_t bytes[12 + 2 * 36] = {0};

	put32(bytes, flash.geometry.bytes);
	put32(bytes + 4, sector_bytes());
	put32(bytes + 8, flash.geometry.unit_bytes);
	memcpy(bytes + 12, "alpha", 5);
	put32(bytes + 44, layout[0].slot_bytes);
	memcpy(bytes + 48, "beta", 4);
	put32(bytes + 80, layout[1].slot_bytes);
	return crc_of(0, bytes, sizeof(bytes));
}

struct image {
	uint32_t generation;
	uint32_t erases[2];
	uint32_t revoked_count;
	uint32_t revoked[8];
	uint8_t models[2][32];
};

static inline void image_empty(struct image *image, uint32_t generation)
{
	memset(image, 0, sizeof(*image));
	image->generation = generation;
	image->models[0][1] = image->models[1][1] = 0x33; /* none confirmed, none on trial */
}

static inline void image_seal(uint8_t *header)
{
	put32(header + 128, crc_of(0, header, 128));
}

static inline void image_header(const struct image *image, uint8_t *to)
{
	memset(to, 0, HEADER_BYTES);
	put32(to, 0x53564E52);
	to[4] = 1;
	to[6] = HEADER_BYTES;
	put32(to + 8, image->generation);
	put32(to + 12, image->erases[0]);
	put32(to + 16, image->erases[1]);
	put32(to + 20, layout_crc());
	to[24] = 2;
	to[26] = (uint8_t)image->revoked_count;
	for (uint32_t i = 0; i < 8; i++) {
		put32(to + 32 + 4 * i, image->revoked[i]);
	}
	memcpy(to + 64, image->models, 64);
	image_seal(to);
}

static inline void image_put(uint32_t offset, const uint8_t *from, uint32_t bytes)
{
	memcpy(cells + offset, from, bytes);
	for (uint32_t i = 0; i < bytes; i++) {
		programmed[(offset + i) / flash.geometry.unit_bytes] = 1;
	}
}

static inline void image_write(const struct image *image, uint32_t sector)
{
	uint8_t header[HEADER_BYTES];

	wipe(sector);
	image_header(image, header);
	image_put(sector * sector_bytes(), header, sizeof(header));
}

static inline void image_entry(uint8_t *to, uint32_t generation, uint32_t number, uint8_t kind,
			       uint8_t model, const uint8_t *content)
{
	uint8_t first[4];

	to[0] = kind;
	to[1] = model;
	to[2] = (uint8_t)number;
	to[3] = (uint8_t)(number >> 8);
	memcpy(to + 4, content, 8);
	put32(first, generation);
	put32(to + 12, crc_of(crc_of(0, first, 4), to, 12));
}

static inline void image_append(uint32_t sector, uint32_t generation, uint32_t number, uint8_t kind,
				uint8_t model, const uint8_t *content)
{
	uint8_t entry[16];

	image_entry(entry, generation, number, kind, model, content);
	image_put(place_at(sector, number), entry, 16);
}

/* The erased value up to the end of a sector, and nothing else. */
static inline void assert_rest_erased(uint32_t sector, uint32_t number)
{
	for (uint32_t at = place_at(sector, number); at < (sector + 1) * sector_bytes(); at++) {
		assert_int_equal(cells[at], flash.geometry.erased);
	}
}

/* Mounts again and again do the same, and write nothing. */
static inline void assert_clean(void)
{
	uint32_t before = programs + erases;
	struct rnv_store_info info = info_of(ALPHA);
	struct rnv_store_stats was = stats();

	for (uint32_t i = 0; i < 3; i++) {
		struct rnv_store_info again;

		reset();
		again = info_of(ALPHA);
		assert_memory_equal(&again, &info, sizeof(info));
		assert_int_equal(stats().generation, was.generation);
		assert_int_equal(stats().entries, was.entries);
	}
	assert_int_equal(programs + erases, before);
}

#define PROVEN_0 0x40 /* the package of slot 0 was confirmed once */
#define PROVEN_1 0x80

#define CONTENT(...) ((const uint8_t[8]){__VA_ARGS__})

/* Slot 0 good and confirmed, floor 3; both good, 1 confirmed, floor 4. */
static const uint8_t good_0[8] = {2, 0x30, 0, 0, 3};
static const uint8_t both_1[8] = {2 | 2 << 3, 0x31, 0, 0, 4};

#endif /* RNV_TESTS_STORE_IMAGE_H_ */
