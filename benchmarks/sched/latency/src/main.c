/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * A realtime inference arrives in an interrupt, while a best-effort one runs. Prints for many
 * arrivals "NAME ARRIVAL LATENCY EQUAL": instructions from the first step of the best-effort
 * inference to the arrival, and from there to the realtime one's first step.
 */

#include <stdint.h>
#include <string.h>

#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>

#include <ranvier/exec.h>
#include <ranvier/sched.h>
#include <ranvier/zephyr/driver.h>

#include "ranvier_digits.h"
#include "sliced.h"

#define REALTIME    0
#define BEST_EFFORT 1
#define LANES       2
#define JOBS        4
#define ARRIVALS    48
#define STACK_SIZE  2048
#define ARENA_BYTES MAX(RANVIER_DIGITS_ARENA_BYTES, RANVIER_SLICED_ARENA_BYTES)

/* An inference: how it is begun, and waited for. */
struct runner {
	const char *name;
	int (*begin)(uint32_t which); /* from any context */
	int (*wait)(uint32_t which);
};

static uint8_t arenas[LANES][ARENA_BYTES] __aligned(RNV_PACKAGE_ALIGN);
static int8_t input[RANVIER_DIGITS_INPUT_0_BYTES];
static int8_t outputs[LANES][RANVIER_DIGITS_OUTPUT_0_BYTES];
static int8_t expected[RANVIER_DIGITS_OUTPUT_0_BYTES];
static K_THREAD_STACK_ARRAY_DEFINE(stacks, LANES, STACK_SIZE);

static uint32_t first_step[LANES]; /* cycles at which it began */
static bool has_begun[LANES];
static uint32_t arrival;

/* A cycle is 50 ns, an instruction 2^shift ns. */
static uint32_t instructions(uint32_t cycles)
{
	uint64_t ns = (uint64_t)cycles * NSEC_PER_SEC / sys_clock_hw_cycles_per_sec();

	return (uint32_t)(ns >> CONFIG_QEMU_ICOUNT_SHIFT);
}

static void note_step(uint32_t which)
{
	if (!has_begun[which]) {
		first_step[which] = k_cycle_get_32();
		has_begun[which] = true;
	}
}

/* --- two threads, each of which calls whole inferences --- */

static struct rnv_package package;
static struct rnv_exec execs[LANES];
static void *pointers[LANES][RANVIER_DIGITS_EXTERNAL_COUNT];
static struct k_thread threads[LANES];
static struct k_sem go[LANES];
static struct k_sem over[LANES];

static void whole_calls(void *number, void *unused, void *unused2)
{
	uint32_t which = (uint32_t)(uintptr_t)number;

	ARG_UNUSED(unused);
	ARG_UNUSED(unused2);
	for (;;) {
		(void)k_sem_take(&go[which], K_FOREVER);
		note_step(which);
		(void)rnv_exec_run(&execs[which], 0);
		k_sem_give(&over[which]);
	}
}

static int begin_call(uint32_t which)
{
	k_sem_give(&go[which]);
	return RNV_OK;
}

static int wait_call(uint32_t which)
{
	return k_sem_take(&over[which], K_FOREVER);
}

static int start_threads(const int *priorities)
{
	int status = rnv_package_open(&package, ranvier_digits, sizeof(ranvier_digits), 0, NULL);

	for (uint32_t i = 0; i < LANES && status == RNV_OK; i++) {
		uint16_t in = rnv_package_input(&package, 0, 0);
		uint16_t out = rnv_package_output(&package, 0, 0);

		status = rnv_exec_init(&execs[i], &package, arenas[i], sizeof(arenas[i]),
				       pointers[i], RANVIER_DIGITS_EXTERNAL_COUNT);
		if (status == RNV_OK) {
			status = rnv_exec_bind(&execs[i], in, input, sizeof(input));
		}
		if (status == RNV_OK) {
			status = rnv_exec_bind(&execs[i], out, outputs[i], sizeof(outputs[i]));
		}
		(void)k_sem_init(&go[i], 0, 1);
		(void)k_sem_init(&over[i], 0, 1);
		(void)k_thread_create(&threads[i], stacks[i], K_THREAD_STACK_SIZEOF(stacks[i]),
				      whole_calls, (void *)(uintptr_t)i, NULL, NULL, priorities[i],
				      0, K_NO_WAIT);
	}
	return status;
}

static void stop_threads(void)
{
	for (uint32_t i = 0; i < LANES; i++) {
		k_thread_abort(&threads[i]);
	}
}

/* --- jobs --- */

static struct rnv_job *queues[LANES][JOBS];
static struct rnv_lane lanes[LANES];
static struct rnv_job slots[JOBS];
static struct rnv_model models[1];
static void *externals[JOBS * RANVIER_DIGITS_EXTERNAL_COUNT];
static struct rnv_sched sched;
static struct rnv_zephyr_worker workers[LANES];
static struct rnv_zephyr_driver driver;
static uint32_t model;
static uint32_t jobs[LANES];

static void trace(void *context, const struct rnv_trace_event *event)
{
	ARG_UNUSED(context);
	if (event->kind == RNV_TRACE_STEP_BEGIN) {
		note_step(event->lane);
	}
}

