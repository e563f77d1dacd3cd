/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Models are loaded, exchanged and gone back from. */

#include "server_fixture.h"

#include "virtual_port.h"

static void test_init(void **state)
{
	struct rnv_server_config wrong = server_config;
	struct rnv_server made;

	(void)state;
	assert_int_equal(rnv_server_init(&made, NULL), RNV_EINVAL);
	assert_int_equal(rnv_server_init(NULL, &wrong), RNV_EINVAL);
	wrong.model_count = 1;
	assert_int_equal(rnv_server_init(&made, &wrong), RNV_EINVAL);
	wrong.model_count = 3;
	assert_int_equal(rnv_server_init(&made, &wrong), RNV_EINVAL);
	wrong = server_config;
	wrong.drain_us = 0;
	assert_int_equal(rnv_server_init(&made, &wrong), RNV_EINVAL);
	wrong = server_config;
	wrong.io = io + 8;
	assert_int_equal(rnv_server_init(&made, &wrong), RNV_EALIGN);
	places[1].state = memory[1] + 4;
	assert_int_equal(rnv_server_init(&made, &server_config), RNV_EALIGN);
	places[1].state = NULL;
	places[1].lanes = 4;
	assert_int_equal(rnv_server_init(&made, &server_config), RNV_EINVAL);
	places[1].lanes = 0;
	assert_int_equal(rnv_server_init(&made, &server_config), RNV_EINVAL);
	places[1].lanes = 3;
	assert_int_equal(rnv_server_init(&made, &server_config), RNV_OK);
}

static void test_from_nothing(void **state)
{
	(void)state;
	assert_runs(ALPHA, -1);
	assert_int_equal(model_of(ALPHA).error, RNV_ENOENT);
	assert_int_equal(rnv_server_poll(&server), 500000);
	update_to(ALPHA, 1, 1);
	assert_runs(ALPHA, 1);
	assert_runs(BETA, -1);
	assert_int_equal(model_of(ALPHA).error, RNV_OK);
	assert_int_equal(model_of(ALPHA).lanes, 1);
	assert_true(wakes > 0);
	assert_int_equal(sessions, 1);
	assert_int_equal(restart(), 1);
	assert_runs(ALPHA, 1);
	drop_run(&now_us);
	update_to(BETA, 5, 1);
	assert_runs(BETA, 5);
	assert_runs(ALPHA, 1);
	assert_int_equal(restart(), 2);
}

static void test_trial_and_confirm(void **state)
{
	uint32_t handle;

	(void)state;
	update_to(ALPHA, 1, 1);
	handle = rnv_server_handle(&server, ALPHA);
	assert_int_equal(rnv_server_confirm(&server, ALPHA), RNV_ESTATE);
	assert_int_equal(rnv_server_confirm(&server, MODELS), RNV_ENOENT);
	draw("alpha", 2);
	image.header.security_version = 7;
	sign();
	send_image(ALPHA);
	work();
	assert_runs(ALPHA, 1);
	assert_int_equal(rnv_server_activate(&server, ALPHA, 0), RNV_OK);
	assert_int_equal(rnv_server_confirm(&server, ALPHA), RNV_ESTATE); /* it does not run */
	drop_run(&now_us);
	work();
	assert_int_not_equal(rnv_server_handle(&server, ALPHA), handle);
	assert_runs(ALPHA, 2);
	assert_int_equal(model_of(ALPHA).store.trial, RNV_TRIAL_TRYING);
	assert_int_equal(model_of(ALPHA).store.tries, 1);
	assert_int_equal(model_of(ALPHA).store.floor, 1);
	assert_int_equal(rnv_server_confirm(&server, ALPHA), RNV_OK);
	assert_int_equal(model_of(ALPHA).store.floor, 7);
	assert_int_equal(rnv_server_confirm(&server, ALPHA), RNV_ESTATE);
	assert_int_equal(restart(), 1);
	assert_runs(ALPHA, 2);
}

static void test_trial_without_confirm(void **state)
{
	(void)state;
	update_to(ALPHA, 1, 1);
	update_to(ALPHA, 2, 0);
	assert_runs(ALPHA, 2);
	for (uint32_t tries = 2; tries <= config.trial_boots; tries++) {
		assert_int_equal(restart(), 1);
		assert_runs(ALPHA, 2);
		assert_int_equal(model_of(ALPHA).store.tries, tries);
	}
	assert_int_equal(restart(), 1);
	assert_runs(ALPHA, 1);
	assert_int_equal(model_of(ALPHA).slots[1].state, RNV_SLOT_REJECTED);
	assert_int_equal(model_of(ALPHA).error, RNV_OK);
}

