/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Admission: which jobs are refused since they could not meet their deadlines. */

#include "ranvier/admission.h"

#include "sched_fixture.h"

static const uint32_t cost_us[3] = {10, 20, 30};
static struct rnv_admission admission;

static int setup(void **state)
{
	struct rnv_model_config config;
	struct rnv_diag diag;

	(void)state;
	bench_init();
	memset(&admission, 0, sizeof(admission));
	b.hooks.admit = rnv_admission_check;
	b.hooks.admit_context = &admission;
	bench_start();
	config = model_config(0, 0x7);
	config.step_cost_us = cost_us;
	image_name(&b.images[0], "costs");
	assert_int_equal(rnv_model_open(&b.sched, &config, &b.model[0], &diag), RNV_OK);
	open_model(1, 0x7); /* without costs */
	return 0;
}

/* Whether a job of 60 us is accepted with a deadline `in_us` from now; it stays queued. */
static bool accepts(uint32_t lane, uint64_t in_us)
{
	struct rnv_job_request request = request_of(0, lane, now_us + in_us, 0);
	uint32_t refused = stats_of(lane).refused;
	int status = rnv_job_submit(&b.sched, &request, NULL);

	if (status == RNV_OK) {
		return true;
	}
	assert_int_equal(status, RNV_ETIME);
	assert_int_equal(stats_of(lane).refused, refused + 1);
	return false;
}

static void test_alone_it_takes_its_cost(void **state)
{
	(void)state;
	assert_false(accepts(1, 59));
	assert_int_equal(info_of(0).jobs, 0);
	assert_true(accepts(1, 60));
	admission.blocking_us = 7;
	assert_false(accepts(0, 66));
	assert_true(accepts(0, 67));
}

static void test_a_deadline_in_the_past_is_refused(void **state)
{
	struct rnv_job_request request = request_of(0, 0, now_us - 1, 0);

	(void)state;
	assert_int_equal(rnv_job_submit(&b.sched, &request, NULL), RNV_ETIME);
	request.deadline_us = 0;
	assert_int_equal(rnv_job_submit(&b.sched, &request, NULL), RNV_ETIME);
}

static void test_what_is_not_known_is_accepted(void **state)
{
	struct rnv_job_request request = request_of(0, 0, RNV_NEVER, 0);

	(void)state;
	assert_int_equal(rnv_job_submit(&b.sched, &request, NULL), RNV_OK);
	request = request_of(1, 0, now_us + 1, 0);
	assert_int_equal(rnv_job_submit(&b.sched, &request, NULL), RNV_OK);
	assert_true(accepts(0, 60)); /* neither goes before it: no deadline, no cost */
}

static void test_queued_jobs_count_where_they_go_before(void **state)
{
	(void)state;
	assert_true(accepts(1, 100));
	assert_true(accepts(1, 200)); /* after 120 */
	assert_false(accepts(1, 119));
	assert_true(accepts(1, 120)); /* behind the first, before the second */
	assert_true(accepts(0, 60));  /* more urgent than all of them */
	assert_false(accepts(2, 299));
	assert_true(accepts(2, 300)); /* behind four */
}

/* In the second step of a job of lane 1, which counts as a whole. */
static void in_second_step(const struct rnv_trace_event *event)
{
	if (event->step == 1 && event->lane == 1) {
		b.in_step = NULL;
		assert_false(accepts(1, 119));
		assert_true(accepts(1, 120));
		assert_true(accepts(0, 60));
		assert_false(accepts(2, 239));
		assert_true(accepts(2, 240));
	}
}

static void test_a_started_job_counts(void **state)
{
	(void)state;
	assert_true(accepts(1, 100));
	b.in_step = in_second_step;
	rnv_sched_run(&b.sched);
	assert_null(b.in_step);
	assert_int_equal(b.done_count, 4);
}

static void test_reservations(void **state)
{
	static const struct rnv_reservation list[] = {
		{.period_us = 50, .cost_us = 10, .lane = 0},
		{.period_us = 1000, .cost_us = 100, .lane = 2},
	};

	(void)state;
	admission.reservations = list;
	admission.reservation_count = 2;
	/* 60 of its own and two of the first in 80. */
	assert_false(accepts(1, 79));
	assert_true(accepts(1, 80));
	/* In lane 2 also the second, and behind the other: 220 and six of the first in 280. */
	assert_false(accepts(2, 279));
	assert_true(accepts(2, 280));
}

/* Where they leave nothing, or are wrong, nothing fits, and that is known at once. */
static void test_reservations_that_leave_nothing(void **state)
{
	struct rnv_reservation list[2] = {{.period_us = 10, .cost_us = 10, .lane = 0}};

	(void)state;
	admission.reservations = list;
	admission.reservation_count = 1;
	assert_false(accepts(1, 1000000));
	assert_false(accepts(1, RNV_NEVER / 2));
	list[0].period_us = 0;
	assert_false(accepts(1, 1000000));
	list[0] = (struct rnv_reservation){UINT32_MAX, UINT32_MAX, 0};
	list[1] = (struct rnv_reservation){1, UINT32_MAX, 0};
	admission.reservation_count = 2;
	assert_false(accepts(1, RNV_NEVER / 2));
}

/*
 * 99 of 100 us are reserved: 60 us of work are done in one of each 100, and a window of whole
 * periods holds it from the 60th on. That is far for steps of one period, but the deadline fits.
 */
static void test_reservations_that_leave_little(void **state)
{
	static const struct rnv_reservation list = {.period_us = 100, .cost_us = 99, .lane = 0};

	(void)state;
	admission.reservations = &list;
	admission.reservation_count = 1;
	assert_false(accepts(1, 5999));
	assert_true(accepts(1, 6000));
}

/* Costs add up in more than 32 bits. */
static void test_large_costs(void **state)
{
	(void)state;
	b.models[0].cost_us[0] = UINT32_MAX - 100u;
	assert_true(accepts(1, RNV_NEVER / 2));
	assert_false(accepts(1, RNV_NEVER / 2));
}

static void in_step_of_lane_0(const struct rnv_trace_event *event)
{
	if (event->step == 1) {
		b.in_step = NULL;
		assert_false(accepts(0, 119));
		assert_true(accepts(0, 120));
		assert_false(accepts(1, 179));
		assert_true(accepts(1, 180));
	}
}

static void test_a_started_job_of_the_most_urgent_lane_counts(void **state)
{
	(void)state;
	assert_true(accepts(0, 100));
	b.in_step = in_step_of_lane_0;
	rnv_sched_run(&b.sched);
	assert_null(b.in_step);
	assert_int_equal(b.done_count, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_alone_it_takes_its_cost, setup),
		cmocka_unit_test_setup(test_a_deadline_in_the_past_is_refused, setup),
		cmocka_unit_test_setup(test_what_is_not_known_is_accepted, setup),
		cmocka_unit_test_setup(test_queued_jobs_count_where_they_go_before, setup),
		cmocka_unit_test_setup(test_a_started_job_counts, setup),
		cmocka_unit_test_setup(test_reservations, setup),
		cmocka_unit_test_setup(test_reservations_that_leave_nothing, setup),
		cmocka_unit_test_setup(test_reservations_that_leave_little, setup),
		cmocka_unit_test_setup(test_large_costs, setup),
		cmocka_unit_test_setup(test_a_started_job_of_the_most_urgent_lane_counts, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
