/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Threads that submit, cancel and wait, against the threads that drive; also under ThreadSanitizer.
 */

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "../model/package_fixture.h"

#include "posix/driver.h"
#include "ranvier/port.h"
#include "ranvier/sched.h"

#define LANES      3
#define JOBS       24
#define MODELS     2
#define SUBMITTERS 4
#define ROUNDS     500
#define LANE_BYTES 64

static struct {
	struct rnv_posix_driver *driver;
	struct rnv_sched sched;
	struct rnv_lane lanes[LANES];
	struct rnv_job jobs[JOBS];
	struct rnv_job *queues[LANES][8];
	struct rnv_model models[MODELS];
	void *externals[JOBS * 2];
	_Alignas(16) uint8_t arenas[LANES][LANE_BYTES];
	struct rnv_sched_hooks hooks;
	struct image images[MODELS];
	uint32_t model[MODELS];
	_Atomic uint32_t called;
} t;

static int set_up(uint32_t thread_per_lane)
{
	struct rnv_lane_config lanes[LANES];
	struct rnv_sched_config config = {.lane_configs = lanes,
					  .lanes = t.lanes,
					  .jobs = t.jobs,
					  .models = t.models,
					  .externals = t.externals,
					  .lane_count = LANES,
					  .job_count = JOBS,
					  .model_count = MODELS,
					  .externals_per_job = 2,
					  .hooks = &t.hooks};

	memset(&t, 0, sizeof(t));
	for (int i = 0; i < LANES; i++) {
		lanes[i] = (struct rnv_lane_config){.arena = t.arenas[i],
						    .arena_bytes = LANE_BYTES,
						    .queue = t.queues[i],
						    .depth = 8,
						    .overload = (i == 2) ? RNV_OVERLOAD_DROP_OLDEST
									 : RNV_OVERLOAD_REFUSE};
	}
	t.driver = rnv_posix_driver_create();
	assert_non_null(t.driver);
	t.hooks = (struct rnv_sched_hooks){
		.wake = rnv_posix_wake, .completed = rnv_posix_completed, .wake_context = t.driver};
	assert_int_equal(rnv_sched_init(&t.sched, &config), RNV_OK);
	for (int i = 0; i < MODELS; i++) {
		struct rnv_model_config model = {
			.data = &t.images[i], .bytes = sizeof(t.images[i]), .lanes = 0x7};

		image_init(&t.images[i]);
		t.images[i].header.name[0] = (uint8_t)('a' + i);
		image_seal(&t.images[i]);
		assert_int_equal(rnv_model_open(&t.sched, &model, &t.model[i], NULL), RNV_OK);
	}
	assert_int_equal(rnv_posix_driver_start(t.driver, &t.sched, thread_per_lane), RNV_OK);
	assert_int_equal(rnv_posix_driver_start(t.driver, &t.sched, thread_per_lane), RNV_ESTATE);
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
	rnv_posix_driver_stop(t.driver);
	rnv_posix_driver_destroy(t.driver);
	return 0;
}

/* A job whose buffers are its own; it ends in a callback, or is waited for. */
struct job {
	int8_t x[X_BYTES];
	int8_t y[Y_BYTES];
	_Atomic int status; /* 1: not complete */
};

static void done(void *context, const struct rnv_job_result *result)
{
	struct job *job = context;

	atomic_fetch_add(&t.called, 1);
	atomic_store(&job->status, result->status);
}

static int submit(struct job *job, uint32_t lane, bool callback, uint32_t *handle)
{
	struct rnv_buffer buffers[2] = {{job->x, X_BYTES}, {job->y, Y_BYTES}};
	struct rnv_job_request request = {.model = t.model[lane % MODELS],
					  .lane = (uint8_t)lane,
					  .deadline_us = rnv_now_us() + 1000u,
					  .buffers = buffers,
					  .buffer_count = 2,
					  .done = callback ? done : NULL,
					  .context = job};

	return rnv_job_submit(&t.sched, &request, handle);
}

/* How a job ended, which must have been submitted. */
static int end_of(struct job *job, bool callback, uint32_t handle)
{
	struct rnv_job_result result;

	if (!callback) {
		assert_int_equal(rnv_posix_wait(t.driver, handle, RNV_NEVER, &result), RNV_OK);
		return result.status;
	}
	while (atomic_load(&job->status) > 0) {
		(void)sched_yield();
	}
	return atomic_load(&job->status);
}

static uint32_t next(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 16;
}

static void *submitter(void *argument)
{
	uint32_t seed = *(const uint32_t *)argument;
	uintptr_t completed = 0;

	for (int i = 0; i < ROUNDS; i++) {
		struct job job = {.status = 1};
		uint32_t lane = next(&seed) % LANES;
		bool callback = next(&seed) % 2u != 0u;
		int8_t expected[Y_BYTES];
		uint32_t handle;
		int status;

		for (int j = 0; j < X_BYTES; j++) {
			job.x[j] = (int8_t)next(&seed);
		}
		status = submit(&job, lane, callback, &handle);
		if (status != RNV_OK) {
			assert_int_equal(status, RNV_EAGAIN);
			continue;
		}
		if (next(&seed) % 8u == 0u) {
			(void)rnv_job_cancel(&t.sched, handle);
		}
		status = end_of(&job, callback, handle);
		if (status == RNV_OK) {
			expected_output(job.x, expected);
			assert_memory_equal(job.y, expected, Y_BYTES);
			completed++;
		} else {
			assert_true(status == RNV_ECANCELED || status == RNV_ENOBUFS);
		}
	}
	return (void *)completed;
}

