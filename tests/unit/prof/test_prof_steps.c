/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Cycles of steps: sums, wraps, clocks that run back, steps inside of steps. */

#include "prof_fixture.h"

#include "ranvier/sched.h"

static void run_step(struct bench *bench, uint8_t lane, uint16_t step, uint32_t cycles)
{
	event(bench, RNV_TRACE_STEP_BEGIN, lane, step);
	clock_cycles += cycles;
	event(bench, RNV_TRACE_STEP_END, lane, step);
}

static void test_a_step_is_counted(void **state)
{
	static struct bench bench;
	struct rnv_prof_step step;

	(void)state;
	bench_init(&bench, 0, 0);
	assert_int_equal(step_of(&bench, 2).runs, 0);
	run_step(&bench, 0, 2, 500);
	clock_cycles += 10000; /* between steps: nobody's */
	run_step(&bench, 0, 2, 300);
	run_step(&bench, 0, 2, 400);
	step = step_of(&bench, 2);
	assert_int_equal(step.runs, 3);
	assert_int_equal(step.min_cycles, 300);
	assert_int_equal(step.max_cycles, 500);
	assert_int_equal(step.last_cycles, 400);
	assert_int_equal(step.total_cycles, 1200);
	assert_int_equal(step.npu_runs, 0);
	assert_int_equal(step_of(&bench, 1).runs, 0);
	assert_int_equal(step_of(&bench, 3).runs, 0);
}

/* Case 39: the counter wraps. */
static void test_the_counter_wraps(void **state)
{
	static struct bench bench;

	(void)state;
	bench_init(&bench, 0, 0);
	clock_cycles = 0xFFFFFFF0u;
	run_step(&bench, 0, 0, 100);
	assert_int_equal(clock_cycles, 84);
	assert_int_equal(step_of(&bench, 0).last_cycles, 100);
	run_step(&bench, 0, 0, 0x7FFFFFFFu); /* the longest that can be told */
	assert_int_equal(step_of(&bench, 0).max_cycles, 0x7FFFFFFFu);
	run_step(&bench, 0, 1, 0x80000000u);
	assert_int_equal(step_of(&bench, 1).max_cycles, 0);
	for (uint32_t i = 0; i < 3; i++) { /* and sums go on beyond 32 bits */
		run_step(&bench, 0, 0, 0x7FFFFFFFu);
	}
	assert_true(step_of(&bench, 0).total_cycles == 100 + 4 * 0x7FFFFFFFull);
}

/* Case 39: the counter runs back. */
static void test_the_counter_runs_back(void **state)
{
	static struct bench bench;

	(void)state;
	bench_init(&bench, 0, 0);
	clock_cycles = 5000;
	run_step(&bench, 0, 0, 0u - 1u);
	run_step(&bench, 0, 0, 0u - 4000u);
	assert_int_equal(step_of(&bench, 0).runs, 2);
	assert_int_equal(step_of(&bench, 0).max_cycles, 0);
	assert_true(step_of(&bench, 0).total_cycles == 0);
	event(&bench, RNV_TRACE_STEP_BEGIN, 1, 1);
	clock_cycles += 100;
	run_step(&bench, 0, 0, 700);
	clock_cycles -= 600; /* less is left of the outer step than ran inside of it */
	event(&bench, RNV_TRACE_STEP_END, 1, 1);
	assert_int_equal(step_of(&bench, 1).last_cycles, 0);
}

static void test_steps_inside_of_steps(void **state)
{
	static struct bench bench;

	(void)state;
	for (uint16_t flags = 0; flags <= RNV_PROF_PARALLEL; flags++) {
		const uint32_t outer = flags == 0 ? 60 : 1000;

		bench_init(&bench, 0, flags);
		event(&bench, RNV_TRACE_STEP_BEGIN, 3, 3);
		clock_cycles += 20;
		event(&bench, RNV_TRACE_STEP_BEGIN, 1, 1);
		clock_cycles += 100;
		run_step(&bench, 0, 0, 440);
		clock_cycles += 200;
		event(&bench, RNV_TRACE_STEP_END, 1, 1);
		clock_cycles += 10;
		run_step(&bench, 0, 0, 200); /* now straight inside of lane 3's */
		clock_cycles += 30;
		event(&bench, RNV_TRACE_STEP_END, 3, 3);
		assert_int_equal(step_of(&bench, 0).total_cycles, 640);
		assert_int_equal(step_of(&bench, 1).last_cycles, flags == 0 ? 300 : 740);
		assert_int_equal(step_of(&bench, 3).last_cycles, outer);
	}
}

