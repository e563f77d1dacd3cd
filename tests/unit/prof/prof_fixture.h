/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_TESTS_PROF_FIXTURE_H_
#define RNV_TESTS_PROF_FIXTURE_H_

/* A port whose clocks the test sets, a profiler of two slots, and events in short. */

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ranvier/port.h"
#include "ranvier/prof.h"

#define SLOTS             2
#define STEPS             5
#define CYCLES_PER_SECOND 150000000u

static uint32_t clock_cycles;
static uint64_t clock_us;
static uint32_t clock_reads;
static uint32_t depth;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

uint32_t rnv_critical_enter(void)
{
	assert_int_equal(pthread_mutex_lock(&lock), 0);
	assert_int_equal(depth, 0);
	depth++;
	return 77;
}

void rnv_critical_exit(uint32_t key)
{
	assert_int_equal(key, 77);
	assert_int_equal(depth, 1);
	depth--;
	assert_int_equal(pthread_mutex_unlock(&lock), 0);
}

uint64_t rnv_now_us(void)
{
	return clock_us;
}

uint32_t rnv_cycles(void)
{
	assert_int_equal(depth, 1);
	clock_reads++;
	return clock_cycles;
}

uint32_t rnv_cycles_per_second(void)
{
	return CYCLES_PER_SECOND;
}

struct bench {
	struct rnv_prof prof;
	struct rnv_prof_model models[SLOTS];
	struct rnv_prof_step steps[SLOTS][STEPS + 1]; /* one more, that must stay as it is */
	struct rnv_prof_record records[64];
};

/* A profiler that watches slot 1, and is on; its memory held garbage. */
static inline void bench_init(struct bench *bench, uint32_t record_count, uint16_t flags)
{
	const struct rnv_prof_config config = {
		.models = bench->models,
		.records = record_count != 0 ? bench->records : NULL,
		.record_count = record_count,
		.model_count = SLOTS,
		.flags = flags,
	};
	const struct rnv_prof_target target = {
		.steps = bench->steps[1],
		.step_count = STEPS,
		.package_crc = 0xC0FFEE01u,
		.arena_bytes = 4096,
	};

	clock_cycles = 0;
	clock_us = 0;
	memset(bench, 0xA5, sizeof(*bench));
	assert_int_equal(rnv_prof_init(&bench->prof, &config), RNV_OK);
	assert_int_equal(rnv_prof_watch(&bench->prof, 1, &target), RNV_OK);
	rnv_prof_enable(&bench->prof, 1);
}

static inline void event(struct bench *bench, enum rnv_trace kind, uint8_t lane, uint16_t step)
{
	const struct rnv_trace_event what = {
		.job = 100u + lane, .model = 1, .step = step, .kind = (uint8_t)kind, .lane = lane};

	rnv_prof_trace(&bench->prof, &what);
}

static inline void done(struct bench *bench, const struct rnv_job_result *result)
{
	const struct rnv_trace_event what = {.result = result,
					     .job = result->job,
					     .model = 1,
					     .kind = RNV_TRACE_DONE,
					     .lane = result->lane};

	rnv_prof_trace(&bench->prof, &what);
}

static inline struct rnv_prof_step step_of(struct bench *bench, uint32_t number)
{
	struct rnv_prof_step step;

	assert_int_equal(rnv_prof_step_get(&bench->prof, 1, number, &step), RNV_OK);
	return step;
}

static inline struct rnv_prof_jobs jobs_of(struct bench *bench)
{
	struct rnv_prof_jobs jobs;

	assert_int_equal(rnv_prof_jobs_get(&bench->prof, 1, &jobs), RNV_OK);
	return jobs;
}

/* xorshift32 */
static inline uint32_t random_next(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

#endif /* RNV_TESTS_PROF_FIXTURE_H_ */
