/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * A model server with all its threads: the lanes', the one that polls, a link that updates without
 * pause, another that runs and tests, and applications with jobs of their own; under
 * ThreadSanitizer.
 */

#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "../mgmt/server_fixture.h"

#include "posix/driver.h"

#define UPDATES  30
#define VERSIONS (UPDATES + 1)
#define APPS     2

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct rnv_posix_driver *driver;
static _Atomic bool stop;
static _Atomic int wrong_line;
static _Atomic int wrong_value;
static _Atomic uint32_t completed; /* jobs of applications */
static _Atomic uint32_t runs;      /* of the second link */
static _Atomic uint32_t tests_done;

/* In other threads than the test's, which alone may fail. */
static void expect_at(int line, bool right, int value)
{
	if (!right) {
		atomic_store(&wrong_value, value);
		atomic_store(&wrong_line, line);
	}
}

#define EXPECT(right, value) expect_at(__LINE__, right, value)

static void lock_mutex(void *context)
{
	(void)context;
	(void)pthread_mutex_lock(&mutex);
}

static void unlock_mutex(void *context)
{
	(void)context;
	(void)pthread_mutex_unlock(&mutex);
}

static void nap(long us)
{
	const struct timespec pause = {.tv_nsec = us * 1000};

	(void)nanosleep(&pause, NULL);
}

static int set_up(uint32_t thread_per_lane)
{
	void *state = NULL;

	(void)begin_server(&state);
	stop = false;
	wrong_line = 0;
	completed = runs = tests_done = 0;
	driver = rnv_posix_driver_create();
	assert_non_null(driver);
	sched_hooks = (struct rnv_sched_hooks){
		.wake = rnv_posix_wake, .completed = rnv_posix_completed, .wake_context = driver};
	start_server();
	server_config.lock = lock_mutex;
	server_config.unlock = unlock_mutex;
	server_config.wake = NULL;
	server_config.session = NULL;
	server_config.idle_us = 20000;
	server_config.drain_us = 2000000;
	assert_int_equal(rnv_server_init(&server, &server_config), RNV_OK);
	assert_int_equal(rnv_posix_driver_start(driver, &sched, thread_per_lane), RNV_OK);
	assert_int_equal(rnv_server_boot(&server), 0);
	return 0;
}

static int set_up_cooperative(void **state)
{
	(void)state;
	return set_up(0);
}

static int set_up_threads(void **state)
{
	(void)state;
	return set_up(1);
}

static int tear_down(void **state)
{
	(void)state;
	rnv_posix_driver_stop(driver);
	rnv_posix_driver_destroy(driver);
	memset(&sched_hooks, 0, sizeof(sched_hooks));
	return 0;
}

static void *poller(void *argument)
{
	(void)argument;
	while (!atomic_load(&stop)) {
		uint32_t delay_us = rnv_server_poll(&server);

		if (delay_us != 0) {
			nap(200);
		}
	}
	return NULL;
}

static bool is_of_a_version(const int8_t *y)
{
	int8_t expected[Y_BYTES];
	bool found = false;

	for (int k = 0; k < VERSIONS && !found; k++) {
		expect(input, k, expected);
		found = memcmp(y, expected, Y_BYTES) == 0;
	}
	return found;
}

/* Jobs on whatever is loaded: each ends, and where it ends well with a version's outputs. */
static void *app(void *argument)
{
	int8_t x[X_BYTES];
	int8_t y[Y_BYTES];
	struct rnv_buffer buffers[2] = {{x, X_BYTES}, {y, Y_BYTES}};

	(void)argument;
	memcpy(x, input, X_BYTES);
	while (!atomic_load(&stop)) {
		const struct rnv_job_request request = {.model = rnv_server_handle(&server, ALPHA),
							.deadline_us = RNV_NEVER,
							.buffers = buffers,
							.buffer_count = 2};
		struct rnv_job_result result;
		uint32_t job;
		int status = rnv_job_submit(&sched, &request, &job);

		if (status != RNV_OK) { /* none, exchanged, drained, full */
			EXPECT(status == RNV_ENOENT || status == RNV_ESTATE || status == RNV_EAGAIN,
			       status);
			nap(100);
			continue;
		}
		status = rnv_posix_wait(driver, job, RNV_NEVER, &result);
		EXPECT(status == RNV_OK, status);
		if (result.status == RNV_OK) {
			EXPECT(is_of_a_version(y), y[0]);
			atomic_fetch_add(&completed, 1);
		} else {
			EXPECT(result.status == RNV_ECANCELED, result.status);
		}
	}
	return NULL;
}

