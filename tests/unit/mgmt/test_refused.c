/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What may not be loaded, or not any more: none runs, or the other one; nothing is bad for it. */

#include "server_fixture.h"

#include "virtual_port.h"

/* The first one ever fails its trial: none runs, and the next update is taken at once. */
static void test_rollback_of_the_first_one(void **state)
{
	(void)state;
	update_to(ALPHA, 1, 0);
	assert_runs(ALPHA, 1);
	drop_run(&now_us);
	assert_int_equal(rnv_server_rollback(&server, ALPHA), RNV_OK);
	work();
	assert_runs(ALPHA, -1);
	assert_int_equal(model_of(ALPHA).error, RNV_ENOENT);
	assert_int_equal(model_of(ALPHA).changing, 0);
	assert_int_equal(model_of(ALPHA).store.views[0], 0);
	assert_int_equal(model_of(ALPHA).slots[0].state, RNV_SLOT_REJECTED);
	for (int k = 2; k < 6; k++) { /* into either slot */
		update_to(ALPHA, k, 0);
		assert_runs(ALPHA, k);
		drop_run(&now_us);
		assert_int_equal(rnv_server_rollback(&server, ALPHA), RNV_OK);
		work();
		assert_runs(ALPHA, -1);
	}
	update_to(ALPHA, 7, 1);
	assert_runs(ALPHA, 7);
	assert_int_equal(model_of(ALPHA).error, RNV_OK);
}

/* Its jobs end first; a claimed lane keeps it, but not the other slot from updates. */
static void test_rollback_of_the_first_one_waits(void **state)
{
	struct rnv_job_result result;
	int8_t y[Y_BYTES];
	uint32_t job;

	(void)state;
	update_to(ALPHA, 1, 0);
	job = submit_to(ALPHA, y);
	lanes_run = 0;
	assert_int_equal(rnv_server_rollback(&server, ALPHA), RNV_OK);
	for (int i = 0; i < 50; i++) {
		poll_once();
	}
	assert_int_equal(model_of(ALPHA).changing, 1);
	rnv_sched_run(&sched);
	assert_int_equal(rnv_job_collect(&sched, job, &result), RNV_OK);
	assert_int_equal(result.status, RNV_OK);
	work();
	assert_runs(ALPHA, -1);
	lanes_run = 1;
	update_to(ALPHA, 2, 0);
	assert_int_equal(rnv_lane_claim(&sched, 0, rnv_server_handle(&server, ALPHA)), RNV_OK);
	assert_int_equal(rnv_server_rollback(&server, ALPHA), RNV_OK);
	for (int i = 0; i < 50; i++) {
		poll_once();
	}
	now_us += 2 * DRAIN_US;
	work();
	assert_int_equal(model_of(ALPHA).error, RNV_EBUSY);
	assert_int_not_equal(model_of(ALPHA).running, NONE);
	assert_int_equal(rnv_lane_release(&sched, 0), RNV_OK);
	assert_runs(ALPHA, 2); /* takes jobs */
	drop_run(&now_us);
	update_to(ALPHA, 3, 1);
	assert_runs(ALPHA, 3);
}

/* The application has closed it. */
static void test_rollback_of_what_others_closed(void **state)
{
	(void)state;
	update_to(ALPHA, 1, 0);
	assert_int_equal(rnv_model_close(&sched, rnv_server_handle(&server, ALPHA)), RNV_OK);
	assert_int_equal(rnv_server_rollback(&server, ALPHA), RNV_OK);
	work();
	assert_runs(ALPHA, -1);
	assert_int_equal(model_of(ALPHA).store.views[0], 0);
	update_to(ALPHA, 2, 1);
	assert_runs(ALPHA, 2);
}

/* Version k, of a security version, signed with key 0 or 1, is good. */
static void upload_of(uint32_t k, uint32_t security_version, uint32_t key)
{
	struct package made = {.bytes = sizeof(image), .key = key + 1};

	draw("alpha", (int)k);
	image.header.security_version = security_version;
	sign();
	seal(&made);
	send_image(ALPHA);
	work();
	assert_int_equal(update().phase, RNV_OTA_READY);
}

