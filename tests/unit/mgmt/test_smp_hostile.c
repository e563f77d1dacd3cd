/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Requests that are wrong: cut off, of other types, nested, with more than is asked for; and
 * replies that find no room. What must not happen is what the sanitizers see, a reply that says
 * that it went well, or an effect.
 */

#include "smp_fixture.h"

#include "virtual_port.h"

/* A request of each command, which is fine with "alpha" loaded. */
struct sample {
	uint32_t op;
	uint32_t id;
	struct body body;
};

#define SAMPLES 18

static struct sample samples[SAMPLES];
static uint32_t sample_count;

static void add(uint32_t op, uint32_t id, const struct body *body)
{
	assert_true(sample_count < SAMPLES);
	samples[sample_count++] = (struct sample){.op = op, .id = id, .body = *body};
}

static void add_reads(void)
{
	struct body *body = map(1);

	put_uint(body, "i", 0);
	add(RNV_SMP_READ, RNV_SMP_CMD_MODEL, body);
	add(RNV_SMP_READ, RNV_SMP_CMD_LANE, body);
	add(RNV_SMP_READ, RNV_SMP_CMD_INFO, map(0));
	add(RNV_SMP_READ, RNV_SMP_CMD_UPDATE, map(0));
	add(RNV_SMP_READ, RNV_SMP_CMD_SELFTEST, map(0));
	body = map(1);
	put_uint(body, "off", 0);
	add(RNV_SMP_READ, RNV_SMP_CMD_RUN, body);
	add(RNV_SMP_READ, RNV_SMP_CMD_PROFILE, body);
	body = of_model("alpha", 1);
	put_uint(body, "i", 0);
	add(RNV_SMP_READ, RNV_SMP_CMD_STEPS, body);
}

static void add_writes(void)
{
	struct body *body = announcement("alpha");

	body->data[0] = 0xA0 + 8;
	put_uint(body, "enc", 0);
	put_uint(body, "base", 0);
	put_bool(body, "slow", 0);
	add(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, body);
	add(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, piece(0, 20));
	add(RNV_SMP_WRITE, RNV_SMP_CMD_ABORT, map(0));
	body = of_model("alpha", 1);
	put_bool(body, "permanent", 1);
	add(RNV_SMP_WRITE, RNV_SMP_CMD_ACTIVATE, body);
	add(RNV_SMP_WRITE, RNV_SMP_CMD_ROLLBACK, of_model("alpha", 0));
	body = of_model("alpha", 7);
	put_uint(body, "entry", 0);
	put_uint(body, "off", 0);
	put_uint(body, "len", X_BYTES);
	put_bytes(body, "data", input, X_BYTES);
	put_uint(body, "lane", 0);
	put_uint(body, "deadline_us", 100000);
	put_bool(body, "reset", 0);
	add(RNV_SMP_WRITE, RNV_SMP_CMD_RUN, body);
	body = map(1);
	put_bool(body, "on", 0);
	add(RNV_SMP_WRITE, RNV_SMP_CMD_PROFILE, body);
	body = map(1);
	put_uint(body, "key", 77);
	add(RNV_SMP_WRITE, RNV_SMP_CMD_REVOKE, body);
	body = of_model("alpha", 1);
	put_uint(body, "slot", 1);
	add(RNV_SMP_WRITE, RNV_SMP_CMD_ERASE, body);
	add(RNV_SMP_WRITE, RNV_SMP_CMD_CONFIRM, of_model("alpha", 0));
}

/* "alpha" is confirmed, and another version is on its way. */
static int begin_loaded(void **state)
{
	(void)begin_smp(state);
	update_to(ALPHA, 1, 1);
	draw("alpha", 2);
	sign();
	sample_count = 0;
	add_reads();
	add_writes();
	return 0;
}

/* Any answer but an error of the group with this code is wrong. */
static void refused_raw(const struct sample *sample, const uint8_t *data, uint32_t bytes)
{
	uint32_t before = programs + erases;

	assert_int_equal(call_raw(sample->op, sample->id, data, bytes, BODY_BYTES), RNV_SMP_EOK);
	assert_error(RNV_EINVAL);
	assert_int_equal(programs + erases, before);
}

