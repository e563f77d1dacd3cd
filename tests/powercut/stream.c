/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Packages as patches, SPEC.md 4.6: by the encoder of the unit tests, which knows nothing of the
 * decoder. Not small, but with all that a stream can say.
 */

#include "world.h"

#include <stddef.h>
#include <string.h>

#include "../unit/ota/patch_encoder.h"

#define PIECE 32u /* bytes of a run that are not the same as others */
#define WORTH 8u  /* bytes that are told as the same as others */

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* How many bytes of the package from `at` on are those from `from` on of a text, up to its `end`.
 */
static uint32_t same_bytes(const struct package *package, uint32_t at, const uint8_t *text,
			   uint32_t from, uint32_t end)
{
	uint32_t most = smaller(package->length - at, end > from ? end - from : 0u);
	uint32_t count = 0;

	while (count < most && package->bytes[at + count] == text[from + count]) {
		count++;
	}
	return count;
}

static void put_piece(const struct package *package, uint32_t base_bytes)
{
	const uint32_t at = made.length;
	const uint32_t count = smaller(PIECE, package->length - at);
	uint8_t steps[PIECE];

	if (at + count > base_bytes) {
		put_literals(package->bytes + at, count);
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		steps[i] = (uint8_t)(package->bytes[at + i] - base[at + i]);
	}
	put_differences(steps, count, at);
}

/* The longest of what is the same there, what was inserted into, and what the package repeats. */
static void put_some(const struct package *package, uint32_t base_bytes)
{
	const uint32_t at = made.length;
	const uint32_t back = package->length / 4u;
	const uint32_t kept = same_bytes(package, at, base, at, base_bytes);
	const uint32_t moved =
		at < INSERTED ? 0u : same_bytes(package, at, base, at - INSERTED, base_bytes);
	const uint32_t repeated =
		at < back ? 0u
			  : same_bytes(package, at, package->bytes, at - back, package->length);

	if (repeated >= WORTH && repeated >= kept && repeated >= moved) {
		put_match(repeated, back);
	} else if (kept >= WORTH && kept >= moved) {
		put_copy(kept, at);
	} else if (moved >= WORTH) {
		put_copy(moved, at - INSERTED);
	} else {
		put_piece(package, base_bytes);
	}
}

uint32_t stream_make(const struct package *package, const struct package *from, uint8_t *stream)
{
	const uint32_t base_bytes = from != NULL ? from->length : 0u;
	uint32_t crc = 0;

	if (from != NULL) {
		memcpy(base, from->bytes, base_bytes);
		memcpy(&crc, base + base_bytes - sizeof(crc), sizeof(crc));
	}
	put_header(package->length, base_bytes, crc);
	while (made.length < package->length) {
		put_some(package, base_bytes);
	}
	put_end();
	memcpy(stream, made.stream, made.bytes);
	return made.bytes;
}
