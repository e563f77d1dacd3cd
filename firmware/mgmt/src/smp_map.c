/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <string.h>

#include <zcbor_decode.h>
#include <zcbor_encode.h>

#include "smp_internal.h"

/* Bytes in front of a long value: its key, and its own length; and the ends of maps behind it. */
#define VALUE_HEAD 16u
#define REPLY_END  4u

/* Lists and maps inside of each other that a request may have. zcbor_any_skip() recurses, so what
 * it is given is limited here. */
#define MOST_LEVELS 8u

#define ENDLESS SIZE_MAX /* items of a list or map whose end is marked */

/* The head of a CBOR item: its type and its argument. False: it does not fit, or is reserved. */
static bool read_head(const uint8_t **at, const uint8_t *end, uint32_t *type, size_t *argument)
{
	uint32_t bytes;

	if (*at == end) {
		return false;
	}
	*type = **at >> 5;
	*argument = **at & 0x1Fu;
	(*at)++;
	if (*argument < 24u) {
		return true;
	}
	if (*argument == 31u) {
		*argument = ENDLESS;
		return true;
	}
	if (*argument > 27u) {
		return false;
	}
	bytes = 1u << (*argument - 24u);
	*argument = 0;
	for (; bytes != 0u; bytes--, (*at)++) {
		if (*at == end || *argument > (SIZE_MAX >> 8)) {
			return false;
		}
		*argument = *argument << 8 | **at;
	}
	return true;
}

/* True where the item at `at` nests at most MOST_LEVELS deep. What else may be wrong with it is
 * left to the decoder. */
static bool is_flat(const uint8_t *at, const uint8_t *end)
{
	size_t left[MOST_LEVELS];
	uint32_t depth = 0;

	do {
		uint32_t type;
		size_t argument;

		if (!read_head(&at, end, &type, &argument)) {
			return false;
		}
		if (type == 7u && argument == ENDLESS) { /* the mark that ends a list or map */
			left[depth == 0u ? 0u : depth - 1u] = 0;
		} else if ((type == 2u || type == 3u) && argument != ENDLESS) {
			if (argument > (size_t)(end - at)) {
				return false;
			}
			at += argument;
		}
		if (depth != 0u && left[depth - 1u] != ENDLESS && left[depth - 1u] != 0u) {
			left[depth - 1u]--;
		}
		if (type == 4u || type == 5u ||
		    ((type == 2u || type == 3u) && argument == ENDLESS)) {
			if (depth == MOST_LEVELS) {
				return false;
			}
			left[depth++] = (type == 5u && argument <= SIZE_MAX / 2u) ? 2u * argument
										  : argument;
		} else if (type == 6u) { /* a tag: the item that follows belongs to it */
			if (depth == MOST_LEVELS) {
				return false;
			}
			left[depth++] = 1;
		}
		while (depth != 0u && left[depth - 1u] == 0u) {
			depth--;
		}
	} while (depth != 0u);
	return true;
}

static bool decode_value(zcbor_state_t *in, const struct rnv_smp_key *key)
{
	switch (key->kind) {
	case RNV_SMP_UINT32:
		return zcbor_uint32_decode(in, key->value);
	case RNV_SMP_UINT64:
		return zcbor_uint64_decode(in, key->value);
	case RNV_SMP_BOOL:
		return zcbor_bool_decode(in, key->value);
	case RNV_SMP_TEXT:
		return zcbor_tstr_decode(in, key->value);
	case RNV_SMP_BYTES:
		return zcbor_bstr_decode(in, key->value);
	}
	return false;
}

static const struct rnv_smp_key *find(const struct rnv_smp_key *keys, size_t count,
				      const struct zcbor_string *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strlen(keys[i].name) == name->len &&
		    memcmp(keys[i].name, name->value, name->len) == 0) {
			return &keys[i];
		}
	}
	return NULL;
}

bool rnv_smp_decode(zcbor_state_t *in, const struct rnv_smp_key *keys, size_t count)
{
	if (!is_flat(in->payload, in->payload_end) || !zcbor_map_start_decode(in)) {
		return false;
	}
	while (!zcbor_array_at_end(in)) {
		struct zcbor_string name;
		const struct rnv_smp_key *key = NULL;

		if (zcbor_tstr_decode(in, &name)) {
			key = find(keys, count, &name);
		} else if (!zcbor_any_skip(in, NULL)) {
			return false;
		}
		if (!((key != NULL) ? decode_value(in, key) : zcbor_any_skip(in, NULL))) {
			return false;
		}
		if (key != NULL && key->found != NULL) {
			*key->found = true;
		}
	}
	return zcbor_map_end_decode(in);
}

int rnv_smp_decode_model(const struct rnv_smp *smp, zcbor_state_t *in,
			 const struct rnv_smp_key *more, size_t count)
{
	struct rnv_smp_key keys[4];
	struct zcbor_string name = {0};
	bool found = false;

	if (count >= sizeof(keys) / sizeof(keys[0])) {
		return RNV_EINVAL;
	}
	keys[0] = (struct rnv_smp_key){"m", RNV_SMP_TEXT, &name, &found};
	for (size_t i = 0; i < count; i++) {
		keys[i + 1u] = more[i];
	}
	if (!rnv_smp_decode(in, keys, count + 1u) || !found) {
		return RNV_EINVAL;
	}
	return rnv_server_find(smp->server, (const char *)name.value, (uint32_t)name.len);
}

static bool put_key(zcbor_state_t *out, const char *key)
{
	return zcbor_tstr_put_term(out, key, RNV_NAME_BYTES);
}

void rnv_smp_put_uint(zcbor_state_t *out, const char *key, uint32_t value)
{
	(void)(put_key(out, key) && zcbor_uint32_put(out, value));
}

void rnv_smp_put_int(zcbor_state_t *out, const char *key, int32_t value)
{
	(void)(put_key(out, key) && zcbor_int32_put(out, value));
}

void rnv_smp_put_bool(zcbor_state_t *out, const char *key, bool value)
{
	(void)(put_key(out, key) && zcbor_bool_put(out, value));
}

void rnv_smp_put_text(zcbor_state_t *out, const char *key, const char *value)
{
	(void)(put_key(out, key) && zcbor_tstr_encode_ptr(out, value, strlen(value)));
}

void rnv_smp_put_bytes(zcbor_state_t *out, const char *key, const void *data, size_t bytes)
{
	(void)(put_key(out, key) && zcbor_bstr_encode_ptr(out, data, bytes));
}

void rnv_smp_put_uints(zcbor_state_t *out, const char *key, const uint32_t *values, size_t count)
{
	bool ok = put_key(out, key) && zcbor_list_start_encode(out, count);

	for (size_t i = 0; ok && i < count; i++) {
		ok = zcbor_uint32_put(out, values[i]);
	}
	(void)(ok && zcbor_list_end_encode(out, count));
}

void rnv_smp_put_version(zcbor_state_t *out, const char *key, const uint16_t *version)
{
	uint32_t numbers[3] = {version[0], version[1], version[2]};

	rnv_smp_put_uints(out, key, numbers, 3);
}

uint8_t *rnv_smp_room(const zcbor_state_t *out, size_t reserve, uint32_t *bytes)
{
	size_t rest = (size_t)(out->payload_end - out->payload);
	size_t taken = VALUE_HEAD + REPLY_END + reserve;

	*bytes = (rest > taken) ? (uint32_t)(rest - taken) : 0u;
	return out->payload_mut + VALUE_HEAD + reserve;
}