static void test_many_threads(void **state)
{
	pthread_t threads[SUBMITTERS];
	uint32_t seeds[SUBMITTERS];
	uintptr_t completed = 0;
	uint32_t counted = 0;

	(void)state;
	for (uint32_t i = 0; i < SUBMITTERS; i++) {
		seeds[i] = i;
		assert_int_equal(pthread_create(&threads[i], NULL, submitter, &seeds[i]), 0);
	}
	for (uint32_t i = 0; i < SUBMITTERS; i++) {
		void *result;

		assert_int_equal(pthread_join(threads[i], &result), 0);
		completed += (uintptr_t)result;
	}
	for (uint32_t lane = 0; lane < LANES; lane++) {
		struct rnv_lane_stats stats;

		assert_int_equal(rnv_lane_stats_get(&t.sched, lane, &stats), RNV_OK);
		assert_int_equal(stats.submitted,
				 stats.completed + stats.cancelled + stats.dropped);
		assert_int_equal(stats.arena_high_water, ARENA_BYTES);
		counted += stats.completed;
	}
	assert_int_equal(counted, completed);
	assert_true(completed > SUBMITTERS * ROUNDS / 4);
	assert_true(t.called > 0);
}

static void test_drain_swaps_under_load(void **state)
{
	struct job jobs[8];

	(void)state;
	for (int round = 0; round < 50; round++) {
		struct rnv_model_config config = {.data = &t.images[0],
						  .bytes = sizeof(t.images[0])};
		uint32_t old = t.model[0];
		uint32_t handle;

		for (int i = 0; i < 8; i++) {
			jobs[i] = (struct job){.status = 1};
			memcpy(jobs[i].x, golden_input, X_BYTES);
			if (submit(&jobs[i], 0, true, &handle) != RNV_OK) {
				jobs[i].status = RNV_EAGAIN;
			}
		}
		assert_int_equal(rnv_posix_drain(t.driver, old,
						 round % 2 ? RNV_DRAIN_CANCEL : RNV_DRAIN_FINISH,
						 RNV_NEVER),
				 RNV_OK);
		for (int i = 0; i < 8; i++) { /* the last callbacks may still run */
			assert_true(end_of(&jobs[i], true, RNV_NO_HANDLE) <= 0);
		}
		assert_int_equal(submit(&jobs[0], 0, true, &handle), RNV_ESTATE);
		assert_int_equal(rnv_model_swap(&t.sched, &config, &t.model[0], NULL, NULL),
				 RNV_OK);
		assert_int_not_equal(t.model[0], old);
	}
}

static void test_a_stopped_driver_keeps_jobs(void **state)
{
	struct job job = {.status = 1};
	struct rnv_job_result result;
	uint32_t handle;

	(void)state;
	rnv_posix_driver_stop(t.driver);
	assert_int_equal(submit(&job, 1, false, &handle), RNV_OK);
	assert_int_equal(rnv_posix_wait(t.driver, handle, 1000, &result), RNV_ETIMEDOUT);
	assert_int_equal(rnv_posix_drain(t.driver, t.model[1], RNV_DRAIN_FINISH, 1000),
			 RNV_ETIMEDOUT);
	assert_int_equal(rnv_posix_driver_start(t.driver, &t.sched, 0), RNV_OK);
	assert_int_equal(rnv_posix_wait(t.driver, handle, RNV_NEVER, &result), RNV_OK);
	assert_int_equal(result.status, RNV_OK);
	assert_int_equal(rnv_posix_wait(t.driver, handle, 0, &result), RNV_ENOENT);
}

static void test_the_port(void **state)
{
	uint32_t first = rnv_cycles(); /* before the other clock: it has seen no less */
	uint64_t before_us = rnv_now_us();
	uint32_t outer = rnv_critical_enter();
	uint32_t inner = rnv_critical_enter();
	uint64_t us;

	(void)state;
	rnv_critical_exit(inner);
	rnv_critical_exit(outer);
	do {
		us = rnv_now_us();
		assert_true(us >= before_us);
	} while (us < before_us + 2000u);
	/* Both clocks saw at least the 2 ms, less a microsecond of rounding. */
	assert_true(rnv_cycles() - first >= 1999u * (rnv_cycles_per_second() / 1000000u));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_many_threads, set_up_cooperative, tear_down),
		cmocka_unit_test_setup_teardown(test_many_threads, set_up_threads, tear_down),
		cmocka_unit_test_setup_teardown(test_drain_swaps_under_load, set_up_cooperative,
						tear_down),
		cmocka_unit_test_setup_teardown(test_drain_swaps_under_load, set_up_threads,
						tear_down),
		cmocka_unit_test_setup_teardown(test_a_stopped_driver_keeps_jobs,
						set_up_cooperative, tear_down),
		cmocka_unit_test(test_the_port),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
