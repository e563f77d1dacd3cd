/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The profiler through the runtime: watches what is opened, counts while it is on. */

#include <zephyr/ztest.h>

#include <ranvier/npu.h>
#include <ranvier/port.h>
#include <ranvier/prof.h>

#include "digits.h"

#define SLOT 0 /* CONFIG_RANVIER_MODEL_COUNT is 1 */

static uint32_t model;

static void before(void *fixture)
{
	ARG_UNUSED(fixture);
	model = digits_open(NULL);
}

static void after(void *fixture)
{
	ARG_UNUSED(fixture);
	rnv_prof_enable(rnv_runtime_prof(), 0);
	digits_close(model);
}

static void run(uint8_t flags)
{
	struct rnv_job_request request;

	digits_request(model, RNV_LANE_REALTIME, &request);
	request.flags = flags;
	zassert_ok(digits_run(&request).status);
}

static void expect_jobs(uint32_t count)
{
	struct rnv_prof_jobs jobs;
	uint32_t sum = 0;

	zassert_ok(rnv_prof_jobs_get(rnv_runtime_prof(), SLOT, &jobs));
	zassert_equal(jobs.completed, count);
	zassert_equal(jobs.arena_bytes, RANVIER_DIGITS_ARENA_BYTES);
	for (uint32_t i = 0; i < RNV_PROF_BUCKETS; i++) {
		sum += rnv_prof_bucket_get(rnv_runtime_prof(), SLOT, RNV_PROF_RESPONSE, i);
	}
	zassert_equal(sum, count);
}

ZTEST(ranvier_runtime_profiler, test_counts_while_on)
{
	struct rnv_prof *prof = rnv_runtime_prof();
	struct rnv_prof_step step;

	run(RNV_JOB_NPU_NEVER);
	expect_jobs(0);
	rnv_prof_enable(prof, 1);
	run(RNV_JOB_NPU_NEVER);
	run(RNV_JOB_NPU_NEVER);
	rnv_prof_enable(prof, 0);
	run(RNV_JOB_NPU_NEVER);
	expect_jobs(2);
	for (uint32_t i = 0; i < DIGITS_STEPS; i++) {
		zassert_ok(rnv_prof_step_get(prof, SLOT, i, &step));
		zassert_equal(step.runs, 2);
		zassert_equal(step.npu_runs, 0);
		zassert_true(step.min_cycles > 0U && step.min_cycles <= step.max_cycles);
		zassert_true(step.total_cycles >= 2ULL * step.min_cycles &&
			     step.total_cycles <= 2ULL * step.max_cycles);
	}
	zassert_equal(rnv_prof_step_get(prof, SLOT, DIGITS_STEPS, &step), RNV_EINVAL);
}

ZTEST(ranvier_runtime_profiler, test_steps_of_the_accelerator)
{
	struct rnv_prof_step step;

	rnv_prof_enable(rnv_runtime_prof(), 1);
	run(RNV_JOB_NPU_STRICT);
	for (uint32_t i = 0; i < DIGITS_STEPS; i++) {
		bool marked = i < DIGITS_MARKED_STEPS;

		zassert_ok(rnv_prof_step_get(rnv_runtime_prof(), SLOT, i, &step));
		zassert_equal(step.npu_runs, marked ? 1U : 0U);
		zassert_equal(step.runs, marked ? 0U : 1U);
	}
}

/* A model that is opened anew begins at zero. */
ZTEST(ranvier_runtime_profiler, test_model_opened_anew)
{
	rnv_prof_enable(rnv_runtime_prof(), 1);
	run(0);
	expect_jobs(1);
	digits_close(model);
	model = digits_open(NULL);
	expect_jobs(0);
}

ZTEST_SUITE(ranvier_runtime_profiler, NULL, NULL, before, after, NULL);
