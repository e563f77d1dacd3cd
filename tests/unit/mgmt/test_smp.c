/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Every command of the SMP group, against a real server with a real package. */

#include "smp_fixture.h"

#include "virtual_port.h"

static struct rnv_prof_step prof_steps[3];

static void read_model(uint32_t i)
{
	struct body *body = map(1);

	put_uint(body, "i", i);
	well(RNV_SMP_READ, RNV_SMP_CMD_MODEL, body);
}

static int64_t of_slot(uint32_t slot, const char *key)
{
	const uint8_t *at = look(reply, "slots");
	const uint8_t *value;

	assert_int_equal(*at++, 0x9F);
	for (; slot != 0; slot--) {
		at = item_end(at);
	}
	value = look(at, key);
	return value != NULL ? number_at(value) : -1;
}

static void read_update(void)
{
	well(RNV_SMP_READ, RNV_SMP_CMD_UPDATE, map(0));
}

static void write_done(uint32_t id, const struct body *body)
{
	well(RNV_SMP_WRITE, id, body);
	if (!truth("done")) {
		work();
	}
}

static void activate_by(const char *name, int permanent)
{
	struct body *body = of_model(name, 1);

	put_bool(body, "permanent", permanent);
	write_done(RNV_SMP_CMD_ACTIVATE, body);
	work();
}

static void test_info(void **state)
{
	uint8_t ops[RNV_OPSET_BYTES];
	const uint8_t *at;
	uint32_t bytes;

	(void)state;
	well(RNV_SMP_READ, RNV_SMP_CMD_INFO, map(0));
	assert_text("firmware", "1.2.3");
	assert_text("board", "bench");
	assert_int_equal(number("abi"), 1);
	assert_int_equal(number("format"), 1);
	assert_int_equal(number("models"), MODELS);
	assert_int_equal(number("chunk"), CHUNK_BYTES);
	assert_int_equal(number("io"), IO_BYTES);
	assert_false(truth("read_only"));
	assert_false(truth("unsigned"));
	assert_false(truth("patch"));
	rnv_opset_get(ops);
	at = string("ops", 2, &bytes);
	assert_int_equal(bytes, sizeof(ops));
	assert_memory_equal(at, ops, sizeof(ops));
	assert_memory_equal(look(reply, "isa"), "\x9F\x00\xFF", 3);
	at = look(reply, "keys");
	assert_int_equal(*at++, 0x9F);
	for (uint32_t i = 0; i < store.config.key_count; i++, at = item_end(at)) {
		assert_int_equal(number_at(at), store.config.keys[i].id);
	}
	assert_int_equal(*at, 0xFF);
	assert_memory_equal(look(reply, "revoked"), "\x9F\xFF", 2);
}

static void test_model_of_each_place(void **state)
{
	struct body *body;

	(void)state;
	update_to(ALPHA, 3, 1);
	read_model(0);
	assert_text("n", "alpha");
	assert_int_equal(number("slot_bytes"), layout[ALPHA].slot_bytes);
	assert_int_equal(number("floor"), 1);
	assert_int_equal(number("confirmed"), 0);
	assert_int_equal(number("trial"), RNV_TRIAL_NONE);
	assert_int_equal(number("trial_slot"), NONE);
	assert_int_equal(number("running"), 0);
	assert_int_equal(number("lanes"), 1);
	assert_int_equal(number("error"), 0);
	assert_false(truth("changing"));
	assert_int_equal(of_slot(0, "state"), RNV_SLOT_GOOD);
	assert_int_equal(of_slot(0, "fills"), 1);
	assert_int_equal(of_slot(0, "bytes"), sizeof(image));
	assert_int_equal(of_slot(0, "sv"), 1);
	assert_int_equal(of_slot(0, "key"), model_of(ALPHA).slots[0].key);
	assert_int_equal(of_slot(0, "crc"), model_of(ALPHA).slots[0].crc);
	assert_int_equal(of_slot(1, "state"), RNV_SLOT_EMPTY);
	assert_int_equal(of_slot(1, "bytes"), -1);
	read_model(1);
	assert_text("n", "beta");
	assert_int_equal(number("running"), NONE);
	assert_int_equal(number("confirmed"), NONE);
	assert_int_equal(number("lanes"), 0);
	body = map(1);
	put_uint(body, "i", MODELS);
	refused(RNV_SMP_READ, RNV_SMP_CMD_MODEL, body, RNV_ENOENT);
	body = map(1);
	put_uint(body, "i", 0xFFFFFFFF);
	refused(RNV_SMP_READ, RNV_SMP_CMD_MODEL, body, RNV_ENOENT);
	well(RNV_SMP_READ, RNV_SMP_CMD_MODEL, map(0)); /* the first one */
	assert_text("n", "alpha");
}

