/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef TESTS_ZEPHYR_SCHED_BENCH_H_
#define TESTS_ZEPHYR_SCHED_BENCH_H_

/*
 * A scheduler of three lanes with two models, driven by one thread or by one for each lane. The
 * models are the same network, `npu` with steps marked for the simulated accelerator. Every job
 * has one of INPUTS inputs, and each of these has other scores.
 *
 * Test threads are more urgent than the driver's: what a test submits is queued until it waits.
 */

#include <stdbool.h>
#include <stdint.h>

#include <zephyr/kernel.h>
#include <zephyr/ztest.h>

#include <npu_sim/npu_sim.h>
#include <ranvier/port.h>
#include <ranvier/sched.h>
#include <ranvier/zephyr/driver.h>

#include "ranvier_cpu.h"

#define LANES    3
#define DEPTH    4
#define JOBS     8
#define MODELS   3
#define INPUTS   4
#define STEPS    10 /* of the models */
#define SCORES   RANVIER_CPU_OUTPUT_0_BYTES
#define REALTIME 0
#define NORMAL   1             /* refuses when full */
#define SLOW     2             /* drops the oldest when full */
#define LIMIT    K_SECONDS(30) /* of tests that would hang */

/* A case, with each of the drivers: suites `cooperative` and `threads`. */
#define SCHED_TEST(name)                                                                           \
	static void name(void);                                                                    \
	ZTEST(ranvier_cooperative, test_##name)                                                    \
	{                                                                                          \
		bench_start(1);                                                                    \
		name();                                                                            \
		bench_stop();                                                                      \
	}                                                                                          \
	ZTEST(ranvier_threads, test_##name)                                                        \
	{                                                                                          \
		bench_start(LANES);                                                                \
		name();                                                                            \
		bench_stop();                                                                      \
	}                                                                                          \
	static void name(void)

/* A job with its memory. */
struct job {
	struct rnv_job_request request;
	struct rnv_buffer buffers[2];
	struct rnv_job_result result;
	uint32_t input;
	uint32_t handle;
	int submitted; /* what rnv_job_submit() returned */
	int8_t scores[SCORES];
};

struct bench {
	struct rnv_sched sched;
	struct rnv_zephyr_driver driver;
	struct rnv_npu npu;
	struct rnv_npu_sim *sim;
	uint32_t cpu_model; /* handles */
	uint32_t npu_model;
	/* Called in each event, by the thread that causes it. */
	void (*on_event)(const struct rnv_trace_event *event);
	atomic_t interrupts; /* wakes by an interrupt */
	uint32_t running;    /* driver's threads */
};

extern struct bench bench;

/* A scheduler without jobs, all counters zero; `workers` is 1 or LANES. */
void bench_start(uint32_t workers);

/* All jobs are over, and the driver ends. */
void bench_stop(void);

static inline bool bench_has_threads(void)
{
	return bench.driver.worker_count > 1U;
}

/* A job that is waited for; change its request as wanted. */
void job_init(struct job *job, uint32_t model, uint32_t lane, uint32_t input);

/* Submit, from anywhere. */
void job_submit(void *job);

/* Submit, from an interrupt that occurs here. */
void job_submit_in_interrupt(struct job *job);

/* Wait for it, or its callback's result to be there. */
void job_wait(struct job *job);

/* Wait for success: and the scores are those of its input. */
void job_expect_scores(struct job *job);

/* Jobs in the order in which they ended, of those with job_note_end(). */
struct ends {
	const struct job *jobs[16];
	uint32_t count;
	struct k_sem each;
};

extern struct ends ends;

/* Let a job end in a callback that appends it to `ends`. */
void job_note_end(struct job *job);

/* Wait for so many jobs to be in `ends`. */
void ends_wait(uint32_t count);

struct rnv_lane_stats bench_stats(uint32_t lane);

#endif /* TESTS_ZEPHYR_SCHED_BENCH_H_ */
