/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Jobs: what is refused, in which order they run, handles, cancellation, results. */

#include "sched_fixture.h"

static void test_a_job_runs(void **state)
{
	uint32_t job = submit(0, 1, RNV_NEVER, 7);

	(void)state;
	assert_int_equal(rnv_job_state_get(&b.sched, job), RNV_JOB_QUEUED);
	assert_int_equal(b.wakes[1], 1);
	now_us += 5;
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){7}, 1);
	assert_output();
	assert_int_equal(b.done[0].job, job);
	assert_int_equal(b.done[0].model, b.model[0]);
	assert_int_equal(b.done[0].status, RNV_OK);
	assert_int_equal(b.done[0].lane, 1);
	assert_int_equal(b.done[0].submit_us, 1000);
	assert_int_equal(b.done[0].start_us, 1005);
	assert_int_equal(b.done[0].end_us, 1035);
	assert_int_equal(b.done[0].missed, 0);
	assert_int_equal(rnv_job_state_get(&b.sched, job), RNV_ENOENT);
	assert_int_equal(stats_of(1).completed, 1);
	assert_int_equal(stats_of(1).longest_queued_us, 5);
	assert_int_equal(stats_of(1).arena_high_water, ARENA_BYTES);
	assert_int_equal(info_of(0).completed, 1);
	assert_int_equal(info_of(0).jobs, 0);
	assert_int_equal(rnv_sched_step(&b.sched), 0);
}

static void refused(const struct rnv_job_request *request, int status)
{
	uint32_t job = 99;

	assert_int_equal(rnv_job_submit(&b.sched, request, &job), status);
	assert_int_equal(job, 99);
	assert_int_equal(info_of(0).jobs, 0);
}

/* An input of 3 bytes for a model of 48, a stale handle, and all the rest. */
static void test_wrong_requests(void **state)
{
	const struct rnv_job_request good = request_of(0, 1, RNV_NEVER, 0);
	struct rnv_buffer buffers[3];
	struct rnv_job_request r;

	(void)state;
	memcpy(buffers, good.buffers, 2 * sizeof(buffers[0]));
	r = good;
	r.model = RNV_NO_HANDLE;
	refused(&r, RNV_ENOENT);
	r.model = b.model[0] + 0x10000u;
	refused(&r, RNV_ENOENT);
	r.model = b.model[0] + 1u; /* a free slot */
	refused(&r, RNV_ENOENT);
	r.model = b.model[0] | 0xFFFFu; /* no slot */
	refused(&r, RNV_ENOENT);
	r = good;
	r.entry = 1;
	refused(&r, RNV_EINVAL);
	r = good;
	r.lane = LANES;
	refused(&r, RNV_EINVAL);
	r = good;
	r.flags = RNV_JOB_ATOMIC; /* the lane does not permit it */
	refused(&r, RNV_EINVAL);
	r.flags = RNV_JOB_NPU_NEVER | RNV_JOB_NPU_STRICT;
	refused(&r, RNV_EINVAL);
	r.flags = RNV_JOB_PACKED; /* with two buffers */
	refused(&r, RNV_EINVAL);
	r = good;
	r.buffer_count = 1;
	refused(&r, RNV_EINVAL);
	r.buffer_count = 3;
	refused(&r, RNV_EINVAL);
	r = good;
	r.buffers = NULL;
	refused(&r, RNV_EINVAL);
	r.buffer_count = 0;
	refused(&r, RNV_EINVAL);
	r = good;
	r.buffers = buffers;
	buffers[0].bytes = 3;
	refused(&r, RNV_EINVAL);
	buffers[0].bytes = X_BYTES + 1;
	refused(&r, RNV_EINVAL);
	buffers[0].bytes = X_BYTES;
	buffers[1].data = NULL;
	refused(&r, RNV_EINVAL);
	assert_int_equal(rnv_model_unbind(&b.sched, b.model[0], 1), RNV_OK);
	refused(&good, RNV_ESTATE);
	assert_int_equal(rnv_sched_step(&b.sched), 0);
	/* Nothing leaked: every slot is still there. */
	assert_int_equal(rnv_model_bind(&b.sched, b.model[0], 1), RNV_OK);
	for (int i = 0; i < JOBS; i++) {
		(void)submit(0, (uint32_t)(i / DEPTH), RNV_NEVER, 0);
	}
	assert_int_equal(rnv_job_submit(&b.sched, &good, NULL), RNV_EAGAIN);
	assert_int_equal(stats_of(1).refused, 1);
}