static void test_update_trial_confirm(void **state)
{
	uint32_t bytes;

	(void)state;
	read_update();
	assert_int_equal(number("phase"), RNV_OTA_IDLE);
	assert_null(look(reply, "m"));
	push("alpha", 1);
	read_update();
	assert_int_equal(number("phase"), RNV_OTA_READY);
	assert_text("m", "alpha");
	assert_int_equal(number("slot"), 0);
	assert_int_equal(number("len"), sizeof(image));
	assert_int_equal(number("off"), sizeof(image));
	assert_int_equal(number("error"), 0);
	assert_int_equal(number("why"), 0);
	assert_memory_equal(string("sha", 2, &bytes), package + sizeof(image) - 112, 32);
	assert_int_equal(bytes, 32);
	activate_by("alpha", 0);
	read_model(0);
	assert_int_equal(number("trial"), RNV_TRIAL_TRYING);
	assert_int_equal(number("trial_slot"), 0);
	assert_int_equal(number("tries"), 1);
	assert_int_equal(number("confirmed"), NONE);
	assert_runs(ALPHA, 1);
	well(RNV_SMP_WRITE, RNV_SMP_CMD_CONFIRM, of_model("alpha", 0));
	read_model(0);
	assert_int_equal(number("trial"), RNV_TRIAL_NONE);
	assert_int_equal(number("confirmed"), 0);
	refused(RNV_SMP_WRITE, RNV_SMP_CMD_CONFIRM, of_model("alpha", 0), RNV_ESTATE);
}

static void test_rollback_and_erase(void **state)
{
	struct body *body;

	(void)state;
	push("alpha", 1);
	activate_by("alpha", 1);
	push("alpha", 2);
	activate_by("alpha", 0);
	drop_run(&now_us);
	assert_runs(ALPHA, 2);
	write_done(RNV_SMP_CMD_ROLLBACK, of_model("alpha", 0));
	work();
	assert_runs(ALPHA, 1);
	read_model(0);
	assert_int_equal(of_slot(1, "state"), RNV_SLOT_REJECTED);
	body = of_model("alpha", 1);
	put_uint(body, "slot", 0);
	refused(RNV_SMP_WRITE, RNV_SMP_CMD_ERASE, body, RNV_ESTATE);
	body = of_model("alpha", 1);
	put_uint(body, "slot", 1);
	well(RNV_SMP_WRITE, RNV_SMP_CMD_ERASE, body);
	assert_false(truth("done"));
	read_update();
	assert_int_equal(number("phase"), RNV_OTA_ERASING);
	work();
	read_update();
	assert_int_equal(number("phase"), RNV_OTA_DONE);
	read_model(0);
	assert_int_equal(of_slot(1, "state"), RNV_SLOT_EMPTY);
	assert_int_equal(of_slot(1, "fills"), 2);
	refused(RNV_SMP_WRITE, RNV_SMP_CMD_ROLLBACK, of_model("alpha", 0), RNV_ENOENT);
	refused(RNV_SMP_WRITE, RNV_SMP_CMD_ERASE, of_model("alpha", 0), RNV_ENOENT);
}

