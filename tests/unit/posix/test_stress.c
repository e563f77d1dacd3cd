/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Everything at once: submitters, an accelerator that fails now and then, admission, and somebody
 * who drains, binds, loads and recovers, against the threads that drive; under ThreadSanitizer.
 */

#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "../model/package_fixture.h"

#include "npu_sim/npu_sim_thread.h"
#include "posix/driver.h"
#include "ranvier/admission.h"
#include "ranvier/port.h"
#include "ranvier/sched.h"

#define LANES      3
#define JOBS       16
#define DEPTH      4
#define MODELS     2
#define SUBMITTERS 6
#define ROUNDS     300
#define LANE_BYTES 64
#define TIMEOUT_US 3000
#define ABORT_US   1000

static struct {
	struct rnv_posix_driver *driver;
	struct rnv_sched sched;
	struct rnv_lane lanes[LANES];
	struct rnv_job jobs[JOBS];
	struct rnv_job *queues[LANES][DEPTH];
	struct rnv_model models[MODELS];
	void *externals[JOBS * 2];
	_Alignas(16) uint8_t arenas[LANES][LANE_BYTES];
	struct rnv_sched_hooks hooks;
	struct rnv_npu npu;
	struct rnv_npu_sim_thread sim;
	struct image images[MODELS];
	uint32_t model[MODELS];
	_Atomic uint32_t accepted;
	_Atomic uint32_t completed;
	_Atomic int
		wrong_line; /* last one where something was not as it must be, and what it was */
	_Atomic int wrong_value;
	_Atomic bool stop;
} t;

/* In other threads than the test's, which alone may fail. */
static void expect_at(int line, bool right, int value)
{
	if (!right) {
		atomic_store(&t.wrong_value, value);
		atomic_store(&t.wrong_line, line);
	}
}

#define EXPECT(right, value) expect_at(__LINE__, right, value)

static const uint32_t cost_us[3] = {10, 20, 30};
static const struct rnv_reservation reservation = {.period_us = 1000, .cost_us = 10, .lane = 0};
static struct rnv_admission admission = {
	.reservations = &reservation, .reservation_count = 1, .blocking_us = 10};

static void open_models(void)
{
	for (int i = 0; i < MODELS; i++) {
		struct rnv_model_config config = {.data = &t.images[i],
						  .bytes = sizeof(t.images[i]),
						  .lanes = 0x7,
						  .step_cost_us = cost_us};

		image_init(&t.images[i]);
		t.images[i].header.name[0] = (uint8_t)('a' + i);
		t.images[i].steps[OP_CONV].flags |= RNV_STEP_NPU;
		t.images[i].steps[OP_FC].flags |= RNV_STEP_NPU;
		image_seal(&t.images[i]);
		assert_int_equal(rnv_model_open(&t.sched, &config, &t.model[i], NULL), RNV_OK);
	}
}

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
					  .npu = &t.npu,
					  .hooks = &t.hooks};

	memset(&t, 0, sizeof(t));
	for (int i = 0; i < LANES; i++) {
		lanes[i] = (struct rnv_lane_config){.arena = t.arenas[i],
						    .arena_bytes = LANE_BYTES,
						    .queue = t.queues[i],
						    .depth = DEPTH};
	}
	t.driver = rnv_posix_driver_create();
	assert_non_null(t.driver);
	t.hooks = (struct rnv_sched_hooks){.wake = rnv_posix_wake,
					   .completed = rnv_posix_completed,
					   .admit = rnv_admission_check,
					   .wake_context = t.driver,
					   .admit_context = &admission};
	assert_int_equal(rnv_npu_sim_thread_start(&t.sim, &t.npu, TIMEOUT_US, ABORT_US), RNV_OK);
	assert_int_equal(rnv_npu_init(&t.npu, &rnv_npu_sim_driver, &t.sim.sim), RNV_OK);
	assert_int_equal(rnv_sched_init(&t.sched, &config), RNV_OK);
	open_models();
	assert_int_equal(rnv_posix_driver_start(t.driver, &t.sched, thread_per_lane), RNV_OK);
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
	rnv_npu_sim_thread_stop(&t.sim);
	rnv_posix_driver_destroy(t.driver);
	return 0;
}

static uint32_t next(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 16;
}