static void test_rollback_of_a_trial(void **state)
{
	(void)state;
	update_to(ALPHA, 1, 1);
	update_to(ALPHA, 2, 0);
	assert_int_equal(rnv_server_rollback(&server, ALPHA), RNV_OK);
	assert_runs(ALPHA, 2); /* still */
	drop_run(&now_us);
	work();
	assert_runs(ALPHA, 1);
	assert_int_equal(rnv_server_confirm(&server, ALPHA), RNV_ESTATE);
}

static void test_rollback_to_the_one_before(void **state)
{
	(void)state;
	update_to(ALPHA, 1, 1);
	update_to(ALPHA, 2, 1);
	assert_runs(ALPHA, 2);
	drop_run(&now_us);
	assert_int_equal(rnv_server_rollback(&server, ALPHA), RNV_EAGAIN);
	work();
	assert_runs(ALPHA, 1);
}

/* Case 30: the one that is loaded rots: the other one is. Then none is, and updates are taken. */
static void test_rot(void **state)
{
	(void)state;
	update_to(ALPHA, 1, 1);
	update_to(ALPHA, 2, 1);
	cells[slot_at(ALPHA, 1) + 900] ^= 1;
	assert_int_equal(restart(), 1);
	assert_runs(ALPHA, 1);
	assert_int_equal(model_of(ALPHA).slots[1].state, RNV_SLOT_BAD);
	assert_int_equal(model_of(ALPHA).error, RNV_EBADMSG);
	break_reads(0, READ_BAD, slot_at(ALPHA, 0) + 64, 16);
	assert_int_equal(restart(), 0);
	assert_runs(ALPHA, -1);
	assert_int_equal(model_of(ALPHA).slots[0].state, RNV_SLOT_BAD);
	update_to(ALPHA, 3, 1);
	assert_runs(ALPHA, 3);
}

/* A new firmware has less memory: what does not fit is not loaded; a trial has failed. */
static void test_does_not_fit_any_more(void **state)
{
	(void)state;
	update_to(ALPHA, 1, 1);
	draw("alpha", 2);
	image.header.arena_bytes = 64;
	sign();
	send_image(ALPHA);
	work();
	assert_int_equal(rnv_server_activate(&server, ALPHA, 0), RNV_OK);
	lane_bytes = 32;
	assert_int_equal(restart(), 1);
	assert_runs(ALPHA, 1);
	assert_int_equal(model_of(ALPHA).slots[1].state, RNV_SLOT_REJECTED);
	assert_int_equal(model_of(ALPHA).error, RNV_ENOMEM);
	assert_int_equal(model_of(ALPHA).diag.value, 64);
}

/* Nothing is known of the package: it is not marked bad. */
static void test_crypto_fails_at_boot(void **state)
{
	(void)state;
	update_to(ALPHA, 1, 1);
	reset();
	start_server();
	crypto_status = RNV_EIO;
	assert_int_equal(rnv_server_boot(&server), 0);
	assert_int_equal(model_of(ALPHA).error, RNV_EIO);
	assert_int_equal(model_of(ALPHA).slots[0].state, RNV_SLOT_GOOD);
	crypto_status = RNV_OK;
	assert_int_equal(restart(), 1);
}

/* What is queued runs, on the old one, before it is exchanged. */
static void test_jobs_run_before_an_exchange(void **state)
{
	struct rnv_job_result result;
	int8_t expected[Y_BYTES];
	int8_t y[Y_BYTES];
	uint32_t old;
	uint32_t job;

	(void)state;
	update_to(ALPHA, 1, 1);
	upload(ALPHA, 2);
	assert_int_equal(rnv_server_activate(&server, ALPHA, 0), RNV_OK);
	old = rnv_server_handle(&server, ALPHA);
	job = submit_to(ALPHA, y);
	lanes_run = 0;
	for (int i = 0; i < 50; i++) {
		poll_once();
	}
	assert_int_equal(rnv_server_handle(&server, ALPHA), old);
	assert_int_equal(model_of(ALPHA).changing, 1);
	assert_int_equal(model_of(ALPHA).jobs, 1);
	rnv_sched_run(&sched);
	assert_int_equal(rnv_job_collect(&sched, job, &result), RNV_OK);
	assert_int_equal(result.status, RNV_OK);
	expect(input, 1, expected);
	assert_memory_equal(y, expected, Y_BYTES);
	work();
	assert_int_equal(model_of(ALPHA).changing, 0);
	assert_runs(ALPHA, 2);
}

