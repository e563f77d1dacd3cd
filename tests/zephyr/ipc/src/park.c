/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The second core held still, as around a write of its flash. */

#include <zephyr/kernel.h>

#include <ranvier/status.h>
#include <ranvier/zephyr/park.h>
#include <ranvier/zephyr/service.h>

#include "bench.h"

#define PARKS 5

static struct rnv_runtime_parks counted(void)
{
	struct rnv_runtime_parks parks;

	rnv_runtime_parks_get(&parks);
	return parks;
}

/* It counts when it is back in its loop. */
static void expect_remote_parks(uint32_t parks, uint32_t left)
{
	WAIT_UNTIL(CONTROL->parks == parks && CONTROL->left == left, "%u parks, %u left",
		   CONTROL->parks, CONTROL->left);
}

/* Executes nothing while it is parked, though there are requests under way. */
ZTEST(ipc, test_park_and_resume)
{
	const struct rnv_runtime_parks before = counted();
	const uint32_t parks = CONTROL->parks;
	const uint32_t left = CONTROL->left;

	remote_begin(CONTROL_RUN, 12);
	for (uint32_t i = 0; i < PARKS; i++) {
		zassert_ok(rnv_runtime_park_begin());
		k_busy_wait(2000);
		zassert_ok(rnv_runtime_park_end());
		k_msleep(5);
	}
	remote_end();
	zassert_equal(CONTROL->right, 12);
	zassert_equal(CONTROL->wrong + CONTROL->stale, 0);
	zassert_equal(counted().parks, before.parks + PARKS);
	zassert_equal(counted().late, before.late);
	zassert_equal(counted().left, before.left);
	expect_remote_parks(parks + PARKS, left);
}

/* Nobody releases it: it goes on by itself after a time, and the server is told. */
ZTEST(ipc, test_park_is_left)
{
	const struct rnv_runtime_parks before = counted();
	const uint32_t left = CONTROL->left;

	zassert_ok(rnv_runtime_park_begin());
	while (CONTROL->left == left) {
		k_busy_wait(
			1000); /* the scheduler is locked; twister waits no longer than it does */
	}
	k_busy_wait(100000); /* it is still asked to, and does not again */
	zassert_equal(rnv_runtime_park_end(), RNV_ESTATE);
	zassert_equal(counted().left, before.left + 1u);
	remote_expect_right(3);
	zassert_equal(CONTROL->left, left + 1u);
}

static K_THREAD_STACK_DEFINE(stack, 1024);
static struct k_thread writer;
static volatile int begun;

static void write_late(void *p1, void *p2, void *p3)
{
	ARG_UNUSED(p1);
	ARG_UNUSED(p2);
	ARG_UNUSED(p3);
	begun = rnv_runtime_park_begin();
}

/* The region is not formatted while a park is asked for. */
ZTEST(ipc, test_service_starts_in_a_park)
{
	remote_begin(CONTROL_HANG, 0);
	k_msleep(50);
	zassert_ok(rnv_runtime_service_stop());
	begun = RNV_OK;
	(void)k_thread_create(&writer, stack, K_THREAD_STACK_SIZEOF(stack), write_late, NULL, NULL,
			      NULL, K_PRIO_COOP(0), 0, K_NO_WAIT);
	k_yield();
	zassert_ok(rnv_runtime_service_start(CLIENT_LANES));
	zassert_equal(begun, RNV_ETIMEDOUT);
	zassert_ok(k_thread_join(&writer, K_MSEC(LONG_MS)));
	remote_let_go();
	remote_end();
	remote_expect_right(3);
}

/* It does not answer: nothing may be written, and it is not held later. */
ZTEST(ipc, test_park_of_a_client_that_hangs)
{
	const struct rnv_runtime_parks before = counted();
	const uint32_t left = CONTROL->left;

	remote_begin(CONTROL_HANG, 0);
	k_msleep(50);
	zassert_equal(rnv_runtime_park_begin(), RNV_ETIMEDOUT);
	zassert_equal(counted().late, before.late + 1u);
	remote_let_go();
	remote_end();
	zassert_equal(CONTROL->left, left);
	remote_expect_right(3);
}
