/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <posix/flash.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* --- units -------------------------------------------------------------------------------------
 */

/* SplitMix64. */
static uint64_t draw(struct rnv_posix_flash *flash)
{
	uint64_t z = *flash->random += 0x9E3779B97F4A7C15ULL;

	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
	return z ^ (z >> 31);
}

static uint32_t draw_below(struct rnv_posix_flash *flash, uint32_t limit)
{
	return (uint32_t)(draw(flash) >> 32) % limit;
}

static uint8_t *content_of(struct rnv_posix_flash *flash, uint32_t unit)
{
	return flash->content + (size_t)unit * flash->geometry.unit_bytes;
}

/* Of the bits in which `bytes` differs from `from`, set a random subset back. */
static void mix(struct rnv_posix_flash *flash, uint8_t *bytes, const uint8_t *from)
{
	for (uint32_t i = 0; i < flash->geometry.unit_bytes; i++) {
		bytes[i] ^= (uint8_t)((bytes[i] ^ from[i]) & draw(flash));
	}
}

static bool can_be_programmed(uint8_t state)
{
	return state == RNV_POSIX_FLASH_ERASED || state == RNV_POSIX_FLASH_FADING ||
	       state == RNV_POSIX_FLASH_WEAK;
}

/* Program one unit, completely. Until it is, a process that is killed leaves it unreadable. */
static int program_unit(struct rnv_posix_flash *flash, uint32_t unit, const uint8_t *from)
{
	const uint8_t before = flash->units[unit];
	uint8_t *to = content_of(flash, unit);

	flash->units[unit] = RNV_POSIX_FLASH_BAD;
	atomic_signal_fence(memory_order_seq_cst);
	if (!can_be_programmed(before)) {
		flash->stats->reprogrammed++;
		for (uint32_t i = 0; i < flash->geometry.unit_bytes; i++) {
			to[i] = flash->geometry.erased != 0u ? to[i] & from[i] : to[i] | from[i];
		}
		return RNV_EIO;
	}
	memcpy(to, from, flash->geometry.unit_bytes);
	atomic_signal_fence(memory_order_seq_cst);
	flash->units[unit] = before == RNV_POSIX_FLASH_ERASED ? RNV_POSIX_FLASH_PROGRAMMED
							      : RNV_POSIX_FLASH_HOLLOW;
	return RNV_OK;
}

static void erase_unit(struct rnv_posix_flash *flash, uint32_t unit, uint8_t state)
{
	memset(content_of(flash, unit), (int)flash->geometry.erased, flash->geometry.unit_bytes);
	flash->units[unit] = state;
}

/* One of the tears that are of one unit. */
static uint32_t drawn_tear(struct rnv_posix_flash *flash)
{
	const uint32_t drawn = draw_below(flash, 6);

	return drawn == 5u ? (uint32_t)RNV_POSIX_FLASH_TEAR_WEAK : drawn;
}

static void tear_programmed_unit(struct rnv_posix_flash *flash, uint32_t unit, const uint8_t *from,
				 uint32_t tear)
{
	uint8_t erased[RNV_FLASH_MAX_UNIT];

	if (tear == RNV_POSIX_FLASH_TEAR_OLD) {
		return;
	}
	if (tear == RNV_POSIX_FLASH_TEAR_WEAK && can_be_programmed(flash->units[unit])) {
		flash->units[unit] = RNV_POSIX_FLASH_FADING;
		return;
	}
	if (program_unit(flash, unit, from) != RNV_OK) {
		return;
	}
	if (tear == RNV_POSIX_FLASH_TEAR_BITS) {
		memset(erased, (int)flash->geometry.erased, sizeof(erased));
		mix(flash, content_of(flash, unit), erased);
	} else if (tear == RNV_POSIX_FLASH_TEAR_BAD) {
		flash->units[unit] = RNV_POSIX_FLASH_BAD;
	} else if (tear == RNV_POSIX_FLASH_TEAR_UNSTABLE) {
		flash->units[unit] = RNV_POSIX_FLASH_UNSTABLE;
	}
}

