/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_TESTS_SMP_FIXTURE_H_
#define RNV_TESTS_SMP_FIXTURE_H_

/*
 * The SMP group over the server of server_fixture.h. Requests are made, and replies are read, by a
 * CBOR of its own: RFC 8949 by hand.
 */

#include <stdlib.h>

#include "server_fixture.h"

#include <zcbor_decode.h>
#include <zcbor_encode.h>

#include "mgmt/smp.h"
#include "ranvier/prof.h"

#define BODY_BYTES  1024
#define CHUNK_BYTES 400

static struct rnv_prof prof;
static struct rnv_prof_model prof_models[OPEN];
static struct rnv_prof_record prof_records[8];
static const char *const lane_names[LANES] = {"urgent", "idle"};
static struct rnv_smp smp;

uint32_t rnv_cycles(void)
{
	return 0;
}

uint32_t rnv_cycles_per_second(void)
{
	return 1000000;
}

/* --- requests --------------------------------------------------------------------------------- */

struct body {
	uint8_t data[BODY_BYTES];
	uint32_t bytes;
};

static inline void put_raw(struct body *body, const void *data, uint32_t bytes)
{
	assert_true(body->bytes + bytes <= BODY_BYTES);
	memcpy(body->data + body->bytes, data, bytes);
	body->bytes += bytes;
}

