/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef TESTS_ZEPHYR_IPC_BENCH_H_
#define TESTS_ZEPHYR_IPC_BENCH_H_

#include <stdint.h>

#include <zephyr/ztest.h>

#include <ranvier/zephyr/service.h>

#include "control.h"

/** Waiting for longer has failed: a busy host is slow, a failure is not quick. */
#define LONG_MS 60000

/** Wait until something is so. */
#define WAIT_UNTIL(condition, ...)                                                                 \
	for (int64_t wait_end = k_uptime_get() + LONG_MS; !(condition); k_msleep(1)) {             \
		zassert_true(k_uptime_get() < wait_end, __VA_ARGS__);                              \
	}

/** Lanes of the client. */
#define CLIENT_LANES BIT(RNV_LANE_BEST_EFFORT)

/** This core's doorbells are lost. */
extern bool bench_mute;

/** This core is rung for each time that the service looks, as a client could. */
extern volatile bool bench_flooded;

/** Called by who rings the other core; NULL: nothing is. */
extern void (*volatile bench_rings)(void);

/** Open the model, start the second core, serve it; for the suite. */
void *bench_setup(void);

/** Have the second core begin something. */
void remote_begin(enum control_command command, uint32_t argument);

/** Wait until it is done, and expect that no call of its failed. */
void remote_end(void);

/** Let go of CONTROL_HANG. */
void remote_let_go(void);

/** remote_begin() and remote_end(). */
void remote_do(enum control_command command, uint32_t argument);

/** Have it run so many requests, and expect that all are right. */
void remote_expect_right(uint32_t count);

/** The service's counters. */
struct rnv_service_stats service_stats(void);

/** Run a realtime job on this core, and expect that it is right. */
void local_expect_right(void);

#endif /* TESTS_ZEPHYR_IPC_BENCH_H_ */