static void tear_erased_unit(struct rnv_posix_flash *flash, uint32_t unit, uint32_t tear)
{
	uint8_t old[RNV_FLASH_MAX_UNIT];
	const bool was_erased = can_be_programmed(flash->units[unit]);

	if (tear == RNV_POSIX_FLASH_TEAR_OLD) {
		return;
	}
	if (tear == RNV_POSIX_FLASH_TEAR_NEW) {
		erase_unit(flash, unit, RNV_POSIX_FLASH_ERASED);
	} else if (tear == RNV_POSIX_FLASH_TEAR_WEAK ||
		   (tear == RNV_POSIX_FLASH_TEAR_BITS && was_erased)) {
		erase_unit(flash, unit, RNV_POSIX_FLASH_FADING);
	} else if (tear == RNV_POSIX_FLASH_TEAR_BITS) {
		memcpy(old, content_of(flash, unit), flash->geometry.unit_bytes);
		erase_unit(flash, unit, RNV_POSIX_FLASH_PROGRAMMED);
		mix(flash, content_of(flash, unit), old);
	} else if (tear == RNV_POSIX_FLASH_TEAR_BAD) {
		flash->units[unit] = RNV_POSIX_FLASH_BAD;
	} else {
		flash->units[unit] = RNV_POSIX_FLASH_UNSTABLE;
	}
}

/* What reads as erased, or was programmed on such a unit, shows what it is. */
static void decay(struct rnv_posix_flash *flash, uint32_t unit)
{
	const uint32_t drawn = draw_below(flash, 8);

	if (drawn == 0u) {
		return; /* still holds */
	}
	if (drawn < 4u) {
		flash->units[unit] = RNV_POSIX_FLASH_BAD;
		return;
	}
	if (flash->units[unit] == RNV_POSIX_FLASH_WEAK) {
		for (uint32_t i = 0; i < flash->geometry.unit_bytes; i++) {
			content_of(flash, unit)[i] = (uint8_t)draw(flash);
		}
	}
	flash->units[unit] = RNV_POSIX_FLASH_UNSTABLE;
}

void rnv_posix_flash_power_on(struct rnv_posix_flash *flash)
{
	const uint32_t count = flash->geometry.bytes / flash->geometry.unit_bytes;

	for (uint32_t unit = 0; unit < count; unit++) {
		if (flash->units[unit] < RNV_POSIX_FLASH_FADING) {
			continue;
		}
		if (flash->units[unit] == RNV_POSIX_FLASH_FADING) {
			flash->units[unit] = RNV_POSIX_FLASH_WEAK;
		} else {
			decay(flash, unit);
		}
	}
	flash->off = 0;
	flash->ops = 0;
	flash->fault_count = 0;
}

/* --- the seam ----------------------------------------------------------------------------------
 */

static bool in_region(const struct rnv_posix_flash *flash, uint32_t offset, uint32_t bytes)
{
	return offset <= flash->geometry.bytes && bytes <= flash->geometry.bytes - offset;
}

/* The scripted fault of the operation that begins, which is counted; NULL: none. */
static const struct rnv_posix_flash_fault *begin(struct rnv_posix_flash *flash)
{
	const uint32_t op = flash->ops++;

	for (uint32_t i = 0; i < flash->fault_count; i++) {
		if (flash->faults[i].op == op) {
			return &flash->faults[i];
		}
	}
	return NULL;
}

/* After a fault of the operation has had its effect. */
static int end(struct rnv_posix_flash *flash, const struct rnv_posix_flash_fault *fault)
{
	if (fault->kind == RNV_POSIX_FLASH_CUT) {
		flash->off = 1;
		flash->stats->cuts++;
		if (flash->cut != NULL) {
			flash->cut(flash->cut_context);
		}
	}
	return RNV_EIO;
}

