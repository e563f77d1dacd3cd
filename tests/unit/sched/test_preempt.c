/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The cooperative driver: takeover at step boundaries, blocking, cancellation, completions. */

#include "sched_fixture.h"

/* --- acting inside a step --------------------------------------------------------------------- */

static uint32_t at_step; /* of the job in lane 2 */
static uint32_t other;

static void submit_urgent(const struct rnv_trace_event *event)
{
	if (event->lane == 2 && event->step == at_step) {
		now_us += 3;
		other = submit(0, 0, RNV_NEVER, 8);
	}
}

/* Bound: one step of a less urgent lane; the counters say exactly how long it was. */
static void test_takeover(void **state)
{
	uint32_t jobs[LOG];
	uint32_t low;

	(void)state;
	b.in_step = submit_urgent;
	at_step = 1;
	low = submit(0, 2, RNV_NEVER, 7);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){8, 7}, 2);
	assert_output();
	assert_int_equal(b.done[0].submit_us, 1013);
	assert_int_equal(b.done[0].start_us, 1020);
	assert_int_equal(b.done[0].blocked_us, 7);
	assert_int_equal(b.done[1].preemptions, 1);
	assert_int_equal(b.done[1].blocked_us, 0);
	assert_int_equal(stats_of(0).longest_step_blocked_us, 7);
	assert_int_equal(stats_of(0).longest_atomic_blocked_us, 0);
	assert_int_equal(stats_of(2).preempted, 1);
	assert_int_equal(events_of(RNV_TRACE_PREEMPT, jobs), 1);
	assert_int_equal(jobs[0], low);
	assert_int_equal(events_of(RNV_TRACE_RESUME, jobs), 1);
	assert_int_equal(events_of(RNV_TRACE_STEP_BEGIN, jobs), 6);
	assert_memory_equal(jobs, ((uint32_t[]){low, low, other, other, other, low}),
			    6 * sizeof(jobs[0]));
}

/* In the last step the job is complete first; nothing is taken over. */
static void test_no_takeover_of_a_job_that_is_complete(void **state)
{
	(void)state;
	b.in_step = submit_urgent;
	at_step = 2;
	(void)submit(0, 2, RNV_NEVER, 7);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){7, 8}, 2);
	assert_int_equal(b.done[0].preemptions, 0);
	assert_int_equal(b.done[1].blocked_us, 7);
	assert_int_equal(stats_of(2).preempted, 0);
}

static void submit_two(const struct rnv_trace_event *event)
{
	if (event->lane == 2 && event->step == 0) {
		now_us += 1;
		(void)submit(0, 1, RNV_NEVER, 9);
		now_us += 1;
		(void)submit(0, 0, RNV_NEVER, 8);
	}
}

/* Two lanes are blocked by the step; what follows is the more urgent one, and not blocking. */
static void test_two_lanes_become_ready(void **state)
{
	(void)state;
	b.in_step = submit_two;
	(void)submit(0, 2, RNV_NEVER, 7);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){8, 9, 7}, 3);
	assert_int_equal(b.done[0].blocked_us, 8);
	assert_int_equal(b.done[1].blocked_us, 9);
	assert_int_equal(b.done[1].start_us, 1040);
	assert_int_equal(stats_of(1).longest_step_blocked_us, 9);
	assert_int_equal(b.done[2].preemptions, 1);
}

static void test_atomic(void **state)
{
	struct rnv_job_request request;

	(void)state;
	b.configs[2].flags = RNV_LANE_ATOMIC;
	bench_start();
	open_model(0, 7);
	request = request_of(0, 2, RNV_NEVER, 7);
	request.flags = RNV_JOB_ATOMIC;
	b.in_step = submit_urgent;
	at_step = 0;
	assert_int_equal(rnv_job_submit(&b.sched, &request, NULL), RNV_OK);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){7, 8}, 2);
	assert_int_equal(b.done[1].blocked_us, 27);
	assert_int_equal(stats_of(0).longest_atomic_blocked_us, 27);
	assert_int_equal(stats_of(0).longest_step_blocked_us, 0);
	assert_int_equal(stats_of(2).preempted, 0);
}