/* Jobs that do not run in time are cancelled. */
static void test_jobs_are_cancelled_in_the_end(void **state)
{
	struct rnv_job_result result;
	int8_t y[Y_BYTES];
	uint32_t job;

	(void)state;
	update_to(ALPHA, 1, 1);
	upload(ALPHA, 2);
	assert_int_equal(rnv_server_activate(&server, ALPHA, 0), RNV_OK);
	job = submit_to(ALPHA, y);
	lanes_run = 0;
	for (int i = 0; i < 50; i++) {
		poll_once();
	}
	assert_int_equal(rnv_job_collect(&sched, job, &result), RNV_EAGAIN);
	now_us += DRAIN_US;
	work();
	assert_int_equal(rnv_job_collect(&sched, job, &result), RNV_OK);
	assert_int_equal(result.status, RNV_ECANCELED);
	assert_runs(ALPHA, 2);
}

/* A lane that stays claimed: the old one goes on, and the exchange is made later. */
static void test_a_claimed_lane_keeps_the_old_one(void **state)
{
	(void)state;
	update_to(ALPHA, 1, 1);
	upload(ALPHA, 2);
	assert_int_equal(rnv_lane_claim(&sched, 0, rnv_server_handle(&server, ALPHA)), RNV_OK);
	assert_int_equal(rnv_server_activate(&server, ALPHA, 0), RNV_OK);
	for (int i = 0; i < 50; i++) {
		poll_once();
	}
	now_us += 2 * DRAIN_US;
	work();
	assert_int_equal(model_of(ALPHA).error, RNV_EBUSY);
	assert_int_equal(model_of(ALPHA).running, 0);
	assert_int_equal(model_of(ALPHA).store.views[1], 0);
	assert_int_equal(rnv_lane_release(&sched, 0), RNV_OK);
	assert_runs(ALPHA, 1); /* takes jobs */
	assert_int_equal(rnv_server_confirm(&server, ALPHA), RNV_ESTATE);
	drop_run(&now_us);
	assert_int_equal(rnv_server_activate(&server, ALPHA, 0), RNV_EAGAIN);
	work();
	assert_runs(ALPHA, 2);
	assert_int_equal(model_of(ALPHA).error, RNV_OK);
}

/* The application has closed the model: the next one is opened. */
static void test_closed_by_others(void **state)
{
	(void)state;
	update_to(ALPHA, 1, 1);
	assert_int_equal(rnv_model_close(&sched, rnv_server_handle(&server, ALPHA)), RNV_OK);
	update_to(ALPHA, 2, 0);
	assert_runs(ALPHA, 2);
	assert_int_equal(model_of(ALPHA).store.views[0], 0);
}

/* The old one's slot can be filled once it is not loaded any more. */
static void test_views_move(void **state)
{
	uint32_t offset;

	(void)state;
	update_to(ALPHA, 1, 1);
	assert_int_equal(model_of(ALPHA).store.views[0], 1);
	assert_int_equal(rnv_server_erase(&server, ALPHA, 0), RNV_ESTATE);
	upload(ALPHA, 2);
	lanes_run = 0;
	assert_int_equal(rnv_lane_claim(&sched, 0, rnv_server_handle(&server, ALPHA)), RNV_OK);
	assert_int_equal(rnv_server_activate(&server, ALPHA, 1), RNV_OK);
	for (int i = 0; i < 50; i++) {
		poll_once();
	}
	draw("alpha", 3);
	sign();
	assert_int_equal(announce(ALPHA, &offset), RNV_EBUSY); /* what runs is held */
	assert_int_equal(rnv_server_erase(&server, ALPHA, 0), RNV_EBUSY);
	assert_int_equal(rnv_lane_release(&sched, 0), RNV_OK);
	work();
	assert_int_equal(model_of(ALPHA).store.views[0], 0);
	assert_int_equal(model_of(ALPHA).store.views[1], 1);
	assert_int_equal(announce(ALPHA, &offset), RNV_OK);
	assert_int_equal(rnv_server_abort(&server), RNV_OK);
}

/* Version k, long enough to be verified in many pieces, is sent. */
static void send_long(uint32_t model, int k, uint32_t more)
{
	draw(layout[model].name, k);
	sign_long(more);
	send_image(model);
}

