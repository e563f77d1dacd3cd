/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Marked steps: accelerator, CPU, waiting, faults, zombies. Steps 0 and 2 of the network are
 * marked. */

#include "accelerate_fixture.h"

static void test_marked_steps_run_there(void **state)
{
	uint32_t jobs[LOG];
	uint32_t job = submit_with(1, 0, 1);

	(void)state;
	rnv_sched_run(&b.sched);
	assert_int_equal(rnv_job_state_get(&b.sched, job), RNV_JOB_WAITING);
	assert_int_equal(rnv_sched_next_us(&b.sched), 1000 + TIMEOUT_US);
	assert_int_equal(d.lane, 1);
	b.wakes[1] = 0;
	finish_request(RNV_OK);
	assert_int_equal(b.wakes[1], 1);
	rnv_sched_run(&b.sched);
	assert_int_equal(d.invokes, 2);
	finish_request(RNV_OK);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){1}, 1);
	assert_output();
	assert_int_equal(b.done[0].fallbacks, 0);
	assert_int_equal(events_of(RNV_TRACE_NPU_BEGIN, jobs), 2);
	assert_int_equal(events_of(RNV_TRACE_NPU_END, jobs), 2);
	assert_int_equal(events_of(RNV_TRACE_STEP_BEGIN, jobs), 1);
	assert_int_equal(npu_info().completed, 2);
	assert_true(rnv_sched_next_us(&b.sched) == RNV_NEVER);
}

static void take_over_once(const struct rnv_trace_event *event)
{
	b.in_step = NULL;
	assert_int_equal(event->lane, 1);
	(void)submit_with(0, RNV_JOB_NPU_NEVER, 0);
}

/* Taken over once, and twice at the accelerator, which is no takeover; nor is it for the next. */
static void test_waiting_is_no_takeover(void **state)
{
	uint32_t jobs[LOG];

	(void)state;
	b.in_step = take_over_once;
	for (uint32_t i = 1; i <= 2; i++) {
		(void)submit_with(1, 0, i);
		rnv_sched_run(&b.sched);
		finish_request(RNV_OK);
		rnv_sched_run(&b.sched);
		finish_request(RNV_OK);
		rnv_sched_run(&b.sched);
	}
	assert_order((uintptr_t[]){0, 1, 2}, 3);
	assert_int_equal(events_of(RNV_TRACE_PREEMPT, jobs), 1);
	assert_int_equal(events_of(RNV_TRACE_RESUME, jobs), 1);
}

static void test_completion_inside_of_invoke(void **state)
{
	(void)state;
	d.at_once = true;
	(void)submit_with(1, RNV_JOB_NPU_STRICT, 1);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){1}, 1);
	assert_output();
}

static void test_never(void **state)
{
	(void)state;
	(void)submit_with(1, RNV_JOB_NPU_NEVER, 1);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){1}, 1);
	assert_int_equal(d.invokes, 0);
	assert_int_equal(b.done[0].fallbacks, 0);
}

/* While one lane waits the others use the CPU, and a busy accelerator is no reason to wait. */
static void test_others_use_the_cpu(void **state)
{
	(void)state;
	(void)submit_with(1, 0, 1);
	rnv_sched_run(&b.sched);
	(void)submit_with(2, 0, 2);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){2}, 1);
	assert_output();
	assert_int_equal(b.done[0].fallbacks, 2);
	assert_int_equal(b.done[0].preemptions, 0);
	d.at_once = true;
	finish_request(RNV_OK);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){2, 1}, 2);
	assert_output();
}

/* Those that wait get it in the order of their lanes. */
static void test_requests_by_lane(void **state)
{
	(void)state;
	(void)submit_with(1, 0, 1);
	rnv_sched_run(&b.sched);
	(void)submit_with(2, RNV_JOB_NPU_WAIT, 2);
	rnv_sched_run(&b.sched);
	(void)submit_with(0, RNV_JOB_NPU_STRICT, 0);
	rnv_sched_run(&b.sched);
	assert_int_equal(b.done_count, 0);
	assert_int_equal(d.aborts, 0); /* not bounded */
	now_us += 40;
	finish_request(RNV_OK);
	rnv_sched_run(&b.sched);
	assert_int_equal(d.lane, 0);
	assert_int_equal(stats_of(0).longest_npu_blocked_us, 40);
	finish_request(RNV_OK);
	rnv_sched_run(&b.sched);
	while (d.pending) {
		finish_request(RNV_OK);
		rnv_sched_run(&b.sched);
	}
	assert_order((uintptr_t[]){1, 0, 2}, 3); /* the first did not wait for its second turn */
	assert_output();
	assert_int_equal(b.done[0].fallbacks, 1);
	assert_int_equal(b.done[1].fallbacks, 0);
	assert_int_equal(b.done[2].fallbacks, 0);
	assert_int_equal(b.sched.npu_waiting, 0);
	assert_int_equal(b.sched.npu_away, 0);
}

