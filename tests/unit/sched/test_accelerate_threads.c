/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Lanes with threads of their own around the accelerator: one acts at every moment of another. */

#include "accelerate_fixture.h"

static void run_lane(uint32_t lane)
{
	assert_int_equal(rnv_lane_run(&b.sched, lane), RNV_OK);
}

static uint32_t moment;

static void run_lane_2_between(void)
{
	if (moment-- == 0u) {
		between = NULL;
		run_lane(2);
		b.wakes[2] = 0;
	}
}

/*
 * The more urgent lane that was to be next is cancelled, while the one behind it looks, at any
 * moment: it has got the accelerator, or is told that it can.
 */
static void test_the_next_one_in_turn_is_cancelled(void **state)
{
	uint32_t tried = 0;

	for (bool more = true; more; tried++) {
		uint32_t next;

		(void)setup(state);
		(void)submit_with(1, 0, 1);
		run_lane(1);
		(void)submit_with(2, RNV_JOB_NPU_WAIT, 2);
		run_lane(2);
		next = submit_with(0, RNV_JOB_NPU_WAIT, 0);
		run_lane(0);
		finish_request(RNV_OK);
		run_lane(2); /* finds lane 0 before it */
		assert_false(d.pending);
		assert_int_equal(rnv_job_cancel(&b.sched, next), RNV_OK);
		moment = tried;
		between = run_lane_2_between;
		run_lane(0);
		more = between == NULL;
		between = NULL;
		assert_int_equal(b.done[0].status, RNV_ECANCELED);
		assert_true(d.pending ? d.lane == 2 : b.wakes[2] != 0u);
	}
	assert_true(tried > 5);
}

/* Another thread hears that the accelerator is free. */
static void finish_between(void)
{
	if (moment-- == 0u) {
		between = NULL;
		finish_request(RNV_OK);
		run_lane(0);
	}
}

/* At any moment of a lane's coming to wait for it, and also before anyone can know that it does. */
static void test_it_is_free_as_a_lane_begins_to_wait(void **state)
{
	uint32_t tried = 0;

	for (bool more = true; more; tried++) {
		(void)setup(state);
		(void)submit_with(1, 0, 1);
		run_lane(1);
		(void)submit_with(2, RNV_JOB_NPU_WAIT, 2);
		b.wakes[2] = 0;
		moment = tried;
		between = finish_between;
		run_lane(2);
		more = between == NULL;
		between = NULL;
		if (more) {
			assert_true(d.pending ? d.lane == 2 : b.wakes[2] != 0u);
		}
	}
	assert_true(tried > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_next_one_in_turn_is_cancelled),
		cmocka_unit_test(test_it_is_free_as_a_lane_begins_to_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