/* There is one hash: an upload is not verified while a model that is to be loaded is. */
static void test_no_upload_is_verified_with_a_load(void **state)
{
	(void)state;
	update_to(ALPHA, 1, 1);
	for (int k = 2; k < 10; k++) {
		send_long(ALPHA, k, 8000);
		work();
		assert_int_equal(rnv_server_activate(&server, ALPHA, 1), RNV_OK);
		for (int polls = 2; polls < k; polls++) {
			poll_once();
		}
		send_long(BETA, k, 2000);
		work();
		assert_int_equal(update().phase, RNV_OTA_READY);
		assert_int_equal(model_of(ALPHA).error, RNV_OK);
		assert_runs(ALPHA, k);
		drop_run(&now_us);
	}
}

/* Nor the other way round: beta is to be loaded when alpha's lane is free. */
static void test_no_load_is_verified_with_an_upload(void **state)
{
	(void)state;
	for (int polls = 0; polls < 8; polls++) {
		(void)begin_server(state);
		update_to(ALPHA, 1, 1);
		upload(ALPHA, 2);
		assert_int_equal(rnv_lane_claim(&sched, 0, rnv_server_handle(&server, ALPHA)),
				 RNV_OK);
		assert_int_equal(rnv_server_activate(&server, ALPHA, 1), RNV_OK);
		send_long(BETA, 3, 0);
		for (int i = 0; i < 50; i++) { /* it is never idle: alpha waits */
			poll_once();
		}
		assert_int_equal(rnv_server_activate(&server, BETA, 1), RNV_OK);
		send_long(BETA, 4, 2000);
		for (int i = 0; i < polls; i++) {
			poll_once();
		}
		assert_int_equal(rnv_lane_release(&sched, 0), RNV_OK);
		work();
		assert_int_equal(update().phase, RNV_OTA_READY);
		assert_runs(ALPHA, 2);
		assert_runs(BETA, 3);
	}
}

/* The one that is chosen runs already: it goes on, undisturbed. */
static void test_nothing_to_exchange(void **state)
{
	uint32_t handle;

	(void)state;
	update_to(ALPHA, 1, 1);
	handle = rnv_server_handle(&server, ALPHA);
	upload(ALPHA, 2);
	assert_int_equal(rnv_server_activate(&server, ALPHA, 0), RNV_OK);
	assert_int_equal(rnv_server_rollback(&server, ALPHA), RNV_OK);
	work();
	assert_int_equal(rnv_server_handle(&server, ALPHA), handle);
	assert_runs(ALPHA, 1);
}

/* What rots before its trial is bad: it is not tried again. */
static void test_rot_before_the_trial(void **state)
{
	(void)state;
	update_to(ALPHA, 1, 1);
	upload(ALPHA, 2);
	assert_int_equal(rnv_server_activate(&server, ALPHA, 0), RNV_OK);
	cells[slot_at(ALPHA, 1) + 900] ^= 1;
	work();
	assert_runs(ALPHA, 1);
	assert_int_equal(model_of(ALPHA).slots[1].state, RNV_SLOT_BAD);
	assert_int_equal(model_of(ALPHA).store.trial, RNV_TRIAL_NONE);
	assert_int_equal(model_of(ALPHA).error, RNV_EBADMSG);
}

static void test_state_is_kept_where_it_can(void **state)
{
	(void)state;
	for (int k = 1; k <= 3; k++) {
		draw("alpha", k);
		if (k < 3) {
			draw_state();
		}
		sign();
		send_image(ALPHA);
		work();
		assert_int_equal(update().phase, RNV_OTA_READY);
		assert_int_equal(rnv_server_activate(&server, ALPHA, 1), RNV_OK);
		work();
		assert_int_equal(model_of(ALPHA).kept, k == 2);
		assert_runs(ALPHA, k);
		drop_run(&now_us);
	}
}

static struct rnv_store_info seen;

static int open_hook(void *context, const struct rnv_model_config *c, uint32_t *model,
		     struct rnv_diag *diag)
{
	assert_ptr_equal(context, &server);
	assert_int_equal(rnv_store_info_get(&store, ALPHA, &seen), RNV_OK);
	return rnv_model_open(&sched, c, model, diag);
}

static int swap_hook(void *context, const struct rnv_model_config *c, uint32_t *model,
		     uint32_t *kept, struct rnv_diag *diag)
{
	assert_ptr_equal(context, &server);
	assert_int_equal(rnv_store_info_get(&store, ALPHA, &seen), RNV_OK);
	return rnv_model_swap(&sched, c, model, kept, diag);
}

