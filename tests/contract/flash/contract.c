/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stddef.h>
#include <string.h>

#include "contract.h"

#define PIECE   256u /* bytes that are looked at together: two units of the largest size */
#define GUARD   16u
#define POISON  0x5Cu
#define SECTORS 4u /* that are worked in, and the last one */

#define MUST(condition, text)                                                                      \
	do {                                                                                       \
		s.checks++;                                                                        \
		if (!(condition)) {                                                                \
			return text;                                                               \
		}                                                                                  \
	} while (0)

#define CHECK(call)                                                                                \
	do {                                                                                       \
		const char *broken = (call);                                                       \
                                                                                                   \
		if (broken != NULL) {                                                              \
			return broken;                                                             \
		}                                                                                  \
	} while (0)

static struct {
	const struct flash_contract_device *dev;
	const struct rnv_flash *flash;
	struct rnv_flash_geometry g;
	uint32_t checks;
	uint8_t out[GUARD + PIECE + GUARD];
	uint8_t in[PIECE + 16];
} s;

/* --- calls -------------------------------------------------------------------------------------
 */

/* The byte that is programmed at an offset; differs from the erased one and from its neighbours. */
static uint8_t pattern(uint32_t offset, uint32_t seed)
{
	uint32_t x = (offset + 1u) * 2654435761u ^ seed * 40503u;
	uint8_t value;

	x ^= x >> 15;
	value = (uint8_t)(x * 2246822519u >> 24);
	return value == s.g.erased ? (uint8_t)(value ^ 0x18u) : value;
}

/* Program [offset, offset + bytes) in calls of at most `step` bytes, from an address that is
 * `shift` beyond an aligned one.
 */
static int program(uint32_t offset, uint32_t bytes, uint32_t step, uint32_t seed, uint32_t shift)
{
	while (bytes > 0u) {
		const uint32_t part = bytes < step ? bytes : step;
		int status;

		for (uint32_t i = 0; i < part; i++) {
			s.in[shift + i] = pattern(offset + i, seed);
		}
		status = s.flash->program(s.flash->context, offset, s.in + shift, part);
		for (uint32_t i = 0; i < part; i++) {
			if (s.in[shift + i] != pattern(offset + i, seed)) {
				return RNV_EINVAL; /* it wrote to its source */
			}
		}
		if (status != RNV_OK) {
			return status;
		}
		offset += part;
		bytes -= part;
	}
	return RNV_OK;
}

static int read_guarded(uint32_t offset, uint32_t bytes, bool *contained)
{
	int status;

	memset(s.out, (int)POISON, sizeof(s.out));
	status = s.flash->read(s.flash->context, offset, s.out + GUARD, bytes);
	*contained = true;
	for (uint32_t i = 0; i < sizeof(s.out); i++) {
		if ((i < GUARD || i >= GUARD + bytes) && s.out[i] != POISON) {
			*contained = false;
		}
	}
	return status;
}

/* Whether [offset, offset + bytes) reads as pattern `seed`; read() and map() must agree. */
static const char *holds(uint32_t offset, uint32_t bytes, uint32_t seed)
{
	const uint8_t *mapped = s.flash->map(s.flash->context, offset, bytes);
	bool contained;

	while (bytes > 0u) {
		const uint32_t part = bytes < PIECE ? bytes : PIECE;
		const int status = read_guarded(offset, part, &contained);

		MUST(contained, "read() stays in its buffer");
		MUST(status == RNV_OK || status == 1, "what was programmed can be read");
		for (uint32_t i = 0; i < part; i++) {
			MUST(s.out[GUARD + i] == pattern(offset + i, seed),
			     "what was programmed is read, and nothing else changed it");
		}
		if (mapped != NULL) {
			MUST(memcmp(mapped, s.out + GUARD, part) == 0,
			     "mapped memory shows what read() shows");
			mapped += part;
		}
		offset += part;
		bytes -= part;
	}
	return NULL;
}

