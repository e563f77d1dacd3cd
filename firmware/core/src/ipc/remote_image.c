/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "ranvier/remote_image.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "ranvier/package.h"

#define CHUNK         128u
#define HEADER_CRC_AT 28u
#define VECTORS       8u /* bytes of the stack pointer and the reset vector */
#define STACK_ALIGN   8u

_Static_assert(sizeof(struct rnv_remote_header) == 32u, "the header's bytes are in SPEC.md");
_Static_assert(offsetof(struct rnv_remote_header, header_crc32) == HEADER_CRC_AT, "its last word");

static bool is_too_high(uint32_t first, uint32_t bytes)
{
	return bytes != 0u && bytes - 1u > UINT32_MAX - first;
}

static int read_place(const struct rnv_remote_memory *memory, uint32_t offset, void *to,
		      uint32_t bytes)
{
	const int status = memory->read(memory->context, offset, to, bytes);

	if (status >= 0) { /* 1: read, the hardware corrected some of it */
		return RNV_OK;
	}
	return status == RNV_EBADMSG ? RNV_EBADMSG : RNV_EIO;
}

static int check_header(const struct rnv_remote_memory *memory,
			const struct rnv_remote_header *header)
{
	if (header->magic != RNV_REMOTE_MAGIC) {
		return RNV_ENOENT;
	}
	if (rnv_crc32(0, header, HEADER_CRC_AT) != header->header_crc32) {
		return RNV_EBADMSG;
	}
	if (header->version != RNV_REMOTE_VERSION || header->header_bytes != RNV_REMOTE_HEADER ||
	    header->reserved != 0u) {
		return RNV_ENOTSUP;
	}
	if (header->address % RNV_REMOTE_HEADER != 0u ||
	    header->address - memory->code != RNV_REMOTE_HEADER || header->image_bytes < VECTORS ||
	    header->image_bytes > memory->code_bytes - RNV_REMOTE_HEADER) {
		return RNV_EFORMAT;
	}
	return RNV_OK;
}

static int check_vectors(const struct rnv_remote_memory *memory,
			 const struct rnv_remote_header *header, const uint32_t vectors[2])
{
	const uint32_t stack = vectors[0] - memory->ram;
	const uint32_t reset = vectors[1] - 1u - header->address;

	/* The stack grows down from its first pointer, which is the byte behind it. */
	if (vectors[0] % STACK_ALIGN != 0u || stack == 0u || stack > memory->ram_bytes) {
		return RNV_EFORMAT;
	}
	if (vectors[1] % 2u == 0u || reset < VECTORS || reset > header->image_bytes - 2u) {
		return RNV_EFORMAT;
	}
	return RNV_OK;
}

static int check_bytes(const struct rnv_remote_memory *memory,
		       const struct rnv_remote_header *header, uint32_t vectors[2])
{
	uint8_t chunk[CHUNK];
	uint32_t crc = 0;

	for (uint32_t done = 0; done < header->image_bytes;) {
		const uint32_t left = header->image_bytes - done;
		const uint32_t part = left < CHUNK ? left : CHUNK;
		const int status = read_place(memory, RNV_REMOTE_HEADER + done, chunk, part);

		if (status != RNV_OK) {
			return status;
		}
		if (done == 0u) {
			memcpy(vectors, chunk, VECTORS);
		}
		crc = rnv_crc32(crc, chunk, part);
		done += part;
	}
	return crc == header->image_crc32 ? RNV_OK : RNV_EBADMSG;
}

int rnv_remote_image_check(const struct rnv_remote_memory *memory, struct rnv_remote_header *header)
{
	struct rnv_remote_header found = {0};
	uint32_t vectors[2] = {0};
	int status;

	if (header != NULL) {
		*header = found;
	}
	if (memory == NULL || memory->read == NULL ||
	    is_too_high(memory->code, memory->code_bytes) ||
	    is_too_high(memory->ram, memory->ram_bytes)) {
		return RNV_EINVAL;
	}
	if (memory->code_bytes < RNV_REMOTE_HEADER + VECTORS) {
		return RNV_EFORMAT;
	}
	status = read_place(memory, 0, &found, (uint32_t)sizeof(found));
	if (status != RNV_OK) {
		return status;
	}
	if (header != NULL) {
		*header = found;
	}
	status = check_header(memory, &found);
	if (status == RNV_OK) {
		status = check_bytes(memory, &found, vectors);
	}
	if (status == RNV_OK) {
		status = check_vectors(memory, &found, vectors);
	}
	return status;
}