/* --- cancellation ----------------------------------------------------------------------------- */

static void test_cancel_queued(void **state)
{
	uint32_t jobs[3];

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		jobs[i] = submit(0, 1, 2000 + i, i);
	}
	assert_int_equal(rnv_job_cancel(&b.sched, jobs[0]), RNV_OK);
	assert_order((uintptr_t[]){0}, 1); /* before the call returns */
	assert_int_equal(b.done[0].status, RNV_ECANCELED);
	assert_true(b.done[0].start_us == RNV_NEVER);
	assert_int_equal(rnv_job_cancel(&b.sched, jobs[0]), RNV_ENOENT);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){0, 1, 2}, 3);
	assert_int_equal(stats_of(1).cancelled, 1);
	assert_int_equal(info_of(0).failed, 1);
	assert_int_equal(info_of(0).completed, 2);
}

static void test_cancel_the_only_one(void **state)
{
	(void)state;
	assert_int_equal(rnv_job_cancel(&b.sched, submit(0, 1, RNV_NEVER, 1)), RNV_OK);
	assert_int_equal(rnv_sched_step(&b.sched), 0);
	(void)submit(0, 1, RNV_NEVER, 2);
	assert_int_equal(b.wakes[1], 2);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){1, 2}, 2);
}

static uint32_t victim;

static void cancel_victim(const struct rnv_trace_event *event)
{
	if (event->job == victim && event->step == at_step) {
		assert_int_equal(rnv_job_state_get(&b.sched, victim), RNV_JOB_RUNNING);
		assert_int_equal(rnv_job_cancel(&b.sched, victim), RNV_OK);
	}
}

/* A started job ends at its next step boundary; where its last step is running it is complete. */
static void test_cancel_running(void **state)
{
	(void)state;
	b.in_step = cancel_victim;
	for (at_step = 0; at_step < 3; at_step++) {
		victim = submit(0, 1, RNV_NEVER, at_step);
		rnv_sched_run(&b.sched);
	}
	assert_int_equal(b.done_count, 3);
	assert_int_equal(b.done[0].status, RNV_ECANCELED);
	assert_int_equal(b.done[0].end_us - b.done[0].start_us, 10);
	assert_int_equal(b.done[1].status, RNV_ECANCELED);
	assert_int_equal(b.done[1].end_us - b.done[1].start_us, 20);
	assert_int_equal(b.done[2].status, RNV_OK);
	assert_int_equal(rnv_sched_step(&b.sched), 0);
}

static void cancel_preempted(const struct rnv_trace_event *event)
{
	if (event->lane == 2 && event->step == 0) {
		other = submit(0, 0, RNV_NEVER, 8);
	}
	if (event->lane == 0 && event->step == 0) {
		assert_int_equal(rnv_job_cancel(&b.sched, victim), RNV_OK);
	}
}

/* A job that waits for its turn is ended at the next boundary of any lane. */
static void test_cancel_preempted(void **state)
{
	(void)state;
	b.in_step = cancel_preempted;
	victim = submit(0, 2, RNV_NEVER, 7);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){7, 8}, 2);
	assert_int_equal(b.done[0].status, RNV_ECANCELED);
	assert_int_equal(b.done[0].end_us, 1020);
	assert_int_equal(b.done[1].status, RNV_OK);
}

/* --- inside completions ----------------------------------------------------------------------- */

static uint32_t rounds;

static void submit_again(void *context, const struct rnv_job_result *result)
{
	assert_int_equal(rnv_job_state_get(&b.sched, result->job), RNV_ENOENT);
	if (rounds < 50) {
		rounds++;
		(void)submit(0, 1, RNV_NEVER, (uintptr_t)context + 1);
	}
}