/* Where the driver is quick to stop, the lower request is stopped; that step is done again. */
static void test_higher_lane_takes_it(void **state)
{
	(void)state;
	d.caps.abort_us = 50;
	(void)submit_with(2, RNV_JOB_NPU_WAIT, 2);
	rnv_sched_run(&b.sched);
	(void)submit_with(0, RNV_JOB_NPU_WAIT, 0);
	rnv_sched_run(&b.sched);
	assert_int_equal(d.aborts, 1);
	assert_int_equal(d.lane, 0);
	while (d.pending) {
		finish_request(RNV_OK);
		rnv_sched_run(&b.sched);
	}
	assert_order((uintptr_t[]){0, 2}, 2);
	assert_int_equal(b.done[1].status, RNV_OK);
	assert_int_equal(b.done[1].fallbacks, 0);
	assert_int_equal(d.invokes, 5);
	assert_output();
}

/* The abort for a more urgent lane has a time-out of its own, which the driver attends to. */
static void test_taking_it_from_a_lane_is_bounded(void **state)
{
	(void)state;
	d.caps.abort_us = 50;
	d.confirms = false;
	(void)submit_with(2, RNV_JOB_NPU_WAIT, 2);
	rnv_sched_run(&b.sched);
	(void)submit_with(0, RNV_JOB_NPU_WAIT, 0);
	pass(1);
	assert_int_equal(d.aborts, 1);
	assert_int_equal(rnv_sched_next_us(&b.sched), now_us + 50);
	pass(50);
	assert_int_equal(npu_info().state, RNV_NPU_QUARANTINED);
	assert_true(rnv_sched_next_us(&b.sched) == RNV_NEVER);
	assert_order((uintptr_t[]){0}, 1);
	assert_output();
}

static void test_faults_fall_back(void **state)
{
	(void)state;
	d.refuses = true;
	(void)submit_with(1, 0, 1);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){1}, 1);
	assert_int_equal(b.done[0].fallbacks, 2);
	assert_output();
	(void)submit_with(1, RNV_JOB_NPU_STRICT, 2);
	rnv_sched_run(&b.sched);
	assert_int_equal(b.done[1].status, RNV_EIO);
	d.refuses = false;
	assert_int_equal(rnv_npu_recover(&d.npu), RNV_OK); /* three faults in a row */
	(void)submit_with(1, 0, 3);
	rnv_sched_run(&b.sched);
	finish_request(RNV_EIO);
	rnv_sched_run(&b.sched);
	finish_request(RNV_OK);
	rnv_sched_run(&b.sched);
	assert_int_equal(b.done[2].status, RNV_OK);
	assert_int_equal(b.done[2].fallbacks, 1);
	assert_output();
}

/* An accelerator that never answers, but confirms the abort. */
static void test_time_out(void **state)
{
	(void)state;
	(void)submit_with(1, 0, 1);
	rnv_sched_run(&b.sched);
	pass(TIMEOUT_US - 1);
	assert_int_equal(d.aborts, 0);
	pass(1);
	assert_int_equal(d.aborts, 1);
	assert_true(d.pending); /* step 2 is tried there again */
	finish_request(RNV_OK);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){1}, 1);
	assert_int_equal(b.done[0].fallbacks, 1);
	assert_output();
	(void)submit_with(1, RNV_JOB_NPU_STRICT, 2);
	rnv_sched_run(&b.sched);
	pass(TIMEOUT_US);
	assert_int_equal(b.done[1].status, RNV_ETIMEDOUT);
}

