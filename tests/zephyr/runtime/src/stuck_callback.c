/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Work that takes long as a whole does not stop the feeding; a completion callback that does not
 * return does, and it goes on afterwards. A job takes longer than a lane may be stuck.
 */

#include <zephyr/kernel.h>
#include <zephyr/ztest.h>

#include "digits.h"
#include "watchdog.h"

#define STUCK_MS  CONFIG_RANVIER_WATCHDOG_STUCK_MS
#define PERIOD_MS CONFIG_RANVIER_WATCHDOG_PERIOD_MS
#define BLOCK_MS  (2 * STUCK_MS + 4 * PERIOD_MS)

BUILD_ASSERT(CONFIG_RANVIER_STEP_COST_US *DIGITS_STEPS > 1000 * STUCK_MS);

static K_SEM_DEFINE(blocked, 0, 1);
static K_SEM_DEFINE(returned, 0, 1);

static void block(void *context, const struct rnv_job_result *result)
{
	ARG_UNUSED(context);
	ARG_UNUSED(result);
	k_sem_give(&blocked);
	k_sleep(K_MSEC(BLOCK_MS));
	k_sem_give(&returned);
}

ZTEST(ranvier_runtime_watchdog, test_long_job)
{
	struct rnv_job_request request;

	digits_request(watchdog_model, RNV_LANE_BEST_EFFORT, &request);
	for (int i = 0; i < 3; i++) {
		zassert_ok(digits_run(&request).status);
	}
	zassert_equal(watchdog_expired(), 0);
}

/* A less urgent lane waits for a more urgent one for longer than it may be stuck. */
ZTEST(ranvier_runtime_watchdog, test_lane_that_waits)
{
	struct rnv_job_request request;
	struct rnv_job_result result;
	uint32_t job;

	digits_request(watchdog_model, RNV_LANE_BEST_EFFORT, &request);
	zassert_ok(rnv_job_submit(rnv_runtime_sched(), &request, &job));
	digits_request(watchdog_model, RNV_LANE_REALTIME, &request);
	for (int i = 0; i < 3; i++) {
		zassert_ok(digits_run(&request).status);
	}
	zassert_ok(rnv_zephyr_wait(rnv_runtime_driver(), job, K_SECONDS(60), &result));
	zassert_ok(result.status);
	zassert_equal(watchdog_expired(), 0);
}

ZTEST(ranvier_runtime_watchdog, test_stuck_callback)
{
	struct rnv_job_request request;

	digits_request(watchdog_model, RNV_LANE_BEST_EFFORT, &request);
	request.done = block;
	zassert_ok(rnv_job_submit(rnv_runtime_sched(), &request, NULL));
	zassert_ok(k_sem_take(&blocked, K_SECONDS(60)));
	k_sleep(K_MSEC(STUCK_MS - PERIOD_MS / 4));
	zassert_equal(watchdog_expired(), 0);
	k_sleep(K_MSEC(2 * PERIOD_MS));
	zassert_equal(watchdog_expired(), 1);
	zassert_ok(k_sem_take(&returned, K_SECONDS(60)));
	k_sleep(K_MSEC(4 * PERIOD_MS));
	zassert_equal(watchdog_expired(), 1);
}