/* What an unstable unit reads as this time: whole, partly or not at all, or not. */
static int read_unstable(struct rnv_posix_flash *flash, uint8_t *bytes)
{
	uint8_t erased[RNV_FLASH_MAX_UNIT];
	const uint32_t drawn = draw_below(flash, 8);

	memset(erased, (int)flash->geometry.erased, sizeof(erased));
	if (drawn < 2u) {
		return RNV_EBADMSG;
	}
	if (drawn < 4u) {
		mix(flash, bytes, erased);
	} else if (drawn < 6u) {
		memcpy(bytes, erased, flash->geometry.unit_bytes);
	}
	return drawn % 2u == 0u ? 1 : RNV_OK;
}

/* `bytes` receives the whole unit. */
static int read_unit(struct rnv_posix_flash *flash, uint32_t unit, uint8_t *bytes)
{
	const uint8_t state = flash->units[unit];
	int status = RNV_OK;

	memcpy(bytes, content_of(flash, unit), flash->geometry.unit_bytes);
	if (state == RNV_POSIX_FLASH_BAD ||
	    (flash->erased_faults != 0u && can_be_programmed(state))) {
		status = RNV_EBADMSG;
	} else if (state == RNV_POSIX_FLASH_UNSTABLE) {
		status = read_unstable(flash, bytes);
	} else if (state == RNV_POSIX_FLASH_MARGINAL) {
		status = 1;
	}
	if (status == RNV_EBADMSG) {
		memset(bytes, 0xA5, flash->geometry.unit_bytes);
	}
	return status;
}

/* Whether the units are all erased or programmed, and that is all there is to say. */
static bool are_sound(const struct rnv_posix_flash *flash, uint32_t first, uint32_t count)
{
	uint64_t eight;
	uint32_t i = 0;

	if (flash->erased_faults != 0u) {
		return false;
	}
	for (; i + 8u <= count; i += 8u) {
		memcpy(&eight, flash->units + first + i, sizeof(eight));
		if ((eight & 0xFEFEFEFEFEFEFEFEULL) != 0u) {
			return false;
		}
	}
	for (; i < count; i++) {
		if (flash->units[first + i] > RNV_POSIX_FLASH_PROGRAMMED) {
			return false;
		}
	}
	return true;
}

static int flash_read(void *context, uint32_t offset, void *to, uint32_t bytes)
{
	struct rnv_posix_flash *flash = context;
	const uint32_t unit_bytes = flash->geometry.unit_bytes;
	uint8_t unit[RNV_FLASH_MAX_UNIT];
	uint8_t *out = to;
	int status = RNV_OK;

	if (flash->off != 0u) {
		return RNV_EIO;
	}
	if (to == NULL || bytes == 0u || !in_region(flash, offset, bytes)) {
		flash->stats->misused++;
		return RNV_EINVAL;
	}
	flash->stats->reads++;
	if (are_sound(flash, offset / unit_bytes,
		      (offset + bytes - 1u) / unit_bytes - offset / unit_bytes + 1u)) {
		memcpy(to, flash->content + offset, bytes);
		return RNV_OK;
	}
	while (bytes > 0u) {
		const uint32_t skip = offset % unit_bytes;
		const uint32_t part = unit_bytes - skip < bytes ? unit_bytes - skip : bytes;
		const int one = read_unit(flash, offset / unit_bytes, unit);

		memcpy(out, unit + skip, part);
		if (one == RNV_EBADMSG || status == RNV_OK) {
			status = one;
		}
		out += part;
		offset += part;
		bytes -= part;
	}
	return status;
}

/* A program call that the script disturbs. */
static int program_torn(struct rnv_posix_flash *flash, uint32_t first, uint32_t count,
			const uint8_t *from, const struct rnv_posix_flash_fault *fault)
{
	const uint32_t unit_bytes = flash->geometry.unit_bytes;
	const uint32_t drawn = draw_below(flash, count);
	uint32_t torn = fault->unit == RNV_POSIX_FLASH_ANY ? drawn : fault->unit;

	torn = torn < count ? torn : count - 1u;
	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *unit = from + (size_t)i * unit_bytes;
		uint32_t tear = fault->tear;

		if (tear == RNV_POSIX_FLASH_TEAR_MIXED) {
			tear = drawn_tear(flash);
		} else if (tear != RNV_POSIX_FLASH_TEAR_OLD && tear != RNV_POSIX_FLASH_TEAR_NEW &&
			   i != torn) {
			tear = i < torn ? RNV_POSIX_FLASH_TEAR_NEW : RNV_POSIX_FLASH_TEAR_OLD;
		}
		tear_programmed_unit(flash, first + i, unit, tear);
	}
	return end(flash, fault);
}

