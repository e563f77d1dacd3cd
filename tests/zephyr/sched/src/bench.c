/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <string.h>

#include <zephyr/irq_offload.h>
#include <zephyr/sys/util.h>

#include <npu_sim/npu_sim_zephyr.h>

#include "bench.h"
#include "ranvier_npu.h"
#include "scores.h"

BUILD_ASSERT(RANVIER_NPU_ARENA_BYTES <= RANVIER_CPU_ARENA_BYTES, "one arena for both models");
BUILD_ASSERT(ARRAY_SIZE(expected_scores) == INPUTS, "scores of each input");

struct bench bench;
struct ends ends;

static uint8_t arenas[LANES][RANVIER_CPU_ARENA_BYTES] __aligned(RNV_PACKAGE_ALIGN);
static struct rnv_job *queues[LANES][DEPTH];
static struct rnv_lane lanes[LANES];
static struct rnv_job jobs[JOBS];
static struct rnv_model models[MODELS];
static void *externals[JOBS * RANVIER_CPU_EXTERNAL_COUNT];
static struct rnv_zephyr_worker workers[LANES];
static K_THREAD_STACK_ARRAY_DEFINE(stacks, LANES, 1536);
static int8_t inputs[INPUTS][RANVIER_CPU_INPUT_0_BYTES];

static void wake(void *context, uint32_t lane)
{
	if (k_is_in_isr()) {
		(void)atomic_inc(&bench.interrupts);
	}
	rnv_zephyr_wake(context, lane);
}

static void trace(void *context, const struct rnv_trace_event *event)
{
	if (bench.on_event != NULL) {
		bench.on_event(event);
	}
	rnv_zephyr_step_cost(context, event);
}

static const struct rnv_sched_hooks hooks = {
	.wake = wake,
	.completed = rnv_zephyr_completed,
	.trace = trace,
	.wake_context = &bench.driver,
};

/* Dim noise, by Marsaglia's generator: scores that are far from certain. */
static void generate_inputs(void)
{
	for (uint32_t i = 0; i < INPUTS; i++) {
		uint32_t x = i + 1U;

		for (uint32_t j = 0; j < sizeof(inputs[i]); j++) {
			x ^= x << 13;
			x ^= x >> 17;
			x ^= x << 5;
			inputs[i][j] = (int8_t)((int32_t)(x >> 27) - 128);
		}
	}
}

static uint32_t open_model(const void *data, uint32_t bytes)
{
	const struct rnv_model_config config = {
		.data = data, .bytes = bytes, .lanes = BIT_MASK(LANES)};
	uint32_t model = RNV_NO_HANDLE;

	zassert_ok(rnv_model_open(&bench.sched, &config, &model, NULL));
	return model;
}

static void start_npu(void)
{
	const struct rnv_npu_sim_behaviour works = {.latency_us =
							    CONFIG_RANVIER_NPU_SIM_LATENCY_US};

	if (bench.sim == NULL) {
		bench.sim = rnv_npu_sim_zephyr_start(&bench.npu);
	} else {
		zassert_ok(rnv_npu_init(&bench.npu, &rnv_npu_sim_driver, bench.sim));
	}
	rnv_npu_sim_set(bench.sim, &works);
}

void bench_start(uint32_t worker_count)
{
	struct rnv_lane_config lane_configs[LANES];
	const struct rnv_sched_config config = {
		.lane_configs = lane_configs,
		.lanes = lanes,
		.jobs = jobs,
		.models = models,
		.externals = externals,
		.lane_count = LANES,
		.job_count = JOBS,
		.model_count = MODELS,
		.externals_per_job = RANVIER_CPU_EXTERNAL_COUNT,
		.npu = &bench.npu,
		.hooks = &hooks,
	};
	struct rnv_model_info info;

	generate_inputs();
	start_npu();
	for (uint32_t i = 0; i < LANES; i++) {
		lane_configs[i] = (struct rnv_lane_config){
			.arena = arenas[i],
			.arena_bytes = sizeof(arenas[i]),
			.queue = queues[i],
			.depth = DEPTH,
			.overload = (i == SLOW) ? RNV_OVERLOAD_DROP_OLDEST : RNV_OVERLOAD_REFUSE,
			.flags = (i == SLOW) ? RNV_LANE_ATOMIC : 0,
		};
		workers[i].stack = stacks[i];
		workers[i].stack_size = K_THREAD_STACK_SIZEOF(stacks[i]);
		workers[i].priority = K_PRIO_PREEMPT((int)i + 1);
	}
	memset(arenas, 0xa5, sizeof(arenas));
	bench.on_event = NULL;
	(void)atomic_set(&bench.interrupts, 0);
	ends.count = 0;
	(void)k_sem_init(&ends.each, 0, K_SEM_MAX_LIMIT);
	rnv_zephyr_driver_init(&bench.driver, workers, worker_count);
	zassert_ok(rnv_sched_init(&bench.sched, &config));
	bench.cpu_model = open_model(ranvier_cpu, sizeof(ranvier_cpu));
	bench.npu_model = open_model(ranvier_npu, sizeof(ranvier_npu));
	zassert_ok(rnv_model_info_get(&bench.sched, bench.cpu_model, &info));
	zassert_equal(info.pkg->step_count, STEPS);
	rnv_zephyr_driver_start(&bench.driver, &bench.sched);
	bench.running = worker_count;
}