/* Whether [offset, offset + bytes) is erased. A device may refuse to read what is. */
static const char *is_erased(uint32_t offset, uint32_t bytes)
{
	bool contained;

	while (bytes > 0u) {
		const uint32_t part = bytes < PIECE ? bytes : PIECE;
		const int status = read_guarded(offset, part, &contained);

		MUST(contained, "read() stays in its buffer");
		MUST(status == RNV_OK || status == 1 || status == RNV_EBADMSG,
		     "what is erased is read, or cannot be");
		for (uint32_t i = 0; status >= 0 && i < part; i++) {
			MUST(s.out[GUARD + i] == s.g.erased, "what is erased reads as erased");
		}
		offset += part;
		bytes -= part;
	}
	return NULL;
}

static int erase(uint32_t sector)
{
	return s.flash->erase(s.flash->context, sector * s.g.sector_bytes);
}

/* --- checks ------------------------------------------------------------------------------------
 */

static const char *check_geometry(void)
{
	const struct rnv_flash_geometry *g = &s.g;

	MUST(g->unit_bytes >= 1u && g->unit_bytes <= RNV_FLASH_MAX_UNIT &&
		     (g->unit_bytes & (g->unit_bytes - 1u)) == 0u,
	     "a unit is a power of two, at most RNV_FLASH_MAX_UNIT");
	MUST(g->sector_bytes >= g->unit_bytes && (g->sector_bytes & (g->sector_bytes - 1u)) == 0u,
	     "a sector is a power of two, of whole units");
	MUST(g->bytes % g->sector_bytes == 0u && g->bytes <= 0x80000000u,
	     "a region is of whole sectors, at most 2^31 bytes");
	MUST(g->erased == 0xFFu || g->erased == 0x00u, "the erased value is 0xFF or 0x00");
	MUST(g->bytes / g->sector_bytes > SECTORS, "the suite needs five sectors");
	return NULL;
}

static const char *check_erase(void)
{
	const uint32_t last = s.g.bytes / s.g.sector_bytes - 1u;

	for (uint32_t sector = 0; sector < SECTORS; sector++) {
		MUST(erase(sector) == RNV_OK, "erase() succeeds");
		CHECK(is_erased(sector * s.g.sector_bytes, s.g.sector_bytes));
	}
	MUST(erase(last) == RNV_OK, "erase() of the last sector succeeds");
	CHECK(is_erased(last * s.g.sector_bytes, s.g.sector_bytes));
	MUST(erase(0) == RNV_OK, "erase() of what is erased succeeds");
	CHECK(is_erased(0, s.g.sector_bytes));
	return NULL;
}

/* Sources of any alignment, calls of one unit and of several; what lies around stays erased. */
static const char *check_program(void)
{
	const uint32_t unit = s.g.unit_bytes;
	const uint32_t several = 2u * unit <= PIECE ? 2u * unit : unit;
	uint32_t offset = unit;

	for (uint32_t shift = 0; shift < 16u && offset + several < s.g.sector_bytes / 2u; shift++) {
		const uint32_t bytes = shift % 2u == 0u ? unit : several;

		MUST(program(offset, bytes, PIECE, 1, shift) == RNV_OK,
		     "program() succeeds from any address and leaves it alone");
		CHECK(holds(offset, bytes, 1));
		offset += bytes;
	}
	CHECK(is_erased(0, unit));
	CHECK(holds(unit, offset - unit, 1));
	CHECK(is_erased(offset, s.g.sector_bytes - offset));
	MUST(program(s.g.sector_bytes - unit, unit, PIECE, 1, 0) == RNV_OK,
	     "program() of a sector's last unit succeeds");
	CHECK(is_erased(offset, s.g.sector_bytes - unit - offset));
	CHECK(holds(s.g.sector_bytes - unit, unit, 1));
	CHECK(is_erased(s.g.sector_bytes, s.g.sector_bytes));
	return NULL;
}

/* Any range can be read. */
static const char *check_read(void)
{
	const uint32_t base = s.g.unit_bytes;
	bool contained;

	for (uint32_t skip = 0; skip < 5u && skip < base; skip++) {
		for (uint32_t bytes = 1; bytes < 40u && skip + bytes <= base; bytes++) {
			const int status = read_guarded(base + skip, bytes, &contained);

			MUST(contained, "read() stays in its buffer");
			MUST(status == RNV_OK || status == 1, "read() takes any range");
			for (uint32_t i = 0; i < bytes; i++) {
				MUST(s.out[GUARD + i] == pattern(base + skip + i, 1),
				     "read() of a part of a unit is that part");
			}
		}
	}
	return NULL;
}

