/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef TESTS_UNIT_SCHED_SCHED_FIXTURE_H_
#define TESTS_UNIT_SCHED_SCHED_FIXTURE_H_

/*
 * A scheduler of three lanes on a port with virtual time, and models that are all the package of
 * ../model/package_fixture.h: three steps, one input, one output. A step takes `step_us`, during
 * which `in_step` may act as an interrupt would.
 */

#include "../model/package_fixture.h"

#include "ranvier/npu.h"
#include "ranvier/port.h"
#include "ranvier/sched.h"
#include "sched/internal.h"
#include "sched/queue.h"

#define LANES      3
#define JOBS       12
#define DEPTH      4
#define MODELS     4
#define EXTERNALS  2
#define LANE_BYTES 64
#define LOG        4096

/* --- the port --------------------------------------------------------------------------------- */

static uint64_t now_us;
static uint32_t depth;
static void (*between)(void); /* an interrupt after a critical section; takes itself away */

uint32_t rnv_critical_enter(void)
{
	return depth++;
}

void rnv_critical_exit(uint32_t key)
{
	depth--;
	assert_int_equal(depth, key);
	if (depth == 0u && between != NULL) {
		between();
	}
}

uint64_t rnv_now_us(void)
{
	return now_us;
}

/* --- what is observed ------------------------------------------------------------------------- */

struct bench {
	struct rnv_sched sched;
	struct rnv_lane lanes[LANES];
	struct rnv_job jobs[JOBS];
	struct rnv_model models[MODELS];
	struct rnv_lane_config configs[LANES];
	struct rnv_job *queues[LANES][DEPTH];
	_Alignas(16) uint8_t arenas[LANES][LANE_BYTES];
	void *externals[JOBS * EXTERNALS];
	struct rnv_sched_hooks hooks;
	struct rnv_sched_config config;
	struct image images[MODELS];
	uint32_t model[MODELS]; /* handles */
	_Alignas(16) uint8_t state[16];
	int8_t x[X_BYTES];
	int8_t y[Y_BYTES];
	uint64_t step_us;
	void (*in_step)(const struct rnv_trace_event *event);
	/* completions in order */
	struct rnv_job_result done[LOG];
	void *done_context[LOG];
	uint32_t done_count;
	void (*in_done)(void *context, const struct rnv_job_result *result);
	/* events in order */
	struct rnv_trace_event events[LOG];
	uint32_t event_count;
	uint32_t wakes[LANES];
	uint32_t completed[LOG];
	uint32_t completed_count;
};

static struct bench b;

static void on_wake(void *context, uint32_t lane)
{
	assert_ptr_equal(context, &b);
	assert_int_equal(depth, 0);
	b.wakes[lane]++;
}

static void on_completed(void *context, uint32_t job)
{
	assert_ptr_equal(context, &b);
	assert_int_equal(depth, 0);
	b.completed[b.completed_count++ % LOG] = job;
}

static void on_trace(void *context, const struct rnv_trace_event *event)
{
	assert_ptr_equal(context, &b);
	assert_int_equal(depth, 0);
	b.events[b.event_count++ % LOG] = *event;
	if (event->kind == RNV_TRACE_STEP_BEGIN) {
		uint64_t end_us = now_us + b.step_us;

		if (b.in_step != NULL) {
			b.in_step(event);
		}
		if (now_us < end_us) {
			now_us = end_us;
		}
	}
}

static void on_done(void *context, const struct rnv_job_result *result)
{
	assert_int_equal(depth, 0);
	b.done_context[b.done_count % LOG] = context;
	b.done[b.done_count++ % LOG] = *result;
	if (b.in_done != NULL) {
		b.in_done(context, result);
	}
}

/* --- set-up ----------------------------------------------------------------------------------- */

static inline void image_name(struct image *image, const char *name)
{
	memset(image->header.name, 0, sizeof(image->header.name));
	memcpy(image->header.name, name, strlen(name));
	image_seal(image);
}

static inline struct rnv_model_config model_config(int number, uint32_t lanes)
{
	return (struct rnv_model_config){
		.data = &b.images[number], .bytes = sizeof(b.images[number]), .lanes = lanes};
}

/* Open model `number`, named "m0" and so on, in `lanes`. */
static inline void open_model(int number, uint32_t lanes)
{
	struct rnv_model_config config = model_config(number, lanes);
	char name[3] = {'m', (char)('0' + number), 0};
	struct rnv_diag diag;

	image_name(&b.images[number], name);
	assert_int_equal(rnv_model_open(&b.sched, &config, &b.model[number], &diag), RNV_OK);
}

