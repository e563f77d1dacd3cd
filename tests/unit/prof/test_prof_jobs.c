/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Times of jobs, judged by all of them sorted; arenas. */

#include "prof_fixture.h"

#define JOBS 2000

static int ascending(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Within 12.5 percent, and exact below 8. */
static void assert_near(uint32_t us, uint32_t exact)
{
	const uint32_t error = us > exact ? us - exact : exact - us;

	assert_true(error <= exact / 8);
	assert_true(exact >= 8 || error == 0);
}

static void assert_summary(const struct rnv_prof_summary *summary, uint32_t *times, uint32_t count)
{
	uint64_t total = 0;

	qsort(times, count, sizeof(*times), ascending);
	for (uint32_t i = 0; i < count; i++) {
		total += times[i];
	}
	assert_int_equal(summary->count, count);
	assert_int_equal(summary->min_us, times[0]);
	assert_int_equal(summary->max_us, times[count - 1]);
	assert_int_equal(summary->mean_us, total / count);
	assert_near(summary->p50_us, times[(count * 50 + 99) / 100 - 1]);
	assert_near(summary->p99_us, times[(count * 99 + 99) / 100 - 1]);
}

/* A time of any magnitude up to `bits` bits. */
static uint32_t random_time(uint32_t *random, uint32_t bits)
{
	return random_next(random) >> (32 - bits + random_next(random) % bits);
}

static void test_random_jobs(void **state)
{
	static struct bench bench;
	static uint32_t times[3][JOBS];
	uint32_t random = 7;

	(void)state;
	for (uint32_t count = 1; count <= JOBS; count = count * 3 + 1) {
		struct rnv_prof_jobs jobs;

		bench_init(&bench, 0, 0);
		for (uint32_t i = 0; i < count; i++) {
			const uint32_t bits = 1 + i % 30;
			struct rnv_job_result result = {.submit_us = random_next(&random)};

			times[RNV_PROF_QUEUEING][i] = random_time(&random, bits);
			times[RNV_PROF_BLOCKING][i] = random_time(&random, bits);
			times[RNV_PROF_RESPONSE][i] =
				times[RNV_PROF_QUEUEING][i] + random_time(&random, bits);
			result.start_us = result.submit_us + times[RNV_PROF_QUEUEING][i];
			result.blocked_us = times[RNV_PROF_BLOCKING][i];
			result.end_us = result.submit_us + times[RNV_PROF_RESPONSE][i];
			result.missed = i % 3 == 0;
			done(&bench, &result);
		}
		jobs = jobs_of(&bench);
		assert_int_equal(jobs.completed, count);
		assert_int_equal(jobs.failed, 0);
		assert_int_equal(jobs.missed, (count + 2) / 3);
		for (uint32_t i = 0; i < 3; i++) {
			assert_summary(&jobs.times[i], times[i], count);
		}
	}
}

/* Every bucket holds just the times from its own to the next one's least. */
static void test_buckets(void **state)
{
	static struct bench bench;

	(void)state;
	bench_init(&bench, 0, 0);
	assert_int_equal(rnv_prof_bucket_us(0), 0);
	for (uint32_t bucket = 0; bucket < RNV_PROF_BUCKETS; bucket++) {
		const uint32_t last = bucket + 1 == RNV_PROF_BUCKETS;
		const uint32_t low = rnv_prof_bucket_us(bucket);
		const uint64_t end = last ? 1ull << 32 : rnv_prof_bucket_us(bucket + 1);
		struct rnv_job_result result = {.submit_us = 5, .start_us = 5, .end_us = 5 + low};

		assert_true(end > low);
		assert_true(bucket < 8 ? end - low == 1 : (end - low) * 4 <= low);
		done(&bench, &result);
		assert_int_equal(rnv_prof_bucket_get(&bench.prof, 1, RNV_PROF_RESPONSE, bucket), 1);
		result.end_us = 5 + end - 1;
		done(&bench, &result);
		assert_int_equal(rnv_prof_bucket_get(&bench.prof, 1, RNV_PROF_RESPONSE, bucket), 2);
	}
	assert_int_equal(rnv_prof_bucket_get(&bench.prof, 1, RNV_PROF_QUEUEING, 0),
			 2 * RNV_PROF_BUCKETS);
	assert_int_equal(rnv_prof_bucket_get(&bench.prof, 1, 3, 0), 0);
	assert_int_equal(rnv_prof_bucket_get(&bench.prof, 1, 0, RNV_PROF_BUCKETS), 0);
	assert_int_equal(rnv_prof_bucket_get(&bench.prof, 0, 0, 0), 0);
	assert_int_equal(rnv_prof_bucket_get(&bench.prof, SLOTS, 0, 0), 0);
}

/* Case 39: times that are out of order count 0; those of more than 32 bits the most. */
static void test_times_out_of_order(void **state)
{
	static struct bench bench;
	const struct rnv_job_result back = {.submit_us = 100, .start_us = 99, .end_us = 3};
	const struct rnv_job_result ages = {
		.submit_us = 100, .start_us = 100, .end_us = 1ull << 40};
	struct rnv_prof_jobs jobs;

	(void)state;
	bench_init(&bench, 0, 0);
	done(&bench, &back);
	jobs = jobs_of(&bench);
	assert_int_equal(jobs.times[RNV_PROF_QUEUEING].max_us, 0);
	assert_int_equal(jobs.times[RNV_PROF_RESPONSE].max_us, 0);
	done(&bench, &ages);
	jobs = jobs_of(&bench);
	assert_int_equal(jobs.times[RNV_PROF_RESPONSE].max_us, UINT32_MAX);
	assert_int_equal(jobs.times[RNV_PROF_RESPONSE].mean_us, UINT32_MAX / 2);
}

static void test_jobs_that_fail_or_are_not_seen_have_no_times(void **state)
{
	static struct bench bench;
	const struct rnv_job_result cancelled = {
		.status = RNV_ECANCELED, .start_us = RNV_NEVER, .end_us = 9, .missed = 1};
	const struct rnv_job_result broken = {.status = RNV_EIO, .start_us = 1, .end_us = 2};
	const struct rnv_job_result late = {.start_us = 1, .end_us = 2, .missed = 1};
	struct rnv_prof_jobs jobs;

	(void)state;
	bench_init(&bench, 0, 0);
	done(&bench, &cancelled);
	done(&bench, &broken);
	jobs = jobs_of(&bench);
	assert_int_equal(jobs.failed, 2);
	assert_int_equal(jobs.completed, 0);
	assert_int_equal(jobs.missed, 0);
	for (uint32_t i = 0; i < 3; i++) {
		const struct rnv_prof_summary none = {0};

		assert_memory_equal(&jobs.times[i], &none, sizeof(none));
	}
	done(&bench, &late);
	assert_int_equal(jobs_of(&bench).missed, 1);
	rnv_prof_reset(&bench.prof);
	jobs = jobs_of(&bench);
	assert_int_equal(jobs.failed, 0);
	assert_int_equal(jobs.completed, 0);
	assert_int_equal(jobs.missed, 0);
	assert_int_equal(jobs.times[RNV_PROF_RESPONSE].count, 0);
	rnv_prof_enable(&bench.prof, 0);
	done(&bench, &late);
	jobs = jobs_of(&bench);
	assert_int_equal(jobs.completed, 0);
	assert_int_equal(jobs.times[RNV_PROF_RESPONSE].count, 0);
	assert_int_equal(rnv_prof_jobs_get(&bench.prof, 0, &jobs), RNV_ENOENT);
	assert_int_equal(rnv_prof_jobs_get(&bench.prof, SLOTS, &jobs), RNV_ENOENT);
}

static void test_arenas(void **state)
{
	static struct bench bench;
	const struct rnv_prof_target larger = {
		.steps = bench.steps[0], .step_count = 1, .arena_bytes = 5000};
	const struct rnv_trace_event start = {.model = 0, .kind = RNV_TRACE_START, .lane = 2};

	(void)state;
	bench_init(&bench, 0, 0);
	assert_int_equal(jobs_of(&bench).arena_bytes, 4096);
	assert_int_equal(rnv_prof_arena_high_water(&bench.prof, 2), 0);
	event(&bench, RNV_TRACE_START, 2, 0);
	assert_int_equal(rnv_prof_arena_high_water(&bench.prof, 2), 4096);
	rnv_prof_trace(&bench.prof, &start); /* not watched */
	assert_int_equal(rnv_prof_arena_high_water(&bench.prof, 2), 4096);
	assert_int_equal(rnv_prof_watch(&bench.prof, 0, &larger), RNV_OK);
	rnv_prof_trace(&bench.prof, &start);
	event(&bench, RNV_TRACE_START, 2, 0);
	assert_int_equal(rnv_prof_arena_high_water(&bench.prof, 2), 5000);
	assert_int_equal(rnv_prof_arena_high_water(&bench.prof, 1), 0);
	assert_int_equal(rnv_prof_arena_high_water(&bench.prof, RNV_PROF_MAX_LANES), 0);
	event(&bench, RNV_TRACE_START, 0, 0);
	event(&bench, RNV_TRACE_START, RNV_PROF_MAX_LANES - 1, 0);
	rnv_prof_reset(&bench.prof);
	for (uint32_t lane = 0; lane < RNV_PROF_MAX_LANES; lane++) {
		assert_int_equal(rnv_prof_arena_high_water(&bench.prof, lane), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_jobs),
		cmocka_unit_test(test_buckets),
		cmocka_unit_test(test_times_out_of_order),
		cmocka_unit_test(test_jobs_that_fail_or_are_not_seen_have_no_times),
		cmocka_unit_test(test_arenas),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
