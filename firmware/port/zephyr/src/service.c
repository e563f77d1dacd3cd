/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The service of the ready-made scheduler: shared memory, doorbells, and its thread. */

#include <zephyr/devicetree.h>
#include <zephyr/kernel.h>
#include <zephyr/logging/log.h>

#include <ranvier/port.h>
#include <ranvier/status.h>
#include <ranvier/zephyr/service.h>

#include "doorbell.h"
#include "fault_internal.h"
#include "park_internal.h"

LOG_MODULE_DECLARE(ranvier, CONFIG_RANVIER_LOG_LEVEL);

#define SHARED  DT_CHOSEN(zephyr_ipc_shm)
#define SLOTS   CONFIG_RANVIER_SERVICE_SLOTS
#define ENTRIES CONFIG_RANVIER_SERVICE_ENTRIES
#define BEAT_US (CONFIG_RANVIER_SERVICE_BEAT_MS * 1000u)

BUILD_ASSERT(IS_POWER_OF_TWO(ENTRIES) && ENTRIES > SLOTS,
	     "CONFIG_RANVIER_SERVICE_ENTRIES: a power of two, more than the slots");
BUILD_ASSERT(CONFIG_RANVIER_SERVICE_SLOT_SIZE % RNV_IPC_LINE == 0,
	     "CONFIG_RANVIER_SERVICE_SLOT_SIZE: a multiple of 64");
BUILD_ASSERT(DT_REG_ADDR(SHARED) % RNV_IPC_LINE == 0, "zephyr,ipc_shm: 64-byte aligned");

static K_MUTEX_DEFINE(lock); /* of `service` */
static K_SEM_DEFINE(work, 0, 1);
static K_THREAD_STACK_DEFINE(stack, CONFIG_RANVIER_SERVICE_STACK_SIZE);
static struct k_thread thread;

static struct rnv_service service;
static struct rnv_service_job jobs[SLOTS];

enum service_state {
	IDLE,
	STARTING,
	SERVING,
	ENDING,
};
static atomic_t state = ATOMIC_INIT(IDLE);

static void rung(void)
{
	k_sem_give(&work);
}

static void wake(void *context)
{
	ARG_UNUSED(context);
	k_sem_give(&work);
}

static int poll(void)
{
	int more;

	(void)k_mutex_lock(&lock, K_FOREVER);
	more = rnv_service_poll(&service, rnv_now_us());
	(void)k_mutex_unlock(&lock);
	return more;
}

static int end(void)
{
	int status;

	(void)k_mutex_lock(&lock, K_FOREVER);
	status = rnv_service_end(&service);
	(void)k_mutex_unlock(&lock);
	return status;
}

static void serve(void *p1, void *p2, void *p3)
{
	ARG_UNUSED(p1);
	ARG_UNUSED(p2);
	ARG_UNUSED(p3);
	for (uint32_t looks = 1; atomic_get(&state) != ENDING; looks++) {
		/* A client may ring without end, and for each of its requests. */
		if (poll() != 0 || looks >= ENTRIES) {
			(void)k_sleep(K_USEC(CONFIG_RANVIER_SERVICE_REST_US));
			looks = 0;
		} else if (k_sem_take(&work, K_USEC(BEAT_US)) != 0) {
			looks = 0; /* it has rested */
		}
	}
	while (end() == RNV_EAGAIN) {
		(void)k_sem_take(&work, K_USEC(BEAT_US));
	}
}

/* Formats the region, which no park survives: in none. */
static int init(const struct rnv_service_config *config)
{
	int status;

	rnv_runtime_park_exclude();
	(void)k_mutex_lock(&lock, K_FOREVER);
	status = rnv_service_init(&service, config, rnv_now_us());
	(void)k_mutex_unlock(&lock);
	rnv_runtime_park_allow();
	return status;
}

int rnv_runtime_service_start(uint32_t lanes)
{
	const struct rnv_service_config config = {
		.sched = rnv_runtime_sched(),
		.region = (void *)DT_REG_ADDR(SHARED),
		.layout =
			{
				.entries = ENTRIES,
				.slots = SLOTS,
				.slot_bytes = CONFIG_RANVIER_SERVICE_SLOT_SIZE,
			},
		.jobs = jobs,
		.lanes = lanes,
		.max_jobs = CONFIG_RANVIER_SERVICE_MAX_JOBS,
		.dead_us = CONFIG_RANVIER_SERVICE_DEAD_MS * 1000u,
		.beat_us = BEAT_US,
		.doorbell = rnv_zephyr_doorbell_ring,
		.wake = wake,
	};
	int status;

	if ((lanes & ~BIT_MASK(RNV_LANE_COUNT)) != 0u) {
		LOG_ERR("the second core is not served: there are no such lanes: 0x%x", lanes);
		return RNV_EINVAL;
	}
	if (rnv_ipc_bytes(&config.layout) > DT_REG_SIZE(SHARED)) {
		LOG_ERR("the shared memory has %u bytes, CONFIG_RANVIER_SERVICE_... needs %u",
			(uint32_t)DT_REG_SIZE(SHARED), rnv_ipc_bytes(&config.layout));
		return RNV_EINVAL;
	}
	if (!atomic_cas(&state, IDLE, STARTING)) {
		return RNV_ESTATE;
	}
	status = rnv_zephyr_doorbell_start(rung);
	if (status == RNV_OK) {
		status = init(&config);
	}
	if (status != RNV_OK) {
		(void)atomic_set(&state, IDLE);
		LOG_ERR("the second core is not served (%d)", status);
		return status;
	}
	(void)k_thread_create(&thread, stack, K_THREAD_STACK_SIZEOF(stack), serve, NULL, NULL, NULL,
			      CONFIG_RANVIER_SERVICE_PRIORITY, 0, K_NO_WAIT);
	(void)k_thread_name_set(&thread, "ranvier_service");
	(void)atomic_set(&state, SERVING);
	return RNV_OK;
}

int rnv_runtime_service_stop(void)
{
	if (!atomic_cas(&state, SERVING, ENDING)) {
		return RNV_ESTATE;
	}
	k_sem_give(&work);
	(void)k_thread_join(&thread, K_FOREVER);
	(void)atomic_set(&state, IDLE);
	return RNV_OK;
}

/* A pointer that is wrong may fault: not under the lock. */
void rnv_runtime_service_stats(struct rnv_service_stats *stats)
{
	struct rnv_service_stats now;

	(void)k_mutex_lock(&lock, K_FOREVER);
	rnv_service_stats_get(&service, &now);
	(void)k_mutex_unlock(&lock);
	*stats = now;
}

bool rnv_runtime_is_service(const struct k_thread *other)
{
	return other == &thread;
}
