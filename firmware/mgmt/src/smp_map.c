/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Maps. Replies are written by zcbor. Requests are read here, since zcbor_any_skip(), which would
 * pass over what is not known, recurses as deep as a request nests.
 */

#include <string.h>

#include <zcbor_encode.h>

#include "smp_internal.h"

/* Bytes in front of a long value: its key, and its own length; and the ends of maps behind it. */
#define VALUE_HEAD 16u
#define REPLY_END  4u

/* Lists, maps and tags inside of each other that a value may have. */
#define MOST_LEVELS 7u

#define ENDLESS UINT32_MAX /* items of a list or map whose end is marked */

/* CBOR's major types beside enum rnv_smp_kind, and the lower bits of an item's first byte. */
enum {
	TYPE_MAP = 5,
	TYPE_TAG = 6,

	LOW_FALSE = 20,
	LOW_TRUE = 21,
	LOW_ENDLESS = 31, /* of RNV_SMP_BOOL: the mark of the end */
};

/* The names of all keys. */
#define NAME_AND_ZERO(key, name) name "\0"

static const char names[] = RNV_SMP_KEYS(NAME_AND_ZERO);

/* --- requests --------------------------------------------------------------------------------- */

struct reader {
	const uint8_t *at;
	const uint8_t *end;
	/* the last item */
	uint64_t argument;
	uint32_t type;
	uint32_t low;
	const uint8_t *string; /* of bytes or text */
};

static bool is_end_mark(const struct reader *reader)
{
	return reader->type == RNV_SMP_BOOL && reader->low == LOW_ENDLESS;
}

/*
 * Read the head of an item, and pass over what a string holds. False: it is not all there,
 * reserved, or a string in pieces.
 */
static bool next(struct reader *reader)
{
	uint32_t more;

	if (reader->at == reader->end) {
		return false;
	}
	reader->type = *reader->at >> 5;
	reader->low = *reader->at++ & 0x1Fu;
	reader->argument = reader->low;
	if (reader->low == LOW_ENDLESS) {
		return reader->type >= RNV_SMP_ARRAY && reader->type != TYPE_TAG;
	}
	if (reader->low >= 24u) {
		more = 1u << (reader->low - 24u);
		if (more > 8u || more > (size_t)(reader->end - reader->at)) {
			return false;
		}
		for (reader->argument = 0; more != 0u; more--) {
			reader->argument = reader->argument << 8 | *reader->at++;
		}
	}
	if (reader->type < RNV_SMP_BYTES || reader->type > TYPE_MAP) {
		return true;
	}
	if (reader->argument >
	    (size_t)(reader->end - reader->at)) { /* items have a byte at least */
		return false;
	}
	if (reader->type <= RNV_SMP_TEXT) {
		reader->string = reader->at;
		reader->at += reader->argument;
	}
	return true;
}

/* Pass over the rest of the item whose head was read. */
static bool skip(struct reader *reader)
{
	uint32_t left[MOST_LEVELS];
	uint32_t depth = 0;

	for (;;) {
		if (is_end_mark(reader)) {
			if (depth == 0u || left[depth - 1u] != ENDLESS) {
				return false;
			}
			left[depth - 1u] = 0;
		} else if (depth != 0u && left[depth - 1u] != ENDLESS) {
			left[depth - 1u]--;
		}
		if (reader->type >= RNV_SMP_ARRAY && reader->type <= TYPE_TAG) {
			uint32_t count = (uint32_t)reader->argument;

			if (depth == MOST_LEVELS) {
				return false;
			}
			if (reader->low == LOW_ENDLESS) {
				count = ENDLESS;
			} else if (reader->type == TYPE_MAP) {
				count *= 2u;
			} else if (reader->type == TYPE_TAG) {
				count = 1;
			}
			left[depth++] = count;
		}
		while (depth != 0u && left[depth - 1u] == 0u) {
			depth--;
		}
		if (depth == 0u) {
			return true;
		}
		if (!next(reader)) {
			return false;
		}
	}
}

