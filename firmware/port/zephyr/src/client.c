/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The client of another core: shared memory, doorbells, lock, waiting, and its thread. */

#include <zephyr/devicetree.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/clock.h>

#include <ranvier/status.h>
#include <ranvier/zephyr/client.h>

#include "client_park.h"
#include "doorbell.h"

#define SHARED  DT_CHOSEN(zephyr_ipc_shm)
#define REGION  ((void *)DT_REG_ADDR(SHARED))
#define BEAT_US (CONFIG_RANVIER_CLIENT_BEAT_MS * 1000u)

BUILD_ASSERT(DT_REG_ADDR(SHARED) % RNV_IPC_LINE == 0, "zephyr,ipc_shm: 64-byte aligned");

static K_MUTEX_DEFINE(lock); /* of what follows */
static K_CONDVAR_DEFINE(changed);
static struct rnv_client client;
static int state = RNV_CLIENT_ALONE;

static K_SEM_DEFINE(work, 0, 1);
static K_THREAD_STACK_DEFINE(stack, CONFIG_RANVIER_CLIENT_STACK_SIZE);
static struct k_thread thread;
static atomic_t running;

static void rung(void)
{
	k_sem_give(&work);
}

static uint64_t now_us(void)
{
	return k_ticks_to_us_floor64((uint64_t)k_uptime_ticks());
}

static void serve(void *p1, void *p2, void *p3)
{
	ARG_UNUSED(p1);
	ARG_UNUSED(p2);
	ARG_UNUSED(p3);
	for (;;) {
		uint32_t token;

		(void)k_mutex_lock(&lock, K_FOREVER);
		state = rnv_client_poll(&client, now_us());
		token = rnv_client_park_asked(&client);
		(void)k_condvar_broadcast(&changed);
		(void)k_mutex_unlock(&lock);
		if (token != 0u) {
			rnv_zephyr_client_park(REGION, token);
		}
		(void)k_sem_take(&work, K_USEC(BEAT_US));
	}
}

int rnv_zephyr_client_start(void)
{
	const struct rnv_client_config config = {
		.region = REGION,
		.region_bytes = DT_REG_SIZE(SHARED),
		.doorbell = rnv_zephyr_doorbell_ring,
		.server_dead_us = CONFIG_RANVIER_CLIENT_SERVER_DEAD_MS * 1000u,
		.hello_us = CONFIG_RANVIER_CLIENT_HELLO_MS * 1000u,
	};
	int status;

	(void)k_mutex_lock(&lock, K_FOREVER);
	status = rnv_client_init(&client, &config);
	state = RNV_CLIENT_ALONE;
	(void)k_mutex_unlock(&lock);
	if (status != RNV_OK || !atomic_cas(&running, 0, 1)) {
		return status;
	}
	status = rnv_zephyr_doorbell_start(rung);
	if (status != RNV_OK) {
		(void)atomic_set(&running, 0);
		return status;
	}
	(void)k_thread_create(&thread, stack, K_THREAD_STACK_SIZEOF(stack), serve, NULL, NULL, NULL,
			      CONFIG_RANVIER_CLIENT_PRIORITY, 0, K_NO_WAIT);
	(void)k_thread_name_set(&thread, "ranvier_client");
	return RNV_OK;
}

int rnv_zephyr_client_wait_bonded(k_timeout_t timeout)
{
	const k_timepoint_t end = sys_timepoint_calc(timeout);
	int status = RNV_OK;

	(void)k_mutex_lock(&lock, K_FOREVER);
	while (state != RNV_CLIENT_BONDED && status == RNV_OK) {
		if (k_condvar_wait(&changed, &lock, sys_timepoint_timeout(end)) != 0) {
			status = RNV_ETIMEDOUT;
		}
	}
	(void)k_mutex_unlock(&lock);
	return status;
}

int rnv_zephyr_client_slot_take(uint32_t *slot, k_timeout_t timeout)
{
	const k_timepoint_t end = sys_timepoint_calc(timeout);
	int status;

	(void)k_mutex_lock(&lock, K_FOREVER);
	while ((status = rnv_client_slot_take(&client, slot)) == RNV_EAGAIN) {
		if (k_condvar_wait(&changed, &lock, sys_timepoint_timeout(end)) != 0) {
			status = RNV_ETIMEDOUT;
			break;
		}
	}
	(void)k_mutex_unlock(&lock);
	return status;
}

