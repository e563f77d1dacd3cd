/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "app.h"

#include <stdio.h>
#include <time.h>

#include <posix/driver.h>
#include <ranvier/port.h>

#define JOBS      12
#define MODELS    2
#define EXTERNALS 8

static struct rnv_posix_driver *driver;
static struct rnv_sched sched;
static int started = RNV_ESTATE; /* RNV_OK: the driver runs */

static _Alignas(RNV_PACKAGE_ALIGN) uint8_t arenas[APP_LANES][APP_ARENA_BYTES];
static struct rnv_job *queues[APP_LANES][JOBS];
static struct rnv_lane_config lane_configs[APP_LANES];
static struct rnv_lane lanes[APP_LANES];
static struct rnv_job jobs[JOBS];
static struct rnv_model models[MODELS];
static void *externals[JOBS * EXTERNALS];
static struct rnv_sched_hooks hooks = {.wake = rnv_posix_wake, .completed = rnv_posix_completed};

static int start(void)
{
	const struct rnv_sched_config config = {
		.lane_configs = lane_configs,
		.lanes = lanes,
		.jobs = jobs,
		.models = models,
		.externals = externals,
		.lane_count = APP_LANES,
		.job_count = JOBS,
		.model_count = MODELS,
		.externals_per_job = EXTERNALS,
		.hooks = &hooks,
	};
	int status;

	for (uint32_t i = 0; i < APP_LANES; i++) {
		lane_configs[i].arena = arenas[i];
		lane_configs[i].arena_bytes = sizeof(arenas[i]);
		lane_configs[i].queue = queues[i];
		lane_configs[i].depth = JOBS;
	}
	hooks.wake_context = driver;
	status = rnv_sched_init(&sched, &config);
	return (status == RNV_OK) ? rnv_posix_driver_start(driver, &sched, 0) : status;
}

struct rnv_sched *app_start(void)
{
	if (driver == NULL) {
		driver = rnv_posix_driver_create();
		started = (driver != NULL) ? start() : RNV_ENOMEM;
		if (started != RNV_OK) {
			printf("scheduler: failed (%d)\n", started);
		}
	}
	return (started == RNV_OK) ? &sched : NULL;
}

int app_wait(uint32_t job, struct rnv_job_result *result)
{
	return rnv_posix_wait(driver, job, RNV_NEVER, result);
}

void app_sleep_until(uint64_t time_us)
{
	uint64_t now_us = rnv_now_us();

	if (time_us > now_us) {
		uint64_t left_us = time_us - now_us;
		struct timespec time = {.tv_sec = (time_t)(left_us / 1000000U),
					.tv_nsec = (long)(left_us % 1000000U * 1000U)};

		(void)nanosleep(&time, NULL);
	}
}

int main(int argc, char **argv)
{
	(void)setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* a line when it happens, also into a pipe */
	return app_main((argc > 1) ? argv[1] : NULL);
}