/* The run's outputs are those of the version that it names. */
static void run_once(void)
{
	const struct rnv_server_run run = run_of(ALPHA);
	struct rnv_server_run_status status = {.state = RNV_SERVER_RUNNING};
	int8_t expected[Y_BYTES];
	int8_t y[Y_BYTES];
	uint32_t offset;

	if (rnv_server_run_begin(&server, &run) != RNV_OK ||
	    rnv_server_run_write(&server, 0, 0, input, X_BYTES, &offset, NULL) != RNV_OK) {
		return;
	}
	while (status.state == RNV_SERVER_RUNNING) {
		(void)rnv_server_run_read(&server, 0, 0, y, sizeof(y), &status);
		nap(50);
	}
	if (status.state == RNV_SERVER_DONE && status.status == RNV_OK) {
		expect(input, status.version[1], expected);
		EXPECT(memcmp(y, expected, Y_BYTES) == 0, status.version[1]);
		atomic_fetch_add(&runs, 1);
	}
}

static void test_once(void)
{
	int32_t status;

	if (rnv_server_selftest(&server, ALPHA) != RNV_OK) {
		return;
	}
	while (rnv_server_selftest_get(&server, &status) == RNV_SERVER_RUNNING) {
		nap(50);
	}
	EXPECT(status == RNV_OK || status == RNV_ECANCELED, status);
	atomic_fetch_add(&tests_done, 1);
}

static void *second_link(void *argument)
{
	struct rnv_server_model_info info;
	struct rnv_server_info all;

	(void)argument;
	while (!atomic_load(&stop)) {
		run_once();
		test_once();
		(void)rnv_server_model_get(&server, ALPHA, &info);
		EXPECT(info.error == RNV_OK || info.error == RNV_ENOENT, info.error);
		rnv_server_info_get(&server, &all);
		nap(2000);
	}
	return NULL;
}

static void wait_for(enum rnv_ota_phase phase)
{
	uint32_t seen;

	do {
		nap(100);
		seen = update().phase;
		assert_int_not_equal(seen, RNV_OTA_FAILED);
	} while (seen != phase);
}

static uint32_t wait_for_load(void)
{
	struct rnv_server_model_info info;

	do {
		nap(100);
		info = model_of(ALPHA);
	} while (info.changing);
	assert_int_equal(info.error, RNV_OK);
	return info.slots[info.running].version[1];
}

/* The first link: updates without pause, each on trial; every third is gone back from. */
static void update_all(void)
{
	int good = 0;

	for (int k = 1; k <= UPDATES; k++) {
		draw("alpha", k);
		sign();
		send_image(ALPHA);
		wait_for(RNV_OTA_READY);
		assert_int_equal(rnv_server_activate(&server, ALPHA, k == 1), RNV_OK);
		assert_int_equal(wait_for_load(), k);
		if (k == 1 || k % 3 != 0) {
			int status = rnv_server_confirm(&server, ALPHA);

			assert_int_equal(status, k == 1 ? RNV_ESTATE : RNV_OK);
			good = k;
		} else {
			assert_int_equal(rnv_server_rollback(&server, ALPHA), RNV_OK);
			assert_int_equal(wait_for_load(), good);
		}
	}
}

static void test_everything_at_once(void **state)
{
	pthread_t threads[2 + APPS];

	(void)state;
	assert_int_equal(pthread_create(&threads[0], NULL, poller, NULL), 0);
	assert_int_equal(pthread_create(&threads[1], NULL, second_link, NULL), 0);
	for (int i = 0; i < APPS; i++) {
		assert_int_equal(pthread_create(&threads[2 + i], NULL, app, NULL), 0);
	}
	update_all();
	while (atomic_load(&runs) == 0 || atomic_load(&tests_done) == 0) {
		nap(1000);
	}
	atomic_store(&stop, true);
	for (int i = 0; i < 2 + APPS; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	}
	if (wrong_line != 0) {
		fail_msg("line %d: %d", wrong_line, wrong_value);
	}
	assert_true(completed > 0);
	assert_int_equal(model_of(ALPHA).store.views[0] + model_of(ALPHA).store.views[1], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_everything_at_once, set_up_cooperative,
						tear_down),
		cmocka_unit_test_setup_teardown(test_everything_at_once, set_up_threads, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
