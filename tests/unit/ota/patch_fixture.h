/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_TESTS_PATCH_FIXTURE_H_
#define RNV_TESTS_PATCH_FIXTURE_H_

/* A decoder of streams of SPEC.md 4.6 whose every access is checked. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ranvier/patch.h"

#include "patch_encoder.h"

#define BASE_BYTES 100u  /* of the base, where nothing else is said */
#define MOST_BYTES 4096u /* decoded here */

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
