/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The simulated accelerator through the runtime: marked steps run there, or on the CPU. */

#include <string.h>

#include <zephyr/ztest.h>

#include <ranvier/npu.h>

#include "digits.h"

static uint32_t model;

static void before(void *fixture)
{
	ARG_UNUSED(fixture);
	for (size_t i = 0; i < sizeof(digits_input); i++) {
		digits_input[i] = (int8_t)(i * 37U);
	}
	model = digits_open(NULL);
}

static void after(void *fixture)
{
	ARG_UNUSED(fixture);
	digits_close(model);
}

static uint32_t requests(void)
{
	struct rnv_npu_info info;

	rnv_npu_info_get(rnv_runtime_npu(), &info);
	zassert_equal(info.requests, info.completed);
	return info.requests;
}

ZTEST(ranvier_runtime_npu, test_same_result_as_the_cpu)
{
	struct rnv_job_request request;
	struct rnv_job_result result;
	uint32_t first = requests();

	digits_request(model, RNV_LANE_REALTIME, &request);
	request.flags = RNV_JOB_NPU_NEVER;
	zassert_ok(digits_run(&request).status);
	zassert_equal(requests(), first);

	digits_request(model, RNV_LANE_BEST_EFFORT, &request);
	request.flags = RNV_JOB_NPU_STRICT;
	result = digits_run(&request);
	zassert_ok(result.status);
	zassert_equal(result.fallbacks, 0);
	zassert_equal(requests(), first + DIGITS_MARKED_STEPS);
	zassert_mem_equal(digits_outputs[RNV_LANE_REALTIME], digits_outputs[RNV_LANE_BEST_EFFORT],
			  sizeof(digits_outputs[0]));
}

ZTEST(ranvier_runtime_npu, test_suspended)
{
	struct rnv_job_request request;
	struct rnv_job_result result;
	uint32_t first = requests();

	zassert_ok(rnv_npu_suspend(rnv_runtime_npu()));
	digits_request(model, RNV_LANE_REALTIME, &request);
	result = digits_run(&request);
	zassert_ok(result.status);
	zassert_equal(result.fallbacks, DIGITS_MARKED_STEPS);
	request.flags = RNV_JOB_NPU_STRICT;
	zassert_true(digits_run(&request).status < 0);
	zassert_equal(requests(), first);
	zassert_ok(rnv_npu_resume(rnv_runtime_npu()));
}

ZTEST_SUITE(ranvier_runtime_npu, NULL, NULL, before, after, NULL);
