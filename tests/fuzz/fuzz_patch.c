/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * libFuzzer target: the decoder of patches.
 *
 * The stream's header is made right, so that mutations reach the runs. It is decoded whole and in
 * pieces, which has to give the same; every read has to be of what was given, or of the base.
 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ranvier/patch.h"

#define MOST_BYTES 65536u
#define BASE_BYTES 1000u
#define BASE_CRC32 0x12345678u

struct result {
	uint8_t bytes[MOST_BYTES];
	uint32_t count; /* as the caller has them: not those of the call under way */
	int status;
};

static struct result whole, pieces;
static uint8_t base[BASE_BYTES];

static int read_output(void *context, uint32_t offset, void *to, uint32_t bytes)
{
	const struct result *result = context;

	if (bytes == 0u || offset >= result->count || bytes > result->count - offset) {
		abort();
	}
	memcpy(to, result->bytes + offset, bytes);
	return RNV_OK;
}

static int read_base(void *context, uint32_t offset, void *to, uint32_t bytes)
{
	(void)context;
	if (bytes == 0u || offset >= BASE_BYTES || bytes > BASE_BYTES - offset) {
		abort();
	}
	memcpy(to, base + offset, bytes);
	return RNV_OK;
}

static void put32(uint8_t *to, uint32_t value)
{
	for (uint32_t i = 0; i < 4u; i++) {
		to[i] = (uint8_t)(value >> (8u * i));
	}
}

/* A pass through the stream with so much input and room at a time. */
static void decode(struct result *result, const uint8_t *stream, uint32_t bytes, uint32_t piece,
		   uint32_t room)
{
	const struct rnv_patch_source source = {read_output, read_base,  result,
						MOST_BYTES,  BASE_BYTES, BASE_CRC32};
	struct rnv_patch *patch = malloc(sizeof(*patch));
	uint8_t *out = malloc(room);
	uint32_t at = 0;
	uint32_t used, given;

	result->count = 0;
	rnv_patch_init(patch, &source);
	do {
		uint32_t count = (bytes - at < piece) ? bytes - at : piece;

		result->status =
			rnv_patch_decode(patch, stream + at, count, &used, out, room, &given);
		if (used > count || given > room || given > MOST_BYTES - result->count) {
			abort();
		}
		memcpy(result->bytes + result->count, out, given);
		result->count += given;
		at += used;
	} while (result->status == RNV_OK && (at < bytes || given == room));
	if (result->status == 1 && (result->count != MOST_BYTES || at != bytes)) {
		abort();
	}
	free(out);
	free(patch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t bytes = (uint32_t)size;
	uint8_t *stream;

	if (size < RNV_PATCH_HEADER_BYTES) {
		return 0;
	}
	for (uint32_t i = 0; i < BASE_BYTES; i++) {
		base[i] = (uint8_t)(i * 7u);
	}
	stream = malloc(size);
	memcpy(stream, data, size);
	put32(stream, RNV_PATCH_MAGIC);
	put32(stream + 4, RNV_PATCH_FORMAT | RNV_PATCH_HEADER_BYTES << 16);
	put32(stream + 8, MOST_BYTES);
	put32(stream + 12, BASE_BYTES);
	put32(stream + 16, BASE_CRC32);
	decode(&whole, stream, bytes, bytes, MOST_BYTES + 1u);
	decode(&pieces, stream, bytes, 1u + data[8] % 16u, 1u + data[9]);
	if (whole.status != pieces.status || (whole.status >= 0 && whole.count != pieces.count) ||
	    memcmp(whole.bytes, pieces.bytes,
		   (whole.count < pieces.count) ? whole.count : pieces.count) != 0) {
		abort();
	}
	free(stream);
	return 0;
}
