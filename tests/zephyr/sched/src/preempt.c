/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * A more urgent job arrives, by an interrupt, in a step of a less urgent one: at each step, of
 * both models, one inside of the other. All scores stay what they are.
 */

#include "bench.h"

static struct job jobs[LANES];
static uint16_t in_step;

/* What happened, in order. */
static struct {
	uint8_t kind;
	uint8_t lane;
	uint16_t step;
} events[128];
static uint32_t event_count;

static void submit_in_step(const struct rnv_trace_event *event)
{
	uint32_t key = irq_lock();

	if (event_count < ARRAY_SIZE(events)) {
		events[event_count].kind = event->kind;
		events[event_count].lane = event->lane;
		events[event_count].step = event->step;
		event_count++;
	}
	irq_unlock(key);
	if (event->kind == RNV_TRACE_STEP_BEGIN && event->step == in_step &&
	    event->lane != REALTIME) {
		job_submit_in_interrupt(&jobs[event->lane - 1U]);
	}
}

/* Number of the event. */
static uint32_t find(uint32_t kind, uint32_t lane, uint32_t step)
{
	for (uint32_t i = 0; i < event_count; i++) {
		if (events[i].kind == kind && events[i].lane == lane && events[i].step == step) {
			return i;
		}
	}
	zassert_unreachable("event %u of step %u in lane %u did not happen", kind, step, lane);
	return 0;
}

static void interleave(uint32_t step)
{
	in_step = (uint16_t)step;
	event_count = 0;
	for (uint32_t lane = 0; lane < LANES; lane++) {
		bool other = ((lane + step) % 2U == 0U);

		job_init(&jobs[lane], other ? bench.npu_model : bench.cpu_model, lane,
			 (lane + step) % INPUTS);
		jobs[lane].request.flags = RNV_JOB_NPU_NEVER;
	}
	job_submit(&jobs[SLOW]);
	for (uint32_t lane = LANES; lane-- > 0U;) {
		job_expect_scores(&jobs[lane]);
	}
	zassert_true(event_count < ARRAY_SIZE(events));
}

/* The more urgent job runs between the two. */
static void expect_takeover(uint32_t step, uint32_t lane)
{
	uint32_t end = find(RNV_TRACE_STEP_END, lane, step);
	uint32_t first = find(RNV_TRACE_STEP_BEGIN, lane - 1U, 0);
	uint32_t last = find(RNV_TRACE_DONE, lane - 1U, 0);

	zassert_true(last > first);
	if (bench_has_threads()) {
		zassert_true(last < end, "inside of the step");
	} else {
		zassert_true(first > end, "at the boundary");
		if (step + 1U < STEPS) {
			zassert_true(last < find(RNV_TRACE_STEP_BEGIN, lane, step + 1U));
		}
	}
}

SCHED_TEST(takeover_in_each_step)
{
	bench.on_event = submit_in_step;
	for (uint32_t step = 0; step < STEPS; step++) {
		interleave(step);
		expect_takeover(step, SLOW);
		expect_takeover(step, NORMAL);
	}
	for (uint32_t lane = 0; lane < LANES; lane++) {
		zassert_equal(bench_stats(lane).completed, STEPS);
		zassert_equal(bench_stats(lane).submitted, STEPS);
		zassert_equal(bench_stats(lane).arena_high_water, RANVIER_CPU_ARENA_BYTES);
	}
	zassert_equal(bench.interrupts, 2U * STEPS);
}

/* Counters of a takeover in the middle. */
SCHED_TEST(takeover_is_counted)
{
	bench.on_event = submit_in_step;
	interleave(3);
	zassert_equal(bench_stats(REALTIME).preempted, 0);
	zassert_equal(jobs[REALTIME].result.preemptions, 0);
	for (uint32_t lane = NORMAL; lane < LANES; lane++) {
		zassert_equal(bench_stats(lane).preempted, 1);
		zassert_equal(jobs[lane].result.preemptions, 1);
	}
	if (bench_has_threads()) {
		zassert_equal(jobs[REALTIME].result.blocked_us, 0);
	} else { /* a step, and its cost where it has none */
		zassert_true(jobs[REALTIME].result.blocked_us > 0);
		zassert_equal(bench_stats(REALTIME).longest_step_blocked_us,
			      jobs[REALTIME].result.blocked_us);
	}
}

static void submit_urgent_in_step_3(const struct rnv_trace_event *event)
{
	if (event->kind == RNV_TRACE_STEP_BEGIN && event->step == 3U && event->lane == SLOW) {
		job_submit_in_interrupt(&jobs[REALTIME]);
	}
}

/* A job that nothing takes over, in a lane that permits it: with one thread. */
SCHED_TEST(atomic_jobs)
{
	job_init(&jobs[SLOW], bench.cpu_model, SLOW, 0);
	job_init(&jobs[REALTIME], bench.npu_model, REALTIME, 1);
	jobs[SLOW].request.flags = RNV_JOB_ATOMIC;
	jobs[REALTIME].request.flags = RNV_JOB_NPU_NEVER;
	bench.on_event = submit_urgent_in_step_3;
	job_submit(&jobs[SLOW]);
	job_expect_scores(&jobs[SLOW]);
	job_expect_scores(&jobs[REALTIME]);
	if (!bench_has_threads()) {
		zassert_true(jobs[REALTIME].result.start_us >= jobs[SLOW].result.end_us);
		zassert_equal(bench_stats(SLOW).preempted, 0);
		zassert_true(bench_stats(REALTIME).longest_atomic_blocked_us > 0);
	}
	job_init(&jobs[NORMAL], bench.cpu_model, NORMAL, 0);
	jobs[NORMAL].request.flags = RNV_JOB_ATOMIC;
	job_submit(&jobs[NORMAL]);
	zassert_equal(jobs[NORMAL].submitted, RNV_EINVAL, "its lane does not permit it");
}

static void submit_same_lane(const struct rnv_trace_event *event)
{
	if (event->kind == RNV_TRACE_STEP_BEGIN && event->step == 3U &&
	    event->job == jobs[0].handle) {
		job_submit_in_interrupt(&jobs[1]);
	}
}

/* A started job keeps its lane, whatever the deadline of one that arrives. */
SCHED_TEST(no_takeover_in_a_lane)
{
	for (uint32_t i = 0; i < 2U; i++) {
		job_init(&jobs[i], bench.cpu_model, NORMAL, i);
	}
	jobs[1].request.deadline_us = rnv_now_us() + 60 * USEC_PER_SEC;
	bench.on_event = submit_same_lane;
	job_submit(&jobs[0]);
	job_expect_scores(&jobs[0]);
	job_expect_scores(&jobs[1]);
	zassert_true(jobs[1].result.start_us >= jobs[0].result.end_us);
	zassert_equal(rnv_job_set_deadline(&bench.sched, jobs[1].handle, RNV_NEVER), RNV_ENOENT);
}
