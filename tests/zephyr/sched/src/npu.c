/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The simulated accelerator: it completes by a timer's interrupt, fails, hangs and is recovered. */

#include "bench.h"

static struct job jobs[LANES];

static struct rnv_npu_info info(void)
{
	struct rnv_npu_info result;

	rnv_npu_info_get(&bench.npu, &result);
	return result;
}

/* So many requests, 0 for all, with an outcome; then it works. */
static void behave(uint32_t requests, uint8_t outcome, uint8_t abort)
{
	const struct rnv_npu_sim_behaviour behaviour = {
		.latency_us = CONFIG_RANVIER_NPU_SIM_LATENCY_US,
		.requests = requests,
		.outcome = outcome,
		.abort = abort,
	};

	rnv_npu_sim_set(bench.sim, &behaviour);
}

static void submit(uint32_t lane, uint32_t input, uint8_t flags)
{
	job_init(&jobs[lane], bench.npu_model, lane, input);
	jobs[lane].request.flags = flags;
	job_submit(&jobs[lane]);
}

SCHED_TEST(npu_completes_in_an_interrupt)
{
	submit(NORMAL, 1, RNV_JOB_NPU_STRICT);
	job_expect_scores(&jobs[NORMAL]);
	zassert_true(info().requests > 1);
	zassert_equal(info().completed, info().requests);
	zassert_equal(bench.interrupts, info().requests);
	zassert_equal(jobs[NORMAL].result.fallbacks, 0);
}

/* While one waits for it, another runs on the CPU; a third waits for it as well. */
SCHED_TEST(npu_is_shared)
{
	submit(SLOW, 0, 0);
	k_sleep(K_TICKS(1)); /* its first step is with the accelerator */
	submit(REALTIME, 1, RNV_JOB_NPU_NEVER);
	submit(NORMAL, 2, RNV_JOB_NPU_WAIT);
	for (uint32_t lane = 0; lane < LANES; lane++) {
		job_expect_scores(&jobs[lane]);
	}
	zassert_equal(jobs[REALTIME].result.fallbacks, 0);
	zassert_true(info().requests > 2);
}

SCHED_TEST(npu_fault_falls_back_to_the_cpu)
{
	behave(2, RNV_NPU_SIM_FAULTS, RNV_NPU_SIM_STOPS);
	submit(NORMAL, 2, 0);
	job_expect_scores(&jobs[NORMAL]);
	zassert_equal(jobs[NORMAL].result.fallbacks, 2);
	zassert_equal(info().faults, 2);
	zassert_equal(info().state, RNV_NPU_READY);
	behave(1, RNV_NPU_SIM_REFUSES, RNV_NPU_SIM_STOPS);
	submit(NORMAL, 3, RNV_JOB_NPU_STRICT);
	job_wait(&jobs[NORMAL]);
	zassert_equal(jobs[NORMAL].result.status, RNV_EIO);
	zassert_equal(bench_stats(NORMAL).failed, 1);
}

/* It is silent, but stops when told to. */
SCHED_TEST(npu_time_out_falls_back_to_the_cpu)
{
	behave(1, RNV_NPU_SIM_SILENT, RNV_NPU_SIM_STOPS);
	submit(NORMAL, 3, 0);
	job_expect_scores(&jobs[NORMAL]);
	zassert_equal(jobs[NORMAL].result.fallbacks, 1);
	zassert_equal(info().timeouts, 1);
	zassert_equal(info().aborts, 1);
	zassert_equal(info().quarantines, 0);
	zassert_true(jobs[NORMAL].result.end_us - jobs[NORMAL].result.start_us >=
		     CONFIG_RANVIER_NPU_SIM_TIMEOUT_US);
	behave(1, RNV_NPU_SIM_SILENT, RNV_NPU_SIM_STOPS);
	submit(NORMAL, 3, RNV_JOB_NPU_STRICT);
	job_wait(&jobs[NORMAL]);
	zassert_equal(jobs[NORMAL].result.status, RNV_ETIMEDOUT);
}

/* It does not even stop: its job keeps the memory until it is recovered, other lanes go on. */
SCHED_TEST(npu_that_hangs_is_quarantined)
{
	behave(1, RNV_NPU_SIM_SILENT, RNV_NPU_SIM_HANGS);
	submit(SLOW, 0, 0);
	for (uint32_t i = 0; info().state != RNV_NPU_QUARANTINED; i++) {
		zassert_true(i < 100U);
		k_sleep(K_MSEC(10));
	}
	zassert_equal(rnv_job_state_get(&bench.sched, jobs[SLOW].handle), RNV_JOB_ZOMBIE);
	submit(NORMAL, 1, 0);
	job_expect_scores(&jobs[NORMAL]); /* on the CPU */
	zassert_true(jobs[NORMAL].result.fallbacks > 1);
	zassert_equal(rnv_zephyr_drain(&bench.driver, bench.npu_model, RNV_DRAIN_FINISH, K_MSEC(5)),
		      RNV_ETIMEDOUT);
	behave(0, RNV_NPU_SIM_WORKS, RNV_NPU_SIM_STOPS);
	zassert_ok(rnv_npu_recover(&bench.npu));
	job_wait(&jobs[SLOW]);
	zassert_equal(jobs[SLOW].result.status, RNV_ETIMEDOUT);
	zassert_ok(rnv_zephyr_drain(&bench.driver, bench.npu_model, RNV_DRAIN_FINISH, LIMIT));
	zassert_ok(rnv_model_undrain(&bench.sched, bench.npu_model));
	submit(SLOW, 2, RNV_JOB_NPU_STRICT);
	job_expect_scores(&jobs[SLOW]);
	zassert_equal(jobs[SLOW].result.fallbacks, 0);
}

SCHED_TEST(npu_cancel)
{
	behave(1, RNV_NPU_SIM_SILENT, RNV_NPU_SIM_STOPS);
	submit(NORMAL, 0, 0);
	k_sleep(K_MSEC(5));
	zassert_equal(rnv_job_state_get(&bench.sched, jobs[NORMAL].handle), RNV_JOB_WAITING);
	zassert_ok(rnv_job_cancel(&bench.sched, jobs[NORMAL].handle));
	job_wait(&jobs[NORMAL]);
	zassert_equal(jobs[NORMAL].result.status, RNV_ECANCELED);
	zassert_equal(info().aborts, 1);
	zassert_equal(info().timeouts, 0);
}