static const struct rnv_sched_hooks hooks = {
	.wake = rnv_zephyr_wake,
	.completed = rnv_zephyr_completed,
	.trace = trace,
	.wake_context = &driver,
};

static int begin_job(uint32_t which)
{
	const struct rnv_buffer buffers[] = {
		{.data = input, .bytes = sizeof(input)},
		{.data = outputs[which], .bytes = sizeof(outputs[which])},
	};
	const struct rnv_job_request request = {
		.model = model,
		.lane = (uint8_t)which,
		.deadline_us = RNV_NEVER,
		.buffers = buffers,
		.buffer_count = ARRAY_SIZE(buffers),
	};

	return rnv_job_submit(&sched, &request, &jobs[which]);
}

static int wait_job(uint32_t which)
{
	struct rnv_job_result result;
	int status = rnv_zephyr_wait(&driver, jobs[which], K_FOREVER, &result);

	return (status == RNV_OK) ? result.status : status;
}

static int start_jobs(uint32_t worker_count, const void *data, uint32_t bytes)
{
	static struct rnv_lane_config lane_configs[LANES];
	const struct rnv_sched_config config = {
		.lane_configs = lane_configs,
		.lanes = lanes,
		.jobs = slots,
		.models = models,
		.externals = externals,
		.lane_count = LANES,
		.job_count = JOBS,
		.model_count = ARRAY_SIZE(models),
		.externals_per_job = RANVIER_DIGITS_EXTERNAL_COUNT,
		.hooks = &hooks,
	};
	const struct rnv_model_config model_config = {
		.data = data, .bytes = bytes, .lanes = BIT(REALTIME) | BIT(BEST_EFFORT)};
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
		status = rnv_model_open(&sched, &model_config, &model, NULL);
	}
	return status;
}

/* --- the measurement --- */

static const struct runner *running;
static int begun;

static void on_alarm(struct k_timer *timer)
{
	ARG_UNUSED(timer);
	arrival = k_cycle_get_32();
	begun = running->begin(REALTIME);
}

static K_TIMER_DEFINE(alarm, on_alarm, NULL);

static int disturb(k_timeout_t after)
{
	int status;

	memset(outputs, 0, sizeof(outputs));
	memset(has_begun, 0, sizeof(has_begun));
	status = running->begin(BEST_EFFORT);
	k_timer_start(&alarm, after, K_NO_WAIT);
	if (status == RNV_OK) {
		status = running->wait(BEST_EFFORT);
	}
	(void)k_timer_status_sync(&alarm);
	if (status == RNV_OK && begun == RNV_OK) {
		status = running->wait(REALTIME);
	}
	return (status == RNV_OK) ? begun : status;
}

static int alone(uint32_t *cycles)
{
	uint32_t end;
	int status;

	memset(has_begun, 0, sizeof(has_begun));
	status = running->begin(BEST_EFFORT);
	if (status == RNV_OK) {
		status = running->wait(BEST_EFFORT);
	}
	end = k_cycle_get_32();
	*cycles = end - first_step[BEST_EFFORT];
	memcpy(expected, outputs[BEST_EFFORT], sizeof(expected));
	return status;
}

static void measure(const struct runner *runner)
{
	uint32_t cycles;
	int status;

	running = runner;
	status = alone(&cycles);
	printk("%s alone %u\n", runner->name, instructions(cycles));
	for (uint32_t i = 0; i < ARRIVALS && status == RNV_OK; i++) {
		bool equal;

		status = disturb(K_CYC((uint64_t)cycles * (2U * i + 1U) / (2U * ARRIVALS)));
		equal = memcmp(outputs[REALTIME], expected, sizeof(expected)) == 0 &&
			memcmp(outputs[BEST_EFFORT], expected, sizeof(expected)) == 0;
		printk("%s %u %u %s\n", runner->name,
		       instructions(arrival - first_step[BEST_EFFORT]),
		       instructions(first_step[REALTIME] - arrival), equal ? "equal" : "DIFFERS");
	}
	if (status != RNV_OK) {
		printk("%s failed %d\n", runner->name, status);
	}
}

static void measure_calls(const char *name, int urgent, int other)
{
	const struct runner runner = {name, begin_call, wait_call};
	const int priorities[LANES] = {urgent, other};

	if (start_threads(priorities) == RNV_OK) {
		measure(&runner);
	}
	stop_threads();
}

static void measure_jobs(const char *name, uint32_t worker_count, const void *data, uint32_t bytes)
{
	const struct runner runner = {name, begin_job, wait_job};

	if (start_jobs(worker_count, data, bytes) == RNV_OK) {
		measure(&runner);
	}
	rnv_zephyr_driver_stop(&driver);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(input); i++) {
		input[i] = (int8_t)(i * 37U); /* any pattern */
	}
	measure_calls("calls_one_priority", K_PRIO_PREEMPT(1), K_PRIO_PREEMPT(1));
	measure_calls("calls_two_priorities", K_PRIO_PREEMPT(1), K_PRIO_PREEMPT(2));
	measure_jobs("cooperative", 1, ranvier_digits, sizeof(ranvier_digits));
	measure_jobs("cooperative_sliced", 1, ranvier_sliced, sizeof(ranvier_sliced));
	measure_jobs("thread_per_lane", LANES, ranvier_digits, sizeof(ranvier_digits));
	printk("end\n");
	return 0;
}
