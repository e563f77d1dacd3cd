/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Work that takes long as a whole does not stop the feeding; a completion callback that does not
 * return does, and so does a step that does not end. A job takes longer than a lane may be stuck.
 */

#include <zephyr/kernel.h>
#include <zephyr/ztest.h>

#include "digits.h"
#include "watchdog.h"

#define STUCK_MS  CONFIG_RANVIER_WATCHDOG_STUCK_MS
#define PERIOD_MS CONFIG_RANVIER_WATCHDOG_PERIOD_MS
#define STEP_MS   (CONFIG_RANVIER_STEP_COST_US / 1000)
#define PER_LANE  IS_ENABLED(CONFIG_RANVIER_THREAD_PER_LANE)

BUILD_ASSERT(STEP_MS *DIGITS_STEPS > STUCK_MS);

static K_SEM_DEFINE(blocked, 0, 1);
static K_SEM_DEFINE(release, 0, 1);

static void block(void *context, const struct rnv_job_result *result)
{
	ARG_UNUSED(context);
	ARG_UNUSED(result);
	k_sem_give(&blocked);
	(void)k_sem_take(&release, K_FOREVER);
}

static void request_of(uint32_t lane, struct rnv_job_request *request)
{
	digits_request(watchdog_model, lane, request);
	request->flags = RNV_JOB_NPU_NEVER;
}

/* The thread of the less urgent lane, or of all, blocks in a callback until `release`. */
static void let_a_callback_block(void)
{
	struct rnv_job_request request;

	k_sem_reset(&release);
	request_of(RNV_LANE_BEST_EFFORT, &request);
	request.done = block;
	zassert_ok(rnv_job_submit(rnv_runtime_sched(), &request, NULL));
	zassert_ok(k_sem_take(&blocked, K_SECONDS(60)));
}

/* After what did not end has ended, it is fed again. */
static void expect_feeding(void)
{
	int count = watchdog_expired();

	k_sleep(K_MSEC(4 * PERIOD_MS));
	zassert_equal(watchdog_expired(), count);
}

/* From the moment where it began not to end. */
static void expect_expiry(void)
{
	k_sleep(K_MSEC(STUCK_MS - PERIOD_MS / 4));
	zassert_equal(watchdog_expired(), 0);
	k_sleep(K_MSEC(2 * PERIOD_MS));
	zassert_equal(watchdog_expired(), 1);
}

ZTEST(ranvier_runtime_watchdog, test_long_job)
{
	struct rnv_job_request request;

	request_of(RNV_LANE_BEST_EFFORT, &request);
	for (int i = 0; i < 3; i++) {
		zassert_ok(digits_run(&request).status);
	}
	zassert_equal(watchdog_expired(), 0);
}

/* A less urgent lane waits for a more urgent one for longer than it may be stuck. */
ZTEST(ranvier_runtime_watchdog, test_lane_that_waits)
{
	struct rnv_job_request request;
	struct rnv_job_result result;
	uint32_t job;

	request_of(RNV_LANE_BEST_EFFORT, &request);
	zassert_ok(rnv_job_submit(rnv_runtime_sched(), &request, &job));
	request_of(RNV_LANE_REALTIME, &request);
	for (int i = 0; i < 3; i++) {
		zassert_ok(digits_run(&request).status);
	}
	zassert_ok(rnv_zephyr_wait(rnv_runtime_driver(), job, K_SECONDS(60), &result));
	zassert_ok(result.status);
	zassert_equal(watchdog_expired(), 0);
}

ZTEST(ranvier_runtime_watchdog, test_stuck_callback)
{
	let_a_callback_block();
	expect_expiry();
	k_sem_give(&release);
	expect_feeding();
}

/* --- what others do meanwhile is no progress --- */

static void submit(struct k_timer *timer)
{
	struct rnv_job_request *request = k_timer_user_data_get(timer);

	(void)rnv_job_submit(rnv_runtime_sched(), request, NULL);
}

static K_TIMER_DEFINE(submissions, submit, NULL);