/* A scheduler without models. */
static inline void bench_init(void)
{
	memset(&b, 0xA5, sizeof(b));
	memset(&b.done_count, 0, sizeof(b.done_count));
	between = NULL;
	b.in_step = NULL;
	b.in_done = NULL;
	b.event_count = 0;
	b.completed_count = 0;
	memset(b.wakes, 0, sizeof(b.wakes));
	b.step_us = 10;
	now_us = 1000;
	for (int i = 0; i < LANES; i++) {
		b.configs[i] = (struct rnv_lane_config){.arena = b.arenas[i],
							.arena_bytes = LANE_BYTES,
							.queue = b.queues[i],
							.depth = DEPTH};
	}
	for (int i = 0; i < MODELS; i++) {
		image_init(&b.images[i]);
	}
	b.hooks = (struct rnv_sched_hooks){.wake = on_wake,
					   .completed = on_completed,
					   .trace = on_trace,
					   .wake_context = &b,
					   .trace_context = &b};
	b.config = (struct rnv_sched_config){.lane_configs = b.configs,
					     .lanes = b.lanes,
					     .jobs = b.jobs,
					     .models = b.models,
					     .externals = b.externals,
					     .lane_count = LANES,
					     .job_count = JOBS,
					     .model_count = MODELS,
					     .externals_per_job = EXTERNALS,
					     .hooks = &b.hooks};
	memcpy(b.x, golden_input, X_BYTES);
	memset(b.y, 0x55, Y_BYTES);
}

static inline void bench_start(void)
{
	assert_int_equal(rnv_sched_init(&b.sched, &b.config), RNV_OK);
}

/* A scheduler with model 0 in all lanes. */
static inline int bench_setup(void **state)
{
	(void)state;
	bench_init();
	bench_start();
	open_model(0, 0x7);
	return 0;
}

/* --- jobs ------------------------------------------------------------------------------------- */

struct buffers {
	struct rnv_buffer list[2];
};

/* A request for model `number`, complete by callback with `context`. */
static inline struct rnv_job_request request_of(int number, uint32_t lane, uint64_t deadline_us,
						uintptr_t context)
{
	static struct rnv_buffer buffers[2];

	buffers[0] = (struct rnv_buffer){b.x, X_BYTES};
	buffers[1] = (struct rnv_buffer){b.y, Y_BYTES};
	return (struct rnv_job_request){.model = b.model[number],
					.lane = (uint8_t)lane,
					.deadline_us = deadline_us,
					.buffers = buffers,
					.buffer_count = 2,
					.done = on_done,
					.context = (void *)context};
}

/* Submit, must work; returns the handle. */
static inline uint32_t submit(int number, uint32_t lane, uint64_t deadline_us, uintptr_t context)
{
	struct rnv_job_request request = request_of(number, lane, deadline_us, context);
	uint32_t job = RNV_NO_HANDLE;

	assert_int_equal(rnv_job_submit(&b.sched, &request, &job), RNV_OK);
	assert_int_not_equal(job, RNV_NO_HANDLE);
	return job;
}

/* All of a kind of events, their jobs in order, into `jobs`; returns how many. */
static inline uint32_t events_of(enum rnv_trace kind, uint32_t *jobs)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < b.event_count; i++) {
		if (b.events[i].kind == kind) {
			jobs[count++] = b.events[i].job;
		}
	}
	return count;
}

static inline struct rnv_lane_stats stats_of(uint32_t lane)
{
	struct rnv_lane_stats stats;

	assert_int_equal(rnv_lane_stats_get(&b.sched, lane, &stats), RNV_OK);
	return stats;
}

static inline struct rnv_model_info info_of(int number)
{
	struct rnv_model_info info;

	assert_int_equal(rnv_model_info_get(&b.sched, b.model[number], &info), RNV_OK);
	return info;
}

/* Completions came in this order of contexts. */
static inline void assert_order(const uintptr_t *contexts, uint32_t count)
{
	assert_int_equal(b.done_count, count);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal((uintptr_t)b.done_context[i], contexts[i]);
	}
}

/* The output of the last job is right, and the next one has to write it again. */
static inline void assert_output(void)
{
	int8_t expected[Y_BYTES];

	expected_output(b.x, expected);
	assert_memory_equal(b.y, expected, Y_BYTES);
	memset(b.y, 0x55, Y_BYTES);
}

#endif /* TESTS_UNIT_SCHED_SCHED_FIXTURE_H_ */