/* What a link may do to chunks is harmless. */
static void test_upload_chunks_twice_late_and_damaged(void **state)
{
	struct body *body;

	(void)state;
	draw("alpha", 1);
	sign();
	refused(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, piece(0, 100), RNV_ESTATE);
	body = announcement("alpha");
	well(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, body);
	well(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, piece(0, 100));
	assert_int_equal(number("off"), 100);
	well(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, piece(0, 100));
	assert_int_equal(number("off"), 100);
	well(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, piece(200, 100));
	assert_int_equal(number("off"), 100);
	body = piece(100, 50);
	body->data[body->bytes - 1] ^= 1; /* of the CRC */
	refused(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, body, RNV_EBADMSG);
	body = map(2); /* without CRC */
	put_uint(body, "off", 100);
	put_bytes(body, "data", package + 100, 50);
	refused(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, body, RNV_EINVAL);
	refused(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, piece(100, 0), RNV_EINVAL);
	body = map(1); /* without data */
	put_uint(body, "off", 100);
	refused(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, body, RNV_EINVAL);
	well(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, announcement("alpha")); /* resumed */
	assert_int_equal(number("off"), 100);
	well(RNV_SMP_WRITE, RNV_SMP_CMD_ABORT, map(0));
	read_update();
	assert_int_equal(number("phase"), RNV_OTA_IDLE);
	refused(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, piece(100, 100), RNV_ESTATE);
	push("alpha", 1);
	activate_by("alpha", 1);
	assert_runs(ALPHA, 1);
}

/* The first message may have the first bytes. */
static void test_upload_begins_with_data(void **state)
{
	struct body *body;

	(void)state;
	draw("alpha", 1);
	sign();
	body = announcement("alpha");
	body->data[0] = 0xA0 + 7;
	put_bytes(body, "data", package, 64);
	put_uint(body, "crc", crc_of(0, package, 64));
	well(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, body);
	assert_int_equal(number("off"), 64);
}

static void test_upload_is_refused_before_it_begins(void **state)
{
	const char *const names[] = {"gamma", "", "0123456789012345678901234567890123456789"};
	uint32_t before = erases;
	struct body *body;

	(void)state;
	draw("alpha", 1);
	sign();
	refused(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, announcement("beta"), RNV_EFORMAT);
	for (int i = 0; i < 3; i++) {
		refused(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, announcement(names[i]), RNV_ENOENT);
	}
	body = announcement("alpha");
	body->data[0] = 0xA0 + 6;
	put_uint(body, "enc", 9);
	refused(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, body, RNV_EINVAL);
	for (uint32_t more = 0; more < 2; more++) { /* hash and header of a byte less or more */
		body = of_model("alpha", 4);
		put_uint(body, "off", 0);
		put_uint(body, "len", sizeof(image));
		put_bytes(body, "sha", package, 32);
		put_bytes(body, "hdr", package, 127 + 2 * more);
		refused(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, body, RNV_EINVAL);
		body = of_model("alpha", 4);
		put_uint(body, "off", 0);
		put_uint(body, "len", sizeof(image));
		put_bytes(body, "sha", package, 31 + 2 * more);
		put_bytes(body, "hdr", package, 128);
		refused(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, body, RNV_EINVAL);
	}
	image.header.isa = RNV_ISA_DSP;
	sign();
	refused(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, announcement("alpha"), RNV_ENOTSUP);
	body = announcement("alpha");
	body->data[0] = 0xA0 + 6;
	put_bool(body, "slow", 0);
	refused(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, body, RNV_ENOTSUP);
	assert_int_equal(erases, before);
	body = announcement("alpha");
	body->data[0] = 0xA0 + 6;
	put_bool(body, "slow", 1);
	well(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, body);
}

static struct body *run_piece(uint32_t at, uint32_t bytes, uint32_t more)
{
	struct body *body = of_model("alpha", 4 + more);

	put_uint(body, "off", at);
	put_uint(body, "len", X_BYTES);
	put_uint(body, "entry", 0);
	put_bytes(body, "data", input + at, bytes);
	return body;
}

static void read_run(uint32_t at)
{
	struct body *body = map(1);

	put_uint(body, "off", at);
	well(RNV_SMP_READ, RNV_SMP_CMD_RUN, body);
}