static uint32_t dropped(void)
{
	struct rnv_lane_stats stats;

	zassert_ok(rnv_lane_stats_get(rnv_runtime_sched(), RNV_LANE_BEST_EFFORT, &stats));
	return stats.dropped;
}

/* An interrupt goes on to submit: the lane drops its oldest job each time. */
ZTEST(ranvier_runtime_watchdog, test_jobs_dropped_from_a_stuck_lane)
{
	struct rnv_job_request request;
	uint32_t count = dropped();

	let_a_callback_block();
	request_of(RNV_LANE_BEST_EFFORT, &request);
	request.flags |= RNV_JOB_FORGET;
	k_timer_user_data_set(&submissions, &request);
	k_timer_start(&submissions, K_MSEC(PERIOD_MS / 16), K_MSEC(PERIOD_MS / 16));
	expect_expiry();
	k_timer_stop(&submissions);
	zassert_true(dropped() > count + 16U);
	k_sem_give(&release);
	expect_feeding();
}

ZTEST(ranvier_runtime_watchdog, test_jobs_cancelled_in_a_stuck_lane)
{
	struct rnv_job_request request;
	struct rnv_job_result result;
	uint32_t job;

	let_a_callback_block();
	request_of(RNV_LANE_REALTIME, &request);
	request.lane = RNV_LANE_BEST_EFFORT;
	for (int ms = 0; ms < STUCK_MS + 2 * PERIOD_MS; ms += PERIOD_MS / 8) {
		zassert_ok(rnv_job_submit(rnv_runtime_sched(), &request, &job));
		zassert_ok(rnv_job_cancel(rnv_runtime_sched(), job));
		zassert_ok(rnv_job_collect(rnv_runtime_sched(), job, &result));
		zassert_equal(result.status, RNV_ECANCELED);
		k_sleep(K_MSEC(PERIOD_MS / 8));
	}
	zassert_equal(watchdog_expired(), 1);
	k_sem_give(&release);
	expect_feeding();
}

/* With a thread for each lane, a more urgent one goes on, and waits for work now and then. */
ZTEST(ranvier_runtime_watchdog, test_other_lane_goes_on)
{
	struct rnv_job_request request;

	if (!PER_LANE) {
		ztest_test_skip();
	}
	let_a_callback_block();
	request_of(RNV_LANE_REALTIME, &request);
	/* Twice the time, of its waiting alone. */
	for (int ms = 0; ms < 2 * STUCK_MS + 2 * PERIOD_MS; ms += PERIOD_MS) {
		zassert_ok(digits_run(&request).status);
		k_sleep(K_MSEC(PERIOD_MS));
	}
	zassert_true(watchdog_expired() > 0);
	k_sem_give(&release);
	expect_feeding();
}

/* --- a step that does not end, as something more urgent takes all the time --- */

static K_THREAD_STACK_DEFINE(hog_stack, 1024);
static struct k_thread hog;

static void take_all_time(void *p1, void *p2, void *p3)
{
	ARG_UNUSED(p1);
	ARG_UNUSED(p2);
	ARG_UNUSED(p3);
	for (int ms = 0; ms < STUCK_MS + 4 * PERIOD_MS; ms++) {
		k_busy_wait(USEC_PER_MSEC);
	}
}

ZTEST(ranvier_runtime_watchdog, test_stuck_step)
{
	struct rnv_job_request request;

	request_of(RNV_LANE_BEST_EFFORT, &request);
	request.flags |= RNV_JOB_FORGET;
	zassert_ok(rnv_job_submit(rnv_runtime_sched(), &request, NULL));
	k_sleep(K_MSEC(STEP_MS / 2));
	k_thread_create(&hog, hog_stack, K_THREAD_STACK_SIZEOF(hog_stack), take_all_time, NULL,
			NULL, NULL, CONFIG_RANVIER_THREAD_PRIORITY - 1, 0, K_NO_WAIT);
	expect_expiry();
	zassert_ok(k_thread_join(&hog, K_SECONDS(60)));
	expect_feeding();
}
