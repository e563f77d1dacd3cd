/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Where jobs may be submitted, in which order they run, and how they end. */

#include "bench.h"

static struct job jobs[JOBS];

static void expect_order(const uint32_t *order, uint32_t count)
{
	ends_wait(count);
	for (uint32_t i = 0; i < count; i++) {
		zassert_equal(ends.jobs[i], &jobs[order[i]], "place %u has job %u, not %u", i,
			      (uint32_t)(ends.jobs[i] - jobs), order[i]);
	}
}

static void init_jobs(uint32_t lane)
{
	for (uint32_t i = 0; i < JOBS; i++) {
		job_init(&jobs[i], bench.cpu_model, lane, i % INPUTS);
		job_note_end(&jobs[i]);
	}
}

/* --- where from ------------------------------------------------------------------------------- */

SCHED_TEST(submit_in_a_thread)
{
	job_init(&jobs[0], bench.cpu_model, NORMAL, 0);
	job_submit(&jobs[0]);
	job_expect_scores(&jobs[0]);
	zassert_true(jobs[0].result.submit_us <= jobs[0].result.start_us);
	zassert_true(jobs[0].result.start_us < jobs[0].result.end_us);
	zassert_equal(bench.interrupts, 0);
}

static void on_alarm(struct k_timer *timer)
{
	job_submit(k_timer_user_data_get(timer));
}

static K_TIMER_DEFINE(alarm, on_alarm, NULL);

SCHED_TEST(submit_in_the_interrupt_of_a_timer)
{
	job_init(&jobs[0], bench.cpu_model, NORMAL, 1);
	k_timer_user_data_set(&alarm, &jobs[0]);
	k_timer_start(&alarm, K_MSEC(10), K_NO_WAIT);
	zassert_equal(k_timer_status_sync(&alarm), 1);
	job_expect_scores(&jobs[0]);
	zassert_equal(bench.interrupts, 1);
}

static void submit_next(void *context, const struct rnv_job_result *result)
{
	struct job *job = context;

	job->result = *result;
	job_submit(job + 1);
}

SCHED_TEST(submit_in_a_callback)
{
	init_jobs(SLOW);
	for (uint32_t i = 0; i < 3U; i++) { /* in less urgent lanes, so that it returns first */
		jobs[i].request.done = submit_next;
		jobs[i].request.lane = (uint8_t)i;
	}
	job_submit(&jobs[0]);
	ends_wait(1);
	for (uint32_t i = 0; i < 4U; i++) {
		job_expect_scores(&jobs[i]);
	}
}

SCHED_TEST(forgotten_jobs_free_themselves)
{
	struct job last;

	for (uint32_t i = 0; i < 2U * JOBS; i++) {
		job_init(&jobs[i % DEPTH], bench.cpu_model, NORMAL, 0);
		jobs[i % DEPTH].request.flags = RNV_JOB_FORGET;
		job_submit(&jobs[i % DEPTH]);
		zassert_ok(jobs[i % DEPTH].submitted);
		if (i % DEPTH == DEPTH - 1U) {
			zassert_ok(rnv_zephyr_drain(&bench.driver, bench.cpu_model,
						    RNV_DRAIN_FINISH, LIMIT));
			zassert_ok(rnv_model_undrain(&bench.sched, bench.cpu_model));
		}
	}
	job_init(&last, bench.cpu_model, NORMAL, 3);
	job_submit(&last);
	job_expect_scores(&last);
}

/* --- order ------------------------------------------------------------------------------------ */

SCHED_TEST(lanes_run_by_urgency)
{
	static const uint32_t order[] = {2, 1, 0};

	init_jobs(NORMAL);
	jobs[0].request.lane = SLOW;
	jobs[2].request.lane = REALTIME;
	for (uint32_t i = 0; i < 3U; i++) {
		job_submit(&jobs[i]);
	}
	expect_order(order, 3);
	for (uint32_t i = 0; i < 3U; i++) {
		job_expect_scores(&jobs[i]);
	}
}

