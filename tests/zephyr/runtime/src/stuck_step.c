/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* A step that does not end in time: CONFIG_RANVIER_STEP_COST_US. */

#include <zephyr/kernel.h>
#include <zephyr/ztest.h>

#include "digits.h"
#include "watchdog.h"

#define STUCK_MS  CONFIG_RANVIER_WATCHDOG_STUCK_MS
#define PERIOD_MS CONFIG_RANVIER_WATCHDOG_PERIOD_MS

BUILD_ASSERT(CONFIG_RANVIER_STEP_COST_US > 1000 * (2 * STUCK_MS + 2 * PERIOD_MS));

ZTEST(ranvier_runtime_watchdog, test_stuck_step)
{
	struct rnv_job_request request;

	digits_request(watchdog_model, RNV_LANE_BEST_EFFORT, &request);
	request.flags = RNV_JOB_FORGET;
	zassert_ok(rnv_job_submit(rnv_runtime_sched(), &request, NULL));
	k_sleep(K_MSEC(STUCK_MS - PERIOD_MS / 4));
	zassert_equal(watchdog_expired(), 0);
	k_sleep(K_MSEC(2 * PERIOD_MS));
	zassert_equal(watchdog_expired(), 1);
}