/* A submit inside a completion: the new job has its own completion, with what it was given. */
static void test_submit_inside_a_completion(void **state)
{
	(void)state;
	b.in_done = submit_again;
	rounds = 0;
	(void)submit(0, 1, RNV_NEVER, 0);
	rnv_sched_run(&b.sched);
	assert_int_equal(b.done_count, 51);
	for (uint32_t i = 0; i < b.done_count; i++) {
		assert_int_equal((uintptr_t)b.done_context[i], i);
		for (uint32_t j = 0; j < i; j++) {
			assert_int_not_equal(b.done[i].job, b.done[j].job);
		}
	}
}

static void cancel_other(void *context, const struct rnv_job_result *result)
{
	(void)context;
	(void)result;
	if (other != RNV_NO_HANDLE) {
		uint32_t job = other;

		other = RNV_NO_HANDLE;
		assert_int_equal(rnv_job_cancel(&b.sched, job), RNV_OK);
		assert_int_equal(rnv_job_cancel(&b.sched, result->job), RNV_ENOENT);
	}
}

static void test_cancel_inside_a_completion(void **state)
{
	(void)state;
	b.in_done = cancel_other;
	(void)submit(0, 1, 1, 1);
	other = submit(0, 1, 2, 2);
	(void)submit(0, 1, 3, 3);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){1, 2, 3}, 3);
	assert_int_equal(b.done[1].status, RNV_ECANCELED);
	assert_int_equal(b.done[2].status, RNV_OK);
}

/* --- full lanes that drop --------------------------------------------------------------------- */

static void start_dropping(uint32_t job_count)
{
	b.configs[1].overload = RNV_OVERLOAD_DROP_OLDEST;
	b.config.job_count = (uint16_t)job_count;
	bench_start();
	open_model(0, 7);
}

static void test_drop_oldest(void **state)
{
	(void)state;
	start_dropping(JOBS);
	for (uint32_t i = 0; i < 6; i++) {
		(void)submit(0, 1, 9000 - i, i);
	}
	assert_order((uintptr_t[]){0, 1}, 2);
	assert_int_equal(b.done[0].status, RNV_ENOBUFS);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){0, 1, 5, 4, 3, 2}, 6);
	assert_int_equal(stats_of(1).dropped, 2);
	assert_int_equal(stats_of(1).completed, 4);
	assert_int_equal(stats_of(1).submitted, 6);
	assert_int_equal(stats_of(1).refused, 0);
}

/* Nor does a wrong request drop anything. */
static void test_wrong_requests_drop_nothing(void **state)
{
	struct rnv_job_request request = {0};

	(void)state;
	for (uint32_t slots = DEPTH; slots <= JOBS; slots += JOBS - DEPTH) {
		start_dropping(slots);
		for (uint32_t i = 0; i < DEPTH; i++) {
			(void)submit(0, 1, RNV_NEVER, i);
		}
		request = request_of(0, 1, RNV_NEVER, 0);
		request.buffer_count = 1;
		assert_int_equal(rnv_job_submit(&b.sched, &request, NULL), RNV_EINVAL);
		assert_int_equal(b.done_count, 0);
	}
}

/* With no slot to spare: that of the job that is dropped. */
static void test_drop_gives_its_slot(void **state)
{
	uint32_t last = 0;

	(void)state;
	start_dropping(DEPTH);
	for (uint32_t i = 0; i < 100; i++) {
		last = submit(0, 1, RNV_NEVER, i);
	}
	assert_int_equal(b.done_count, 96);
	assert_int_equal(rnv_job_state_get(&b.sched, last), RNV_JOB_QUEUED);
	rnv_sched_run(&b.sched);
	assert_int_equal(b.done_count, 100);
	for (uint32_t i = 0; i < 100; i++) {
		assert_int_equal((uintptr_t)b.done_context[i], i);
	}
	assert_output();
}

static void submit_when_dropped(void *context, const struct rnv_job_result *result)
{
	(void)context;
	if (result->status == RNV_ENOBUFS) {
		struct rnv_job_request request = request_of(0, 1, RNV_NEVER, 50);

		rounds += rnv_job_submit(&b.sched, &request, NULL) == RNV_OK;
	}
}