/*
 * One CPU, random preemption, judged by giving each cycle to the innermost step at the time that it
 * passes.
 */
static void test_random_preemption(void **state)
{
	static struct bench bench;
	uint32_t random = 20261130;
	uint8_t stack[4]; /* lanes in a step, the innermost last */
	uint64_t own[4] = {0}, total[4] = {0};
	uint32_t runs[4] = {0};
	uint32_t nested = 0;

	(void)state;
	bench_init(&bench, 7, 0);
	clock_cycles = 0xFFFF0000u;
	for (uint32_t inside = 0, i = 0; i < 100000; i++) {
		const uint32_t most_urgent = inside == 0 ? 4 : stack[inside - 1];
		const uint32_t cycles = random_next(&random) % 50;

		if (inside > 0) {
			own[stack[inside - 1]] += cycles;
		}
		clock_cycles += cycles;
		if (most_urgent > 0 && random_next(&random) % 2 == 0) {
			const uint8_t lane = (uint8_t)(random_next(&random) % most_urgent);

			stack[inside++] = lane;
			nested += inside > 1;
			own[lane] = 0;
			event(&bench, RNV_TRACE_STEP_BEGIN, lane, lane);
		} else if (inside > 0) {
			const uint8_t lane = stack[--inside];

			event(&bench, RNV_TRACE_STEP_END, lane, lane);
			assert_int_equal(step_of(&bench, lane).last_cycles, own[lane]);
			total[lane] += own[lane];
			runs[lane]++;
		}
	}
	assert_true(nested > 10000);
	for (uint32_t lane = 0; lane < 4; lane++) {
		assert_true(step_of(&bench, lane).total_cycles == total[lane]);
		assert_int_equal(step_of(&bench, lane).runs, runs[lane]);
	}
}

static void test_the_accelerator_counts_apart(void **state)
{
	static struct bench bench;
	struct rnv_trace_event end = {
		.model = 1, .step = 4, .kind = RNV_TRACE_NPU_END, .lane = 2, .status = RNV_EIO};

	(void)state;
	bench_init(&bench, 0, 0);
	event(&bench, RNV_TRACE_NPU_BEGIN, 2, 4);
	clock_cycles += 50;
	run_step(&bench, 3, 1, 300); /* meanwhile the CPU is another's: nothing is taken off */
	event(&bench, RNV_TRACE_NPU_END, 2, 4);
	assert_int_equal(step_of(&bench, 4).npu_runs, 1);
	assert_int_equal(step_of(&bench, 4).npu_max_cycles, 350);
	assert_int_equal(step_of(&bench, 4).runs, 0);
	assert_int_equal(step_of(&bench, 1).last_cycles, 300);
	event(&bench, RNV_TRACE_NPU_END, 2, 4); /* without a beginning */
	event(&bench, RNV_TRACE_NPU_BEGIN, 2, 4);
	clock_cycles += 9000;
	rnv_prof_trace(&bench.prof, &end); /* a fault is no run */
	run_step(&bench, 2, 4, 800);       /* but its fallback is */
	assert_int_equal(step_of(&bench, 4).npu_runs, 1);
	assert_int_equal(step_of(&bench, 4).npu_max_cycles, 350);
	assert_int_equal(step_of(&bench, 4).last_cycles, 800);
}