/* A trial is counted before it is tried; a port may have functions of its own. */
static void test_hooks(void **state)
{
	(void)state;
	server_config.open = open_hook;
	server_config.swap = swap_hook;
	assert_int_equal(rnv_server_init(&server, &server_config), RNV_OK);
	assert_int_equal(rnv_server_boot(&server), 0);
	update_to(ALPHA, 1, 0);
	assert_int_equal(seen.tries, 1);
	assert_int_equal(rnv_server_confirm(&server, ALPHA), RNV_OK);
	memset(&seen, 0, sizeof(seen));
	update_to(ALPHA, 2, 0);
	assert_int_equal(seen.tries, 1);
	assert_int_equal(seen.trial, RNV_TRIAL_TRYING);
	assert_runs(ALPHA, 2);
}

static void test_what_is_told(void **state)
{
	struct rnv_server_info info;
	struct rnv_server_model_info model;
	uint16_t codes[4] = {0};
	uint32_t count = 9;

	(void)state;
	rnv_server_info_get(&server, &info);
	assert_int_equal(info.model_count, MODELS);
	assert_int_equal(info.key_count, 2);
	assert_ptr_equal(info.keys, keys);
	assert_int_equal(info.io_bytes, IO_BYTES);
	assert_int_equal(info.unsigned_allowed, 0);
	assert_int_equal(rnv_server_find(&server, "beta", 4), BETA);
	assert_int_equal(rnv_server_find(&server, "beta!", 4), BETA);
	assert_int_equal(rnv_server_find(&server, "bet", 3), RNV_ENOENT);
	assert_int_equal(rnv_server_find(&server, "beta456789012345678901234567890123", 34),
			 RNV_ENOENT);
	assert_int_equal(rnv_server_model_get(&server, MODELS, &model), RNV_ENOENT);
	update_to(ALPHA, 1, 1);
	upload(ALPHA, 2);
	model = model_of(ALPHA);
	assert_int_equal(model.running, 0);
	assert_int_equal(model.slots[1].state, RNV_SLOT_GOOD);
	assert_int_equal(model.slots[1].bytes, sizeof(image));
	assert_int_equal(model.slots[1].version[1], 2);
	assert_int_equal(model.slots[1].security_version, 1);
	assert_int_equal(model.slots[1].key, keys[0].id);
	assert_int_equal(model.slots[1].crc, crc_of(0, package, sizeof(image) - 4));
	assert_int_equal(model.slots[1].fills, 1);
	assert_int_equal(rnv_server_steps_get(&server, BETA, 0, codes, 4, &count), RNV_ENOENT);
	assert_int_equal(count, 0);
	assert_int_equal(rnv_server_steps_get(&server, ALPHA, 1, codes, 4, &count), OP_COUNT);
	assert_int_equal(count, 2);
	assert_int_equal(codes[0], 10);
	assert_int_equal(codes[1], 3);
	assert_int_equal(rnv_server_steps_get(&server, ALPHA, 0, codes, 1, &count), OP_COUNT);
	assert_int_equal(count, 1);
	assert_int_equal(codes[0], 1);
	assert_int_equal(rnv_server_revoke(&server, keys[0].id), RNV_OK);
	assert_runs(ALPHA, 1); /* until the next boot */
	assert_int_equal(restart(), 0);
}

#define TEST(name) cmocka_unit_test_setup(name, begin_server)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_init),
		TEST(test_from_nothing),
		TEST(test_trial_and_confirm),
		TEST(test_trial_without_confirm),
		TEST(test_rollback_of_a_trial),
		TEST(test_rollback_to_the_one_before),
		TEST(test_rot),
		TEST(test_does_not_fit_any_more),
		TEST(test_crypto_fails_at_boot),
		TEST(test_jobs_run_before_an_exchange),
		TEST(test_jobs_are_cancelled_in_the_end),
		TEST(test_a_claimed_lane_keeps_the_old_one),
		TEST(test_closed_by_others),
		TEST(test_views_move),
		TEST(test_no_upload_is_verified_with_a_load),
		TEST(test_no_load_is_verified_with_an_upload),
		TEST(test_nothing_to_exchange),
		TEST(test_rot_before_the_trial),
		TEST(test_state_is_kept_where_it_can),
		TEST(test_hooks),
		TEST(test_what_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
