/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Counts critical sections: random calls on lanes as deep as they can be, that are full most of the
 * time. The first one that is counted is empty: what it takes is the measurement's own.
 */

#include <baremetal/semihosting.h>
#include <ranvier/port.h>
#include <ranvier/sched.h>

#include <string.h>

#include "model.h"
#include "roi.h"

#define LANES  3U
#define DEPTH  RNV_LANE_MAX_DEPTH
#define JOBS   (LANES * (DEPTH + 1U))
#define MODELS 4U
#define TURNS  6000U

RNV_ROI(critical)

static uint32_t depth;

uint32_t rnv_critical_enter(void)
{
	if (depth++ == 0U) {
		ROI_BEGIN(critical);
	}
	return 0;
}

void rnv_critical_exit(uint32_t key)
{
	(void)key;
	if (--depth == 0U) {
		ROI_END(critical);
	}
}

static uint64_t now_us;

uint64_t rnv_now_us(void)
{
	return now_us++;
}

static struct model packages[MODELS];
static struct rnv_sched sched;
static struct rnv_lane lanes[LANES];
static struct rnv_job jobs[JOBS];
static struct rnv_model models[MODELS];
static void *externals[2U * JOBS];
static struct rnv_job *queues[LANES][DEPTH];
static uint8_t arenas[LANES][ARENA_BYTES] __attribute__((aligned(16)));
static uint8_t input[IO_BYTES];
static uint8_t output[IO_BYTES];
static uint32_t handles[MODELS];
static uint32_t known[JOBS];
static uint32_t seed = 1;

static uint32_t draw(uint32_t below)
{
	seed = seed * 1664525U + 1013904223U;
	return (seed >> 8) % below;
}

static void submit(void)
{
	const struct rnv_buffer buffers[2] = {{input, IO_BYTES}, {output, IO_BYTES}};
	struct rnv_job_request request = {.model = handles[draw(MODELS)],
					  .lane = (uint8_t)draw(LANES),
					  .deadline_us = now_us + draw(4000),
					  .buffers = buffers,
					  .buffer_count = 2,
					  .flags = RNV_JOB_FORGET};
	uint32_t job;

	if (draw(3) == 0U) {
		request.deadline_us = RNV_NEVER;
	}
	if (rnv_job_submit(&sched, &request, &job) == RNV_OK) {
		known[draw(JOBS)] = job;
	}
}

/* Inside a step, as an interrupt: enough of them to keep the lanes full. */
void on_step(void)
{
	for (uint32_t i = draw(4); i < 4U; i++) {
		submit();
	}
}

static void act(void)
{
	uint32_t job = known[draw(JOBS)];
	struct rnv_lane_stats stats;
	struct rnv_model_info info;

	switch (draw(12)) {
	case 0:
		(void)rnv_job_cancel(&sched, job);
		break;
	case 1:
		(void)rnv_job_set_deadline(&sched, job, now_us + draw(4000));
		break;
	case 2:
		(void)rnv_job_state_get(&sched, job);
		break;
	case 3:
		must(rnv_lane_stats_get(&sched, draw(LANES), &stats), "stats");
		must(rnv_model_info_get(&sched, handles[draw(MODELS)], &info), "info");
		break;
	case 4:
		if (draw(20) == 0U) {
			job = handles[draw(MODELS)];
			(void)rnv_model_drain(&sched, job, RNV_DRAIN_CANCEL);
			must(rnv_model_undrain(&sched, job), "undrain");
		}
		break;
	default:
		(void)rnv_sched_step(&sched);
		break;
	}
	submit();
}

static void open_all(void)
{
	static const char *const names[MODELS] = {"a", "b", "c", "d"};
	struct rnv_lane_config lane_configs[LANES];
	struct rnv_sched_config config = {.lane_configs = lane_configs,
					  .lanes = lanes,
					  .jobs = jobs,
					  .models = models,
					  .externals = externals,
					  .lane_count = LANES,
					  .job_count = JOBS,
					  .model_count = MODELS,
					  .externals_per_job = 2};

	for (uint32_t i = 0; i < LANES; i++) {
		lane_configs[i] = (struct rnv_lane_config){.arena = arenas[i],
							   .arena_bytes = ARENA_BYTES,
							   .queue = queues[i],
							   .depth = DEPTH,
							   .overload = (uint8_t)(i % 2U)};
	}
	must(rnv_sched_init(&sched, &config), "rnv_sched_init");
	for (uint32_t i = 0; i < MODELS; i++) {
		struct rnv_model_config model = {
			.data = &packages[i], .bytes = sizeof(packages[i]), .lanes = 7};

		model_make(&packages[i], names[i]);
		must(rnv_model_open(&sched, &model, &handles[i], NULL), "rnv_model_open");
	}
}

int main(void)
{
	char line[64];
	char *argv[2];
	struct rnv_lane_stats stats;

	(void)rnv_roi_start(rnv_semihost_args(line, sizeof(line), argv, 2), argv);
	rnv_critical_exit(rnv_critical_enter());
	open_all();
	for (uint32_t i = 0; i < TURNS; i++) {
		act();
	}
	must(rnv_lane_stats_get(&sched, 0, &stats), "rnv_lane_stats_get");
	rnv_semihost_puts("most_queued ");
	rnv_semihost_put_i32((int32_t)stats.most_queued);
	rnv_semihost_puts("\n");
	return 0;
}
