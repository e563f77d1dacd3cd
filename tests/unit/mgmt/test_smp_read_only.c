/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The SMP group of a build that is read-only: it tells, runs and tests, and changes nothing. */

#include "smp_fixture.h"

#include "virtual_port.h"

static int begin_loaded(void **state)
{
	(void)begin_smp(state);
	update_to(ALPHA, 1, 1);
	draw("alpha", 2);
	sign();
	return 0;
}

static void test_it_says_so(void **state)
{
	(void)state;
	well(RNV_SMP_READ, RNV_SMP_CMD_INFO, map(0));
	assert_true(truth("read_only"));
}

static void test_nothing_is_changed(void **state)
{
	static const uint32_t ids[] = {
		RNV_SMP_CMD_ACTIVATE, RNV_SMP_CMD_CONFIRM, RNV_SMP_CMD_ROLLBACK, RNV_SMP_CMD_ERASE,
		RNV_SMP_CMD_ABORT,    RNV_SMP_CMD_PROFILE, RNV_SMP_CMD_REVOKE};
	uint32_t before = programs + erases;

	(void)state;
	refused(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, announcement("alpha"), RNV_ENOTSUP);
	refused(RNV_SMP_WRITE, RNV_SMP_CMD_UPLOAD, piece(0, 20), RNV_ENOTSUP);
	for (uint32_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		struct body *body = of_model("alpha", 4);

		put_uint(body, "slot", 1);
		put_uint(body, "key", 77);
		put_bool(body, "on", 1);
		put_bool(body, "permanent", 1);
		refused(RNV_SMP_WRITE, ids[i], body, RNV_ENOTSUP);
		refused(RNV_SMP_WRITE, ids[i], map(0), RNV_ENOTSUP);
	}
	work();
	assert_int_equal(programs + erases, before);
	assert_int_equal(update().phase, RNV_OTA_DONE); /* of what begin_loaded() did */
	assert_runs(ALPHA, 1);
}

static void test_it_runs_and_tests(void **state)
{
	struct body *body = of_model("alpha", 3);
	int8_t y[Y_BYTES];
	uint32_t bytes;

	(void)state;
	put_uint(body, "off", 0);
	put_uint(body, "len", X_BYTES);
	put_bytes(body, "data", input, X_BYTES);
	well(RNV_SMP_WRITE, RNV_SMP_CMD_RUN, body);
	rnv_sched_run(&sched);
	well(RNV_SMP_READ, RNV_SMP_CMD_RUN, map(0));
	expect(input, 1, y);
	assert_memory_equal(string("data", 2, &bytes), y, Y_BYTES);
	drop_run(&now_us);
	well(RNV_SMP_WRITE, RNV_SMP_CMD_SELFTEST, of_model("alpha", 0));
	work();
	well(RNV_SMP_READ, RNV_SMP_CMD_SELFTEST, map(0));
	assert_int_equal(number("state"), RNV_SERVER_DONE);
	assert_int_equal(number("status"), RNV_OK);
}

static void test_reads_are_there(void **state)
{
	(void)state;
	well(RNV_SMP_READ, RNV_SMP_CMD_MODEL, map(0));
	assert_text("n", "alpha");
	well(RNV_SMP_READ, RNV_SMP_CMD_UPDATE, map(0));
	well(RNV_SMP_READ, RNV_SMP_CMD_LANE, map(0));
	well(RNV_SMP_READ, RNV_SMP_CMD_PROFILE, map(0));
	well(RNV_SMP_READ, RNV_SMP_CMD_STEPS, of_model("alpha", 0));
	for (uint32_t id = 0; id < 300; id++) { /* no command more or less than in other builds */
		int read = id == RNV_SMP_CMD_INFO || id == RNV_SMP_CMD_MODEL ||
			   id == RNV_SMP_CMD_UPDATE || id == RNV_SMP_CMD_LANE ||
			   id == RNV_SMP_CMD_STEPS;

		assert_int_equal(call_raw(RNV_SMP_WRITE, id, map(0)->data, 1, BODY_BYTES),
				 id < RNV_SMP_COMMANDS && !read ? RNV_SMP_EOK : RNV_SMP_ENOTSUP);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_it_says_so, begin_loaded),
		cmocka_unit_test_setup(test_nothing_is_changed, begin_loaded),
		cmocka_unit_test_setup(test_it_runs_and_tests, begin_loaded),
		cmocka_unit_test_setup(test_reads_are_there, begin_loaded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