static void test_run_in_pieces(void **state)
{
	int8_t y[Y_BYTES];
	uint32_t bytes;

	(void)state;
	refused(RNV_SMP_WRITE, RNV_SMP_CMD_RUN, run_piece(0, 4, 0), RNV_ENOENT);
	update_to(ALPHA, 5, 1);
	read_run(0);
	assert_int_equal(number("state"), RNV_SERVER_NONE);
	refused(RNV_SMP_WRITE, RNV_SMP_CMD_RUN, run_piece(4, 4, 0), RNV_ESTATE);
	well(RNV_SMP_WRITE, RNV_SMP_CMD_RUN, run_piece(0, 4, 0));
	assert_int_equal(number("off"), 4);
	assert_null(look(reply, "job"));
	read_run(0);
	assert_int_equal(number("state"), RNV_SERVER_FILLING);
	well(RNV_SMP_WRITE, RNV_SMP_CMD_RUN, run_piece(4, X_BYTES - 4, 0));
	assert_int_equal(number("off"), X_BYTES);
	assert_true(number("job") != RNV_NO_HANDLE);
	read_run(0);
	assert_int_equal(number("state"), RNV_SERVER_RUNNING);
	assert_null(look(reply, "data"));
	now_us += 1234;
	rnv_sched_run(&sched);
	expect(input, 5, y);
	for (uint32_t at = 0; at <= Y_BYTES; at++) {
		read_run(at);
		assert_int_equal(number("state"), RNV_SERVER_DONE);
		assert_int_equal(number("status"), RNV_OK);
		assert_int_equal(number("us"), 1234);
		assert_int_equal(number("len"), Y_BYTES);
		assert_int_equal(number("off"), at);
		assert_int_equal(number("crc"), model_of(ALPHA).slots[0].crc);
		assert_memory_equal(look(reply, "package"), "\x9F\x00\x05\x00\xFF", 5);
		assert_memory_equal(string("data", 2, &bytes), y + at, Y_BYTES - at);
		assert_int_equal(bytes, Y_BYTES - at);
	}
	read_run(0xFFFFFFFF);
	(void)string("data", 2, &bytes);
	assert_int_equal(bytes, 0);
}

static void test_run_options(void **state)
{
	struct body *body;

	(void)state;
	update_to(ALPHA, 1, 1);
	body = run_piece(0, X_BYTES, 1);
	put_uint(body, "lane", 1); /* it is bound to 0 */
	refused(RNV_SMP_WRITE, RNV_SMP_CMD_RUN, body, RNV_ESTATE);
	body = run_piece(0, X_BYTES, 3);
	put_uint(body, "lane", 0);
	put_uint(body, "deadline_us", 1000);
	put_bool(body, "reset", 1);
	well(RNV_SMP_WRITE, RNV_SMP_CMD_RUN, body);
	now_us += 2000;
	rnv_sched_run(&sched);
	read_run(0);
	assert_int_equal(number("status"), RNV_OK);
	assert_true(truth("missed"));
	body = run_piece(0, X_BYTES, 1);
	put_raw(body,
		"\x6B"
		"deadline_us\x1B\0\0\1\0\0\0\0\0",
		21); /* 2^40 */
	well(RNV_SMP_WRITE, RNV_SMP_CMD_RUN, body);
	rnv_sched_run(&sched);
	read_run(0);
	assert_false(truth("missed"));
	body = of_model("alpha", 3);
	put_uint(body, "off", 0);
	put_uint(body, "len", X_BYTES + 1);
	put_bytes(body, "data", input, X_BYTES);
	refused(RNV_SMP_WRITE, RNV_SMP_CMD_RUN, body, RNV_EINVAL);
}