static int flash_program(void *context, uint32_t offset, const void *from, uint32_t bytes)
{
	struct rnv_posix_flash *flash = context;
	const struct rnv_flash_geometry *g = &flash->geometry;
	const struct rnv_posix_flash_fault *fault;
	const uint8_t *data = from;
	int status = RNV_OK;

	if (flash->off != 0u) {
		return RNV_EIO;
	}
	if (from == NULL || bytes == 0u || !in_region(flash, offset, bytes) ||
	    offset % g->unit_bytes != 0u || bytes % g->unit_bytes != 0u ||
	    offset / g->sector_bytes != (offset + bytes - 1u) / g->sector_bytes) {
		flash->stats->misused++;
		return RNV_EINVAL;
	}
	flash->stats->programs++;
	flash->stats->units += bytes / g->unit_bytes;
	fault = begin(flash);
	if (fault != NULL && fault->kind == RNV_POSIX_FLASH_LIE) {
		return RNV_OK;
	}
	if (fault != NULL) {
		return program_torn(flash, offset / g->unit_bytes, bytes / g->unit_bytes, data,
				    fault);
	}
	for (uint32_t done = 0; done < bytes; done += g->unit_bytes) {
		if (program_unit(flash, (offset + done) / g->unit_bytes, data + done) != RNV_OK) {
			status = RNV_EIO;
		}
	}
	return status;
}

static int flash_erase(void *context, uint32_t offset)
{
	struct rnv_posix_flash *flash = context;
	const struct rnv_flash_geometry *g = &flash->geometry;
	const uint32_t first = offset / g->unit_bytes;
	const uint32_t count = g->sector_bytes / g->unit_bytes;
	const struct rnv_posix_flash_fault *fault;

	if (flash->off != 0u) {
		return RNV_EIO;
	}
	if (!in_region(flash, offset, g->sector_bytes) || offset % g->sector_bytes != 0u) {
		flash->stats->misused++;
		return RNV_EINVAL;
	}
	flash->stats->erases++;
	fault = begin(flash);
	if (fault != NULL && fault->kind == RNV_POSIX_FLASH_LIE) {
		return RNV_OK;
	}
	flash->wear[offset / g->sector_bytes]++;
	if (fault != NULL) {
		for (uint32_t i = 0; i < count; i++) {
			tear_erased_unit(flash, first + i,
					 fault->tear == RNV_POSIX_FLASH_TEAR_MIXED
						 ? drawn_tear(flash)
						 : fault->tear);
		}
		return end(flash, fault);
	}
	/* As program_unit(): unreadable until it is erased. */
	memset(flash->units + first, RNV_POSIX_FLASH_BAD, count);
	atomic_signal_fence(memory_order_seq_cst);
	memset(flash->content + offset, (int)g->erased, g->sector_bytes);
	atomic_signal_fence(memory_order_seq_cst);
	memset(flash->units + first, RNV_POSIX_FLASH_ERASED, count);
	return RNV_OK;
}

static const void *flash_map(void *context, uint32_t offset, uint32_t bytes)
{
	const struct rnv_posix_flash *flash = context;

	return flash->off == 0u && in_region(flash, offset, bytes) ? flash->content + offset : NULL;
}

void rnv_posix_flash_seam(struct rnv_posix_flash *flash, struct rnv_flash *seam)
{
	*seam = (struct rnv_flash){
		.context = flash,
		.geometry = flash->geometry,
		.read = flash_read,
		.program = flash_program,
		.erase = flash_erase,
		.map = flash_map,
	};
}
