/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * A thread per lane. A more urgent thread that preempts is a call inside of a step, which is what
 * one CPU does.
 */

#include "sched_fixture.h"

static void run_lane(uint32_t lane)
{
	assert_int_equal(rnv_lane_run(&b.sched, lane), RNV_OK);
}

static void preempt_inside(const struct rnv_trace_event *event)
{
	if (event->lane == 2 && event->step == 1) {
		now_us += 3;
		(void)submit(0, 0, RNV_NEVER, 8);
		run_lane(0);
	}
}

/* The step goes on afterwards: no blocking by steps at all. */
static void test_preemption_inside_a_step(void **state)
{
	(void)state;
	b.in_step = preempt_inside;
	(void)submit(0, 2, RNV_NEVER, 7);
	run_lane(1);
	run_lane(2);
	assert_order((uintptr_t[]){8, 7}, 2);
	assert_output();
	assert_int_equal(b.done[0].start_us, 1013);
	assert_int_equal(b.done[0].blocked_us, 0);
	assert_int_equal(b.done[1].preemptions, 1);
	assert_int_equal(stats_of(2).preempted, 1);
	assert_int_equal(stats_of(0).longest_step_blocked_us, 0);
	assert_int_equal(b.sched.active, 0);
}

static void two_levels(const struct rnv_trace_event *event)
{
	if (event->lane == 2 && event->step == 1) {
		(void)submit(0, 1, RNV_NEVER, 9);
		run_lane(1);
	}
	if (event->lane == 1 && event->step == 2) {
		(void)submit(0, 0, RNV_NEVER, 8);
		run_lane(0);
	}
}

/* Only the one that had the CPU is preempted. */
static void test_three_levels(void **state)
{
	(void)state;
	b.in_step = two_levels;
	(void)submit(0, 2, RNV_NEVER, 7);
	run_lane(2);
	assert_order((uintptr_t[]){8, 9, 7}, 3);
	assert_int_equal(b.done[1].preemptions, 1);
	assert_int_equal(b.done[2].preemptions, 1);
	assert_output();
}

static void test_lanes_are_their_own(void **state)
{
	(void)state;
	assert_int_equal(rnv_lane_run(&b.sched, LANES), RNV_EINVAL);
	(void)submit(0, 0, RNV_NEVER, 0);
	(void)submit(0, 1, 5, 2);
	(void)submit(0, 1, 4, 1);
	run_lane(2);
	assert_int_equal(b.done_count, 0);
	run_lane(1);
	assert_order((uintptr_t[]){1, 2}, 2);
	run_lane(0);
	assert_order((uintptr_t[]){1, 2, 0}, 3);
}

static uint32_t victim;

static void cancel_inside(const struct rnv_trace_event *event)
{
	if (event->job == victim && event->step == 0) {
		assert_int_equal(rnv_job_cancel(&b.sched, victim), RNV_OK);
		run_lane(0); /* another thread does not end it */
		assert_int_equal(b.done_count, 0);
	}
}

static void test_cancel(void **state)
{
	(void)state;
	b.in_step = cancel_inside;
	victim = submit(0, 2, RNV_NEVER, 1);
	(void)submit(0, 2, RNV_NEVER, 2);
	b.in_done = NULL;
	b.wakes[2] = 0;
	b.step_us = 10;
	assert_int_equal(rnv_lane_run(&b.sched, 2), RNV_OK);
	assert_order((uintptr_t[]){1, 2}, 2);
	assert_int_equal(b.done[0].status, RNV_ECANCELED);
	assert_int_equal(b.done[0].end_us, 1010);
}

static void submit_inside(void *context, const struct rnv_job_result *result)
{
	(void)result;
	if ((uintptr_t)context < 20) {
		(void)submit(0, 1, RNV_NEVER, (uintptr_t)context + 1);
	}
}

static void test_submit_inside_a_completion(void **state)
{
	(void)state;
	b.in_done = submit_inside;
	(void)submit(0, 1, RNV_NEVER, 0);
	run_lane(1);
	assert_int_equal(b.done_count, 21);
}

static void run_at_once(void *context, uint32_t lane)
{
	(void)context;
	run_lane(lane);
}

/* The submitting thread is preempted as soon as the job can be seen. */
static void test_submission_is_traced_first(void **state)
{
	uint32_t job;

	(void)state;
	b.hooks.wake = run_at_once;
	job = submit(0, 1, RNV_NEVER, 1);
	assert_order((uintptr_t[]){1}, 1);
	assert_int_equal(b.event_count, 9); /* three steps */
	assert_int_equal(b.events[0].kind, RNV_TRACE_SUBMIT);
	assert_int_equal(b.events[0].lane, 1);
	assert_int_equal(b.events[0].model, 0);
	assert_int_equal(b.events[1].kind, RNV_TRACE_START);
	assert_int_equal(b.events[8].kind, RNV_TRACE_DONE);
	for (uint32_t i = 0; i < b.event_count; i++) {
		assert_int_equal(b.events[i].job, job);
	}
}

static void drain_on_submit(void *context, const struct rnv_trace_event *event)
{
	on_trace(context, event);
	if (event->kind == RNV_TRACE_SUBMIT) {
		assert_int_equal(rnv_model_drain(&b.sched, b.model[0], RNV_DRAIN_FINISH),
				 RNV_EAGAIN);
	}
}

/* The next job has the handle that was announced. */
static void test_a_submission_that_comes_to_nothing(void **state)
{
	struct rnv_job_request request = request_of(0, 1, RNV_NEVER, 1);
	uint32_t job;

	(void)state;
	b.hooks.trace = drain_on_submit;
	assert_int_equal(rnv_job_submit(&b.sched, &request, &job), RNV_ESTATE);
	assert_int_equal(b.event_count, 2);
	assert_int_equal(b.events[0].kind, RNV_TRACE_SUBMIT);
	assert_int_equal(b.events[1].kind, RNV_TRACE_REFUSED);
	assert_int_equal(b.events[1].job, b.events[0].job);
	assert_int_equal(b.events[1].lane, 1);
	assert_int_equal(b.done_count, 0);
	assert_int_equal(b.completed_count, 1); /* who waits for the drain */
	b.hooks.trace = on_trace;
	assert_int_equal(rnv_model_undrain(&b.sched, b.model[0]), RNV_OK);
	assert_int_equal(submit(0, 1, RNV_NEVER, 2), b.events[0].job);
	run_lane(1);
	assert_order((uintptr_t[]){2}, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_preemption_inside_a_step, bench_setup),
		cmocka_unit_test_setup(test_three_levels, bench_setup),
		cmocka_unit_test_setup(test_lanes_are_their_own, bench_setup),
		cmocka_unit_test_setup(test_cancel, bench_setup),
		cmocka_unit_test_setup(test_submit_inside_a_completion, bench_setup),
		cmocka_unit_test_setup(test_submission_is_traced_first, bench_setup),
		cmocka_unit_test_setup(test_a_submission_that_comes_to_nothing, bench_setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
