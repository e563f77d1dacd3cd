/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef APP_H_
#define APP_H_

/**
 * @file
 * @brief What the samples need of the system they run on: main(), two lanes, and time.
 *
 * app_zephyr.c is on the ready-made scheduler of CONFIG_RANVIER_RUNTIME, app_posix.c makes one.
 */

#include <stdint.h>

#include <ranvier/sched.h>

/** Lanes of the samples. */
enum app_lane {
	APP_REALTIME = 0,
	APP_BEST_EFFORT = 1,
	APP_LANES
};

/**
 * The sample itself, called by main().
 *
 * @param argument the program's first one, on a host; else NULL
 * @return 0, or another number where something failed, which was printed
 */
int app_main(const char *argument);

/** The scheduler, started by the first call; NULL where that failed, which was printed. */
struct rnv_sched *app_start(void);

/** Wait for a job without callback, and collect it: as rnv_zephyr_wait() without time limit. */
int app_wait(uint32_t job, struct rnv_job_result *result);

/** Collect a job if it is complete: RNV_EAGAIN where it is not. */
int app_poll(uint32_t job, struct rnv_job_result *result);

/** Let the calling thread sleep until rnv_now_us() is `time_us`. */
void app_sleep_until(uint64_t time_us);

/** Open a model in one lane, with memory for its state (NULL, 0: it has none); prints a failure. */
int app_open(const void *package, uint32_t bytes, enum app_lane lane, void *state,
	     uint32_t state_bytes, uint32_t *model);

/** The text of a model's label; "?" where it has none. */
const char *app_label(uint32_t model, int label);

#endif /* APP_H_ */