/* An erase is of its sector alone. */
static const char *check_neighbours(void)
{
	const uint32_t sector = s.g.sector_bytes;

	MUST(erase(0) == RNV_OK, "erase() succeeds");
	for (uint32_t i = 0; i < 3u; i++) {
		MUST(program(i * sector, sector, PIECE, 2u + i, 0) == RNV_OK,
		     "program() of a whole sector succeeds");
	}
	for (uint32_t i = 0; i < 3u; i++) {
		CHECK(holds(i * sector, sector, 2u + i));
	}
	MUST(erase(1) == RNV_OK, "erase() succeeds");
	CHECK(holds(0, sector, 2));
	CHECK(is_erased(sector, sector));
	CHECK(holds(2u * sector, sector, 4));
	MUST(program(sector, sector, s.g.unit_bytes, 5, 1) == RNV_OK,
	     "program() of a sector that was erased again succeeds");
	CHECK(holds(0, sector, 2));
	CHECK(holds(sector, sector, 5));
	CHECK(holds(2u * sector, sector, 4));
	return NULL;
}

/*
 * No layer below reads, erases and writes back: where a unit is programmed again, without an erase,
 * with bits that only an erase could give, these cannot be read. (The one time that the suite does
 * what a caller must not; the sector is erased afterwards.)
 */
static const char *check_write_once(void)
{
	const uint32_t offset = 3u * s.g.sector_bytes;
	const uint32_t unit = s.g.unit_bytes;
	const uint64_t erases = s.dev->erases != NULL ? s.dev->erases(s.dev->context) : 0u;
	bool contained;
	int status;

	memset(s.in, (int)(s.g.erased ^ 0xFFu), unit);
	MUST(s.flash->program(s.flash->context, offset, s.in, unit) == RNV_OK,
	     "program() succeeds");
	MUST(program(offset + unit, unit, PIECE, 6, 0) == RNV_OK, "program() succeeds");
	memset(s.in, (int)(s.g.erased ^ 0x0Fu), unit);
	(void)s.flash->program(s.flash->context, offset, s.in, unit);
	status = read_guarded(offset, unit, &contained);
	MUST(status < 0 || s.out[GUARD] != (uint8_t)(s.g.erased ^ 0x0Fu),
	     "program() does not erase: no layer reads, erases and writes back");
	CHECK(holds(offset + unit, unit, 6));
	if (s.dev->erases != NULL) {
		MUST(s.dev->erases(s.dev->context) == erases, "program() erases nothing");
	}
	MUST(erase(3) == RNV_OK, "erase() makes such a unit whole");
	CHECK(is_erased(offset, s.g.sector_bytes));
	return NULL;
}

/* What is no whole unit or sector is refused, and nothing happens. */
static const char *check_refusals(void)
{
	const uint32_t sector = s.g.sector_bytes;
	const uint32_t unit = s.g.unit_bytes;
	const uint32_t offset = 3u * sector;

	memset(s.in, (int)(s.g.erased ^ 0xFFu), sizeof(s.in));
	if (unit > 1u) {
		MUST(s.flash->program(s.flash->context, offset + 1u, s.in, unit) < 0,
		     "program() refuses an offset within a unit");
		MUST(s.flash->program(s.flash->context, offset, s.in, unit + 1u) < 0,
		     "program() refuses parts of units");
	}
	MUST(s.flash->program(s.flash->context, offset + sector - unit, s.in, 2u * unit) < 0,
	     "program() refuses what reaches into another sector");
	MUST(s.flash->program(s.flash->context, s.g.bytes, s.in, unit) < 0,
	     "program() refuses what is beyond the region");
	MUST(s.flash->read(s.flash->context, s.g.bytes - 1u, s.out, 2) < 0,
	     "read() refuses what is beyond the region");
	CHECK(is_erased(offset, sector));
	MUST(s.flash->erase(s.flash->context, unit) < 0 || unit == sector,
	     "erase() refuses an offset within a sector");
	MUST(s.flash->erase(s.flash->context, s.g.bytes) < 0,
	     "erase() refuses what is beyond the region");
	CHECK(holds(0, sector, 2));
	CHECK(holds(sector, sector, 5));
	return NULL;
}