static void test_earliest_deadline_first(void **state)
{
	(void)state;
	(void)submit(0, 2, 500, 1);
	(void)submit(0, 2, RNV_NEVER, 2);
	(void)submit(0, 2, 400, 3);
	(void)submit(0, 2, 500, 4);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){3, 1, 4, 2}, 4);
	assert_int_equal(b.done[0].missed, 1); /* a deadline in the past: it runs, and counts */
	assert_int_equal(b.done[3].missed, 0);
	assert_int_equal(stats_of(2).missed, 3);
	assert_int_equal(stats_of(2).most_queued, 4);
}

static void test_urgent_lanes_first(void **state)
{
	(void)state;
	(void)submit(0, 2, 1, 1);
	(void)submit(0, 1, RNV_NEVER, 2);
	(void)submit(0, 0, RNV_NEVER, 3);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){3, 2, 1}, 3);
}

/* A deadline that is changed while its job is queued: its place follows. */
static void test_changed_deadlines(void **state)
{
	uint32_t jobs[4];

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		jobs[i] = submit(0, 1, 2000 + i, i);
	}
	assert_int_equal(rnv_job_set_deadline(&b.sched, jobs[3], 1), RNV_OK);
	assert_int_equal(rnv_job_set_deadline(&b.sched, jobs[0], RNV_NEVER), RNV_OK);
	assert_int_equal(rnv_job_set_deadline(&b.sched, jobs[2], 2001), RNV_OK);
	assert_int_equal(rnv_sched_step(&b.sched), 1);
	assert_int_equal(rnv_job_set_deadline(&b.sched, jobs[3], 5), RNV_ESTATE);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){3, 1, 2, 0}, 4);
	assert_int_equal(rnv_job_set_deadline(&b.sched, jobs[0], 5), RNV_ENOENT);
}

/* Against a plain sort, with removals and changes, over all depths. */
static void test_queue_against_a_sort(void **state)
{
	struct rnv_job jobs[RNV_LANE_MAX_DEPTH] = {0};
	struct rnv_job *queue[RNV_LANE_MAX_DEPTH];
	struct rnv_model model = {0};
	uint32_t seed = 1;

	(void)state;
	for (uint32_t round = 0; round < 3200; round++) {
		struct rnv_lane lane = {.queue = queue,
					.depth = (uint16_t)(1u + round % RNV_LANE_MAX_DEPTH),
					.order = UINT32_MAX - 40u,
					.overload = (uint8_t)(round % 2u)};
		uint8_t in[RNV_LANE_MAX_DEPTH] = {0};

		rnv_queue_init(&lane);
		for (uint32_t turn = 0; turn < 100; turn++) {
			struct rnv_job *first = NULL;
			uint32_t i;

			seed = seed * 1664525u + 1013904223u;
			i = (seed >> 8) % lane.depth;
			if (in[i] != 0u && (seed >> 30) == 0u) {
				jobs[i].deadline_us = seed >> 29;
				rnv_queue_moved(&lane, &jobs[i]);
			} else if (in[i] != 0u) {
				rnv_queue_remove(&b.sched, &lane, &jobs[i]);
				in[i] = 0;
			} else {
				jobs[i].deadline_us = (seed & 64u) ? RNV_NEVER : (seed >> 4) % 6u;
				rnv_queue_push(&lane, &model, &jobs[i]);
				in[i] = 1;
			}
			for (uint32_t j = 0; j < lane.depth; j++) {
				if (in[j] != 0u &&
				    (first == NULL || jobs[j].deadline_us < first->deadline_us ||
				     (jobs[j].deadline_us == first->deadline_us &&
				      (int32_t)(jobs[j].order - first->order) < 0))) {
					first = &jobs[j];
				}
			}
			if (first != NULL) {
				assert_ptr_equal(rnv_queue_head(&lane), first);
			}
		}
	}
}

static void test_stale_handles(void **state)
{
	uint32_t first = submit(0, 0, RNV_NEVER, 1);
	uint32_t second;

	(void)state;
	rnv_sched_run(&b.sched);
	second = submit(0, 0, RNV_NEVER, 2); /* the same slot */
	assert_int_equal(first % RNV_SCHED_MAX_JOBS, second % RNV_SCHED_MAX_JOBS);
	assert_int_not_equal(first, second);
	assert_int_equal(rnv_job_cancel(&b.sched, first), RNV_ENOENT);
	assert_int_equal(rnv_job_set_deadline(&b.sched, first, 1), RNV_ENOENT);
	assert_int_equal(rnv_job_cancel(&b.sched, RNV_NO_HANDLE), RNV_ENOENT);
	assert_int_equal(rnv_job_cancel(&b.sched, second | (RNV_SCHED_MAX_JOBS - 1u)), RNV_ENOENT);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){1, 2}, 2);
}

