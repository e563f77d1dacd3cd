/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "digits.h"

#include <zephyr/kernel.h>
#include <zephyr/ztest.h>

#define LONG_TIME K_SECONDS(120)

int8_t digits_input[RANVIER_DIGITS_INPUT_0_BYTES];
int8_t digits_outputs[RNV_LANE_COUNT][RANVIER_DIGITS_OUTPUT_0_BYTES];

static struct rnv_buffer buffers[RNV_LANE_COUNT][RANVIER_DIGITS_EXTERNAL_COUNT];

uint32_t digits_open(const uint32_t *step_cost_us)
{
	const struct rnv_model_config config = {
		.data = ranvier_digits,
		.bytes = sizeof(ranvier_digits),
		.lanes = BIT_MASK(RNV_LANE_COUNT),
		.step_cost_us = step_cost_us,
	};
	uint32_t model;

	zassert_ok(rnv_runtime_model_open(&config, &model, NULL));
	return model;
}

void digits_close(uint32_t model)
{
	zassert_ok(rnv_zephyr_drain(rnv_runtime_driver(), model, RNV_DRAIN_CANCEL, LONG_TIME));
	zassert_ok(rnv_model_close(rnv_runtime_sched(), model));
}

void digits_request(uint32_t model, uint32_t lane, struct rnv_job_request *request)
{
	buffers[lane][0] = (struct rnv_buffer){digits_input, sizeof(digits_input)};
	buffers[lane][1] = (struct rnv_buffer){digits_outputs[lane], sizeof(digits_outputs[lane])};
	*request = (struct rnv_job_request){
		.model = model,
		.lane = (uint8_t)lane,
		.deadline_us = RNV_NEVER,
		.buffers = buffers[lane],
		.buffer_count = RANVIER_DIGITS_EXTERNAL_COUNT,
	};
}

struct rnv_job_result digits_run(const struct rnv_job_request *request)
{
	struct rnv_job_result result;
	uint32_t job;

	zassert_ok(rnv_job_submit(rnv_runtime_sched(), request, &job));
	zassert_ok(rnv_zephyr_wait(rnv_runtime_driver(), job, LONG_TIME, &result));
	return result;
}
