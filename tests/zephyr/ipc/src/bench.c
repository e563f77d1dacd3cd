/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "bench.h"

#include <zephyr/drivers/ipm.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/barrier.h>

#include <ranvier/status.h>
#include <ranvier/zephyr/park.h>
#include <ranvier/zephyr/second_core.h>

#include "ranvier_digits.h"
#include "../../sched/src/scores.h"

#define THIS_CORE 0 /* as the MHU has it for a message's number */

void __real_rnv_zephyr_doorbell_ring(void *context);
void __wrap_rnv_zephyr_doorbell_ring(void *context);
int __real_rnv_service_poll(struct rnv_service *service, uint64_t now_us);
int __wrap_rnv_service_poll(struct rnv_service *service, uint64_t now_us);

bool bench_mute;
volatile bool bench_flooded;
void (*volatile bench_rings)(void);

static uint32_t model;
static int8_t input[RANVIER_DIGITS_INPUT_0_BYTES];
static int8_t output[RANVIER_DIGITS_OUTPUT_0_BYTES];

void __wrap_rnv_zephyr_doorbell_ring(void *context)
{
	if (bench_rings != NULL) {
		bench_rings();
	}
	if (!bench_mute) {
		__real_rnv_zephyr_doorbell_ring(context);
	}
}

int __wrap_rnv_service_poll(struct rnv_service *service, uint64_t now_us)
{
	if (bench_flooded) {
		(void)ipm_send(DEVICE_DT_GET(DT_CHOSEN(zephyr_ipc)), 0, THIS_CORE, NULL, 0);
	}
	return __real_rnv_service_poll(service, now_us);
}

static K_THREAD_STACK_DEFINE(stack, 1024);
static struct k_thread writer;
static volatile bool written;

/* Writes flash while the second core does not run. */
static void write_flash(void *p1, void *p2, void *p3)
{
	ARG_UNUSED(p1);
	ARG_UNUSED(p2);
	ARG_UNUSED(p3);
	zassert_ok(rnv_runtime_park_begin());
	k_msleep(50);
	zassert_false(rnv_zephyr_second_core_runs());
	written = true;
	zassert_ok(rnv_runtime_park_end());
}

/* The second core is not started before the write has ended. */
static void start_after_write(void)
{
	(void)k_thread_create(&writer, stack, K_THREAD_STACK_SIZEOF(stack), write_flash, NULL, NULL,
			      NULL, K_PRIO_COOP(0), 0, K_NO_WAIT);
	k_yield();
	zassert_ok(rnv_zephyr_second_core_start(NULL));
	zassert_true(written);
	zassert_ok(k_thread_join(&writer, K_MSEC(LONG_MS)));
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
	start_after_write();
	zassert_true(rnv_zephyr_second_core_runs());
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