/* Also where the number of uses comes round. */
static void test_handles_are_never_zero(void **state)
{
	struct rnv_job last = {.handle = UINT32_MAX};
	struct rnv_job *free_jobs = b.sched.free;

	(void)state;
	rnv_job_free(&b.sched, &last);
	b.sched.free = free_jobs;
	assert_int_equal(last.handle, 2 * RNV_SCHED_MAX_JOBS - 1);
	b.sched.free->handle = b.sched.free->handle % RNV_SCHED_MAX_JOBS + 0xFFFFFC00u;
	for (int i = 0; i < 3; i++) {
		uint32_t job = submit(0, 0, RNV_NEVER, 0);

		assert_true(job >= RNV_SCHED_MAX_JOBS);
		rnv_sched_run(&b.sched);
	}
	b.models[0].handle = 0xFFFF0000u;
	rnv_model_renew(&b.models[0]);
	assert_int_equal(b.models[0].handle, 0x10000u);
}

static void test_fire_and_forget(void **state)
{
	struct rnv_job_request request = request_of(0, 1, RNV_NEVER, 0);

	(void)state;
	request.done = NULL;
	request.flags = RNV_JOB_FORGET;
	b.hooks.trace = NULL;
	for (uint32_t i = 0; i < 100000; i++) {
		uint32_t job;

		assert_int_equal(rnv_job_submit(&b.sched, &request, &job), RNV_OK);
		rnv_sched_run(&b.sched);
		assert_int_equal(rnv_job_state_get(&b.sched, job), RNV_ENOENT);
	}
	assert_int_equal(stats_of(1).completed, 100000);
	assert_int_equal(b.completed_count, 0);
	assert_int_equal(stats_of(1).arena_high_water, ARENA_BYTES);
}

static void test_collect(void **state)
{
	struct rnv_job_request request = request_of(0, 1, 1015, 0);
	struct rnv_job_result result;
	uint32_t job;

	(void)state;
	request.done = NULL;
	assert_int_equal(rnv_job_submit(&b.sched, &request, &job), RNV_OK);
	assert_int_equal(rnv_job_collect(&b.sched, job, &result), RNV_EAGAIN);
	rnv_sched_run(&b.sched);
	assert_int_equal(b.completed_count, 1);
	assert_int_equal(b.completed[0], job);
	assert_int_equal(rnv_job_state_get(&b.sched, job), RNV_JOB_DONE);
	assert_int_equal(rnv_job_cancel(&b.sched, job), RNV_ENOENT);
	assert_int_equal(info_of(0).jobs, 0);
	now_us += 1000;
	assert_int_equal(rnv_job_collect(&b.sched, job, &result), RNV_OK);
	assert_int_equal(result.job, job);
	assert_int_equal(result.status, RNV_OK);
	assert_int_equal(result.missed, 1);
	assert_int_equal(result.end_us, 1030);
	assert_int_equal(rnv_job_collect(&b.sched, job, &result), RNV_ENOENT);
	assert_int_equal(rnv_job_state_get(&b.sched, job), RNV_ENOENT);
}

static uint32_t looked_for;
static uint32_t looks;

/* A thread that waits for a job finds it, at any moment, until it has its result. */
static void look_between(void)
{
	struct rnv_job_result result;

	between = NULL;
	assert_int_equal(rnv_job_collect(&b.sched, looked_for, &result),
			 (looks++ == 0u) ? RNV_EAGAIN : RNV_OK);
	if (looks < 2u) {
		between = look_between;
	}
}

/* Not before the lane drops it. */
static void look_while_dropping(void)
{
	if (b.lanes[1].dropping != 0u) {
		look_between();
	}
}

static void test_a_cancelled_job_is_there_until_collected(void **state)
{
	struct rnv_job_request request = request_of(0, 1, RNV_NEVER, 0);

	(void)state;
	request.done = NULL;
	assert_int_equal(rnv_job_submit(&b.sched, &request, &looked_for), RNV_OK);
	looks = 0;
	between = look_between;
	assert_int_equal(rnv_job_cancel(&b.sched, looked_for), RNV_OK);
	assert_int_equal(looks, 2);
	assert_int_equal(rnv_job_state_get(&b.sched, looked_for), RNV_ENOENT);
}