/* The values that requests have, by key. */
#define VALUE(key, kind, member)                                                                   \
	[RNV_SMP_KEY_##key] = RNV_SMP_ROW(key, kind, struct rnv_smp_request, member)

static const struct rnv_smp_row values[RNV_SMP_REQUEST_KEYS] = {
	VALUE(M, TEXT, m),
	VALUE(OFF, UINT, off),
	VALUE(ON, BOOL, on),
	VALUE(KEY, UINT, key),
	VALUE(LEN, UINT, len),
	VALUE(DATA, BYTES, data),
	VALUE(CRC, UINT, crc),
	VALUE(SHA, BYTES, sha),
	VALUE(HDR, BYTES, hdr),
	VALUE(ENC, UINT, offer.encoding),
	VALUE(BASE, UINT, offer.base_crc32),
	VALUE(SLOW, BOOL, slow),
	VALUE(I, UINT, i),
	VALUE(ID, UINT, run.id),
	VALUE(ENTRY, UINT, run.entry),
	VALUE(LANE, UINT, run.lane),
	VALUE(DEADLINE_US, UINT, run.deadline_us),
	VALUE(RESET, BOOL, reset),
	VALUE(PERMANENT, BOOL, permanent),
	VALUE(SLOT, UINT, slot),
};

/* The row of the key that was read, or NULL. */
static const struct rnv_smp_row *find(const struct reader *reader)
{
	const char *name = names;

	for (uint32_t key = 0; key < RNV_SMP_REQUEST_KEYS; key++) {
		size_t length = strlen(name);

		if (length == reader->argument && memcmp(name, reader->string, length) == 0) {
			return &values[key];
		}
		name += length + 1u;
	}
	return NULL;
}

/* Take the value that was read. False: it is of another type, or too large. */
static bool take(struct reader *reader, const struct rnv_smp_row *row,
		 struct rnv_smp_request *request)
{
	void *to = (uint8_t *)request + row->offset;
	struct rnv_smp_bytes bytes = {reader->string, (uint32_t)reader->argument};

	request->found |= 1u << row->key;
	if (reader->type != row->kind) {
		return false;
	}
	if (row->kind == RNV_SMP_BOOL) {
		uint32_t value = reader->low - LOW_FALSE;

		memcpy(to, &value, sizeof(value));
		return value <= LOW_TRUE - LOW_FALSE;
	}
	if (row->kind == RNV_SMP_UINT) {
		memcpy(to, &reader->argument, row->size);
		return reader->argument <= UINT32_MAX || row->size > sizeof(uint32_t);
	}
	memcpy(to, &bytes, sizeof(bytes));
	return true;
}

bool rnv_smp_decode(const zcbor_state_t *in, struct rnv_smp_request *request)
{
	struct reader reader = {.at = in->payload, .end = in->payload_end};
	uint32_t pairs;

	if (!next(&reader) || reader.type != TYPE_MAP) {
		return false;
	}
	pairs = (reader.low == LOW_ENDLESS) ? ENDLESS : (uint32_t)reader.argument;
	while (pairs != 0u) {
		const struct rnv_smp_row *row = NULL;

		if (!next(&reader)) {
			return false;
		}
		if (is_end_mark(&reader)) {
			return pairs == ENDLESS;
		}
		if (reader.type == RNV_SMP_TEXT) {
			row = find(&reader);
		} else if (!skip(&reader)) {
			return false;
		}
		if (!next(&reader) ||
		    !((row != NULL) ? take(&reader, row, request) : skip(&reader))) {
			return false;
		}
		pairs -= (pairs != ENDLESS) ? 1u : 0u;
	}
	return true;
}

/* --- replies ---------------------------------------------------------------------------------- */

void rnv_smp_put_key(zcbor_state_t *out, enum rnv_smp_key key)
{
	const char *name = names;

	for (uint32_t i = 0; i < (uint32_t)key; i++) {
		name += strlen(name) + 1u;
	}
	(void)zcbor_tstr_encode_ptr(out, name, strlen(name));
}

void rnv_smp_put_uint(zcbor_state_t *out, enum rnv_smp_key key, uint32_t value)
{
	rnv_smp_put_key(out, key);
	(void)zcbor_uint32_put(out, value);
}

void rnv_smp_put_bool(zcbor_state_t *out, enum rnv_smp_key key, bool value)
{
	rnv_smp_put_key(out, key);
	(void)zcbor_bool_put(out, value);
}

void rnv_smp_put_bytes(zcbor_state_t *out, enum rnv_smp_key key, const void *data, size_t bytes)
{
	rnv_smp_put_key(out, key);
	(void)zcbor_bstr_encode_ptr(out, data, bytes);
}

/* A number of 1, 2 or 4 bytes. */
static uint32_t number_at(const uint8_t *at, uint32_t size)
{
	uint32_t value = *at;
	uint16_t half;

	if (size == sizeof(half)) {
		memcpy(&half, at, sizeof(half));
		value = half;
	} else if (size == sizeof(value)) {
		memcpy(&value, at, sizeof(value));
	}
	return value;
}

void rnv_smp_put_array(zcbor_state_t *out, enum rnv_smp_key key, const void *values, uint32_t count,
		       uint32_t size, uint32_t step)
{
	const uint8_t *at = values;

	rnv_smp_put_key(out, key);
	(void)zcbor_list_start_encode(out, count);
	for (uint32_t i = 0; i < count; i++) {
		(void)zcbor_uint32_put(out, number_at(at, size));
		at += step;
	}
	(void)zcbor_list_end_encode(out, count);
}

static void put_row(zcbor_state_t *out, const struct rnv_smp_row *row, const uint8_t *at)
{
	const char *text;
	uint32_t number = number_at(at, row->size);

	switch (row->kind) {
	case RNV_SMP_UINT:
		rnv_smp_put_uint(out, row->key, number);
		break;
	case RNV_SMP_INT:
		rnv_smp_put_key(out, row->key);
		(void)zcbor_int32_put(out, (int32_t)number);
		break;
	case RNV_SMP_BOOL:
		rnv_smp_put_bool(out, row->key, number != 0u);
		break;
	case RNV_SMP_TEXT:
		memcpy(&text, at, sizeof(text));
		rnv_smp_put_key(out, row->key);
		(void)zcbor_tstr_encode_ptr(out, text, strlen(text));
		break;
	case RNV_SMP_BYTES:
		rnv_smp_put_bytes(out, row->key, at, row->size);
		break;
	default:
		rnv_smp_put_array(out, row->key, at, row->size / 2u, 2, 2);
		break;
	}
}

void rnv_smp_put_rows(zcbor_state_t *out, const struct rnv_smp_row *rows, uint32_t count,
		      const void *from)
{
	for (uint32_t i = 0; i < count; i++) {
		put_row(out, &rows[i], (const uint8_t *)from + rows[i].offset);
	}
}

uint8_t *rnv_smp_room(const zcbor_state_t *out, size_t reserve, uint32_t *bytes)
{
	size_t rest = (size_t)(out->payload_end - out->payload);
	size_t taken = VALUE_HEAD + REPLY_END + reserve;

	*bytes = (rest > taken) ? (uint32_t)(rest - taken) : 0u;
	return out->payload_mut + VALUE_HEAD + reserve;
}