SCHED_TEST(earliest_deadline_runs_first_then_the_oldest)
{
	static const uint32_t seconds[DEPTH] = {0, 70, 50, 50};
	static const uint32_t order[DEPTH] = {2, 3, 1, 0};
	uint64_t now_us = rnv_now_us();

	init_jobs(NORMAL);
	for (uint32_t i = 0; i < DEPTH; i++) {
		if (seconds[i] != 0U) { /* else none */
			jobs[i].request.deadline_us = now_us + seconds[i] * USEC_PER_SEC;
		}
		job_submit(&jobs[i]);
	}
	expect_order(order, DEPTH);
	zassert_equal(bench_stats(NORMAL).missed, 0);
}

SCHED_TEST(a_changed_deadline_changes_the_order)
{
	static const uint32_t order[] = {1, 2, 0};
	uint64_t now_us = rnv_now_us();

	init_jobs(NORMAL);
	for (uint32_t i = 0; i < 3U; i++) {
		jobs[i].request.deadline_us = now_us + (40U + 10U * i) * USEC_PER_SEC;
		job_submit(&jobs[i]);
	}
	zassert_ok(rnv_job_set_deadline(&bench.sched, jobs[0].handle, RNV_NEVER));
	expect_order(order, 3);
	zassert_equal(rnv_job_set_deadline(&bench.sched, jobs[0].handle, 0), RNV_ENOENT);
}

SCHED_TEST(a_late_job_is_missed_or_dropped)
{
	init_jobs(NORMAL);
	for (uint32_t i = 0; i < 2U; i++) {
		jobs[i].request.deadline_us = 1;
		jobs[i].request.flags = (i == 1U) ? RNV_JOB_DROP_LATE : 0;
		job_submit(&jobs[i]);
	}
	ends_wait(2);
	job_expect_scores(&jobs[0]);
	zassert_equal(jobs[0].result.missed, 1);
	zassert_equal(jobs[1].result.status, RNV_ETIME);
	zassert_equal(jobs[1].result.start_us, RNV_NEVER);
	zassert_equal(bench_stats(NORMAL).missed, 1);
	zassert_equal(bench_stats(NORMAL).dropped, 1);
}

/* --- full lanes ------------------------------------------------------------------------------- */

SCHED_TEST(a_full_lane_refuses)
{
	init_jobs(NORMAL);
	for (uint32_t i = 0; i <= DEPTH; i++) {
		job_submit(&jobs[i]);
		zassert_equal(jobs[i].submitted, (i < DEPTH) ? RNV_OK : RNV_EAGAIN);
	}
	ends_wait(DEPTH);
	zassert_equal(bench_stats(NORMAL).refused, 1);
	zassert_equal(bench_stats(NORMAL).most_queued, DEPTH);
	zassert_equal(bench_stats(NORMAL).completed, DEPTH);
	zassert_equal(bench_stats(NORMAL).queued, 0);
}

SCHED_TEST(a_full_lane_drops_the_oldest)
{
	static const uint32_t order[] = {0, 1, 2, 3, 4};

	init_jobs(SLOW);
	for (uint32_t i = 0; i <= DEPTH; i++) {
		job_submit(&jobs[i]);
		zassert_ok(jobs[i].submitted);
	}
	zassert_equal(ends.count, 1, "the oldest ends at once");
	expect_order(order, 1 + DEPTH);
	zassert_equal(jobs[0].result.status, RNV_ENOBUFS);
	for (uint32_t i = 1; i <= DEPTH; i++) {
		job_expect_scores(&jobs[i]);
	}
	zassert_equal(bench_stats(SLOW).dropped, 1);
}

/* --- cancel ----------------------------------------------------------------------------------- */

SCHED_TEST(cancel_a_queued_job)
{
	init_jobs(NORMAL);
	job_submit(&jobs[0]);
	job_submit(&jobs[1]);
	zassert_ok(rnv_job_cancel(&bench.sched, jobs[0].handle));
	zassert_equal(ends.count, 1, "it ends at once");
	zassert_equal(jobs[0].result.status, RNV_ECANCELED);
	zassert_equal(rnv_job_cancel(&bench.sched, jobs[0].handle), RNV_ENOENT);
	ends_wait(2);
	job_expect_scores(&jobs[1]);
	zassert_equal(bench_stats(NORMAL).cancelled, 1);
}

static uint32_t steps_begun;