void *rnv_zephyr_client_slot_data(uint32_t slot, uint32_t *bytes)
{
	void *data;

	(void)k_mutex_lock(&lock, K_FOREVER);
	data = rnv_client_slot_data(&client, slot, bytes);
	(void)k_mutex_unlock(&lock);
	return data;
}

int rnv_zephyr_client_slot_give(uint32_t slot)
{
	int status;

	(void)k_mutex_lock(&lock, K_FOREVER);
	status = rnv_client_slot_give(&client, slot);
	(void)k_condvar_broadcast(&changed);
	(void)k_mutex_unlock(&lock);
	return status;
}

static void end_request(void *context, const struct rnv_client_result *result)
{
	struct rnv_zephyr_request *request = context;

	request->result = *result;
	k_sem_give(&request->ended);
}

int rnv_zephyr_client_wait(struct rnv_zephyr_request *request, k_timeout_t timeout)
{
	return (k_sem_take(&request->ended, timeout) == 0) ? RNV_OK : RNV_ETIMEDOUT;
}

int rnv_zephyr_client_lookup(uint32_t slot, const char *name, uint16_t entry,
			     struct rnv_ipc_model *model)
{
	struct rnv_zephyr_request request;
	const void *found;
	int status;

	(void)k_sem_init(&request.ended, 0, 1);
	(void)k_mutex_lock(&lock, K_FOREVER);
	status = rnv_client_lookup(&client, slot, name, entry, end_request, &request);
	(void)k_mutex_unlock(&lock);
	if (status != RNV_OK) {
		return status;
	}
	(void)rnv_zephyr_client_wait(&request, K_FOREVER);
	if (request.result.status != RNV_OK) {
		return request.result.status;
	}
	found = rnv_zephyr_client_slot_data(slot, NULL);
	if (found == NULL) {
		return RNV_ESTALE;
	}
	*model = *(const struct rnv_ipc_model *)found;
	return RNV_OK;
}

int rnv_zephyr_client_submit(uint32_t slot, const struct rnv_client_job *job, uint32_t *id)
{
	int status;

	(void)k_mutex_lock(&lock, K_FOREVER);
	status = rnv_client_submit(&client, slot, job, id);
	(void)k_mutex_unlock(&lock);
	return status;
}

int rnv_zephyr_client_begin(uint32_t slot, const struct rnv_client_job *job,
			    struct rnv_zephyr_request *request, uint32_t *id)
{
	struct rnv_client_job mine = *job;

	mine.done = end_request;
	mine.context = request;
	(void)k_sem_init(&request->ended, 0, 1);
	return rnv_zephyr_client_submit(slot, &mine, id);
}

int rnv_zephyr_client_run(uint32_t slot, const struct rnv_client_job *job, k_timeout_t timeout,
			  struct rnv_client_result *result)
{
	struct rnv_zephyr_request request;
	uint32_t id;
	int status = rnv_zephyr_client_begin(slot, job, &request, &id);

	if (status != RNV_OK) {
		return status;
	}
	status = rnv_zephyr_client_wait(&request, timeout);
	while (status != RNV_OK) { /* cancelled, and again where the ring was full */
		(void)rnv_zephyr_client_cancel(id);
		status = rnv_zephyr_client_wait(&request, K_USEC(BEAT_US));
	}
	*result = request.result;
	return result->status;
}

int rnv_zephyr_client_cancel(uint32_t id)
{
	int status;

	(void)k_mutex_lock(&lock, K_FOREVER);
	status = rnv_client_cancel(&client, id);
	(void)k_mutex_unlock(&lock);
	return status;
}

int rnv_zephyr_client_status(struct rnv_client_result *result)
{
	struct rnv_zephyr_request request;
	int status;

	(void)k_sem_init(&request.ended, 0, 1);
	(void)k_mutex_lock(&lock, K_FOREVER);
	status = rnv_client_status(&client, end_request, &request);
	(void)k_mutex_unlock(&lock);
	if (status != RNV_OK) {
		return status;
	}
	(void)rnv_zephyr_client_wait(&request, K_FOREVER);
	*result = request.result;
	return result->status;
}

void rnv_zephyr_client_stats(struct rnv_client_stats *stats)
{
	(void)k_mutex_lock(&lock, K_FOREVER);
	rnv_client_stats_get(&client, stats);
	(void)k_mutex_unlock(&lock);
}