static void test_every_truncation(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < sample_count; i++) {
		const struct body *body = &samples[i].body;

		for (uint32_t bytes = 0; bytes < body->bytes; bytes++) {
			refused_raw(&samples[i], body->data, bytes);
		}
	}
}

/* The same requests with a map whose end is marked, and cut off there. */
static void test_maps_with_an_end_mark(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < sample_count; i++) {
		struct body body = samples[i].body;
		const struct body plain = body;
		int64_t first, second;

		body.data[0] = 0xBF;
		for (uint32_t bytes = 0; bytes <= body.bytes; bytes++) {
			refused_raw(&samples[i], body.data, bytes);
		}
		put_raw(&body, "\xFF", 1);
		if (samples[i].op == RNV_SMP_READ) {
			call(RNV_SMP_READ, samples[i].id, &plain);
			first = crc_of(0, reply, reply_bytes);
			call(RNV_SMP_READ, samples[i].id, &body);
			second = crc_of(0, reply, reply_bytes);
			assert_int_equal(first, second);
		}
	}
	samples[0].body.data[0] = 0xBF; /* the same model */
	put_raw(&samples[0].body, "\xFF", 1);
	well(samples[0].op, samples[0].id, &samples[0].body);
	assert_text("n", "alpha");
}

/* Every value in turn is something else. */
static void test_wrong_types(void **state)
{
	static const struct {
		const char *bytes;
		uint32_t count;
	} wrong[] = {
		{"\x20", 1},                                 /* -1 */
		{"\xF6", 1},                                 /* null */
		{"\xF7", 1},                                 /* undefined */
		{"\xFB\0\0\0\0\0\0\0\0", 9},                 /* 0.0 */
		{"\x80", 1},                                 /* [] */
		{"\xA0", 1},                                 /* {} */
		{"\xC0\x00", 2},                             /* tag 0 of 0 */
		{"\x1B\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 9}, /* 2^64 - 1 */
		{"\x5F\x41\x00\xFF", 4},                     /* bytes in pieces */
		{"\x7F\x61\x61\xFF", 4},                     /* text in pieces */
		{"\x1C", 1},                                 /* reserved */
		{"\xFF", 1},                                 /* an end mark */
	};

	(void)state;
	for (uint32_t i = 0; i < sample_count; i++) {
		const struct body *body = &samples[i].body;
		const uint8_t *at = body->data + 1;

		for (uint32_t pair = 0; pair < (body->data[0] & 31u); pair++) {
			const uint8_t *value = item_end(at);
			const uint8_t *end = item_end(value);

			for (uint32_t k = 0; k < sizeof(wrong) / sizeof(wrong[0]); k++) {
				struct body other = {.bytes = 0};

				if (k == 7 && memcmp(at + 1, "deadline_us", 11) == 0) {
					continue; /* for ever */
				}
				put_raw(&other, body->data, (uint32_t)(value - body->data));
				put_raw(&other, wrong[k].bytes, wrong[k].count);
				put_raw(&other, end, (uint32_t)(body->data + body->bytes - end));
				refused_raw(&samples[i], other.data, other.bytes);
			}
			at = end;
		}
	}
}

/* One key less is refused where it has to be there. */
static void test_missing_keys(void **state)
{
	static const struct {
		uint32_t id;
		const char *key;
	} needed[] = {
		{RNV_SMP_CMD_UPLOAD, "off"}, {RNV_SMP_CMD_UPLOAD, "crc"},
		{RNV_SMP_CMD_UPLOAD, "len"}, {RNV_SMP_CMD_UPLOAD, "sha"},
		{RNV_SMP_CMD_UPLOAD, "hdr"}, {RNV_SMP_CMD_ACTIVATE, "m"},
		{RNV_SMP_CMD_CONFIRM, "m"},  {RNV_SMP_CMD_ROLLBACK, "m"},
		{RNV_SMP_CMD_ERASE, "m"},    {RNV_SMP_CMD_RUN, "m"},
		{RNV_SMP_CMD_PROFILE, "on"}, {RNV_SMP_CMD_REVOKE, "key"},
		{RNV_SMP_CMD_STEPS, "m"},
	};
	uint32_t tried = 0;

	(void)state;
	for (uint32_t i = 0; i < sample_count; i++) {
		const struct body *body = &samples[i].body;
		const uint8_t *at = body->data + 1;

		for (uint32_t pair = 0; pair < (body->data[0] & 31u); pair++) {
			const uint8_t *end = item_end(item_end(at));

			for (uint32_t k = 0; k < sizeof(needed) / sizeof(needed[0]); k++) {
				struct body other = {.bytes = 0};

				if (samples[i].id != needed[k].id ||
				    *at != 0x60 + strlen(needed[k].key) ||
				    memcmp(at + 1, needed[k].key, strlen(needed[k].key)) != 0 ||
				    (samples[i].id == RNV_SMP_CMD_PROFILE &&
				     samples[i].op == RNV_SMP_READ)) {
					continue;
				}
				put_head(&other, 5, (body->data[0] & 31u) - 1);
				put_raw(&other, body->data + 1, (uint32_t)(at - body->data - 1));
				put_raw(&other, end, (uint32_t)(body->data + body->bytes - end));
				refused_raw(&samples[i], other.data, other.bytes);
				tried++;
			}
			at = end;
		}
	}
	assert_int_equal(tried, sizeof(needed) / sizeof(needed[0]) + 1); /* "off" of both uploads */
}

/* Keys that no release knows, of all types, and keys that are no text. */
static void test_more_than_is_asked_for(void **state)
{
	static const char more[] = "\x63new\x01"
				   "\x63num\x3A\x00\x00\x00\x05"
				   "\x63str\x43\x01\x02\x03"
				   "\x63lst\x83\x01\x82\x02\x03\x9F\xF4\xFF"
				   "\x63map\xBF\x61k\xA1\x61k\x61v\xFF"
				   "\x63tag\xC1\x1A\x00\x00\x00\x00"
				   "\x63nul\xF6"
				   "\x63"
				   "flt\xF9\x00\x00"
				   "\x01\x02"
				   "\x80\xF5"
				   "\x60\x60";
	const uint32_t pairs = 11;

	(void)state;
	for (uint32_t i = 0; i < sample_count; i++) {
		struct body front = {.bytes = 0};
		const struct body *body = &samples[i].body;
		uint32_t crc;

		if (samples[i].op != RNV_SMP_READ) {
			continue;
		}
		put_head(&front, 5, 23);
		front.data[0] = (uint8_t)(body->data[0] + pairs);
		put_raw(&front, more, sizeof(more) - 1);
		put_raw(&front, body->data + 1, body->bytes - 1);
		call(RNV_SMP_READ, samples[i].id, body);
		crc = crc_of(0, reply, reply_bytes);
		call(RNV_SMP_READ, samples[i].id, &front);
		assert_int_equal(crc_of(0, reply, reply_bytes), crc);
	}
}

/* {"x": [[[...]]]}: lists, maps, tags, or byte strings in pieces, so many of them. */
static uint32_t nest(uint8_t *data, const char *level, uint32_t depth)
{
	uint32_t step = (uint32_t)strlen(level);

	memcpy(data, "\xA1\x61x", 3);
	for (uint32_t i = 0; i < depth; i++) {
		memcpy(data + 3 + i * step, level, step);
	}
	data[3 + depth * step] = 0x01;
	return 4 + depth * step;
}

static void test_nesting(void **state)
{
	static const char *const levels[] = {"\x81", "\xA1\x61y", "\xC1",
					     "\x9F", "\xBF\x61y", "\x5F"};
	static uint8_t data[400000];
	const struct sample info = {.op = RNV_SMP_READ, .id = RNV_SMP_CMD_INFO};
	uint32_t bytes;

	(void)state;
	for (uint32_t i = 0; i < 6; i++) {
		bytes = nest(data, levels[i], 100);
		refused_raw(&info, data, bytes);
		bytes = nest(data, levels[i], 100000);
		refused_raw(&info, data, bytes);
		bytes = nest(data, levels[i], 8); /* one too many: the map itself counts */
		refused_raw(&info, data, bytes);
	}
	for (uint32_t i = 0; i < 3; i++) { /* those without an end mark */
		bytes = nest(data, levels[i], 7);
		assert_int_equal(call_raw(RNV_SMP_READ, RNV_SMP_CMD_INFO, data, bytes, BODY_BYTES),
				 RNV_SMP_EOK);
		assert_fine();
	}
}

static void test_counts_that_lie(void **state)
{
	static const char *const lies[] = {
		"\xA1\x61x\x9A\xFF\xFF\xFF\xFF",                 /* a list of 2^32 - 1 */
		"\xA1\x61x\x9B\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", /* of 2^64 - 1 */
		"\xA1\x61x\xBB\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF",
		"\xBB\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x61x\x01",
		"\xA1\x61x\x5B\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF",
		"\xA1\x61x\x44xxx",  /* one byte too few */
		"\xA1\x78\xFFx\x01", /* the key is longer than the rest */
		"\xA2\x61x\x01",     /* one pair too few */
		"\x61x",             /* no map */
		"\x01",
		"\xFF",
		"\xC1\xA0", /* a tagged map */
	};
	const struct sample info = {.op = RNV_SMP_READ, .id = RNV_SMP_CMD_INFO};

	(void)state;
	for (uint32_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		refused_raw(&info, (const uint8_t *)lies[i], (uint32_t)strlen(lies[i]));
	}
}

/* A key twice: what comes last counts, as for all of CBOR's readers that do not refuse it. */
static void test_keys_twice(void **state)
{
	struct body *body = map(2);

	(void)state;
	put_uint(body, "i", 0);
	put_uint(body, "i", 1);
	well(RNV_SMP_READ, RNV_SMP_CMD_MODEL, body);
	assert_text("n", "beta");
}

static void test_replies_without_room(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < sample_count; i++) {
		const struct sample *sample = &samples[i];
		uint32_t whole;

		if (sample->op != RNV_SMP_READ || sample->id == RNV_SMP_CMD_PROFILE) {
			continue; /* the dump is as long as there is room */
		}
		well(sample->op, sample->id, &sample->body);
		whole = reply_bytes;
		for (uint32_t room = 1; room <= whole; room++) {
			assert_int_equal(call_raw(sample->op, sample->id, sample->body.data,
						  sample->body.bytes, room),
					 room < whole ? RNV_SMP_EMSGSIZE : RNV_SMP_EOK);
		}
	}
	for (uint32_t room = 1; room < 30; room++) { /* an error has 20 bytes */
		assert_int_equal(
			call_raw(RNV_SMP_READ, RNV_SMP_CMD_INFO, (const uint8_t *)"\x01", 1, room),
			room < 20 ? RNV_SMP_EMSGSIZE : RNV_SMP_EOK);
	}
}

