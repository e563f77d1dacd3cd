/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Runs for a link: inputs and outputs in pieces. */

#include "server_fixture.h"

#include "virtual_port.h"

static uint32_t offset;
static uint32_t job;

static int begin_loaded(void **state)
{
	(void)begin_server(state);
	update_to(ALPHA, 1, 1);
	lanes_run = 0;
	offset = job = 99;
	return 0;
}

static int give_of(uint32_t id, uint32_t at, uint32_t bytes)
{
	return rnv_server_run_write(&server, id, at, input + at, bytes, &offset, &job);
}

static int give(uint32_t at, uint32_t bytes)
{
	return give_of(0, at, bytes);
}

static uint32_t completed_of(uint32_t model)
{
	return model_of(model).completed;
}

static struct rnv_server_run_status status_of(void)
{
	struct rnv_server_run_status status;

	assert_int_equal(rnv_server_run_read(&server, 0, 0, NULL, 0, &status), 0);
	return status;
}

static void test_what_is_refused(void **state)
{
	struct rnv_server_run run = run_of(ALPHA);

	(void)state;
	assert_int_equal(give(0, 4), RNV_ESTATE);
	assert_int_equal(status_of().state, RNV_SERVER_NONE);
	run.model = BETA;
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_ENOENT);
	run.model = MODELS;
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_ENOENT);
	run = run_of(ALPHA);
	run.lane = 1;
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_ESTATE);
	run.lane = 32;
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_ESTATE);
	run = run_of(ALPHA);
	run.entry = 1;
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_EINVAL);
	run.entry = 0x10000;
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_EINVAL);
	run = run_of(ALPHA);
	run.bytes = X_BYTES - 1;
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_EINVAL);
	run = run_of(ALPHA);
	run.flags = RNV_JOB_FORGET;
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_EINVAL);
	assert_int_equal(server.io_owner, 0);
	server.config.io_bytes = 48;
	run = run_of(ALPHA);
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_ENOMEM);
	assert_int_equal(status_of().state, RNV_SERVER_NONE);
}

static void test_pieces(void **state)
{
	struct rnv_server_run run = run_of(ALPHA);
	struct rnv_server_run_status status;
	int8_t expected[Y_BYTES];
	int8_t y[Y_BYTES];
	uint32_t submitted;

	(void)state;
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_OK);
	assert_int_equal(status_of().state, RNV_SERVER_FILLING);
	assert_int_equal(give(0, 4), RNV_OK);
	assert_int_equal(offset, 4);
	assert_int_equal(job, RNV_NO_HANDLE);
	assert_int_equal(give(0, 4), RNV_OK); /* again */
	assert_int_equal(offset, 4);
	assert_int_equal(give(6, 2), RNV_OK); /* too early */
	assert_int_equal(offset, 4);
	assert_int_equal(give(4, X_BYTES - 3), RNV_EINVAL);
	assert_int_equal(offset, 4);
	assert_int_equal(give(4, 4), RNV_OK);
	assert_int_equal(give(8, 1), RNV_OK);
	assert_int_equal(offset, X_BYTES);
	assert_int_not_equal(job, RNV_NO_HANDLE);
	submitted = job;
	assert_int_equal(give(8, 1), RNV_OK); /* its reply was lost */
	assert_int_equal(job, submitted);
	assert_int_equal(give(7, 1), RNV_ESTATE);
	assert_int_equal(give(X_BYTES, 1), RNV_ESTATE);
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_EBUSY);
	assert_int_equal(rnv_server_run_read(&server, 0, 0, y, 3, &status), 0);
	assert_int_equal(status.state, RNV_SERVER_RUNNING);
	assert_int_equal(status.bytes, 0);
	assert_int_equal(status.version[1], 1);
	rnv_sched_run(&sched);
	now_us += 50;
	expect(input, 1, expected);
	for (uint32_t at = 0; at < Y_BYTES; at++) {
		assert_int_equal(rnv_server_run_read(&server, 0, at, y, 1, &status), 1);
		assert_int_equal(y[0], expected[at]);
	}
	assert_int_equal(status.state, RNV_SERVER_DONE);
	assert_int_equal(rnv_server_run_read(&server, 0, 1, y, 10, &status), 2);
	assert_memory_equal(y, expected + 1, 2);
	assert_int_equal(rnv_server_run_read(&server, 0, 3, y, 10, &status), 0);
	assert_int_equal(rnv_server_run_read(&server, 0, 4, y, 10, &status), 0);
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_OK); /* that one is dropped */
	assert_int_equal(status_of().state, RNV_SERVER_FILLING);
}