/* Nor that: the job is a zombie with its memory, the lane goes on behind it. */
static void test_zombie(void **state)
{
	uint32_t job = submit_with(1, 0, 1);

	(void)state;
	d.confirms = false;
	rnv_sched_run(&b.sched);
	pass(TIMEOUT_US);
	assert_int_equal(rnv_job_state_get(&b.sched, job), RNV_JOB_WAITING);
	pass(TIMEOUT_US);
	assert_int_equal(rnv_job_state_get(&b.sched, job), RNV_JOB_ZOMBIE);
	assert_int_equal(npu_info().state, RNV_NPU_QUARANTINED);
	assert_int_equal(stats_of(1).arena_bytes, LANE_BYTES - 32);
	assert_int_equal(info_of(0).jobs, 1);
	memset(b.arenas[1], 0x3C, 32);
	(void)submit_with(1, 0, 2);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){2}, 1); /* on the CPU, behind the held bytes */
	assert_output();
	for (int i = 0; i < 32; i++) {
		assert_int_equal(b.arenas[1][i], 0x3C);
	}
	assert_int_equal(rnv_model_drain(&b.sched, b.model[0], RNV_DRAIN_FINISH), RNV_EAGAIN);
	assert_int_equal(rnv_model_undrain(&b.sched, b.model[0]), RNV_OK);
	finish_request(RNV_OK); /* late */
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){2, 1}, 2);
	assert_int_equal(b.done[1].status, RNV_ETIMEDOUT);
	assert_int_equal(info_of(0).jobs, 0);
	(void)submit_with(1, 0, 3);
	rnv_sched_run(&b.sched);
	assert_output();
	assert_int_equal(stats_of(1).arena_bytes, LANE_BYTES);
}

static void test_zombie_and_recover(void **state)
{
	struct rnv_job_request request;
	uint32_t job;

	(void)state;
	b.images[1].header.arena_bytes = LANE_BYTES;
	open_model(1, 0x2);
	request = request_of(1, 1, RNV_NEVER, 2);
	d.confirms = false;
	job = submit_with(1, RNV_JOB_NPU_STRICT, 1);
	rnv_sched_run(&b.sched);
	pass(TIMEOUT_US);
	pass(TIMEOUT_US);
	assert_int_equal(rnv_job_cancel(&b.sched, job), RNV_OK);
	assert_int_equal(rnv_job_submit(&b.sched, &request, NULL), RNV_OK);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){2}, 1); /* too large for the rest */
	assert_int_equal(b.done[0].status, RNV_ENOMEM);
	assert_int_equal(rnv_npu_recover(&d.npu), RNV_OK);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){2, 1}, 2);
	assert_int_equal(b.done[1].status, RNV_ECANCELED);
	d.at_once = true;
	assert_int_equal(rnv_job_submit(&b.sched, &request, NULL), RNV_OK);
	rnv_sched_run(&b.sched);
	assert_int_equal(b.done[2].status, RNV_OK);
	assert_output();
}

/* Model 0 in lane 1 as if its package had state. */
static void give_state(uint8_t flags)
{
	b.models[0].state = b.state;
	b.models[0].state_bytes = sizeof(b.state);
	b.models[0].state_room = sizeof(b.state);
	b.models[0].flags = flags;
	b.models[0].lanes = 0x2;
	memset(b.state, 0x77, sizeof(b.state));
}

/* While an accelerator may write a model's state nobody else does. */
static void test_zombie_and_state(void **state)
{
	uint32_t job;

	(void)state;
	give_state(RNV_MODEL_AUTO_RESET);
	d.confirms = false;
	job = submit_with(1, 0, 1);
	(void)submit_with(1, 0, 2);
	(void)submit_with(1, RNV_JOB_RESET, 3);
	rnv_sched_run(&b.sched);
	pass(TIMEOUT_US);
	pass(TIMEOUT_US);
	assert_int_equal(rnv_job_state_get(&b.sched, job), RNV_JOB_ZOMBIE);
	assert_order((uintptr_t[]){2, 3}, 2);
	assert_int_equal(b.done[0].status, RNV_ESTALE);
	assert_int_equal(b.done[1].status, RNV_ESTALE);
	assert_int_equal(info_of(0).stale, 1);
	assert_int_equal(info_of(0).resets, 0);
	assert_int_equal(rnv_model_reset(&b.sched, b.model[0]), RNV_EBUSY);
	assert_int_equal(b.state[0], 0x77);
	finish_request(RNV_OK); /* late */
	(void)submit_with(1, 0, 4);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){2, 3, 1, 4}, 4);
	assert_int_equal(b.done[3].status, RNV_OK);
	assert_int_equal(info_of(0).resets, 1);
	assert_int_equal(b.state[0], 0);
}

static uint32_t victim;

