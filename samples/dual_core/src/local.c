/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "local.h"

#include <string.h>

#include <zephyr/kernel.h>

#include <ranvier/status.h>
#include <ranvier/zephyr/runtime.h>

#include "ranvier_digits.h"

static K_THREAD_STACK_DEFINE(stack, 1024);
static struct k_thread thread;
static K_MUTEX_DEFINE(lock);
static struct local_totals totals;

static int8_t input[RANVIER_DIGITS_INPUT_0_BYTES];
static int8_t first[RANVIER_DIGITS_OUTPUT_0_BYTES];
static int8_t output[RANVIER_DIGITS_OUTPUT_0_BYTES];

static int infer(uint32_t model, struct rnv_job_result *result)
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
	uint32_t job;
	int status = rnv_job_submit(rnv_runtime_sched(), &request, &job);

	if (status == RNV_OK) {
		status = rnv_zephyr_wait(rnv_runtime_driver(), job, K_FOREVER, result);
	}
	return (status == RNV_OK) ? result->status : status;
}

static void count(int status, const struct rnv_job_result *result)
{
	(void)k_mutex_lock(&lock, K_FOREVER);
	if (status != RNV_OK) {
		totals.failed++;
	} else {
		if (totals.done == 0u) {
			memcpy(first, output, sizeof(first));
		}
		totals.done++;
		totals.other += (memcmp(output, first, sizeof(first)) != 0) ? 1u : 0u;
		totals.most_us =
			MAX(totals.most_us, (uint32_t)(result->end_us - result->submit_us));
	}
	(void)k_mutex_unlock(&lock);
}

static void work(void *p1, void *p2, void *p3)
{
	const uint32_t model = POINTER_TO_UINT(p1);

	ARG_UNUSED(p2);
	ARG_UNUSED(p3);
	for (;;) {
		struct rnv_job_result result;
		int status = infer(model, &result);

		count(status, &result);
		k_msleep(CONFIG_SAMPLE_LOCAL_PERIOD_MS);
	}
}

void local_start(uint32_t model)
{
	for (size_t i = 0; i < sizeof(input); i++) {
		input[i] = (int8_t)(i * 37u); /* any pattern */
	}
	(void)k_thread_create(&thread, stack, K_THREAD_STACK_SIZEOF(stack), work,
			      UINT_TO_POINTER(model), NULL, NULL, K_PRIO_PREEMPT(2), 0, K_NO_WAIT);
	(void)k_thread_name_set(&thread, "local");
}

struct local_totals local_totals_get(void)
{
	struct local_totals now;

	(void)k_mutex_lock(&lock, K_FOREVER);
	now = totals;
	(void)k_mutex_unlock(&lock);
	return now;
}