/* What ran tells its package, not the one that is loaded meanwhile. */
static void test_the_package_that_ran(void **state)
{
	struct rnv_server_run run = run_of(ALPHA);
	struct rnv_server_run_status status;
	int8_t expected[Y_BYTES];
	int8_t y[Y_BYTES];
	uint32_t crc = model_of(ALPHA).slots[0].crc;

	(void)state;
	lanes_run = 1;
	upload(ALPHA, 2);
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_OK);
	assert_int_equal(give(0, X_BYTES), RNV_OK);
	assert_int_equal(rnv_server_activate(&server, ALPHA, 1), RNV_OK);
	work();
	assert_int_equal(model_of(ALPHA).running, 1);
	assert_int_equal(rnv_server_run_read(&server, 0, 0, y, 3, &status), 3);
	assert_int_equal(status.version[1], 1);
	assert_int_equal(status.crc, crc);
	expect(input, 1, expected);
	assert_memory_equal(y, expected, Y_BYTES);
	assert_runs(ALPHA, 2);
}

/* The model was exchanged before all inputs were there. */
static void test_exchanged_meanwhile(void **state)
{
	struct rnv_server_run run = run_of(ALPHA);

	(void)state;
	lanes_run = 1;
	upload(ALPHA, 2);
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_OK);
	assert_int_equal(give(0, 4), RNV_OK);
	assert_int_equal(rnv_server_activate(&server, ALPHA, 1), RNV_OK);
	work();
	assert_int_equal(give(4, X_BYTES - 4), RNV_ENOENT);
	assert_int_equal(status_of().state, RNV_SERVER_NONE);
	assert_runs(ALPHA, 2);
}

/* The last inputs are given again when there is room. */
static void test_full_lane(void **state)
{
	struct rnv_server_run run = run_of(ALPHA);
	static int8_t outputs[DEPTH][Y_BYTES];

	(void)state;
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_OK);
	assert_int_equal(give(0, 6), RNV_OK);
	for (int i = 0; i < DEPTH; i++) {
		struct rnv_buffer buffers[2] = {{(void *)(uintptr_t)input, X_BYTES},
						{outputs[i], Y_BYTES}};
		const struct rnv_job_request request = {.model = rnv_server_handle(&server, ALPHA),
							.flags = RNV_JOB_FORGET,
							.deadline_us = RNV_NEVER,
							.buffers = buffers,
							.buffer_count = 2};

		assert_int_equal(rnv_job_submit(&sched, &request, NULL), RNV_OK);
	}
	assert_int_equal(give(6, X_BYTES - 6), RNV_EAGAIN);
	assert_int_equal(offset, 6);
	rnv_sched_run(&sched);
	assert_int_equal(give(6, X_BYTES - 6), RNV_OK);
	assert_int_equal(offset, X_BYTES);
	rnv_sched_run(&sched);
	assert_int_equal(status_of().status, RNV_OK);
}

static void test_resident(void **state)
{
	struct rnv_server_run run = run_of(ALPHA);
	uint32_t handle;

	(void)state;
	lanes_run = 1;
	draw("alpha", 2);
	draw_resident();
	sign();
	send_image(ALPHA);
	work();
	assert_int_equal(rnv_server_activate(&server, ALPHA, 1), RNV_OK);
	work();
	handle = rnv_server_handle(&server, ALPHA);
	assert_int_equal(rnv_lane_claim(&sched, 0, handle), RNV_OK);
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_OK);
	assert_int_equal(give(0, X_BYTES), RNV_EBUSY);
	assert_int_equal(offset, 0);
	assert_int_equal(rnv_lane_release(&sched, 0), RNV_OK);
	assert_int_equal(give(0, X_BYTES), RNV_OK);
	assert_int_equal(rnv_lane_claim(&sched, 0, handle), RNV_EBUSY);
	rnv_sched_run(&sched);
	poll_once(); /* collects it, and lets go of the lane */
	assert_int_equal(rnv_lane_claim(&sched, 0, handle), RNV_OK);
	memset(arenas, 0xEE, sizeof(arenas));
	assert_int_equal(rnv_lane_release(&sched, 0), RNV_OK);
	assert_int_equal(status_of().state, RNV_SERVER_DONE);
	assert_runs(ALPHA, 2);
}