/* A completion that submits again does not drop the whole lane. */
static void test_drop_does_not_recurse(void **state)
{
	(void)state;
	start_dropping(JOBS);
	b.in_done = submit_when_dropped;
	rounds = 0;
	for (uint32_t i = 0; i < DEPTH; i++) {
		(void)submit(0, 1, RNV_NEVER, i);
	}
	(void)submit(0, 1, RNV_NEVER, 40);
	assert_order((uintptr_t[]){0}, 1);
	assert_int_equal(rounds, 0); /* the place is for the one that dropped */
	assert_int_equal(stats_of(1).refused, 1);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){0, 1, 2, 3, 40}, 5);
}

/* --- time ------------------------------------------------------------------------------------- */

static void test_time_near_its_wraps(void **state)
{
	static const uint64_t starts[] = {UINT32_MAX - 15u, (UINT64_C(1) << 63) - 15u,
					  UINT64_MAX - 200u};

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		bench_init();
		bench_start();
		open_model(0, 7);
		now_us = starts[i];
		b.in_step = submit_urgent;
		at_step = 1;
		(void)submit(0, 2, starts[i] + 25u, 7);
		rnv_sched_run(&b.sched);
		assert_order((uintptr_t[]){8, 7}, 2);
		assert_int_equal(b.done[0].blocked_us, 7);
		assert_int_equal(b.done[1].missed, 1);
		assert_int_equal(stats_of(0).longest_queued_us, 7);
	}
}

static uint32_t urgent;

/* A takeover, then something to attend to, then nothing but that in a second job. */
static void disturb(const struct rnv_trace_event *event)
{
	if (event->lane == 2 && event->step == 0 && urgent++ == 0u) {
		(void)submit(0, 0, RNV_NEVER, 8);
	} else if (event->lane == 2 && event->step == 1) {
		rnv_ready_set(&b.sched, rnv_attend_bit(&b.lanes[0]));
	}
}

static void test_a_resumption_follows_a_takeover_only(void **state)
{
	uint32_t jobs[LOG];

	(void)state;
	urgent = 0;
	b.in_step = disturb;
	(void)submit(0, 2, RNV_NEVER, 6);
	(void)submit(0, 2, RNV_NEVER, 7);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){8, 6, 7}, 3);
	assert_int_equal(events_of(RNV_TRACE_PREEMPT, jobs), 1);
	assert_int_equal(events_of(RNV_TRACE_RESUME, jobs), 1);
}

/* Cancelled while another lane has the CPU, so it is never resumed. */
static void take_over_and_cancel(const struct rnv_trace_event *event)
{
	if (event->lane == 2 && event->step == 0) {
		(void)submit(0, 0, RNV_NEVER, 8);
	} else if (event->lane == 0 && event->step == 0) {
		assert_int_equal(rnv_job_cancel(&b.sched, victim), RNV_OK);
	}
}

static void attend_in_step(const struct rnv_trace_event *event)
{
	if (event->step == 0) {
		rnv_ready_set(&b.sched, rnv_attend_bit(&b.lanes[0]));
	}
}

static void test_the_next_job_of_a_lane_was_not_taken_over(void **state)
{
	uint32_t jobs[LOG];

	(void)state;
	b.in_step = take_over_and_cancel;
	victim = submit(0, 2, RNV_NEVER, 6);
	rnv_sched_run(&b.sched);
	b.in_step = attend_in_step;
	(void)submit(0, 2, RNV_NEVER, 7);
	rnv_sched_run(&b.sched);
	assert_int_equal(b.done_count, 3);
	assert_int_equal(events_of(RNV_TRACE_PREEMPT, jobs), 1);
	assert_int_equal(events_of(RNV_TRACE_RESUME, jobs), 0);
}