static inline void put_head(struct body *body, uint32_t major, uint32_t value)
{
	const uint8_t small[] = {(uint8_t)(major << 5 | value)};
	const uint8_t large[] = {(uint8_t)(major << 5 | 26), (uint8_t)(value >> 24),
				 (uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value};

	if (value < 24) {
		put_raw(body, small, 1);
	} else {
		put_raw(body, large, 5);
	}
}

static inline void put_text(struct body *body, const char *text)
{
	put_head(body, 3, (uint32_t)strlen(text));
	put_raw(body, text, (uint32_t)strlen(text));
}

static inline void put_uint(struct body *body, const char *key, uint32_t value)
{
	put_text(body, key);
	put_head(body, 0, value);
}

static inline void put_bytes(struct body *body, const char *key, const void *data, uint32_t bytes)
{
	put_text(body, key);
	put_head(body, 2, bytes);
	put_raw(body, data, bytes);
}

static inline void put_name(struct body *body, const char *key, const char *text)
{
	put_text(body, key);
	put_text(body, text);
}

static inline void put_bool(struct body *body, const char *key, int value)
{
	put_text(body, key);
	put_head(body, 7, value ? 21 : 20);
}

/* A map of so many pairs, which follow. */
static inline struct body *map(uint32_t pairs)
{
	static struct body body;

	body.bytes = 0;
	put_head(&body, 5, pairs);
	return &body;
}

static inline struct body *of_model(const char *name, uint32_t more)
{
	struct body *body = map(1 + more);

	put_name(body, "m", name);
	return body;
}

/* --- replies ---------------------------------------------------------------------------------- */

static uint8_t reply[BODY_BYTES];
static uint32_t reply_bytes;

/* The item behind the one at `at`. */
static inline const uint8_t *item_end(const uint8_t *at)
{
	uint32_t major = *at >> 5;
	uint32_t more = *at & 31;
	uint64_t value = more;

	at++;
	if (more >= 24 && more < 28) {
		value = 0;
		for (uint32_t i = 0; i < 1u << (more - 24); i++) {
			value = value << 8 | *at++;
		}
	}
	if (major == 2 || major == 3) {
		return at + value;
	}
	if ((major == 4 || major == 5) && more == 31) {
		while (*at != 0xFF) {
			at = item_end(at);
		}
		return at + 1;
	}
	for (uint64_t i = 0; (major == 4 || major == 5) && i < value * (major - 3); i++) {
		at = item_end(at);
	}
	return at;
}

/* The value of a key in the map at `at`, or NULL. Maps of replies have an end mark. */
static inline const uint8_t *look(const uint8_t *at, const char *key)
{
	assert_int_equal(*at++, 0xBF);
	while (*at != 0xFF) {
		int found = *at == 0x60 + strlen(key) && memcmp(at + 1, key, strlen(key)) == 0;

		assert_int_equal(*at >> 5, 3);
		at = item_end(at);
		if (found) {
			return at;
		}
		at = item_end(at);
	}
	return NULL;
}

static inline int64_t number_at(const uint8_t *at)
{
	uint32_t major = *at >> 5;
	uint32_t more = *at & 31;
	int64_t value = more;

	assert_true(major < 2 && more < 28);
	if (more >= 24) {
		value = 0;
		for (uint32_t i = 0; i < 1u << (more - 24); i++) {
			value = value << 8 | at[1 + i];
		}
	}
	return major == 0 ? value : -1 - value;
}

static inline int64_t number(const char *key)
{
	const uint8_t *at = look(reply, key);

	assert_non_null(at);
	return number_at(at);
}

static inline int truth(const char *key)
{
	const uint8_t *at = look(reply, key);

	assert_non_null(at);
	assert_true(*at == 0xF4 || *at == 0xF5);
	return *at == 0xF5;
}

static inline const uint8_t *string(const char *key, uint32_t major, uint32_t *bytes)
{
	const uint8_t *at = look(reply, key);
	const uint8_t *end;

	assert_non_null(at);
	assert_int_equal(*at >> 5, major);
	end = item_end(at);
	at += (*at & 31) < 24 ? 1 : 1 + (1 << ((*at & 31) - 24));
	*bytes = (uint32_t)(end - at);
	return at;
}

static inline void assert_text(const char *key, const char *expected)
{
	uint32_t bytes;
	const uint8_t *at = string(key, 3, &bytes);

	assert_int_equal(bytes, strlen(expected));
	assert_memory_equal(at, expected, bytes);
}

/* The reply is an error of the group: this code of ranvier/status.h. */
static inline void assert_error(int code)
{
	const uint8_t *error = look(reply, "err");

	assert_non_null(error);
	assert_int_equal(number_at(look(error, "group")), RNV_SMP_GROUP);
	assert_int_equal(number_at(look(error, "rc")), -code);
	assert_ptr_equal(look(reply, "err"), reply + 5); /* the first, and only one */
	assert_int_equal(reply[reply_bytes - 1], 0xFF);
	assert_ptr_equal(item_end(reply), reply + reply_bytes);
}

static inline void assert_fine(void)
{
	assert_null(look(reply, "err"));
	assert_ptr_equal(item_end(reply), reply + reply_bytes);
}

/* --- a call ----------------------------------------------------------------------------------- */

/* Of these bytes, which lie in memory of exactly their size, as the reply does. */
static inline int call_raw(uint32_t op, uint32_t id, const uint8_t *data, uint32_t bytes,
			   uint32_t room)
{
	uint8_t *request = malloc(bytes == 0 ? 1 : bytes);
	uint8_t *out = malloc(room);
	zcbor_state_t in_states[3];
	zcbor_state_t out_states[2];
	int status;

	memcpy(request, data, bytes);
	zcbor_new_decode_state(in_states, 3, request, bytes, 1, NULL, 0);
	zcbor_new_encode_state(out_states, 2, out, room, 0);
	(void)zcbor_map_start_encode(out_states, 0);
	status = rnv_smp_handle(&smp, op, id, in_states, out_states);
	if (status == RNV_SMP_EOK && !zcbor_map_end_encode(out_states, 0)) {
		status = RNV_SMP_EMSGSIZE;
	}
	reply_bytes = (uint32_t)(out_states[0].payload - out);
	assert_true(reply_bytes <= room);
	memcpy(reply, out, reply_bytes);
	free(request);
	free(out);
	assert_int_equal(locked, 0);
	return status;
}

static inline void call(uint32_t op, uint32_t id, const struct body *body)
{
	assert_int_equal(call_raw(op, id, body->data, body->bytes, BODY_BYTES), RNV_SMP_EOK);
}

/* A call that is refused with a code. */
static inline void refused(uint32_t op, uint32_t id, const struct body *body, int code)
{
	call(op, id, body);
	assert_error(code);
}

static inline void well(uint32_t op, uint32_t id, const struct body *body)
{
	call(op, id, body);
	assert_fine();
}

static inline int begin_smp(void **state)
{
	const struct rnv_prof_config config = {.models = prof_models,
					       .records = prof_records,
					       .record_count = 8,
					       .model_count = OPEN};

	(void)begin_server(state);
	assert_int_equal(rnv_prof_init(&prof, &config), RNV_OK);
	smp = (struct rnv_smp){.server = &server,
			       .sched = &sched,
			       .prof = &prof,
			       .lane_names = lane_names,
			       .version = "1.2.3",
			       .board = "bench",
			       .lane_count = LANES,
			       .chunk = CHUNK_BYTES};
	return 0;
}

/* The first message of an upload of `package`. */
static inline struct body *announcement(const char *name)
{
	struct body *body = of_model(name, 4);

	put_uint(body, "off", 0);
	put_uint(body, "len", sizeof(image));
	put_bytes(body, "sha", package + sizeof(image) - 112, 32);
	put_bytes(body, "hdr", package, 128);
	return body;
}

static inline struct body *piece(uint32_t at, uint32_t bytes)
{
	struct body *body = map(3);

	put_uint(body, "off", at);
	put_bytes(body, "data", package + at, bytes);
	put_uint(body, "crc", crc_of(0, package + at, bytes));
	return body;
}

/* Version k of a model arrives by SMP. */
static inline void push(const char *name, int k)
{
	uint32_t offset = 0;

	draw(name, k);
	sign();
	well(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, announcement(name));
	assert_int_equal(number("off"), 0);
	while (offset < sizeof(image)) {
		uint32_t count =
			sizeof(image) - offset < CHUNK_BYTES ? sizeof(image) - offset : CHUNK_BYTES;

		well(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, piece(offset, count));
		assert_int_equal(number("off"), offset + count);
		offset += count;
	}
	work();
}

#endif /* RNV_TESTS_SMP_FIXTURE_H_ */