static void cancel_as_it_is_handed_over(void *context, const struct rnv_trace_event *event)
{
	on_trace(context, event);
	if (event->kind == RNV_TRACE_NPU_BEGIN && event->job == victim) {
		victim = RNV_NO_HANDLE;
		assert_int_equal(rnv_job_cancel(&b.sched, event->job), RNV_OK);
	}
}

/* A cancel just before the request: nothing is lost. */
static void test_cancel_before_the_request(void **state)
{
	(void)state;
	b.hooks.trace = cancel_as_it_is_handed_over;
	victim = submit_with(1, 0, 1);
	rnv_sched_run(&b.sched);
	assert_int_equal(victim, RNV_NO_HANDLE);
	assert_int_equal(d.aborts, 1);
	assert_order((uintptr_t[]){1}, 1);
	assert_int_equal(b.done[0].status, RNV_ECANCELED);
}

static void test_cancel_at_the_accelerator(void **state)
{
	uint32_t job = submit_with(1, 0, 1);

	(void)state;
	d.confirms = false;
	rnv_sched_run(&b.sched);
	assert_int_equal(rnv_job_cancel(&b.sched, job), RNV_OK);
	assert_int_equal(d.aborts, 1);
	rnv_sched_run(&b.sched);
	assert_int_equal(b.done_count, 0); /* it has not let go */
	finish_request(RNV_ECANCELED);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){1}, 1);
	assert_int_equal(b.done[0].status, RNV_ECANCELED);
}

static void test_cancel_one_that_waits_for_it(void **state)
{
	uint32_t job;

	(void)state;
	(void)submit_with(1, 0, 1);
	rnv_sched_run(&b.sched);
	job = submit_with(0, RNV_JOB_NPU_WAIT, 0);
	rnv_sched_run(&b.sched);
	assert_int_equal(rnv_job_state_get(&b.sched, job), RNV_JOB_WAITING);
	assert_int_equal(rnv_job_cancel(&b.sched, job), RNV_OK);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){0}, 1);
	assert_int_equal(b.done[0].status, RNV_ECANCELED);
	assert_int_equal(d.aborts, 0);
	assert_int_equal(b.sched.npu_waiting, 0);
}

/* A model that is opened while the accelerator is busy is loaded later. */
static void test_loaded_later(void **state)
{
	struct rnv_job_request request;

	(void)state;
	(void)submit_with(1, 0, 1);
	rnv_sched_run(&b.sched);
	open_model(1, 0x7);
	assert_int_equal(info_of(1).npu, 0);
	assert_int_equal(rnv_model_npu_load(&b.sched, b.model[1]), RNV_EBUSY);
	d.at_once = true;
	finish_request(RNV_OK);
	rnv_sched_run(&b.sched);
	assert_int_equal(rnv_model_npu_load(&b.sched, 5), RNV_ENOENT);
	request = request_of(1, 0, RNV_NEVER, 2);
	assert_int_equal(rnv_job_submit(&b.sched, &request, NULL), RNV_OK);
	assert_int_equal(rnv_model_npu_load(&b.sched, b.model[1]), RNV_EBUSY);
	rnv_sched_run(&b.sched);
	assert_int_equal(b.done[1].fallbacks, 0); /* not wanted there */
	assert_int_equal(d.invokes, 2);
	assert_int_equal(rnv_model_npu_load(&b.sched, b.model[1]), RNV_OK);
	assert_int_equal(info_of(1).npu, 1);
	assert_int_equal(info_of(1).jobs, 0);
	assert_int_equal(rnv_job_submit(&b.sched, &request, NULL), RNV_OK);
	rnv_sched_run(&b.sched);
	assert_int_equal(d.invokes, 4);
	d.npu.state = RNV_NPU_SUSPENDED;
	assert_int_equal(rnv_model_npu_load(&b.sched, b.model[1]), RNV_ESTATE);
	assert_int_equal(info_of(1).npu, 1); /* it still has it */
	b.sched.npu = NULL;
	assert_int_equal(rnv_model_npu_load(&b.sched, b.model[1]), RNV_ENOTSUP);
}

static void test_suspended(void **state)
{
	(void)state;
	d.npu.state = RNV_NPU_SUSPENDED;
	(void)submit_with(1, RNV_JOB_NPU_WAIT, 1);
	(void)submit_with(0, RNV_JOB_NPU_STRICT, 0);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){0, 1}, 2);
	assert_int_equal(b.done[0].status, RNV_EIO);
	assert_int_equal(b.done[1].fallbacks, 2);
}

