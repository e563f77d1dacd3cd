/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Requests; and what becomes of them when a side starts anew, hangs, or is not heard. */

#include <zephyr/kernel.h>

#include <ranvier/status.h>

#include "bench.h"

#define REQUESTS 12

static void wait_for_bond(uint32_t bonds)
{
	WAIT_UNTIL(service_stats().bonds >= bonds, "no bond");
}

/* The client was started before there was a server. */
ZTEST(ipc, test_a_requests)
{
	struct rnv_service_stats before;
	struct rnv_service_stats after;

	wait_for_bond(1);
	before = service_stats();
	zassert_equal(before.bonded, 1);
	remote_expect_right(REQUESTS);
	after = service_stats();
	zassert_equal(CONTROL->right, REQUESTS);
	zassert_equal(after.completed - before.completed, REQUESTS);
	zassert_equal(after.failed, 0);
	zassert_equal(after.refused, 0);
	zassert_equal(after.foreign, 0);
	zassert_equal(after.jobs, 0);
	zassert_between_inclusive(after.most_jobs, 2, 3);
	zassert_equal(after.bonds, 1);
	local_expect_right();
}

ZTEST(ipc, test_status)
{
	const struct rnv_service_stats stats = service_stats();

	remote_do(CONTROL_STATUS, 0);
	zassert_equal(CONTROL->args[0], 0);
	zassert_equal(CONTROL->args[1], stats.completed);
	zassert_equal(CONTROL->args[2], stats.refused);
}

ZTEST(ipc, test_client_starts_anew)
{
	const struct rnv_service_stats before = service_stats();

	remote_do(CONTROL_ABANDON, 0);
	wait_for_bond(before.bonds + 1u);
	remote_expect_right(3);
	zassert_equal(service_stats().bonds, before.bonds + 1u);
	zassert_true(service_stats().failed > before.failed, "nothing was cancelled");
	zassert_equal(service_stats().jobs, 0);
}

ZTEST(ipc, test_server_starts_anew)
{
	remote_begin(CONTROL_RUN, REQUESTS);
	k_msleep(20);
	zassert_ok(rnv_runtime_service_stop());
	zassert_equal(rnv_runtime_service_stop(), RNV_ESTATE);
	local_expect_right();
	zassert_ok(rnv_runtime_service_start(CLIENT_LANES));
	zassert_equal(rnv_runtime_service_start(CLIENT_LANES), RNV_ESTATE);
	remote_end();
	zassert_true(CONTROL->right >= REQUESTS);
	zassert_equal(CONTROL->wrong, 0);
	wait_for_bond(1); /* counted from the start of this server */
	zassert_true(CONTROL->stale > 0u, "nothing was under way");
}

static K_THREAD_STACK_DEFINE(stack, 1024);
static struct k_thread stopper;
static volatile int stopped;

static void stop(void *p1, void *p2, void *p3)
{
	ARG_UNUSED(p1);
	ARG_UNUSED(p2);
	ARG_UNUSED(p3);
	stopped = rnv_runtime_service_stop();
}

/* Before this thread blocks, the one that serves does not come to end anything. */
ZTEST(ipc, test_server_starts_while_it_stops)
{
	remote_begin(CONTROL_RUN, REQUESTS);
	WAIT_UNTIL(service_stats().jobs > 0u, "no job");
	stopped = RNV_EIO;
	(void)k_thread_create(&stopper, stack, K_THREAD_STACK_SIZEOF(stack), stop, NULL, NULL, NULL,
			      K_PRIO_COOP(0), 0, K_NO_WAIT);
	k_yield();
	zassert_equal(stopped, RNV_EIO);
	zassert_equal(rnv_runtime_service_start(CLIENT_LANES), RNV_ESTATE);
	zassert_equal(rnv_runtime_service_stop(), RNV_ESTATE);
	zassert_ok(k_thread_join(&stopper, K_MSEC(LONG_MS)));
	zassert_ok(stopped);
	zassert_equal(service_stats().jobs, 0);
	zassert_ok(rnv_runtime_service_start(CLIENT_LANES));
	remote_end();
	zassert_equal(CONTROL->wrong, 0);
}

ZTEST(ipc, test_lanes_that_there_are_not)
{
	zassert_equal(rnv_runtime_service_start(CLIENT_LANES | BIT(RNV_LANE_COUNT)), RNV_EINVAL);
}

/* The thread that serves is more urgent than the scheduler's. */
ZTEST(ipc, test_client_rings_without_end)
{
	bench_flooded = true;
	k_msleep(50);
	local_expect_right();
	remote_expect_right(3);
	bench_flooded = false;
	local_expect_right();
}

/* Its interrupts are off for longer than a living client's may be. */
ZTEST(ipc, test_client_hangs)
{
	const struct rnv_service_stats before = service_stats();

	remote_begin(CONTROL_HANG, 0);
	WAIT_UNTIL(service_stats().dead != before.dead, "nobody notices");
	zassert_equal(service_stats().bonded, 0);
	WAIT_UNTIL(service_stats().jobs == 0u, "its jobs are still there");
	local_expect_right();
	remote_let_go();
	remote_end();
	zassert_true(CONTROL->stale > 0u);
	wait_for_bond(before.bonds + 1u);
	remote_expect_right(3);
}

/* Both sides look every 10 ms whatever rings. */
ZTEST(ipc, test_doorbells_are_lost)
{
	remote_do(CONTROL_MUTE, 1);
	bench_mute = true;
	remote_expect_right(REQUESTS);
	remote_do(CONTROL_STATUS, 0);
	bench_mute = false;
	remote_do(CONTROL_MUTE, 0);
	remote_expect_right(3);
}

ZTEST_SUITE(ipc, NULL, bench_setup, NULL, NULL, NULL);