/* Who waits for an idle driver is not blocked by a step, whatever ran before. */
static void test_an_idle_driver_blocks_nobody(void **state)
{
	(void)state;
	(void)submit(0, 2, RNV_NEVER, 1);
	rnv_sched_run(&b.sched);
	(void)submit(0, 0, RNV_NEVER, 2);
	now_us += 7;
	rnv_sched_run(&b.sched);
	assert_int_equal(b.done[1].start_us - b.done[1].submit_us, 7);
	assert_int_equal(b.done[1].blocked_us, 0);
	assert_int_equal(stats_of(0).longest_step_blocked_us, 0);
}

static void submit_late(const struct rnv_trace_event *event)
{
	struct rnv_job_request request = request_of(0, 0, 1, 8);

	request.flags = RNV_JOB_DROP_LATE;
	if (event->lane == 2 && event->step == 1) {
		assert_int_equal(rnv_job_submit(&b.sched, &request, NULL), RNV_OK);
	}
}

/* What blocked a job that was dropped does not count for the next one. */
static void test_blocking_of_a_dropped_job(void **state)
{
	(void)state;
	b.in_step = submit_late;
	(void)submit(0, 2, RNV_NEVER, 7);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){8, 7}, 2);
	assert_int_equal(b.done[0].status, RNV_ETIME);
	assert_int_equal(stats_of(0).longest_step_blocked_us, 10);
	(void)submit(0, 0, RNV_NEVER, 9);
	now_us += 7;
	rnv_sched_run(&b.sched);
	assert_int_equal(b.done[2].blocked_us, 0);
}

/* An interrupt after each of the sections of a cancellation. */
static void cancel_again(void)
{
	between = NULL;
	assert_int_equal(rnv_job_set_deadline(&b.sched, victim, 5), RNV_ESTATE);
	assert_int_equal(rnv_job_cancel(&b.sched, victim), RNV_OK);
	assert_int_equal(b.done_count, 0);
}

static void test_cancel_inside_a_cancellation(void **state)
{
	(void)state;
	victim = submit(0, 1, RNV_NEVER, 1);
	(void)submit(0, 1, RNV_NEVER, 2);
	between = cancel_again;
	assert_int_equal(rnv_job_cancel(&b.sched, victim), RNV_OK);
	assert_null(between);
	assert_order((uintptr_t[]){1}, 1);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){1, 2}, 2);
	assert_int_equal(stats_of(1).cancelled, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_takeover, bench_setup),
		cmocka_unit_test_setup(test_no_takeover_of_a_job_that_is_complete, bench_setup),
		cmocka_unit_test_setup(test_two_lanes_become_ready, bench_setup),
		cmocka_unit_test_setup(test_atomic, bench_setup),
		cmocka_unit_test_setup(test_cancel_queued, bench_setup),
		cmocka_unit_test_setup(test_cancel_the_only_one, bench_setup),
		cmocka_unit_test_setup(test_cancel_running, bench_setup),
		cmocka_unit_test_setup(test_cancel_preempted, bench_setup),
		cmocka_unit_test_setup(test_submit_inside_a_completion, bench_setup),
		cmocka_unit_test_setup(test_cancel_inside_a_completion, bench_setup),
		cmocka_unit_test_setup(test_drop_oldest, bench_setup),
		cmocka_unit_test_setup(test_wrong_requests_drop_nothing, bench_setup),
		cmocka_unit_test_setup(test_drop_gives_its_slot, bench_setup),
		cmocka_unit_test_setup(test_drop_does_not_recurse, bench_setup),
		cmocka_unit_test_setup(test_time_near_its_wraps, bench_setup),
		cmocka_unit_test_setup(test_a_resumption_follows_a_takeover_only, bench_setup),
		cmocka_unit_test_setup(test_the_next_job_of_a_lane_was_not_taken_over, bench_setup),
		cmocka_unit_test_setup(test_an_idle_driver_blocks_nobody, bench_setup),
		cmocka_unit_test_setup(test_blocking_of_a_dropped_job, bench_setup),
		cmocka_unit_test_setup(test_cancel_inside_a_cancellation, bench_setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
