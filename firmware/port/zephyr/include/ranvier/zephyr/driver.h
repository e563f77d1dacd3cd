/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_ZEPHYR_DRIVER_H_
#define RANVIER_ZEPHYR_DRIVER_H_

/**
 * @file
 * @brief Threads that drive a scheduler, and waiting for jobs.
 *
 * For schedulers of an application's own; ranvier/zephyr/runtime.h has a ready-made one. In this
 * order: rnv_zephyr_driver_init(); rnv_zephyr_wake(), rnv_zephyr_completed() and the driver into
 * `struct rnv_sched_hooks`; rnv_sched_init(); rnv_zephyr_driver_start().
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <zephyr/kernel.h>
#include <zephyr/sys/dlist.h>

#include <ranvier/sched.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rnv_zephyr_driver;

/** A thread of a driver. The caller fills the first three members; all others are private. */
struct rnv_zephyr_worker {
	k_thread_stack_t *stack; /**< of K_THREAD_STACK_DEFINE() */
	size_t stack_size;       /**< K_THREAD_STACK_SIZEOF() of it */
	int priority;            /**< Zephyr's; with a thread per lane it must rise with the lane */
	struct k_thread thread;  /**< @private */
	struct k_sem work;       /**< @private */
	struct rnv_zephyr_driver *driver; /**< @private */
};

/** A driver; all members are private. The caller owns it and its workers, and moves neither. */
struct rnv_zephyr_driver {
	struct rnv_sched *sched;           /**< @private */
	struct rnv_zephyr_worker *workers; /**< @private */
	uint32_t worker_count;             /**< @private */
	sys_dlist_t waiters;               /**< @private */
	uint32_t round;                    /**< @private of calls of rnv_zephyr_completed() */
	struct k_spinlock lock;            /**< @private of `waiters` and `round` */
	atomic_t busy;                     /**< @private bit w: worker w executes */
	atomic_t turns;                    /**< @private see rnv_zephyr_driver_turns() */
	atomic_t stop;                     /**< @private */
};

/**
 * Prepare a driver, without threads.
 *
 * @param driver  to fill
 * @param workers one: the cooperative driver; one for each lane, in their order: a thread per lane
 * @param count   entries of `workers`
 */
void rnv_zephyr_driver_init(struct rnv_zephyr_driver *driver, struct rnv_zephyr_worker *workers,
			    uint32_t count);

/** For `rnv_sched_hooks.wake`, with the driver as `wake_context`. Any thread or interrupt. */
void rnv_zephyr_wake(void *driver, uint32_t lane);

/** For `rnv_sched_hooks.completed`, with the driver as `wake_context`. Any thread or interrupt. */
void rnv_zephyr_completed(void *driver, uint32_t job);

/**
 * For `rnv_sched_hooks.trace`, any context: each step takes CONFIG_RANVIER_STEP_COST_US longer. For
 * simulated boards, where code takes no time.
 */
void rnv_zephyr_step_cost(void *context, const struct rnv_trace_event *event);

/**
 * Start the threads, named `ranvier_0` and so on. From a thread.
 *
 * @param driver initialised, or stopped
 * @param sched  initialised, with this driver in its hooks
 */
void rnv_zephyr_driver_start(struct rnv_zephyr_driver *driver, struct rnv_sched *sched);

/**
 * Stop the threads, each when it has run all that can run, and wait for that. Jobs that remain keep
 * their place. Not from a driver's thread.
 */
void rnv_zephyr_driver_stop(struct rnv_zephyr_driver *driver);

/**
 * Whether a worker is executing, not waiting for work. Any thread or interrupt.
 *
 * @param driver driver
 * @param worker number, below the count
 */
bool rnv_zephyr_driver_busy(struct rnv_zephyr_driver *driver, uint32_t worker);

/**
 * Workers that had their turn: at some time since the last call all more urgent ones were waiting
 * for work. By one caller only, any thread or interrupt.
 *
 * @return bit w: worker w
 */
uint32_t rnv_zephyr_driver_turns(struct rnv_zephyr_driver *driver);

/**
 * Wait for a job that was submitted without callback, and collect it. From a thread, but not from a
 * completion callback or another hook.
 *
 * @param driver  driver
 * @param job     handle
 * @param timeout longest time to wait
 * @param result  filled on RNV_OK
 * @retval RNV_OK        complete; `result->status` says how
 * @retval RNV_ENOENT    no such job
 * @retval RNV_ETIMEDOUT not complete in time; the job goes on
 */
int rnv_zephyr_wait(struct rnv_zephyr_driver *driver, uint32_t job, k_timeout_t timeout,
		    struct rnv_job_result *result);

/**
 * Drain a model and wait until it has no jobs. From a thread, but not from a completion callback or
 * another hook.
 *
 * @param driver  driver
 * @param model   handle
 * @param how     enum rnv_drain
 * @param timeout longest time to wait
 * @retval RNV_OK        drained
 * @retval RNV_ETIMEDOUT it still has jobs, and refuses further ones
 * @retval others        as rnv_model_drain()
 */
int rnv_zephyr_drain(struct rnv_zephyr_driver *driver, uint32_t model, uint32_t how,
		     k_timeout_t timeout);

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_ZEPHYR_DRIVER_H_ */
