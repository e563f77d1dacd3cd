/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Draining and swapping a model that has jobs. */

#include "bench.h"

static struct job jobs[DEPTH];
static struct k_sem begun;

static void init_jobs(void)
{
	for (uint32_t i = 0; i < DEPTH; i++) {
		job_init(&jobs[i], bench.cpu_model, (i == 0U) ? SLOW : NORMAL, i);
	}
}

SCHED_TEST(drain_to_the_end)
{
	struct job refused;

	init_jobs();
	for (uint32_t i = 0; i < DEPTH; i++) {
		job_submit(&jobs[i]);
	}
	zassert_equal(
		rnv_zephyr_drain(&bench.driver, bench.cpu_model, RNV_DRAIN_FINISH, K_TICKS(1)),
		RNV_ETIMEDOUT);
	job_init(&refused, bench.cpu_model, REALTIME, 0);
	job_submit(&refused);
	zassert_equal(refused.submitted, RNV_ESTATE);
	zassert_ok(rnv_zephyr_drain(&bench.driver, bench.cpu_model, RNV_DRAIN_FINISH, LIMIT));
	for (uint32_t i = 0; i < DEPTH; i++) {
		job_expect_scores(&jobs[i]);
	}
	zassert_ok(rnv_model_undrain(&bench.sched, bench.cpu_model));
	job_submit(&refused);
	job_expect_scores(&refused);
	zassert_equal(rnv_zephyr_drain(&bench.driver, 12345, RNV_DRAIN_FINISH, LIMIT), RNV_ENOENT);
}

/* The test's thread goes on inside of the step. */
static void tell_step_3(const struct rnv_trace_event *event)
{
	if (event->kind == RNV_TRACE_STEP_BEGIN && event->step == 3U) {
		k_sem_give(&begun);
	}
}

SCHED_TEST(drain_with_cancellation)
{
	k_sem_init(&begun, 0, 1);
	init_jobs();
	bench.on_event = tell_step_3;
	for (uint32_t i = 1; i < DEPTH; i++) {
		job_submit(&jobs[i]);
	}
	zassert_ok(k_sem_take(&begun, LIMIT));
	zassert_equal(rnv_job_state_get(&bench.sched, jobs[1].handle), RNV_JOB_RUNNING);
	zassert_equal(rnv_job_set_deadline(&bench.sched, jobs[1].handle, 1), RNV_ESTATE);
	zassert_ok(rnv_zephyr_drain(&bench.driver, bench.cpu_model, RNV_DRAIN_CANCEL, LIMIT));
	for (uint32_t i = 1; i < DEPTH; i++) {
		job_wait(&jobs[i]);
		zassert_equal(jobs[i].result.status, RNV_ECANCELED);
		zassert_equal(jobs[i].result.start_us == RNV_NEVER, i > 1U);
	}
	zassert_ok(rnv_model_close(&bench.sched, bench.cpu_model));
}

SCHED_TEST(swap_while_another_model_runs)
{
	const struct rnv_model_config config = {.data = ranvier_cpu, .bytes = sizeof(ranvier_cpu)};
	uint32_t old = bench.cpu_model;
	uint32_t kept = 1;
	struct job other;

	k_sem_init(&begun, 0, 1);
	job_init(&other, bench.npu_model, SLOW, 1);
	bench.on_event = tell_step_3;
	other.request.flags = RNV_JOB_NPU_NEVER;
	job_submit(&other);
	zassert_ok(k_sem_take(&begun, LIMIT));
	zassert_equal(rnv_model_swap(&bench.sched, &config, &bench.cpu_model, &kept, NULL),
		      RNV_EBUSY);
	zassert_ok(rnv_zephyr_drain(&bench.driver, old, RNV_DRAIN_FINISH, K_NO_WAIT));
	zassert_ok(rnv_model_swap(&bench.sched, &config, &bench.cpu_model, &kept, NULL));
	zassert_equal(kept, 0, "it has no state");
	init_jobs();
	job_submit(&jobs[0]);
	job_submit(&jobs[1]);
	job_init(&jobs[2], old, NORMAL, 2);
	job_submit(&jobs[2]);
	zassert_equal(jobs[2].submitted, RNV_ENOENT, "the old handle is dead");
	job_expect_scores(&jobs[0]);
	job_expect_scores(&jobs[1]);
	job_expect_scores(&other);
	zassert_equal(rnv_model_find(&bench.sched, "cpu"), bench.cpu_model);
}