static void cancel_in_step_3(const struct rnv_trace_event *event)
{
	if (event->kind == RNV_TRACE_STEP_BEGIN && event->job == jobs[0].handle) {
		steps_begun++;
		if (event->step == 3U) {
			jobs[1].submitted = rnv_job_cancel(&bench.sched, event->job);
		}
	}
}

SCHED_TEST(cancel_a_running_job)
{
	steps_begun = 0;
	init_jobs(NORMAL);
	bench.on_event = cancel_in_step_3;
	job_submit(&jobs[0]);
	ends_wait(1);
	zassert_ok(jobs[1].submitted);
	zassert_equal(jobs[0].result.status, RNV_ECANCELED);
	zassert_equal(steps_begun, 4, "it ends behind step 3");
	zassert_equal(bench_stats(NORMAL).cancelled, 1);
}

static void cancel_next(void *context, const struct rnv_job_result *result)
{
	struct job *job = context;

	job->result = *result;
	(void)rnv_job_cancel(&bench.sched, (job + 1)->handle);
}

SCHED_TEST(cancel_in_a_callback)
{
	init_jobs(NORMAL);
	jobs[0].request.done = cancel_next;
	job_submit(&jobs[0]);
	job_submit(&jobs[1]);
	ends_wait(1);
	job_expect_scores(&jobs[0]);
	zassert_equal(jobs[1].result.status, RNV_ECANCELED);
}

/* --- waiting ---------------------------------------------------------------------------------- */

SCHED_TEST(wait_with_a_time_out)
{
	job_init(&jobs[0], bench.cpu_model, NORMAL, 2);
	job_submit(&jobs[0]);
	zassert_equal(rnv_zephyr_wait(&bench.driver, jobs[0].handle, K_NO_WAIT, &jobs[0].result),
		      RNV_ETIMEDOUT);
	zassert_equal(rnv_zephyr_wait(&bench.driver, jobs[0].handle, K_TICKS(1), &jobs[0].result),
		      RNV_ETIMEDOUT);
	job_expect_scores(&jobs[0]);
	zassert_equal(rnv_zephyr_wait(&bench.driver, jobs[0].handle, LIMIT, &jobs[0].result),
		      RNV_ENOENT);
}

static K_THREAD_STACK_DEFINE(other_stack, 1024);
static struct k_thread other;
static int other_status;

static void wait_for_slow_job(void *p1, void *p2, void *p3)
{
	ARG_UNUSED(p1);
	ARG_UNUSED(p2);
	ARG_UNUSED(p3);
	other_status = rnv_zephyr_wait(&bench.driver, jobs[0].handle, LIMIT, &jobs[0].result);
}

SCHED_TEST(two_threads_wait)
{
	job_init(&jobs[0], bench.cpu_model, SLOW, 1);
	job_init(&jobs[1], bench.cpu_model, REALTIME, 2);
	job_submit(&jobs[0]);
	job_submit(&jobs[1]);
	other_status = RNV_EAGAIN;
	k_thread_create(&other, other_stack, K_THREAD_STACK_SIZEOF(other_stack), wait_for_slow_job,
			NULL, NULL, NULL, CONFIG_ZTEST_THREAD_PRIORITY - 1, 0, K_NO_WAIT);
	k_yield(); /* it waits first, for the job that ends last */
	job_expect_scores(&jobs[1]);
	zassert_equal(other_status, RNV_EAGAIN, "this thread goes on at once");
	zassert_ok(k_thread_join(&other, LIMIT));
	zassert_ok(other_status);
	zassert_ok(jobs[0].result.status);
	zassert_equal(bench_stats(SLOW).submitted, 1);
	zassert_equal(bench_stats(SLOW).completed, 1);
}

SCHED_TEST(a_stopped_driver_keeps_jobs)
{
	rnv_zephyr_driver_stop(&bench.driver);
	init_jobs(NORMAL);
	job_submit(&jobs[0]);
	k_sleep(K_MSEC(20));
	zassert_equal(rnv_job_state_get(&bench.sched, jobs[0].handle), RNV_JOB_QUEUED);
	rnv_zephyr_driver_start(&bench.driver, &bench.sched);
	ends_wait(1);
	job_expect_scores(&jobs[0]);
}