static void test_lanes(void **state)
{
	struct rnv_lane_stats stats;
	struct body *body;

	(void)state;
	update_to(ALPHA, 1, 1);
	assert_runs(ALPHA, 1);
	for (uint32_t lane = 0; lane < LANES; lane++) {
		body = map(1);
		put_uint(body, "i", lane);
		well(RNV_SMP_READ, RNV_SMP_CMD_LANE, body);
		assert_int_equal(rnv_lane_stats_get(&sched, lane, &stats), RNV_OK);
		assert_int_equal(number("lanes"), LANES);
		assert_text("n", lane_names[lane]);
		assert_int_equal(number("submitted"), stats.submitted);
		assert_int_equal(number("completed"), stats.completed);
		assert_int_equal(number("arena_bytes"), LANE_BYTES);
		assert_int_equal(number("arena_high_water"), stats.arena_high_water);
		assert_int_equal(number("longest_queued_us"), stats.longest_queued_us);
	}
	body = map(1);
	put_uint(body, "i", LANES);
	refused(RNV_SMP_READ, RNV_SMP_CMD_LANE, body, RNV_ENOENT);
	smp.lane_count = 1; /* the other one has no name */
	body = map(1);
	put_uint(body, "i", 1);
	refused(RNV_SMP_READ, RNV_SMP_CMD_LANE, body, RNV_ENOENT);
}

static void test_profile(void **state)
{
	const struct rnv_prof_target target = {.steps = prof_steps, .step_count = 3};
	uint8_t expected[BODY_BYTES];
	uint8_t dump[BODY_BYTES];
	uint32_t length = 0;
	uint32_t bytes;
	struct body *body;
	int all;

	(void)state;
	body = map(1);
	put_bool(body, "on", 1);
	well(RNV_SMP_WRITE, RNV_SMP_CMD_PROFILE, body);
	refused(RNV_SMP_READ, RNV_SMP_CMD_PROFILE, map(0), RNV_ESTATE);
	body = map(1);
	put_bool(body, "on", 0);
	well(RNV_SMP_WRITE, RNV_SMP_CMD_PROFILE, body);
	refused(RNV_SMP_WRITE, RNV_SMP_CMD_PROFILE, map(0), RNV_EINVAL);
	assert_int_equal(rnv_prof_watch(&prof, 1, &target), RNV_OK);
	all = rnv_prof_dump(&prof, 0, expected, sizeof(expected));
	assert_true(all > 0 && (uint32_t)all < sizeof(expected));
	do { /* in replies of 200 bytes */
		const uint8_t *data;

		body = map(1);
		put_uint(body, "off", length);
		assert_int_equal(
			call_raw(RNV_SMP_READ, RNV_SMP_CMD_PROFILE, body->data, body->bytes, 200),
			RNV_SMP_EOK);
		assert_int_equal(number("len"), all);
		assert_int_equal(number("off"), length);
		data = string("data", 2, &bytes);
		assert_true(bytes > 100 || length + bytes == (uint32_t)all);
		memcpy(dump + length, data, bytes);
		length += bytes;
	} while (length < (uint32_t)all);
	assert_memory_equal(dump, expected, length);
	smp.prof = NULL;
	refused(RNV_SMP_READ, RNV_SMP_CMD_PROFILE, map(0), RNV_ENOTSUP);
	body = map(1);
	put_bool(body, "on", 1);
	refused(RNV_SMP_WRITE, RNV_SMP_CMD_PROFILE, body, RNV_ENOTSUP);
}

static void test_selftest(void **state)
{
	(void)state;
	refused(RNV_SMP_WRITE, RNV_SMP_CMD_SELFTEST, of_model("alpha", 0), RNV_ENOENT);
	update_to(ALPHA, 1, 1);
	well(RNV_SMP_READ, RNV_SMP_CMD_SELFTEST, map(0));
	assert_int_equal(number("state"), RNV_SERVER_NONE);
	well(RNV_SMP_WRITE, RNV_SMP_CMD_SELFTEST, of_model("alpha", 0));
	well(RNV_SMP_READ, RNV_SMP_CMD_SELFTEST, map(0));
	assert_int_equal(number("state"), RNV_SERVER_RUNNING);
	refused(RNV_SMP_WRITE, RNV_SMP_CMD_SELFTEST, of_model("alpha", 0), RNV_EBUSY);
	work();
	well(RNV_SMP_READ, RNV_SMP_CMD_SELFTEST, map(0));
	assert_int_equal(number("state"), RNV_SERVER_DONE);
	assert_int_equal(number("status"), RNV_OK);
}