/* One job, if it is accepted: it ends, and with the right output where it ends well. */
static void run_job(uint32_t *seed, uint32_t lane)
{
	static const uint8_t flags[] = {0, RNV_JOB_NPU_WAIT, RNV_JOB_NPU_WAIT, RNV_JOB_NPU_NEVER};
	int8_t x[X_BYTES];
	int8_t y[Y_BYTES];
	int8_t expected[Y_BYTES];
	struct rnv_buffer buffers[2] = {{x, X_BYTES}, {y, Y_BYTES}};
	struct rnv_job_request request = {.model = t.model[next(seed) % MODELS],
					  .lane = (uint8_t)lane,
					  .flags = flags[next(seed) % 4u],
					  .deadline_us = rnv_now_us() + next(seed) % 20000u,
					  .buffers = buffers,
					  .buffer_count = 2};
	struct rnv_job_result result;
	uint32_t job;
	int status;

	for (int i = 0; i < X_BYTES; i++) {
		x[i] = (int8_t)next(seed);
	}
	status = rnv_job_submit(&t.sched, &request, &job);
	if (status != RNV_OK) { /* full, drained or unbound, or too late */
		EXPECT(status == RNV_EAGAIN || status == RNV_ESTATE || status == RNV_ETIME, status);
		return;
	}
	atomic_fetch_add(&t.accepted, 1);
	if (next(seed) % 8u == 0u) {
		(void)rnv_job_cancel(&t.sched, job);
	} else if (next(seed) % 8u == 0u) {
		(void)rnv_job_set_deadline(&t.sched, job, RNV_NEVER);
	}
	status = rnv_posix_wait(t.driver, job, RNV_NEVER, &result);
	EXPECT(status == RNV_OK, status);
	if (result.status == RNV_OK) {
		expected_output(x, expected);
		EXPECT(memcmp(y, expected, Y_BYTES) == 0, y[0]);
		atomic_fetch_add(&t.completed, 1);
	} else { /* cancelled, a zombie, or one of another job left too little of the arena */
		EXPECT(result.status == RNV_ECANCELED || result.status == RNV_ETIMEDOUT ||
			       result.status == RNV_ENOMEM,
		       result.status);
	}
}

static void *submitter(void *argument)
{
	uint32_t number = (uint32_t)(uintptr_t)argument;
	uint32_t seed = number;

	for (int i = 0; i < ROUNDS; i++) {
		run_job(&seed, number % LANES);
	}
	return NULL;
}

/* The accelerator as it is from now on. */
static void misbehave(uint32_t *seed)
{
	struct rnv_npu_sim_behaviour behaviour = {.latency_us = next(seed) % 100u, .requests = 1};

	if (next(seed) % 4u == 0u) {
		behaviour.outcome = (uint8_t)(next(seed) % 4u);
		behaviour.abort = (uint8_t)(next(seed) % 3u);
	}
	rnv_npu_sim_set(&t.sim.sim, &behaviour);
}

static void change_model(uint32_t *seed)
{
	uint32_t model = t.model[next(seed) % MODELS];
	uint32_t lane = next(seed) % LANES;
	struct rnv_model_info info;
	int status;

	switch (next(seed) % 4u) {
	case 0:
		(void)rnv_model_drain(&t.sched, model, next(seed) % 2u);
		(void)rnv_model_npu_load(&t.sched, model);
		(void)rnv_model_undrain(&t.sched, model);
		break;
	case 1:
		(void)rnv_model_unbind(&t.sched, model, lane);
		status = rnv_model_bind(&t.sched, model, lane);
		EXPECT(status == RNV_OK, status);
		break;
	case 2:
		(void)rnv_model_reset(&t.sched, model);
		break;
	default:
		status = rnv_model_info_get(&t.sched, model, &info);
		EXPECT(status == RNV_OK, status);
		break;
	}
}

/* Until it is stopped; jobs that a quarantined accelerator holds end here. */
static void *manager(void *argument)
{
	const struct timespec pause = {.tv_nsec = 300000};
	uint32_t seed = 99;

	(void)argument;
	while (!atomic_load(&t.stop)) {
		struct rnv_npu_info info;
		struct rnv_lane_stats stats;

		misbehave(&seed);
		change_model(&seed);
		(void)rnv_lane_stats_get(&t.sched, next(&seed) % LANES, &stats);
		rnv_npu_info_get(&t.npu, &info);
		if (info.state == RNV_NPU_QUARANTINED) {
			(void)rnv_npu_recover(&t.npu);
		} else if (info.state == RNV_NPU_SUSPENDED) {
			(void)rnv_npu_resume(&t.npu);
		} else if (next(&seed) % 8u == 0u) {
			(void)rnv_npu_suspend(&t.npu);
		}
		(void)nanosleep(&pause, NULL);
	}
	return NULL;
}

static void test_everything_at_once(void **state)
{
	pthread_t threads[SUBMITTERS + 1];
	uint32_t submitted = 0;
	uint32_t completed = 0;

	(void)state;
	assert_int_equal(pthread_create(&threads[SUBMITTERS], NULL, manager, NULL), 0);
	for (uintptr_t i = 0; i < SUBMITTERS; i++) {
		assert_int_equal(pthread_create(&threads[i], NULL, submitter, (void *)i), 0);
	}
	for (uint32_t i = 0; i < SUBMITTERS; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	}
	atomic_store(&t.stop, true);
	assert_int_equal(pthread_join(threads[SUBMITTERS], NULL), 0);
	if (t.wrong_line != 0) {
		fail_msg("line %d: %d", t.wrong_line, t.wrong_value);
	}
	for (uint32_t lane = 0; lane < LANES; lane++) {
		struct rnv_lane_stats stats;

		assert_int_equal(rnv_lane_stats_get(&t.sched, lane, &stats), RNV_OK);
		assert_int_equal(stats.submitted, stats.completed + stats.cancelled + stats.failed);
		submitted += stats.submitted;
		completed += stats.completed;
	}
	assert_int_equal(submitted, t.accepted);
	assert_int_equal(completed, t.completed);
	assert_true(completed > SUBMITTERS * ROUNDS / 4);
	for (uint32_t i = 0; i < MODELS; i++) {
		struct rnv_model_info info;

		assert_int_equal(rnv_model_info_get(&t.sched, t.model[i], &info), RNV_OK);
		assert_int_equal(info.jobs, 0);
	}
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
