/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Counts the scheduler's paths. The port's functions are those below, one to four instructions
 * each, and counted with what calls them.
 */

#include <baremetal/semihosting.h>
#include <ranvier/arena.h>
#include <ranvier/plan.h>
#include <ranvier/port.h>
#include <ranvier/sched.h>

#include <string.h>

#include "model.h"
#include "roi.h"

#define LANES 3U
#define DEPTH 8U
#define JOBS  12U
#define TURNS 5U

RNV_ROI(submit)
RNV_ROI(submit_to_step)
RNV_ROI(takeover)
RNV_ROI(back)
RNV_ROI(step_overhead)
RNV_ROI(arena_alloc)
RNV_ROI(plan8)

uint32_t rnv_critical_enter(void)
{
	return 0;
}

void rnv_critical_exit(uint32_t key)
{
	(void)key;
}

uint64_t rnv_now_us(void)
{
	static uint64_t now_us;

	return now_us;
}

static struct model packages[2];
static struct rnv_sched sched;
static struct rnv_lane lanes[LANES];
static struct rnv_job jobs[JOBS];
static struct rnv_model models[2];
static void *externals[2U * JOBS];
static struct rnv_job *queues[LANES][DEPTH];
static uint8_t arenas[LANES][ARENA_BYTES] __attribute__((aligned(16)));
static uint8_t input[IO_BYTES];
static uint8_t output[IO_BYTES];
static uint32_t handles[2];

/* What the next step does. */
static void (*next_step)(void);

void on_step(void)
{
	void (*now)(void) = next_step;

	next_step = NULL;
	if (now != NULL) {
		now();
	}
}

static void wake(void *context, uint32_t lane)
{
	(void)context;
	(void)lane;
}

static void done(void *context, const struct rnv_job_result *result)
{
	(void)context;
	must(result->status, "a job failed");
}

static const struct rnv_sched_hooks hooks = {.wake = wake};

static void open_all(void)
{
	static const char *const names[2] = {"urgent", "long"};
	struct rnv_lane_config lane_configs[LANES];
	struct rnv_sched_config config = {.lane_configs = lane_configs,
					  .lanes = lanes,
					  .jobs = jobs,
					  .models = models,
					  .externals = externals,
					  .lane_count = LANES,
					  .job_count = JOBS,
					  .model_count = 2,
					  .externals_per_job = 2,
					  .hooks = &hooks};

	for (uint32_t i = 0; i < LANES; i++) {
		lane_configs[i] = (struct rnv_lane_config){.arena = arenas[i],
							   .arena_bytes = ARENA_BYTES,
							   .queue = queues[i],
							   .depth = DEPTH};
	}
	must(rnv_sched_init(&sched, &config), "rnv_sched_init");
	for (uint32_t i = 0; i < 2U; i++) {
		struct rnv_model_config model = {
			.data = &packages[i], .bytes = sizeof(packages[i]), .lanes = 7};
		struct rnv_diag diag;
		int status;

		model_make(&packages[i], names[i]);
		status = rnv_model_open(&sched, &model, &handles[i], &diag);
		must(status, rnv_what_name(diag.what));
	}
}

static void submit(uint32_t model, uint32_t lane)
{
	const struct rnv_buffer buffers[2] = {{input, IO_BYTES}, {output, IO_BYTES}};
	const struct rnv_job_request request = {.model = handles[model],
						.lane = (uint8_t)lane,
						.deadline_us = 1000,
						.buffers = buffers,
						.buffer_count = 2,
						.done = done};
	uint32_t job;

	ROI_BEGIN(submit);
	must(rnv_job_submit(&sched, &request, &job), "rnv_job_submit");
	ROI_END(submit);
}

/* --- submit to first step, on an idle system --- */

static void end_submit_to_step(void)
{
	ROI_END(submit_to_step);
}

static void measure_submit_to_step(void)
{
	const struct rnv_buffer buffers[2] = {{input, IO_BYTES}, {output, IO_BYTES}};
	const struct rnv_job_request request = {.model = handles[0],
						.deadline_us = 1000,
						.buffers = buffers,
						.buffer_count = 2,
						.done = done};

	next_step = end_submit_to_step;
	ROI_BEGIN(submit_to_step);
	must(rnv_job_submit(&sched, &request, NULL), "rnv_job_submit");
	rnv_sched_run(&sched);
}

/* --- takeover and return --- */

static void end_back(void)
{
	ROI_END(back);
}

static uint32_t urgent_steps;

static void in_urgent_step(void)
{
	if (urgent_steps == 0U) {
		ROI_END(takeover);
	}
	urgent_steps++;
	next_step = in_urgent_step;
	if (urgent_steps == STEPS) {
		next_step = end_back;
		ROI_BEGIN(back);
	}
}

static void in_long_step(void)
{
	submit(0, 0);
	urgent_steps = 0;
	next_step = in_urgent_step;
	ROI_BEGIN(takeover);
}

static void measure_takeover(void)
{
	submit(1, 2);
	next_step = in_long_step;
	rnv_sched_run(&sched);
}

/* --- from the end of one kernel to the start of the next --- */

static void end_step_overhead(void)
{
	ROI_END(step_overhead);
}

static void begin_step_overhead(void)
{
	next_step = end_step_overhead;
	ROI_BEGIN(step_overhead);
}

static void measure_step_overhead(void)
{
	submit(1, 2);
	next_step = begin_step_overhead;
	rnv_sched_run(&sched);
}

/* --- memory --- */

static void measure_arena(void)
{
	static uint8_t memory[1024] __attribute__((aligned(16)));
	struct rnv_arena arena;
	void *block;

	must(rnv_arena_init(&arena, memory, sizeof(memory)), "rnv_arena_init");
	for (uint32_t region = RNV_ARENA_PERSISTENT; region <= RNV_ARENA_SCRATCH; region++) {
		int status;

		ROI_BEGIN(arena_alloc);
		status = rnv_arena_alloc(&arena, (enum rnv_arena_region)region, 100, &block);
		ROI_END(arena_alloc);
		must(status, "rnv_arena_alloc");
	}
}

/* Eight layers with two skip connections. */
static void measure_plan(void)
{
	static struct rnv_plan_buffer buffers[9] = {
		{784, 0, 0, 0},  {3136, 0, 2, 0}, {1568, 1, 2, 0}, {3136, 2, 4, 0}, {784, 3, 6, 0},
		{1568, 4, 5, 0}, {784, 5, 6, 0},  {392, 6, 7, 0},  {10, 7, 7, 0},
	};
	uint16_t workspace[9];
	struct rnv_plan_result result;
	int status;

	ROI_BEGIN(plan8);
	status = rnv_plan_first_fit(buffers, 9, workspace, sizeof(workspace), &result);
	ROI_END(plan8);
	must(status, "rnv_plan_first_fit");
}

int main(void)
{
	char line[64];
	char *argv[2];

	(void)rnv_roi_start(rnv_semihost_args(line, sizeof(line), argv, 2), argv);
	open_all();
	for (uint32_t i = 0; i < TURNS; i++) {
		measure_submit_to_step();
		measure_takeover();
		measure_step_overhead();
	}
	measure_arena();
	measure_plan();
	rnv_roi_print();
	return 0;
}