/* A key is revoked while what it signed waits or is on trial: that cannot become confirmed. */
static void test_revoked_before_it_is_confirmed(void **state)
{
	(void)state;
	update_to(ALPHA, 1, 1);
	upload_of(2, 2, 1);
	assert_int_equal(rnv_server_revoke(&server, keys[1].id), RNV_OK);
	assert_int_equal(rnv_server_activate(&server, ALPHA, 1), RNV_EACCES);
	assert_int_equal(restart(), 1);
	assert_runs(ALPHA, 1);

	(void)begin_server(state);
	update_to(ALPHA, 1, 1);
	upload_of(2, 2, 1);
	assert_int_equal(rnv_server_activate(&server, ALPHA, 0), RNV_OK);
	work();
	assert_runs(ALPHA, 2);
	assert_int_equal(rnv_server_revoke(&server, keys[1].id), RNV_OK);
	assert_int_equal(rnv_server_confirm(&server, ALPHA), RNV_EACCES);
	assert_int_equal(model_of(ALPHA).store.floor, 1);
	assert_int_equal(restart(), 1); /* its trial has failed */
	assert_runs(ALPHA, 1);
	assert_int_equal(model_of(ALPHA).slots[1].state, RNV_SLOT_REJECTED);
	assert_int_equal(model_of(ALPHA).slots[0].state, RNV_SLOT_GOOD);
}

/* A firmware without the key: the other one runs, nothing is written, and the right one brings the
 * confirmed one back. */
static void test_a_firmware_without_the_key(void **state)
{
	(void)state;
	update_to(ALPHA, 1, 1);
	upload_of(2, 1, 1);
	assert_int_equal(rnv_server_activate(&server, ALPHA, 1), RNV_OK);
	work();
	assert_runs(ALPHA, 2);
	config.key_count = 1;
	programs = erases = 0;
	assert_int_equal(restart(), 1);
	assert_runs(ALPHA, 1);
	assert_int_equal(model_of(ALPHA).error, RNV_EACCES);
	assert_int_equal(programs + erases, 0);
	config.keys = &keys[2]; /* and one without both */
	assert_int_equal(restart(), 0);
	assert_runs(ALPHA, -1);
	assert_int_equal(programs + erases, 0);
	config.keys = keys;
	config.key_count = 2;
	assert_int_equal(restart(), 1);
	assert_runs(ALPHA, 2);
	config.key_count = 1; /* what stands in can be updated */
	assert_int_equal(restart(), 1);
	update_to(ALPHA, 3, 1);
	assert_runs(ALPHA, 3);
	assert_int_equal(restart(), 1);
	assert_runs(ALPHA, 3);
}

/* A firmware that demands more: likewise. */
static void test_a_firmware_with_a_higher_floor(void **state)
{
	(void)state;
	update_to(ALPHA, 1, 1);
	layout[ALPHA].security_version = 2;
	assert_int_equal(restart(), 0);
	assert_int_equal(model_of(ALPHA).slots[0].state, RNV_SLOT_GOOD);
	assert_int_equal(model_of(ALPHA).error, RNV_EACCES);
	upload_of(4, 2, 0); /* not over the confirmed one */
	assert_int_equal(update().slot, 1);
	layout[ALPHA].security_version = 0;
	assert_int_equal(restart(), 1);
	assert_runs(ALPHA, 1);
}

/* A flash that is busy is asked again after a while, not at once; each piece of work in turn. */
static void test_the_flash_is_busy(void **state)
{
	uint32_t refusals = 0;
	uint32_t delay_us;

	(void)state;
	update_to(ALPHA, 1, 1);
	upload(ALPHA, 2);
	refuse_at = 1;
	assert_int_equal(rnv_server_activate(&server, ALPHA, 1), RNV_EAGAIN);
	for (int i = 0; i < 3; i++) {
		refuse_at = 1;
		delay_us = rnv_server_poll(&server);
		assert_true(delay_us > 0 && delay_us < 100000);
		assert_int_equal(refuse_at, 0);
	}
	work();
	assert_runs(ALPHA, 2);
	assert_int_equal(rnv_server_erase(&server, ALPHA, 0), RNV_EAGAIN);
	do {
		uint32_t before = begins;

		refuse_at = 1;
		delay_us = rnv_server_poll(&server);
		refusals += refuse_at == 0;
		assert_true(refuse_at != 0 || (delay_us > 0 && delay_us < 100000));
		assert_int_equal(begins, before);
		refuse_at = 0;
		delay_us = rnv_server_poll(&server);
		assert_true(begins == before || delay_us == 0 || delay_us > 100000);
	} while (delay_us < 100000);
	assert_true(refusals > 1);
	assert_int_equal(update().phase, RNV_OTA_DONE);
	assert_int_equal(model_of(ALPHA).slots[0].state, RNV_SLOT_EMPTY);
}

#define TEST(name) cmocka_unit_test_setup(name, begin_server)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_rollback_of_the_first_one),
		TEST(test_rollback_of_the_first_one_waits),
		TEST(test_rollback_of_what_others_closed),
		TEST(test_revoked_before_it_is_confirmed),
		TEST(test_a_firmware_without_the_key),
		TEST(test_a_firmware_with_a_higher_floor),
		TEST(test_the_flash_is_busy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