static void test_a_dropped_job_is_there_until_collected(void **state)
{
	struct rnv_job_request request = request_of(0, 1, RNV_NEVER, 0);

	(void)state;
	b.configs[1].overload = RNV_OVERLOAD_DROP_OLDEST;
	bench_start();
	open_model(0, 0x7);
	request.model = b.model[0];
	request.done = NULL;
	assert_int_equal(rnv_job_submit(&b.sched, &request, &looked_for), RNV_OK);
	for (int i = 1; i < DEPTH; i++) {
		(void)submit(0, 1, RNV_NEVER, 0);
	}
	looks = 0;
	between = look_while_dropping;
	(void)submit(0, 1, RNV_NEVER, 0);
	assert_int_equal(looks, 2);
}

static void test_late_jobs_are_dropped(void **state)
{
	struct rnv_job_request request = request_of(0, 1, 1010, 1);

	(void)state;
	request.flags = RNV_JOB_DROP_LATE;
	assert_int_equal(rnv_job_submit(&b.sched, &request, NULL), RNV_OK);
	request.context = (void *)2;
	request.deadline_us = 1011;
	assert_int_equal(rnv_job_submit(&b.sched, &request, NULL), RNV_OK);
	now_us = 1011;
	assert_int_equal(rnv_sched_step(&b.sched), 1);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){1, 2}, 2);
	assert_int_equal(b.done[0].status, RNV_ETIME);
	assert_true(b.done[0].start_us == RNV_NEVER);
	assert_int_equal(b.done[1].status, RNV_OK);
	assert_int_equal(stats_of(1).dropped, 1);
}

static void test_full_lane_refuses(void **state)
{
	struct rnv_job_request request = request_of(0, 1, RNV_NEVER, 9);

	(void)state;
	for (int i = 0; i < DEPTH; i++) {
		(void)submit(0, 1, RNV_NEVER, 0);
	}
	assert_int_equal(rnv_job_submit(&b.sched, &request, NULL), RNV_EAGAIN);
	assert_int_equal(stats_of(1).refused, 1);
	assert_int_equal(stats_of(1).submitted, DEPTH);
	assert_int_equal(rnv_sched_step(&b.sched), 1); /* one has started */
	assert_int_equal(rnv_job_submit(&b.sched, &request, NULL), RNV_OK);
}

/* A package whose list of outputs does not follow that of its inputs. */
static void test_buffers_of_separate_lists(void **state)
{
	struct rnv_job_request request;
	struct rnv_buffer buffers[2];

	(void)state;
	b.images[1].entry.output_first = 2 * OP_FC + 1;
	open_model(1, 0x2);
	request = request_of(1, 1, RNV_NEVER, 1);
	memcpy(buffers, request.buffers, sizeof(buffers));
	request.buffers = buffers;
	buffers[0].bytes--;
	assert_int_equal(rnv_job_submit(&b.sched, &request, NULL), RNV_EINVAL);
	buffers[0].bytes++;
	buffers[1].bytes--;
	assert_int_equal(rnv_job_submit(&b.sched, &request, NULL), RNV_EINVAL);
	buffers[1].bytes++;
	assert_int_equal(rnv_job_submit(&b.sched, &request, NULL), RNV_OK);
	rnv_sched_run(&b.sched);
	assert_output();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_a_job_runs, bench_setup),
		cmocka_unit_test_setup(test_wrong_requests, bench_setup),
		cmocka_unit_test_setup(test_earliest_deadline_first, bench_setup),
		cmocka_unit_test_setup(test_urgent_lanes_first, bench_setup),
		cmocka_unit_test_setup(test_changed_deadlines, bench_setup),
		cmocka_unit_test(test_queue_against_a_sort),
		cmocka_unit_test_setup(test_stale_handles, bench_setup),
		cmocka_unit_test_setup(test_handles_are_never_zero, bench_setup),
		cmocka_unit_test_setup(test_fire_and_forget, bench_setup),
		cmocka_unit_test_setup(test_collect, bench_setup),
		cmocka_unit_test_setup(test_a_cancelled_job_is_there_until_collected, bench_setup),
		cmocka_unit_test_setup(test_a_dropped_job_is_there_until_collected, bench_setup),
		cmocka_unit_test_setup(test_late_jobs_are_dropped, bench_setup),
		cmocka_unit_test_setup(test_full_lane_refuses, bench_setup),
		cmocka_unit_test_setup(test_buffers_of_separate_lists, bench_setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
