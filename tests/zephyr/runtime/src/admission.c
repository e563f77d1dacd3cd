/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Admission through the runtime. A job costs a second by its table; the test's thread is more
 * urgent than the lanes', so nothing starts until it sleeps.
 */

#include <zephyr/ztest.h>

#include <ranvier/admission.h>
#include <ranvier/port.h>

#include "digits.h"

#define STEP_US 100000
#define JOB_US  (STEP_US * DIGITS_STEPS)

static uint32_t costs[DIGITS_STEPS];
static uint32_t model;

static void before(void *fixture)
{
	ARG_UNUSED(fixture);
	for (size_t i = 0; i < ARRAY_SIZE(costs); i++) {
		costs[i] = STEP_US;
	}
	model = digits_open(costs);
}

static void after(void *fixture)
{
	ARG_UNUSED(fixture);
	zassert_ok(rnv_runtime_reserve(NULL, 0));
	digits_close(model);
}

static int submit(uint32_t lane, uint64_t deadline_us)
{
	struct rnv_job_request request;

	digits_request(model, lane, &request);
	request.deadline_us = deadline_us;
	request.flags = RNV_JOB_FORGET;
	return rnv_job_submit(rnv_runtime_sched(), &request, NULL);
}

static uint32_t refused(uint32_t lane)
{
	struct rnv_lane_stats stats;

	zassert_ok(rnv_lane_stats_get(rnv_runtime_sched(), lane, &stats));
	return stats.refused;
}

ZTEST(ranvier_runtime_admission, test_cost_of_the_job)
{
	uint32_t count = refused(RNV_LANE_REALTIME);

	zassert_equal(submit(RNV_LANE_REALTIME, rnv_now_us() + JOB_US / 2), RNV_ETIME);
	zassert_equal(submit(RNV_LANE_REALTIME, 0), RNV_ETIME);
	zassert_equal(refused(RNV_LANE_REALTIME), count + 2U);
	zassert_ok(submit(RNV_LANE_REALTIME, rnv_now_us() + 2 * JOB_US));
	zassert_ok(submit(RNV_LANE_REALTIME, RNV_NEVER));
}

/* The first of two has the earlier deadline, and a more urgent lane goes before. */
ZTEST(ranvier_runtime_admission, test_cost_of_those_before)
{
	uint64_t now_us = rnv_now_us();

	zassert_ok(submit(RNV_LANE_REALTIME, now_us + 15 * JOB_US / 10));
	zassert_equal(submit(RNV_LANE_REALTIME, now_us + 18 * JOB_US / 10), RNV_ETIME);
	zassert_equal(submit(RNV_LANE_BEST_EFFORT, now_us + 18 * JOB_US / 10), RNV_ETIME);
	zassert_ok(submit(RNV_LANE_REALTIME, now_us + 30 * JOB_US / 10));
}

/* Half of the time from now on, in a lane and for those that are less urgent. */
ZTEST(ranvier_runtime_admission, test_reservations)
{
	static const struct rnv_reservation half[] = {
		{.period_us = 2 * STEP_US, .cost_us = STEP_US, .lane = RNV_LANE_BEST_EFFORT},
	};
	static const struct rnv_reservation nowhere[] = {
		{.period_us = 2 * STEP_US, .cost_us = STEP_US, .lane = RNV_LANE_COUNT},
	};
	uint64_t deadline_us = rnv_now_us() + 15 * JOB_US / 10;

	zassert_equal(rnv_runtime_reserve(NULL, 1), RNV_EINVAL);
	zassert_equal(rnv_runtime_reserve(nowhere, 1), RNV_EINVAL);
	zassert_ok(rnv_runtime_reserve(half, ARRAY_SIZE(half)));
	zassert_equal(submit(RNV_LANE_BEST_EFFORT, deadline_us), RNV_ETIME);
	zassert_ok(submit(RNV_LANE_BEST_EFFORT, rnv_now_us() + 25 * JOB_US / 10));
	zassert_ok(submit(RNV_LANE_REALTIME, deadline_us));
}

ZTEST(ranvier_runtime_admission, test_no_reservations)
{
	zassert_ok(submit(RNV_LANE_BEST_EFFORT, rnv_now_us() + 15 * JOB_US / 10));
}

ZTEST(ranvier_runtime_admission, test_model_without_costs)
{
	digits_close(model);
	model = digits_open(NULL);
	zassert_ok(submit(RNV_LANE_REALTIME, 0));
}

ZTEST_SUITE(ranvier_runtime_admission, NULL, NULL, before, after, NULL);