static void test_off_counts_nothing(void **state)
{
	static struct bench bench;

	(void)state;
	bench_init(&bench, 0, 0);
	rnv_prof_enable(&bench.prof, 0);
	clock_reads = 0;
	run_step(&bench, 0, 0, 100);
	assert_int_equal(clock_reads, 0);
	event(&bench, RNV_TRACE_STEP_BEGIN, 0, 0);
	rnv_prof_enable(&bench.prof, 1);
	event(&bench, RNV_TRACE_STEP_END, 0, 0); /* half of a step is no step */
	assert_int_equal(step_of(&bench, 0).runs, 0);
	event(&bench, RNV_TRACE_STEP_BEGIN, 0, 0);
	rnv_prof_enable(&bench.prof, 0);
	rnv_prof_enable(&bench.prof, 1);
	event(&bench, RNV_TRACE_STEP_END, 0, 0);
	assert_int_equal(step_of(&bench, 0).runs, 0);
	run_step(&bench, 0, 0, 100);
	assert_int_equal(step_of(&bench, 0).last_cycles, 100);
	event(&bench, RNV_TRACE_NPU_BEGIN, 0, 0);
	rnv_prof_enable(&bench.prof, 0);
	rnv_prof_enable(&bench.prof, 1);
	event(&bench, RNV_TRACE_NPU_END, 0, 0);
	assert_int_equal(step_of(&bench, 0).npu_runs, 0);
}

static void test_what_is_not_known_is_left_out(void **state)
{
	static struct bench bench;
	const struct rnv_prof_step before = {.total_cycles = 0xA5A5A5A5A5A5A5A5u};
	struct rnv_trace_event begin = {.model = 0, .step = 0, .kind = RNV_TRACE_STEP_BEGIN};
	struct rnv_trace_event end = {.model = 0, .step = 0, .kind = RNV_TRACE_STEP_END};
	struct rnv_prof_step step;

	(void)state;
	bench_init(&bench, 0, 0);
	for (uint16_t model = 0; model < 4; model += 2) { /* not watched, no slot */
		begin.model = end.model = model;
		rnv_prof_trace(&bench.prof, &begin);
		rnv_prof_trace(&bench.prof, &end);
	}
	run_step(&bench, 0, STEPS, 1);
	run_step(&bench, 0, 0xFFFF, 1);
	run_step(&bench, RNV_PROF_MAX_LANES, 0, 1);
	run_step(&bench, 255, 0, 1);
	event(&bench, RNV_TRACE_STEP_BEGIN, 0, 1);
	event(&bench, RNV_TRACE_STEP_END, 0, 2);
	event(&bench, (enum rnv_trace)0, 0, 0);
	event(&bench, (enum rnv_trace)31, 0, 0);
	for (uint32_t i = 0; i < STEPS; i++) {
		assert_int_equal(step_of(&bench, i).runs, 0);
	}
	assert_true(bench.steps[1][STEPS].total_cycles == before.total_cycles);
	assert_true(bench.steps[0][0].total_cycles == before.total_cycles);
	assert_int_equal(rnv_prof_step_get(&bench.prof, 1, STEPS, &step), RNV_EINVAL);
	assert_int_equal(rnv_prof_step_get(&bench.prof, 0, 0, &step), RNV_ENOENT);
	assert_int_equal(rnv_prof_step_get(&bench.prof, 2, 0, &step), RNV_ENOENT);
}

static void test_watching_begins_at_zero(void **state)
{
	static struct bench bench;
	const struct rnv_prof_target other = {.steps = bench.steps[0], .step_count = 2};
	const struct rnv_prof_target none = {.steps = bench.steps[0]};
	const struct rnv_prof_target nowhere = {.step_count = 1};
	struct rnv_prof_step step;

	(void)state;
	bench_init(&bench, 4, 0);
	run_step(&bench, 0, 1, 10);
	rnv_prof_reset(&bench.prof);
	assert_int_equal(step_of(&bench, 1).runs, 0);
	assert_int_equal(step_of(&bench, STEPS - 1).max_cycles, 0);
	run_step(&bench, 0, 1, 10);
	assert_int_equal(step_of(&bench, 1).runs, 1);
	assert_int_equal(rnv_prof_watch(&bench.prof, 1, &other), RNV_OK);
	assert_int_equal(step_of(&bench, 1).runs, 0);
	assert_int_equal(rnv_prof_step_get(&bench.prof, 1, 2, &step), RNV_EINVAL);
	assert_int_equal(rnv_prof_watch(&bench.prof, 1, NULL), RNV_OK);
	assert_int_equal(rnv_prof_step_get(&bench.prof, 1, 0, &step), RNV_ENOENT);
	assert_int_equal(rnv_prof_watch(&bench.prof, 2, &other), RNV_EINVAL);
	assert_int_equal(rnv_prof_watch(&bench.prof, 1, &none), RNV_EINVAL);
	assert_int_equal(rnv_prof_watch(&bench.prof, 1, &nowhere), RNV_EINVAL);
}

