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
	uint32_t round; /* it has been told of */
	struct k_sem event;
};

void rnv_zephyr_driver_init(struct rnv_zephyr_driver *driver, struct rnv_zephyr_worker *workers,
			    uint32_t count)
{
	*driver = (struct rnv_zephyr_driver){.workers = workers, .worker_count = count};
	sys_dlist_init(&driver->waiters);
	for (uint32_t i = 0; i < count; i++) {
		workers[i].driver = driver;
		(void)k_sem_init(&workers[i].work, 0, 1);
	}
}

void rnv_zephyr_wake(void *context, uint32_t lane)
{
	struct rnv_zephyr_driver *driver = context;

	k_sem_give(&driver->workers[(driver->worker_count > 1U) ? lane : 0U].work);
}

/*
 * Tell the waiter that has not been told for the longest time, and put it at the end. False: all
 * that were there in a round, or since, have been told.
 */
static bool tell_one(struct rnv_zephyr_driver *driver, uint32_t round)
{
	k_spinlock_key_t key = k_spin_lock(&driver->lock);
	sys_dnode_t *node = sys_dlist_peek_head(&driver->waiters);
	struct waiter *waiter = CONTAINER_OF(node, struct waiter, node);
	bool told = node != NULL && (int32_t)(waiter->round - round) < 0;

	if (told) {
		sys_dlist_remove(node);
		sys_dlist_append(&driver->waiters, node);
		waiter->round = driver->round;
		k_sem_give(&waiter->event);
	}
	k_spin_unlock(&driver->lock, key);
	return told;
}

void rnv_zephyr_completed(void *context, uint32_t job)
{
	struct rnv_zephyr_driver *driver = context;
	k_spinlock_key_t key = k_spin_lock(&driver->lock);
	uint32_t round = ++driver->round;

	ARG_UNUSED(job);
	k_spin_unlock(&driver->lock, key);
	while (tell_one(driver, round)) {
		/* interrupts come in between */
	}
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

/* Workers that no more urgent one keeps from executing: up to the most urgent that does. */
static uint32_t with_a_turn(struct rnv_zephyr_driver *driver)
{
	uint32_t busy = (uint32_t)atomic_get(&driver->busy);

	return busy ^ (busy - 1U);
}

static void work(void *p1, void *p2, void *p3)
{
	struct rnv_zephyr_worker *worker = p1;
	struct rnv_zephyr_driver *driver = worker->driver;
	uint32_t number = (uint32_t)(worker - driver->workers);

	ARG_UNUSED(p2);
	ARG_UNUSED(p3);
	while (atomic_get(&driver->stop) == 0) {
		(void)atomic_or(&driver->busy, (atomic_val_t)BIT(number));
		if (driver->worker_count > 1U) {
			(void)rnv_lane_run(driver->sched, number);
		} else {
			rnv_sched_run(driver->sched);
		}
		(void)atomic_and(&driver->busy, ~(atomic_val_t)BIT(number));
		(void)atomic_or(&driver->turns, (atomic_val_t)with_a_turn(driver));
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
	return ((uint32_t)atomic_get(&driver->busy) & BIT(worker)) != 0U;
}

uint32_t rnv_zephyr_driver_turns(struct rnv_zephyr_driver *driver)
{
	return (uint32_t)atomic_clear(&driver->turns) | with_a_turn(driver);
}

static void enlist(struct rnv_zephyr_driver *driver, struct waiter *waiter)
{
	k_spinlock_key_t key;

	(void)k_sem_init(&waiter->event, 0, 1);
	key = k_spin_lock(&driver->lock);
	waiter->round = driver->round;
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