/* Outputs and dumps take what room there is. */
static void test_data_in_little_room(void **state)
{
	const struct sample *run = NULL;

	(void)state;
	for (uint32_t i = 0; i < sample_count; i++) {
		if (samples[i].id == RNV_SMP_CMD_RUN && samples[i].op == RNV_SMP_WRITE) {
			run = &samples[i];
		}
	}
	assert_non_null(run);
	well(run->op, run->id, &run->body);
	rnv_sched_run(&sched);
	for (uint32_t room = 1; room < 200; room++) {
		struct body *body = map(0);
		uint32_t bytes;
		int status = call_raw(RNV_SMP_READ, RNV_SMP_CMD_RUN, body->data, 1, room);

		assert_true(status == RNV_SMP_EMSGSIZE || status == RNV_SMP_EOK);
		if (status == RNV_SMP_EOK) {
			(void)string("data", 2, &bytes);
			assert_true(bytes <= Y_BYTES && (room < 120 || bytes == Y_BYTES));
		}
		status = call_raw(RNV_SMP_READ, RNV_SMP_CMD_PROFILE, body->data, 1, room);
		assert_true(status == RNV_SMP_EMSGSIZE || status == RNV_SMP_EOK);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_every_truncation, begin_loaded),
		cmocka_unit_test_setup(test_maps_with_an_end_mark, begin_loaded),
		cmocka_unit_test_setup(test_wrong_types, begin_loaded),
		cmocka_unit_test_setup(test_missing_keys, begin_loaded),
		cmocka_unit_test_setup(test_more_than_is_asked_for, begin_loaded),
		cmocka_unit_test_setup(test_nesting, begin_smp),
		cmocka_unit_test_setup(test_counts_that_lie, begin_smp),
		cmocka_unit_test_setup(test_keys_twice, begin_smp),
		cmocka_unit_test_setup(test_replies_without_room, begin_loaded),
		cmocka_unit_test_setup(test_data_in_little_room, begin_loaded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
