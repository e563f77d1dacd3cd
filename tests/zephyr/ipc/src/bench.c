/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "bench.h"

#include <zephyr/kernel.h>
#include <zephyr/sys/barrier.h>

#include <ranvier/status.h>
#include <ranvier/zephyr/second_core.h>

#include "ranvier_digits.h"
#include "../../sched/src/scores.h"

void __real_rnv_zephyr_doorbell_ring(void *context);
void __wrap_rnv_zephyr_doorbell_ring(void *context);

bool bench_mute;

static uint32_t model;
static int8_t input[RANVIER_DIGITS_INPUT_0_BYTES];
static int8_t output[RANVIER_DIGITS_OUTPUT_0_BYTES];

void __wrap_rnv_zephyr_doorbell_ring(void *context)
{
	if (!bench_mute) {
		__real_rnv_zephyr_doorbell_ring(context);
	}
}

void *bench_setup(void)
{
	const struct rnv_model_config digits = {
		.data = ranvier_digits,
		.bytes = sizeof(ranvier_digits),
		.lanes = BIT_MASK(RNV_LANE_COUNT),
	};
	uint32_t seed = 1;

	zassert_ok(rnv_runtime_model_open(&digits, &model, NULL));
	for (uint32_t i = 0; i < sizeof(input); i++) { /* as remote/src/requests.c with seed 1 */
		seed ^= seed << 13;
		seed ^= seed >> 17;
		seed ^= seed << 5;
		input[i] = (int8_t)((int32_t)(seed >> 27) - 128);
	}
	for (uint32_t i = 0; i < sizeof(struct control) / sizeof(uint32_t); i++) {
		((volatile uint32_t *)CONTROL)[i] = 0;
	}
	/* The client first: it waits for the server. */
	zassert_ok(rnv_zephyr_second_core_start(NULL));
	zassert_equal(rnv_zephyr_second_core_start(NULL), RNV_ESTATE);
	k_msleep(50);
	zassert_ok(rnv_runtime_service_start(CLIENT_LANES));
	return NULL;
}

void remote_begin(enum control_command command, uint32_t argument)
{
	CONTROL->command = (uint32_t)command;
	CONTROL->argument = argument;
	barrier_dmem_fence_full();
	CONTROL->number = CONTROL->done + 1u;
}

void remote_end(void)
{
	WAIT_UNTIL(CONTROL->done == CONTROL->number, "the second core does not answer");
	barrier_dmem_fence_full();
	zassert_equal((int32_t)CONTROL->status, RNV_OK);
}

void remote_let_go(void)
{
	CONTROL->let_go = CONTROL->number;
}

void remote_do(enum control_command command, uint32_t argument)
{
	remote_begin(command, argument);
	remote_end();
}

void remote_expect_right(uint32_t count)
{
	remote_do(CONTROL_RUN, count);
	zassert_true(CONTROL->right >= count);
	zassert_equal(CONTROL->wrong, 0);
	zassert_equal(CONTROL->lanes, CLIENT_LANES);
}

struct rnv_service_stats service_stats(void)
{
	struct rnv_service_stats stats;

	rnv_runtime_service_stats(&stats);
	return stats;
}

void local_expect_right(void)
{
	const struct rnv_buffer buffers[] = {
		{.data = input, .bytes = sizeof(input)},
		{.data = output, .bytes = sizeof(output)},
	};
	const struct rnv_job_request request = {
		.model = model,
		.lane = RNV_LANE_REALTIME,
		.deadline_us = RNV_NEVER,
		.buffers = buffers,
		.buffer_count = ARRAY_SIZE(buffers),
	};
	struct rnv_job_result result;
	uint32_t job;

	memset(output, 0, sizeof(output));
	zassert_ok(rnv_job_submit(rnv_runtime_sched(), &request, &job));
	zassert_ok(rnv_zephyr_wait(rnv_runtime_driver(), job, K_MSEC(LONG_MS), &result));
	zassert_ok(result.status);
	zassert_mem_equal(output, expected_scores[0], sizeof(output));
}