static void test_cancelled(void **state)
{
	struct rnv_server_run run = run_of(ALPHA);
	struct rnv_server_run_status status;
	int8_t y[Y_BYTES];

	(void)state;
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_OK);
	assert_int_equal(give(0, X_BYTES), RNV_OK);
	assert_int_equal(rnv_job_cancel(&sched, job), RNV_OK);
	assert_int_equal(rnv_server_run_read(&server, 0, 0, y, 3, &status), 0);
	assert_int_equal(status.state, RNV_SERVER_DONE);
	assert_int_equal(status.status, RNV_ECANCELED);
	assert_int_equal(status.bytes, 0);
}

static void test_deadline(void **state)
{
	struct rnv_server_run run = run_of(ALPHA);
	struct rnv_server_run_status status;

	(void)state;
	run.deadline_us = 100;
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_OK);
	now_us += 1000; /* counts from the submission on */
	assert_int_equal(give(0, X_BYTES), RNV_OK);
	now_us += 90;
	rnv_sched_run(&sched);
	status = status_of();
	assert_int_equal(status.missed, 0);
	assert_int_equal(status.us, 90);
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_OK);
	assert_int_equal(give(0, X_BYTES), RNV_OK);
	now_us += 101;
	rnv_sched_run(&sched);
	assert_int_equal(status_of().missed, 1);
}

/* A host that is dead does not hold the workspace. */
static void test_time_out(void **state)
{
	struct rnv_server_run run = run_of(ALPHA);

	(void)state;
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_OK);
	now_us += IDLE_US - 1;
	poll_once();
	assert_int_equal(give(0, 1), RNV_OK);
	now_us += IDLE_US - 1;
	poll_once();
	assert_int_equal(status_of().state, RNV_SERVER_FILLING);
	now_us += 1;
	poll_once();
	assert_int_equal(status_of().state, RNV_SERVER_NONE);
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_OK);
	assert_int_equal(give(0, X_BYTES), RNV_OK);
	now_us += 5 * IDLE_US;
	poll_once();
	assert_int_equal(status_of().state, RNV_SERVER_RUNNING); /* a job is a job */
	rnv_sched_run(&sched);
	poll_once();
	now_us += IDLE_US - 1;
	poll_once();
	assert_int_equal(status_of().state, RNV_SERVER_DONE);
	now_us += IDLE_US;
	poll_once();
	assert_int_equal(status_of().state, RNV_SERVER_NONE);
	assert_int_equal(rnv_server_selftest(&server, ALPHA), RNV_OK);
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_EBUSY);
}

static void test_reset_flag(void **state)
{
	struct rnv_server_run run = run_of(ALPHA);

	(void)state;
	run.flags = RNV_JOB_RESET;
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_OK);
	assert_int_equal(give(0, X_BYTES), RNV_OK);
	for (int i = 0; i < JOBS; i++) {
		if (jobs[i].handle == job) {
			assert_int_equal(jobs[i].flags, RNV_JOB_RESET);
		}
	}
	rnv_sched_run(&sched);
	assert_int_equal(status_of().status, RNV_OK);
}