static const char *check_map(void)
{
	const uint8_t *start = s.flash->map(s.flash->context, 0, s.g.sector_bytes);

	if (start == NULL) {
		return NULL; /* not mapped: holds() had nothing to compare */
	}
	MUST((uintptr_t)start % 16u == 0u, "mapped memory is aligned to 16 where the offset is");
	for (uint32_t offset = 0; offset < 2u * s.g.sector_bytes; offset += s.g.unit_bytes) {
		MUST(s.flash->map(s.flash->context, offset, 1) == (const void *)(start + offset),
		     "the region is mapped as one");
	}
	/* The same address, after its content has changed. */
	MUST(erase(0) == RNV_OK, "erase() succeeds");
	MUST(program(0, s.g.sector_bytes, PIECE, 7, 3) == RNV_OK, "program() succeeds");
	for (uint32_t i = 0; i < s.g.sector_bytes; i++) {
		MUST(start[i] == pattern(i, 7), "mapped memory follows erase() and program()");
	}
	CHECK(holds(0, s.g.sector_bytes, 7));
	return NULL;
}

/* Calls are complete when they return. */
static const char *check_power(void)
{
	const uint32_t offset = 3u * s.g.sector_bytes;

	if (s.dev->power == NULL) {
		return NULL;
	}
	MUST(erase(3) == RNV_OK, "erase() succeeds");
	MUST(program(offset, s.g.unit_bytes, PIECE, 8, 0) == RNV_OK, "program() succeeds");
	s.dev->power(s.dev->context);
	CHECK(holds(offset, s.g.unit_bytes, 8));
	CHECK(holds(s.g.sector_bytes, s.g.sector_bytes, 5));
	MUST(erase(3) == RNV_OK, "erase() succeeds");
	s.dev->power(s.dev->context);
	CHECK(is_erased(offset, s.g.sector_bytes));
	return NULL;
}

/* What cannot be read is told, does not fault, and does not spread. */
static const char *check_hurt(void)
{
	const uint32_t offset = 3u * s.g.sector_bytes;
	const uint32_t unit = s.g.unit_bytes;
	bool contained;

	if (s.dev->hurt == NULL) {
		return NULL;
	}
	MUST(program(offset, 3u * unit, unit, 9, 0) == RNV_OK, "program() succeeds");
	s.dev->hurt(s.dev->context, offset + unit);
	MUST(read_guarded(offset + unit, unit, &contained) == RNV_EBADMSG && contained,
	     "read() of a bad unit is RNV_EBADMSG");
	MUST(read_guarded(offset, unit + 1u, &contained) == RNV_EBADMSG && contained,
	     "read() of a range with a bad unit is RNV_EBADMSG");
	CHECK(holds(offset, unit, 9));
	CHECK(holds(offset + 2u * unit, unit, 9));
	MUST(erase(3) == RNV_OK, "erase() makes a bad unit whole");
	CHECK(is_erased(offset, s.g.sector_bytes));
	MUST(program(offset + unit, unit, PIECE, 9, 0) == RNV_OK, "program() succeeds");
	CHECK(holds(offset + unit, unit, 9));
	return NULL;
}

const char *flash_contract_run(const struct flash_contract_device *device, uint32_t *checks)
{
	static const char *(*const all[])(void) = {
		check_geometry,   check_erase,    check_program, check_read,  check_neighbours,
		check_write_once, check_refusals, check_map,     check_power, check_hurt,
	};
	const char *broken = NULL;

	memset(&s, 0, sizeof(s));
	s.dev = device;
	s.flash = device->flash;
	s.g = device->flash->geometry;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && broken == NULL; i++) {
		broken = all[i]();
	}
	*checks = s.checks;
	return broken;
}
