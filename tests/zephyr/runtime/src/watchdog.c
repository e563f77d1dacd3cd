/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The watchdog's feeding: the suite, and what must not stop it. */

#include "watchdog.h"

#include <errno.h>

#include <zephyr/kernel.h>
#include <zephyr/task_wdt/task_wdt.h>
#include <zephyr/ztest.h>

#include "digits.h"

uint32_t watchdog_model;

static atomic_t count;

static void expired(int channel, void *user_data)
{
	ARG_UNUSED(channel);
	(void)atomic_inc(user_data);
}

int watchdog_expired(void)
{
	return (int)atomic_get(&count);
}

static void *setup(void)
{
	zassert_ok(task_wdt_init(NULL));
	zassert_ok(rnv_runtime_watchdog_start(expired, &count));
	zassert_equal(rnv_runtime_watchdog_start(expired, &count), -EALREADY);
	return NULL;
}

static void before(void *fixture)
{
	ARG_UNUSED(fixture);
	(void)atomic_set(&count, 0);
	watchdog_model = digits_open(NULL);
}

static void after(void *fixture)
{
	ARG_UNUSED(fixture);
	digits_close(watchdog_model);
}

ZTEST(ranvier_runtime_watchdog, test_idle)
{
	k_sleep(K_MSEC(10 * CONFIG_RANVIER_WATCHDOG_STUCK_MS));
	zassert_equal(watchdog_expired(), 0);
}

ZTEST_SUITE(ranvier_runtime_watchdog, NULL, setup, before, after, NULL);