static void test_a_wrong_configuration_is_refused(void **state)
{
	static struct bench bench;
	const struct rnv_prof_config good = {.models = bench.models,
					     .records = bench.records,
					     .record_count = 1,
					     .model_count = 1};
	struct rnv_prof_config config = good;

	(void)state;
	assert_int_equal(rnv_prof_init(&bench.prof, &good), RNV_OK);
	assert_int_equal(rnv_prof_init(NULL, &good), RNV_EINVAL);
	assert_int_equal(rnv_prof_init(&bench.prof, NULL), RNV_EINVAL);
	config.models = NULL;
	assert_int_equal(rnv_prof_init(&bench.prof, &config), RNV_EINVAL);
	config = good;
	config.model_count = 0;
	assert_int_equal(rnv_prof_init(&bench.prof, &config), RNV_EINVAL);
	config = good;
	config.records = NULL;
	assert_int_equal(rnv_prof_init(&bench.prof, &config), RNV_EINVAL);
	config = good;
	config.record_count = (1u << 24) + 1;
	assert_int_equal(rnv_prof_init(&bench.prof, &config), RNV_EINVAL);
	config = good;
	config.flags = 2;
	assert_int_equal(rnv_prof_init(&bench.prof, &config), RNV_EINVAL);
}

#define THREADS 4
#define ROUNDS  20000

struct worker {
	struct bench *bench;
	uint8_t lane;
};

static void *work(void *argument)
{
	struct worker *worker = argument;

	for (uint32_t i = 0; i < ROUNDS; i++) {
		event(worker->bench, RNV_TRACE_STEP_BEGIN, worker->lane, worker->lane % 2);
		event(worker->bench, RNV_TRACE_STEP_END, worker->lane, worker->lane % 2);
	}
	return NULL;
}

/* Threads on several cores lose no event. */
static void test_threads(void **state)
{
	static struct bench bench;
	pthread_t threads[THREADS];
	struct worker workers[THREADS];

	(void)state;
	bench_init(&bench, 5, RNV_PROF_PARALLEL);
	for (uint8_t i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){&bench, i};
		assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
	}
	for (uint32_t i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	}
	assert_int_equal(step_of(&bench, 0).runs, ROUNDS * THREADS / 2);
	assert_int_equal(step_of(&bench, 1).runs, ROUNDS * THREADS / 2);
	assert_int_equal(bench.prof.lost + bench.prof.used, 2 * ROUNDS * THREADS);
}

static void test_lanes_and_sizes(void **state)
{
	(void)state;
	assert_int_equal(RNV_PROF_MAX_LANES, RNV_SCHED_MAX_LANES);
	assert_int_equal(sizeof(struct rnv_prof_record), 16);
	assert_int_equal(sizeof(struct rnv_prof_step), 32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_step_is_counted),
		cmocka_unit_test(test_the_counter_wraps),
		cmocka_unit_test(test_the_counter_runs_back),
		cmocka_unit_test(test_steps_inside_of_steps),
		cmocka_unit_test(test_random_preemption),
		cmocka_unit_test(test_the_accelerator_counts_apart),
		cmocka_unit_test(test_off_counts_nothing),
		cmocka_unit_test(test_what_is_not_known_is_left_out),
		cmocka_unit_test(test_watching_begins_at_zero),
		cmocka_unit_test(test_a_wrong_configuration_is_refused),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_lanes_and_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
