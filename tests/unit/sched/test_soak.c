/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * 100,000 random jobs. Blocking never exceeds one step of a less urgent lane; the arena's
 * high-water mark never moves after each model's first job; every result is right, whatever was
 * taken over.
 */

#include "sched_fixture.h"

#define SOAK_JOBS 100000u
#define MOST_US   100u
#define BUFFERS   64u

static struct buffer {
	int8_t x[X_BYTES];
	int8_t y[Y_BYTES];
	uint32_t job;
	bool used;
} buffers[BUFFERS];

static uint32_t seed;
static uint32_t submitted;
static uint32_t completed;
static uint32_t others; /* ended otherwise */
static uint32_t most_blocked_us;
static uint32_t high_water[LANES];

static uint32_t draw(uint32_t below)
{
	seed = seed * 1664525u + 1013904223u;
	return (uint32_t)(((uint64_t)seed * below) >> 32);
}

static void check_high_water(uint32_t lane, uint32_t model)
{
	static uint32_t seen[LANES];
	uint32_t now = stats_of(lane).arena_high_water;

	if ((seen[lane] & (1u << model)) != 0u) {
		assert_int_equal(now, high_water[lane]);
	}
	seen[lane] |= 1u << model;
	high_water[lane] = now;
}

static void soak_done(void *context, const struct rnv_job_result *result)
{
	struct buffer *buffer = context;
	int8_t expected[Y_BYTES];

	assert_true(buffer->used);
	assert_int_equal(result->job, buffer->job);
	buffer->used = false;
	if (result->status == RNV_OK) {
		expected_output(buffer->x, expected);
		assert_memory_equal(buffer->y, expected, Y_BYTES);
		completed++;
		check_high_water(result->lane, result->model & 0xFFFFu);
	} else {
		others++;
	}
	assert_true(result->blocked_us <= MOST_US);
	if (result->blocked_us > most_blocked_us) {
		most_blocked_us = result->blocked_us;
	}
}

static void soak_submit(void)
{
	struct buffer *buffer = &buffers[draw(BUFFERS)];
	struct rnv_buffer list[2] = {{buffer->x, X_BYTES}, {buffer->y, Y_BYTES}};
	struct rnv_job_request request = request_of((int)draw(2), draw(LANES), RNV_NEVER, 0);
	uint32_t job;

	if (buffer->used || submitted == SOAK_JOBS) {
		return;
	}
	for (int i = 0; i < X_BYTES; i++) {
		buffer->x[i] = (int8_t)draw(256);
	}
	request.buffers = list;
	request.done = soak_done;
	request.context = buffer;
	if (draw(2) != 0u) {
		request.deadline_us = now_us + draw(600);
	}
	request.flags = (draw(8) == 0u) ? RNV_JOB_DROP_LATE : 0u;
	buffer->used = true; /* it may be dropped before the call returns */
	if (rnv_job_submit(&b.sched, &request, &job) != RNV_OK) {
		buffer->used = false;
		return;
	}
	buffer->job = job;
	submitted++;
}

/* As interrupts do, inside of a step of random length. */
static void soak_step(const struct rnv_trace_event *event)
{
	(void)event;
	b.step_us = 0;
	b.event_count = 0;
	for (uint32_t left = 1u + draw(MOST_US); left != 0u;) {
		uint32_t part = 1u + draw(left);

		now_us += part;
		left -= part;
		if (left != 0u && draw(4) == 0u) {
			soak_submit();
		}
		if (draw(40) == 0u) {
			(void)rnv_job_cancel(&b.sched, buffers[draw(BUFFERS)].job);
		}
		if (draw(40) == 0u) {
			(void)rnv_job_set_deadline(&b.sched, buffers[draw(BUFFERS)].job,
						   now_us + draw(300));
		}
	}
}

static void test_soak(void **state)
{
	(void)state;
	bench_init();
	b.configs[1].overload = RNV_OVERLOAD_DROP_OLDEST;
	bench_start();
	open_model(0, 0x7);
	b.images[1].header.arena_bytes = LANE_BYTES;
	open_model(1, 0x7);
	b.in_step = soak_step;
	b.step_us = 0;
	seed = 7;
	while (submitted < SOAK_JOBS) {
		soak_submit();
		now_us += draw(50);
		rnv_sched_run(&b.sched);
	}
	assert_int_equal(submitted, completed + others);
	assert_int_equal(info_of(0).jobs + info_of(1).jobs, 0);
	assert_true(completed > SOAK_JOBS / 2);
	assert_true(most_blocked_us > MOST_US / 2);
	for (uint32_t lane = 0; lane < LANES; lane++) {
		struct rnv_lane_stats stats = stats_of(lane);

		assert_true(stats.longest_step_blocked_us <= MOST_US);
		print_message("lane %u: %u submitted, %u ok, %u missed, %u dropped, %u cancelled, "
			      "%u preempted, longest blocking %u us, high water %u\n",
			      lane, stats.submitted, stats.completed, stats.missed, stats.dropped,
			      stats.cancelled, stats.preempted, stats.longest_step_blocked_us,
			      stats.arena_high_water);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_soak),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
