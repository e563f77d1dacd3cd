/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef POSIX_DRIVER_H_
#define POSIX_DRIVER_H_

/**
 * @file
 * @brief Threads that drive a scheduler, and waiting for jobs.
 *
 * In this order: rnv_posix_driver_create(); its functions and pointer into `struct
 * rnv_sched_hooks`; rnv_sched_init(); rnv_posix_driver_start(). All functions may be called from
 * any thread, none from a signal handler.
 *
 * The threads have the priority of their creator: with a thread per lane the kernel shares the
 * processors among the lanes, and urgency only decides where one processor is left.
 */

#include <stdint.h>

#include "ranvier/sched.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rnv_posix_driver;

/**
 * Make a driver, without threads.
 *
 * @return driver on the heap, for rnv_posix_driver_destroy(); NULL where memory is short
 */
struct rnv_posix_driver *rnv_posix_driver_create(void);

/**
 * Free a driver that was stopped or never started. NULL is allowed.
 *
 * @param driver driver
 */
void rnv_posix_driver_destroy(struct rnv_posix_driver *driver);

/** For `rnv_sched_hooks.wake`, with the driver as `wake_context`. */
void rnv_posix_wake(void *driver, uint32_t lane);

/** For `rnv_sched_hooks.completed`, with the driver as `wake_context`. */
void rnv_posix_completed(void *driver, uint32_t job);

/**
 * Start the threads.
 *
 * @param driver          not started
 * @param sched           initialised, with this driver in its hooks
 * @param thread_per_lane 0: one thread, cooperative; else one for each lane
 * @retval RNV_OK     running
 * @retval RNV_ESTATE already started
 * @retval RNV_ENOMEM the system refuses a thread; none runs
 */
int rnv_posix_driver_start(struct rnv_posix_driver *driver, struct rnv_sched *sched,
			   uint32_t thread_per_lane);

/**
 * Stop the threads, each at the end of what it runs at the moment (all jobs that can run), and wait
 * for that. Jobs that remain keep their place: a driver may be started again.
 *
 * @param driver driver; nothing happens where it is not started
 */
void rnv_posix_driver_stop(struct rnv_posix_driver *driver);

/**
 * Wait for a job that was submitted without callback, and collect it. Not from a completion
 * callback or another hook.
 *
 * @param driver     driver
 * @param job        handle
 * @param timeout_us longest time to wait; RNV_NEVER: for ever
 * @param result     filled on RNV_OK
 * @retval RNV_OK        complete; `result->status` says how
 * @retval RNV_ENOENT    no such job
 * @retval RNV_ETIMEDOUT not complete in time; the job goes on
 */
int rnv_posix_wait(struct rnv_posix_driver *driver, uint32_t job, uint64_t timeout_us,
		   struct rnv_job_result *result);

/**
 * Drain a model and wait until it has no jobs. Not from a completion callback or another hook.
 *
 * @param driver     driver
 * @param model      handle
 * @param how        enum rnv_drain
 * @param timeout_us longest time to wait; RNV_NEVER: for ever
 * @retval RNV_OK        drained
 * @retval RNV_ETIMEDOUT it still has jobs, and refuses further ones
 * @retval others        as rnv_model_drain()
 */
int rnv_posix_drain(struct rnv_posix_driver *driver, uint32_t model, uint32_t how,
		    uint64_t timeout_us);

#ifdef __cplusplus
}
#endif

#endif /* POSIX_DRIVER_H_ */