static void test_revoke(void **state)
{
	struct body *body = map(1);

	(void)state;
	put_uint(body, "key", 0);
	refused(RNV_SMP_WRITE, RNV_SMP_CMD_REVOKE, body, RNV_EINVAL);
	refused(RNV_SMP_WRITE, RNV_SMP_CMD_REVOKE, map(0), RNV_EINVAL);
	body = map(1);
	put_uint(body, "key", 0xFEDCBA98);
	refused(RNV_SMP_WRITE, RNV_SMP_CMD_REVOKE, body, RNV_ENOENT);
	body = map(1);
	put_uint(body, "key", keys[1].id);
	well(RNV_SMP_WRITE, RNV_SMP_CMD_REVOKE, body);
	well(RNV_SMP_READ, RNV_SMP_CMD_INFO, map(0));
	assert_memory_equal(look(reply, "revoked"), "\x9F\x19\x22\x22\xFF", 5);
}

static void test_steps(void **state)
{
	static const uint16_t codes[] = {1, 10, 3}; /* of ops.txt */
	struct body *body;

	(void)state;
	refused(RNV_SMP_READ, RNV_SMP_CMD_STEPS, of_model("alpha", 0), RNV_ENOENT);
	update_to(ALPHA, 1, 1);
	for (uint32_t first = 0; first < 5; first++) {
		const uint8_t *at;

		body = of_model("alpha", 1);
		put_uint(body, "i", first);
		well(RNV_SMP_READ, RNV_SMP_CMD_STEPS, body);
		assert_int_equal(number("count"), 3);
		assert_int_equal(number("i"), first);
		at = look(reply, "ops");
		assert_int_equal(*at++, 0x9F);
		for (uint32_t i = first; i < 3; i++, at = item_end(at)) {
			assert_int_equal(number_at(at), codes[i]);
		}
		assert_int_equal(*at, 0xFF);
	}
}

/* Operations and ids that the group does not have. */
static void test_no_such_command(void **state)
{
	static const uint32_t both =
		1u << RNV_SMP_CMD_RUN | 1u << RNV_SMP_CMD_PROFILE | 1u << RNV_SMP_CMD_SELFTEST;
	static const uint32_t reads = 1u << RNV_SMP_CMD_INFO | 1u << RNV_SMP_CMD_MODEL |
				      1u << RNV_SMP_CMD_UPDATE | 1u << RNV_SMP_CMD_LANE |
				      1u << RNV_SMP_CMD_STEPS;
	const uint8_t empty = 0xA0;

	(void)state;
	for (uint32_t id = 0; id < 300; id++) {
		for (uint32_t op = 0; op < 8; op++) {
			uint32_t mask = op == RNV_SMP_READ    ? reads | both
					: op == RNV_SMP_WRITE ? ~reads
							      : 0;
			int there = id < RNV_SMP_COMMANDS && (mask >> id & 1) != 0;

			assert_int_equal(call_raw(op, id, &empty, 1, BODY_BYTES),
					 there ? RNV_SMP_EOK : RNV_SMP_ENOTSUP);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_info, begin_smp),
		cmocka_unit_test_setup(test_model_of_each_place, begin_smp),
		cmocka_unit_test_setup(test_update_trial_confirm, begin_smp),
		cmocka_unit_test_setup(test_rollback_and_erase, begin_smp),
		cmocka_unit_test_setup(test_upload_chunks_twice_late_and_damaged, begin_smp),
		cmocka_unit_test_setup(test_upload_begins_with_data, begin_smp),
		cmocka_unit_test_setup(test_upload_is_refused_before_it_begins, begin_smp),
		cmocka_unit_test_setup(test_run_in_pieces, begin_smp),
		cmocka_unit_test_setup(test_run_options, begin_smp),
		cmocka_unit_test_setup(test_lanes, begin_smp),
		cmocka_unit_test_setup(test_profile, begin_smp),
		cmocka_unit_test_setup(test_selftest, begin_smp),
		cmocka_unit_test_setup(test_revoke, begin_smp),
		cmocka_unit_test_setup(test_steps, begin_smp),
		cmocka_unit_test_setup(test_no_such_command, begin_smp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