/* A request that comes again is answered again; another client's is not. */
static void test_ids(void **state)
{
	struct rnv_server_run run = run_of(ALPHA);
	struct rnv_server_run other = run_of(ALPHA);
	struct rnv_server_run_status status;
	int8_t expected[Y_BYTES];
	int8_t y[Y_BYTES];
	uint32_t submitted;

	(void)state;
	run.id = 0xFFFFFFFF;
	other.id = 1;
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_OK);
	assert_int_equal(give_of(run.id, 0, 4), RNV_OK);
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_OK); /* it goes on */
	assert_int_equal(give_of(run.id, 0, 4), RNV_OK);
	assert_int_equal(offset, 4);
	assert_int_equal(give_of(other.id, 4, 4), RNV_ESTATE);
	assert_int_equal(give_of(0, 4, 4), RNV_ESTATE);
	assert_int_equal(rnv_server_run_read(&server, other.id, 0, y, 3, &status), RNV_ESTATE);
	assert_int_equal(status.state, RNV_SERVER_NONE);
	assert_int_equal(rnv_server_run_read(&server, run.id, 0, y, 3, &status), 0);
	assert_int_equal(status.state, RNV_SERVER_FILLING);
	assert_int_equal(status.job, RNV_NO_HANDLE);
	assert_int_equal(give_of(run.id, 4, X_BYTES - 4), RNV_OK);
	submitted = job;
	assert_int_equal(rnv_server_run_begin(&server, &other), RNV_EBUSY);
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_OK); /* runs already */
	assert_int_equal(give_of(run.id, 4, X_BYTES - 4), RNV_OK);
	assert_int_equal(job, submitted);
	rnv_sched_run(&sched);
	assert_int_equal(give_of(run.id, 4, X_BYTES - 4), RNV_OK);
	assert_int_equal(job, submitted);
	assert_int_equal(rnv_server_run_read(&server, run.id, 0, y, 3, &status), Y_BYTES);
	assert_int_equal(status.job, submitted);
	expect(input, 1, expected);
	assert_memory_equal(y, expected, Y_BYTES);
	assert_int_equal(rnv_server_run_read(&server, 0, 0, y, 3, &status), RNV_ESTATE);
	assert_int_equal(status.bytes, 0);
	assert_int_equal(completed_of(ALPHA), 1);
}

/* What ran and is gone does not run again, nor does it disturb who came after it. */
static void test_late_repeats(void **state)
{
	struct rnv_server_run run = run_of(ALPHA);
	struct rnv_server_run_status status;
	int8_t y[Y_BYTES];

	(void)state;
	for (run.id = 1; run.id <= RNV_SERVER_PAST_RUNS; run.id++) {
		assert_int_equal(rnv_server_run_begin(&server, &run), RNV_OK);
		assert_int_equal(give_of(run.id, 0, X_BYTES), RNV_OK);
		rnv_sched_run(&sched);
	}
	for (run.id = 1; run.id < RNV_SERVER_PAST_RUNS; run.id++) {
		assert_int_equal(rnv_server_run_begin(&server, &run), RNV_ESTATE);
		assert_int_equal(give_of(run.id, 0, X_BYTES), RNV_ESTATE);
	}
	assert_int_equal(rnv_server_run_read(&server, RNV_SERVER_PAST_RUNS, 0, y, 3, &status),
			 Y_BYTES);
	drop_run(&now_us);
	run.id = RNV_SERVER_PAST_RUNS;
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_ESTATE);
	assert_int_equal(rnv_server_run_read(&server, run.id, 0, y, 3, &status), 0);
	assert_int_equal(status.state, RNV_SERVER_NONE);
	assert_int_equal(completed_of(ALPHA), RNV_SERVER_PAST_RUNS);
}

/* A foreign reader does not keep outputs. */
static void test_foreign_reader(void **state)
{
	struct rnv_server_run run = run_of(ALPHA);
	struct rnv_server_run_status status;

	(void)state;
	run.id = 7;
	assert_int_equal(rnv_server_run_begin(&server, &run), RNV_OK);
	assert_int_equal(give_of(7, 0, X_BYTES), RNV_OK);
	rnv_sched_run(&sched);
	poll_once();
	now_us += IDLE_US - 1;
	assert_int_equal(rnv_server_run_read(&server, 8, 0, NULL, 0, &status), RNV_ESTATE);
	now_us += 1;
	poll_once();
	assert_int_equal(rnv_server_run_read(&server, 7, 0, NULL, 0, &status), 0);
	assert_int_equal(status.state, RNV_SERVER_NONE);
}

#define TEST(name) cmocka_unit_test_setup(name, begin_loaded)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_what_is_refused),
		TEST(test_pieces),
		TEST(test_the_package_that_ran),
		TEST(test_exchanged_meanwhile),
		TEST(test_full_lane),
		TEST(test_resident),
		TEST(test_cancelled),
		TEST(test_deadline),
		TEST(test_time_out),
		TEST(test_reset_flag),
		TEST(test_ids),
		TEST(test_late_repeats),
		TEST(test_foreign_reader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
