/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <zephyr/kernel.h>
#include <zephyr/sys/clock.h>

#include <ranvier/port.h>
#include <ranvier/zephyr/driver.h>

/* A thread that waits for something to be complete. */
struct waiter {
	sys_dnode_t node;
	struct k_sem event;
};

void rnv_zephyr_driver_init(struct rnv_zephyr_driver *driver, struct rnv_zephyr_worker *workers,
			    uint32_t count)
{
	*driver = (struct rnv_zephyr_driver){.workers = workers, .worker_count = count};
	sys_dlist_init(&driver->waiters);
	for (uint32_t i = 0; i < count; i++) {
		workers[i].driver = driver;
		(void)atomic_set(&workers[i].busy, 0);
		(void)k_sem_init(&workers[i].work, 0, 1);
	}
}

void rnv_zephyr_wake(void *context, uint32_t lane)
{
	struct rnv_zephyr_driver *driver = context;

	k_sem_give(&driver->workers[(driver->worker_count > 1U) ? lane : 0U].work);
}

void rnv_zephyr_completed(void *context, uint32_t job)
{
	struct rnv_zephyr_driver *driver = context;
	k_spinlock_key_t key = k_spin_lock(&driver->lock);
	struct waiter *waiter;

	ARG_UNUSED(job);
	SYS_DLIST_FOR_EACH_CONTAINER(&driver->waiters, waiter, node)
	{
		k_sem_give(&waiter->event);
	}
	k_spin_unlock(&driver->lock, key);
	if (!k_is_in_isr()) { /* under the spin lock, giving has switched to no thread */
		k_sched_lock();
		k_sched_unlock();
	}
}

static k_timeout_t until(uint64_t time_us)
{
	uint64_t now_us;

	if (time_us == RNV_NEVER) {
		return K_FOREVER;
	}
	now_us = rnv_now_us();
	return (time_us > now_us) ? K_USEC(time_us - now_us) : K_NO_WAIT;
}

static void work(void *p1, void *p2, void *p3)
{
	struct rnv_zephyr_worker *worker = p1;
	struct rnv_zephyr_driver *driver = worker->driver;
	uint32_t lane = (uint32_t)(worker - driver->workers);

	ARG_UNUSED(p2);
	ARG_UNUSED(p3);
	while (atomic_get(&driver->stop) == 0) {
		(void)atomic_set(&worker->busy, 1);
		if (driver->worker_count > 1U) {
			(void)rnv_lane_run(driver->sched, lane);
		} else {
			rnv_sched_run(driver->sched);
		}
		(void)atomic_set(&worker->busy, 0);
		(void)k_sem_take(&worker->work, until(rnv_sched_next_us(driver->sched)));
	}
}

void rnv_zephyr_driver_start(struct rnv_zephyr_driver *driver, struct rnv_sched *sched)
{
	driver->sched = sched;
	(void)atomic_set(&driver->stop, 0);
	for (uint32_t i = 0; i < driver->worker_count; i++) {
		struct rnv_zephyr_worker *worker = &driver->workers[i];
		char name[] = "ranvier_0";

		k_thread_create(&worker->thread, worker->stack, worker->stack_size, work, worker,
				NULL, NULL, worker->priority, 0, K_FOREVER);
		name[sizeof(name) - 2U] = (char)('0' + i);
		(void)k_thread_name_set(&worker->thread, name);
		k_thread_start(&worker->thread);
	}
}

void rnv_zephyr_driver_stop(struct rnv_zephyr_driver *driver)
{
	(void)atomic_set(&driver->stop, 1);
	for (uint32_t i = 0; i < driver->worker_count; i++) {
		k_sem_give(&driver->workers[i].work);
		(void)k_thread_join(&driver->workers[i].thread, K_FOREVER);
	}
}

bool rnv_zephyr_driver_busy(struct rnv_zephyr_driver *driver, uint32_t worker)
{
	return atomic_get(&driver->workers[worker].busy) != 0;
}

static void enlist(struct rnv_zephyr_driver *driver, struct waiter *waiter)
{
	k_spinlock_key_t key;

	(void)k_sem_init(&waiter->event, 0, 1);
	key = k_spin_lock(&driver->lock);
	sys_dlist_append(&driver->waiters, &waiter->node);
	k_spin_unlock(&driver->lock, key);
}

static void leave(struct rnv_zephyr_driver *driver, struct waiter *waiter)
{
	k_spinlock_key_t key = k_spin_lock(&driver->lock);

	sys_dlist_remove(&waiter->node);
	k_spin_unlock(&driver->lock, key);
}

int rnv_zephyr_wait(struct rnv_zephyr_driver *driver, uint32_t job, k_timeout_t timeout,
		    struct rnv_job_result *result)
{
	k_timepoint_t end = sys_timepoint_calc(timeout);
	struct waiter waiter;
	int status;

	enlist(driver, &waiter);
	while ((status = rnv_job_collect(driver->sched, job, result)) == RNV_EAGAIN) {
		if (sys_timepoint_expired(end)) {
			status = RNV_ETIMEDOUT;
			break;
		}
		(void)k_sem_take(&waiter.event, sys_timepoint_timeout(end));
	}
	leave(driver, &waiter);
	return status;
}

int rnv_zephyr_drain(struct rnv_zephyr_driver *driver, uint32_t model, uint32_t how,
		     k_timeout_t timeout)
{
	k_timepoint_t end = sys_timepoint_calc(timeout);
	struct rnv_model_info info;
	struct waiter waiter;
	int status;

	enlist(driver, &waiter);
	status = rnv_model_drain(driver->sched, model, how);
	while (status == RNV_EAGAIN) {
		status = rnv_model_info_get(driver->sched, model, &info);
		if (status != RNV_OK || info.jobs == 0U) {
			break;
		}
		status = sys_timepoint_expired(end) ? RNV_ETIMEDOUT : RNV_EAGAIN;
		if (status == RNV_EAGAIN) {
			(void)k_sem_take(&waiter.event, sys_timepoint_timeout(end));
		}
	}
	leave(driver, &waiter);
	return status;
}
