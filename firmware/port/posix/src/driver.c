/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#define _GNU_SOURCE

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "posix/driver.h"
#include "ranvier/port.h"

struct worker {
	struct rnv_posix_driver *driver;
	pthread_t thread;
	uint32_t lane;
};

/*
 * The mutex guards all members but the workers' own. It is taken before the core's critical
 * section, never inside of it: the core calls hooks outside.
 */
struct rnv_posix_driver {
	pthread_mutex_t mutex;
	pthread_cond_t work; /* a lane was woken, or the threads shall stop */
	pthread_cond_t done; /* something is complete */
	struct rnv_sched *sched;
	uint32_t woken; /* bit l: lane l */
	uint32_t worker_count;
	bool per_lane;
	bool stop;
	struct worker workers[RNV_SCHED_MAX_LANES];
};

struct rnv_posix_driver *rnv_posix_driver_create(void)
{
	struct rnv_posix_driver *driver = calloc(1, sizeof(*driver));
	pthread_condattr_t attributes;

	if (driver == NULL) {
		return NULL;
	}
	(void)pthread_condattr_init(&attributes);
	(void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	(void)pthread_mutex_init(&driver->mutex, NULL);
	(void)pthread_cond_init(&driver->work, &attributes);
	(void)pthread_cond_init(&driver->done, &attributes);
	(void)pthread_condattr_destroy(&attributes);
	return driver;
}

void rnv_posix_driver_destroy(struct rnv_posix_driver *driver)
{
	if (driver != NULL) {
		(void)pthread_cond_destroy(&driver->done);
		(void)pthread_cond_destroy(&driver->work);
		(void)pthread_mutex_destroy(&driver->mutex);
		free(driver);
	}
}

void rnv_posix_wake(void *context, uint32_t lane)
{
	struct rnv_posix_driver *driver = context;

	(void)pthread_mutex_lock(&driver->mutex);
	driver->woken |= 1u << lane;
	(void)pthread_cond_broadcast(&driver->work);
	(void)pthread_mutex_unlock(&driver->mutex);
}

void rnv_posix_completed(void *context, uint32_t job)
{
	struct rnv_posix_driver *driver = context;

	(void)job;
	(void)pthread_mutex_lock(&driver->mutex);
	(void)pthread_cond_broadcast(&driver->done);
	(void)pthread_mutex_unlock(&driver->mutex);
}

/* Wait for a signal until the time `until_us` of rnv_now_us(), with the mutex held. */
static void wait_until(struct rnv_posix_driver *driver, pthread_cond_t *condition,
		       uint64_t until_us)
{
	struct timespec time;

	if (until_us == RNV_NEVER) {
		(void)pthread_cond_wait(condition, &driver->mutex);
		return;
	}
	time.tv_sec = (time_t)(until_us / 1000000u);
	time.tv_nsec = (long)(until_us % 1000000u) * 1000;
	(void)pthread_cond_timedwait(condition, &driver->mutex, &time);
}

static void *work(void *argument)
{
	const struct worker *worker = argument;
	struct rnv_posix_driver *driver = worker->driver;
	uint32_t mine = driver->per_lane ? 1u << worker->lane : UINT32_MAX;

	(void)pthread_mutex_lock(&driver->mutex);
	while (!driver->stop) {
		uint64_t next_us = rnv_sched_next_us(driver->sched);

		if ((driver->woken & mine) == 0u && rnv_now_us() < next_us) {
			wait_until(driver, &driver->work, next_us);
			continue;
		}
		driver->woken &= ~mine;
		(void)pthread_mutex_unlock(&driver->mutex);
		if (driver->per_lane) {
			(void)rnv_lane_run(driver->sched, worker->lane);
		} else {
			rnv_sched_run(driver->sched);
		}
		(void)pthread_mutex_lock(&driver->mutex);
	}
	(void)pthread_mutex_unlock(&driver->mutex);
	return NULL;
}

int rnv_posix_driver_start(struct rnv_posix_driver *driver, struct rnv_sched *sched,
			   uint32_t thread_per_lane)
{
	uint32_t count = (thread_per_lane != 0u) ? sched->lane_count : 1u;

	(void)pthread_mutex_lock(&driver->mutex);
	if (driver->worker_count != 0u) {
		(void)pthread_mutex_unlock(&driver->mutex);
		return RNV_ESTATE;
	}
	driver->sched = sched;
	driver->per_lane = thread_per_lane != 0u;
	driver->stop = false;
	driver->woken = UINT32_MAX; /* jobs of before */
	for (uint32_t lane = 0; lane < count; lane++) {
		struct worker *worker = &driver->workers[lane];

		worker->driver = driver;
		worker->lane = lane;
		if (pthread_create(&worker->thread, NULL, work, worker) != 0) {
			break;
		}
		driver->worker_count++;
	}
	(void)pthread_mutex_unlock(&driver->mutex);
	if (driver->worker_count != count) {
		rnv_posix_driver_stop(driver);
		return RNV_ENOMEM;
	}
	return RNV_OK;
}

void rnv_posix_driver_stop(struct rnv_posix_driver *driver)
{
	(void)pthread_mutex_lock(&driver->mutex);
	driver->stop = true;
	(void)pthread_cond_broadcast(&driver->work);
	(void)pthread_mutex_unlock(&driver->mutex);
	for (uint32_t i = 0; i < driver->worker_count; i++) {
		(void)pthread_join(driver->workers[i].thread, NULL);
	}
	driver->worker_count = 0;
}

static uint64_t later(uint64_t timeout_us)
{
	uint64_t now_us = rnv_now_us();

	return (timeout_us < RNV_NEVER - now_us) ? now_us + timeout_us : RNV_NEVER;
}

int rnv_posix_wait(struct rnv_posix_driver *driver, uint32_t job, uint64_t timeout_us,
		   struct rnv_job_result *result)
{
	uint64_t until_us = later(timeout_us);
	int status;

	(void)pthread_mutex_lock(&driver->mutex);
	while ((status = rnv_job_collect(driver->sched, job, result)) == RNV_EAGAIN) {
		if (rnv_now_us() >= until_us) {
			status = RNV_ETIMEDOUT;
			break;
		}
		wait_until(driver, &driver->done, until_us);
	}
	(void)pthread_mutex_unlock(&driver->mutex);
	return status;
}

int rnv_posix_drain(struct rnv_posix_driver *driver, uint32_t model, uint32_t how,
		    uint64_t timeout_us)
{
	uint64_t until_us = later(timeout_us);
	/* Not with the mutex: what it cancels is completed by callbacks and hooks. */
	int status = rnv_model_drain(driver->sched, model, how);
	struct rnv_model_info info;

	(void)pthread_mutex_lock(&driver->mutex);
	while (status == RNV_EAGAIN) {
		status = rnv_model_info_get(driver->sched, model, &info);
		if (status == RNV_OK && info.jobs != 0u) {
			status = (rnv_now_us() < until_us) ? RNV_EAGAIN : RNV_ETIMEDOUT;
		}
		if (status == RNV_EAGAIN) {
			wait_until(driver, &driver->done, until_us);
		}
	}
	(void)pthread_mutex_unlock(&driver->mutex);
	return status;
}