void bench_stop(void)
{
	struct rnv_model_info info;

	for (uint32_t model = rnv_model_next(&bench.sched, RNV_NO_HANDLE); model != RNV_NO_HANDLE;
	     model = rnv_model_next(&bench.sched, model)) {
		zassert_ok(rnv_model_info_get(&bench.sched, model, &info));
		zassert_equal(info.jobs, 0);
	}
	rnv_zephyr_driver_stop(&bench.driver);
	bench.running = 0;
}

void job_init(struct job *job, uint32_t model, uint32_t lane, uint32_t input)
{
	memset(job, 0, sizeof(*job));
	job->input = input;
	job->buffers[0] = (struct rnv_buffer){inputs[input], sizeof(inputs[input])};
	job->buffers[1] = (struct rnv_buffer){job->scores, sizeof(job->scores)};
	job->request = (struct rnv_job_request){
		.model = model,
		.lane = (uint8_t)lane,
		.deadline_us = RNV_NEVER,
		.buffers = job->buffers,
		.buffer_count = ARRAY_SIZE(job->buffers),
	};
	job->submitted = RNV_ESTATE;
}

void job_submit(void *context)
{
	struct job *job = context;

	job->submitted = rnv_job_submit(&bench.sched, &job->request, &job->handle);
}

static void submit_offloaded(const void *job)
{
	job_submit((void *)job);
}

void job_submit_in_interrupt(struct job *job)
{
	irq_offload(submit_offloaded, job);
}

void job_wait(struct job *job)
{
	zassert_ok(job->submitted);
	if (job->request.done == NULL) {
		zassert_ok(rnv_zephyr_wait(&bench.driver, job->handle, LIMIT, &job->result));
	}
	zassert_equal(job->result.job, job->handle);
	zassert_equal(job->result.model, job->request.model);
	zassert_equal(job->result.lane, job->request.lane);
}

void job_expect_scores(struct job *job)
{
	job_wait(job);
	zassert_ok(job->result.status);
	zassert_mem_equal(job->scores, expected_scores[job->input], SCORES);
}

static void note_end(void *context, const struct rnv_job_result *result)
{
	struct job *job = context;
	uint32_t key = irq_lock();

	job->result = *result;
	ends.jobs[ends.count % ARRAY_SIZE(ends.jobs)] = job;
	ends.count++;
	irq_unlock(key);
	k_sem_give(&ends.each);
}

void job_note_end(struct job *job)
{
	job->request.done = note_end;
	job->request.context = job;
}

void ends_wait(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		zassert_ok(k_sem_take(&ends.each, LIMIT), "job %u of %u has not ended", i, count);
	}
	zassert_equal(ends.count, count);
}

struct rnv_lane_stats bench_stats(uint32_t lane)
{
	struct rnv_lane_stats stats;

	zassert_ok(rnv_lane_stats_get(&bench.sched, lane, &stats));
	return stats;
}

/* Of a case that failed, the driver has not ended. */
static void end_driver(void *fixture)
{
	ARG_UNUSED(fixture);
	for (uint32_t i = 0; i < bench.running; i++) {
		k_thread_abort(&workers[i].thread);
	}
	bench.running = 0;
}

ZTEST_SUITE(ranvier_cooperative, NULL, NULL, NULL, end_driver, NULL);
ZTEST_SUITE(ranvier_threads, NULL, NULL, NULL, end_driver, NULL);