static void end_in_step(const struct rnv_trace_event *event)
{
	if (event->lane == 2 && event->step == 1) {
		now_us += 4;
		finish_request(RNV_OK);
	}
}

/* After each wait for the accelerator a step of another lane may block again. */
static void test_blocked_after_a_wait(void **state)
{
	(void)state;
	(void)submit_with(0, 0, 0);
	rnv_sched_run(&b.sched);
	b.in_step = end_in_step;
	(void)submit_with(2, RNV_JOB_NPU_NEVER, 2);
	d.at_once = false;
	rnv_sched_run(&b.sched);
	b.in_step = NULL;
	finish_request(RNV_OK);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){2, 0}, 2);
	assert_int_equal(b.done[1].blocked_us, 6);
	assert_int_equal(b.done[0].preemptions, 1);
	assert_int_equal(stats_of(0).longest_step_blocked_us, 6);
}

/* A time-out is noticed at a step boundary, whenever the last event was: no step blocked longer. */
static void test_a_time_out_does_not_count_as_blocking(void **state)
{
	uint32_t job = submit_with(0, 0, 0);

	(void)state;
	rnv_sched_run(&b.sched);
	finish_request(RNV_OK);
	rnv_sched_run(&b.sched);
	assert_true(d.pending); /* its second request is never answered */
	d.confirms = false;
	b.step_us = 700;
	(void)submit_with(2, RNV_JOB_NPU_NEVER, 2);
	(void)submit_with(2, RNV_JOB_NPU_NEVER, 2);
	rnv_sched_run(&b.sched);
	assert_int_equal(b.done_count, 2);
	assert_int_equal(rnv_job_state_get(&b.sched, job), RNV_JOB_ZOMBIE);
	assert_true(stats_of(0).longest_step_blocked_us <= 700);
}

/* What ends a later job of the lane does not end a zombie, whose memory is still written. */
static void test_a_zombie_outlives_a_cancelled_job(void **state)
{
	uint32_t zombie;

	(void)state;
	d.confirms = false;
	zombie = submit_with(1, 0, 1);
	rnv_sched_run(&b.sched);
	pass(TIMEOUT_US);
	pass(TIMEOUT_US);
	assert_int_equal(rnv_job_state_get(&b.sched, zombie), RNV_JOB_ZOMBIE);
	victim = submit_with(1, 0, 2);
	assert_int_equal(rnv_sched_step(&b.sched), 1);
	assert_int_equal(rnv_job_state_get(&b.sched, victim), RNV_JOB_RUNNING);
	assert_int_equal(rnv_job_cancel(&b.sched, victim), RNV_OK);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){2}, 1);
	assert_int_equal(b.done[0].status, RNV_ECANCELED);
	assert_int_equal(rnv_job_state_get(&b.sched, zombie), RNV_JOB_ZOMBIE);
	assert_int_equal(stats_of(1).arena_bytes, LANE_BYTES - 32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_marked_steps_run_there, setup),
		cmocka_unit_test_setup(test_waiting_is_no_takeover, setup),
		cmocka_unit_test_setup(test_completion_inside_of_invoke, setup),
		cmocka_unit_test_setup(test_never, setup),
		cmocka_unit_test_setup(test_others_use_the_cpu, setup),
		cmocka_unit_test_setup(test_requests_by_lane, setup),
		cmocka_unit_test_setup(test_higher_lane_takes_it, setup),
		cmocka_unit_test_setup(test_taking_it_from_a_lane_is_bounded, setup),
		cmocka_unit_test_setup(test_faults_fall_back, setup),
		cmocka_unit_test_setup(test_time_out, setup),
		cmocka_unit_test_setup(test_zombie, setup),
		cmocka_unit_test_setup(test_zombie_and_recover, setup),
		cmocka_unit_test_setup(test_zombie_and_state, setup),
		cmocka_unit_test_setup(test_cancel_before_the_request, setup),
		cmocka_unit_test_setup(test_cancel_at_the_accelerator, setup),
		cmocka_unit_test_setup(test_cancel_one_that_waits_for_it, setup),
		cmocka_unit_test_setup(test_loaded_later, setup),
		cmocka_unit_test_setup(test_suspended, setup),
		cmocka_unit_test_setup(test_blocked_after_a_wait, setup),
		cmocka_unit_test_setup(test_a_time_out_does_not_count_as_blocking, setup),
		cmocka_unit_test_setup(test_a_zombie_outlives_a_cancelled_job, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
