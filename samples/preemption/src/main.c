/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * A realtime job arrives inside a long best-effort one: from an alarm's interrupt, at 16 moments
 * spread over it. What it waited until its first step began is printed for both drivers.
 */

#include <stdint.h>
#include <string.h>

#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>

#include <ranvier/sched.h>
#include <ranvier/zephyr/driver.h>

#include "ranvier_digits.h"

#define REALTIME    0
#define BEST_EFFORT 1
#define LANES       2
#define JOBS        4
#define MOMENTS     16
#define STACK_SIZE  2048

static uint8_t arenas[LANES][RANVIER_DIGITS_ARENA_BYTES] __aligned(RNV_PACKAGE_ALIGN);
static struct rnv_job *queues[LANES][JOBS];
static struct rnv_lane lanes[LANES];
static struct rnv_job jobs[JOBS];
static struct rnv_model models[1];
static void *externals[JOBS * RANVIER_DIGITS_EXTERNAL_COUNT];
static struct rnv_sched sched;

static K_THREAD_STACK_ARRAY_DEFINE(stacks, LANES, STACK_SIZE);
static struct rnv_zephyr_worker workers[LANES];
static struct rnv_zephyr_driver driver;

static int8_t input[RANVIER_DIGITS_INPUT_0_BYTES];
static int8_t outputs[LANES][RANVIER_DIGITS_OUTPUT_0_BYTES];
static int8_t expected[RANVIER_DIGITS_OUTPUT_0_BYTES];

static uint32_t model;
static uint32_t realtime;
static int submitted;

static const struct rnv_sched_hooks hooks = {
	.wake = rnv_zephyr_wake,
	.completed = rnv_zephyr_completed,
	.trace = (CONFIG_RANVIER_STEP_COST_US > 0) ? rnv_zephyr_step_cost : NULL,
	.wake_context = &driver,
};

static int submit(uint32_t lane, uint32_t *job)
{
	const struct rnv_buffer buffers[] = {
		{.data = input, .bytes = sizeof(input)},
		{.data = outputs[lane], .bytes = sizeof(outputs[lane])},
	};
	const struct rnv_job_request request = {
		.model = model,
		.lane = (uint8_t)lane,
		.deadline_us = RNV_NEVER,
		.buffers = buffers,
		.buffer_count = ARRAY_SIZE(buffers),
	};

	memset(outputs[lane], 0, sizeof(outputs[lane]));
	return rnv_job_submit(&sched, &request, job);
}

static void on_alarm(struct k_timer *timer)
{
	ARG_UNUSED(timer);
	submitted = submit(REALTIME, &realtime);
}

static K_TIMER_DEFINE(alarm, on_alarm, NULL);

static int start(uint32_t worker_count)
{
	static struct rnv_lane_config lane_configs[LANES];
	const struct rnv_sched_config config = {
		.lane_configs = lane_configs,
		.lanes = lanes,
		.jobs = jobs,
		.models = models,
		.externals = externals,
		.lane_count = LANES,
		.job_count = JOBS,
		.model_count = ARRAY_SIZE(models),
		.externals_per_job = RANVIER_DIGITS_EXTERNAL_COUNT,
		.hooks = &hooks,
	};
	const struct rnv_model_config digits = {
		.data = ranvier_digits,
		.bytes = sizeof(ranvier_digits),
		.lanes = BIT(REALTIME) | BIT(BEST_EFFORT),
	};
	int status;

	for (uint32_t i = 0; i < LANES; i++) {
		lane_configs[i].arena = arenas[i];
		lane_configs[i].arena_bytes = sizeof(arenas[i]);
		lane_configs[i].queue = queues[i];
		lane_configs[i].depth = JOBS;
		workers[i].stack = stacks[i];
		workers[i].stack_size = K_THREAD_STACK_SIZEOF(stacks[i]);
		workers[i].priority = K_PRIO_PREEMPT((int)i + 1);
	}
	rnv_zephyr_driver_init(&driver, workers, worker_count);
	status = rnv_sched_init(&sched, &config);
	if (status == RNV_OK) {
		rnv_zephyr_driver_start(&driver, &sched);
		status = rnv_model_open(&sched, &digits, &model, NULL);
	}
	return status;
}

/* A best-effort job, with a realtime one after so many microseconds of it. */
static int disturb(uint32_t delay_us, struct rnv_job_result *result)
{
	struct rnv_job_result other;
	uint32_t job;
	int status = submit(BEST_EFFORT, &job);

	if (status != RNV_OK) {
		return status;
	}
	k_timer_start(&alarm, K_USEC(delay_us), K_NO_WAIT);
	status = rnv_zephyr_wait(&driver, job, K_FOREVER, &other);
	(void)k_timer_status_sync(&alarm);
	if (status == RNV_OK && submitted == RNV_OK) {
		status = rnv_zephyr_wait(&driver, realtime, K_FOREVER, result);
	}
	return (status == RNV_OK) ? submitted : status;
}

/* What a job takes that nothing disturbs, and its result. */
static int alone(uint32_t *length_us)
{
	struct rnv_job_result result;
	uint32_t job;
	int status = submit(BEST_EFFORT, &job);

	if (status == RNV_OK) {
		status = rnv_zephyr_wait(&driver, job, K_FOREVER, &result);
	}
	if (status == RNV_OK) {
		*length_us = (uint32_t)(result.end_us - result.start_us);
		memcpy(expected, outputs[BEST_EFFORT], sizeof(expected));
	}
	return status;
}

static int measure(const char *name, uint32_t worker_count)
{
	uint32_t least_us = UINT32_MAX;
	uint32_t most_us = 0;
	uint32_t length_us = 0;
	int different = 0;
	int status = start(worker_count);

	if (status == RNV_OK) {
		status = alone(&length_us);
	}
	for (uint32_t i = 0; i < MOMENTS && status == RNV_OK; i++) {
		struct rnv_job_result result;
		uint32_t waited_us;

		status = disturb(length_us * (2U * i + 1U) / (2U * MOMENTS), &result);
		waited_us = (status == RNV_OK) ? (uint32_t)(result.start_us - result.submit_us) : 0;
		least_us = MIN(least_us, waited_us);
		most_us = MAX(most_us, waited_us);
		different += (memcmp(outputs[REALTIME], expected, sizeof(expected)) != 0) ? 1 : 0;
		different +=
			(memcmp(outputs[BEST_EFFORT], expected, sizeof(expected)) != 0) ? 1 : 0;
	}
	if (status != RNV_OK) {
		printk("%s: failed (%d)\n", name, status);
		return status;
	}
	if (worker_count == 1U) {
		printk("a job alone: %u us\n", length_us);
	}
	printk("%s: %d realtime jobs waited %u to %u us, %s results equal\n", name, MOMENTS,
	       least_us, most_us, (different == 0) ? "all" : "NOT all");
	rnv_zephyr_driver_stop(&driver);
	return status;
}

int main(void)
{
	for (size_t i = 0; i < sizeof(input); i++) {
		input[i] = (int8_t)(i * 37U); /* any pattern */
	}
	(void)measure("cooperative", 1);
	(void)measure("thread per lane", LANES);
	return 0;
}
