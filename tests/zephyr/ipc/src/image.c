/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The image that the second core runs, and what would not have been started. */

#include <string.h>

#include <ranvier/status.h>
#include <ranvier/zephyr/second_core.h>

#include "bench.h"

#define INTACT UINT32_MAX

static struct rnv_remote_memory place;
static uint32_t damaged; /* offset of a byte that is read wrong */
static bool blank;

/* The place, as it would be after something went wrong. */
static int read(void *context, uint32_t offset, void *to, uint32_t bytes)
{
	int status = place.read(context, offset, to, bytes);

	if (blank) {
		memset(to, 0xFF, bytes);
	} else if (damaged - offset < bytes) {
		((uint8_t *)to)[damaged - offset] ^= 1u;
	}
	return status;
}

static int check(uint32_t byte, struct rnv_remote_header *header)
{
	struct rnv_remote_memory memory;

	rnv_zephyr_second_core_memory(&place);
	memory = place;
	memory.read = read;
	damaged = byte;
	return rnv_remote_image_check(&memory, header);
}

ZTEST(ipc, test_image_is_checked)
{
	struct rnv_remote_header header;
	uint32_t behind;

	blank = false;
	zassert_ok(check(INTACT, &header));
	zassert_equal(header.address, place.code + RNV_REMOTE_HEADER);
	behind = RNV_REMOTE_HEADER + header.image_bytes;
	zassert_equal(check(0, NULL), RNV_ENOENT);
	zassert_equal(check(offsetof(struct rnv_remote_header, build), NULL), RNV_EBADMSG);
	zassert_equal(check(RNV_REMOTE_HEADER, NULL), RNV_EBADMSG);
	zassert_equal(check(behind - 1u, NULL), RNV_EBADMSG);
	zassert_ok(check(behind, NULL));
	blank = true;
	zassert_equal(check(INTACT, NULL), RNV_ENOENT);
}

/* Linked for another place, or to other RAM, than this core gives it. */
ZTEST(ipc, test_image_of_another_place_is_refused)
{
	struct rnv_remote_memory memory;

	rnv_zephyr_second_core_memory(&memory);
	memory.code += 0x1000u;
	zassert_equal(rnv_remote_image_check(&memory, NULL), RNV_EFORMAT);
	rnv_zephyr_second_core_memory(&memory);
	memory.ram += memory.ram_bytes;
	zassert_equal(rnv_remote_image_check(&memory, NULL), RNV_EFORMAT);
}
