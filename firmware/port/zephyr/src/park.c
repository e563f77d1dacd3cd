/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <zephyr/devicetree.h>
#include <zephyr/kernel.h>

#include <ranvier/port.h>
#include <ranvier/zephyr/park.h>
#include <ranvier/zephyr/second_core.h>

#include "doorbell.h"
#include "park_internal.h"

BUILD_ASSERT(CONFIG_RANVIER_PARK_BEGIN_MS > CONFIG_RANVIER_SERVICE_BEAT_MS,
	     "CONFIG_RANVIER_PARK_BEGIN_MS: longer than CONFIG_RANVIER_SERVICE_BEAT_MS");
BUILD_ASSERT(CONFIG_RANVIER_SERVICE_DEAD_MS == 0 ||
		     CONFIG_RANVIER_SERVICE_DEAD_MS >
			     CONFIG_RANVIER_SERVICE_BEAT_MS + CONFIG_RANVIER_PARK_BEGIN_MS,
	     "CONFIG_RANVIER_SERVICE_DEAD_MS: longer than a beat and a park");

#define LOOK_US 100 /* between two looks for the answer */

static uint64_t now_us(void *context)
{
	ARG_UNUSED(context);
	return rnv_now_us();
}

static void relax(void *context)
{
	ARG_UNUSED(context);
	(void)k_usleep(LOOK_US);
}

static void hold(void *context)
{
	ARG_UNUSED(context);
	k_sched_lock();
}

static void let_go(void *context)
{
	ARG_UNUSED(context);
	k_sched_unlock();
}

static int runs(void *context)
{
	ARG_UNUSED(context);
	return rnv_zephyr_second_core_runs() ? 1 : 0;
}

static K_MUTEX_DEFINE(lock); /* from before a park to behind it */
static struct rnv_park park = {
	.region = (void *)DT_REG_ADDR(DT_CHOSEN(zephyr_ipc_shm)),
	.begin_us = CONFIG_RANVIER_PARK_BEGIN_MS * 1000u,
	.now_us = now_us,
	.relax = relax,
	.hold = hold,
	.let_go = let_go,
	.doorbell = rnv_zephyr_doorbell_ring,
	.runs = runs,
};

struct rnv_park *rnv_runtime_park_take(void)
{
	(void)k_mutex_lock(&lock, K_FOREVER);
	return &park;
}

void rnv_runtime_park_give(void)
{
	(void)k_mutex_unlock(&lock);
}

int rnv_runtime_park_begin(void)
{
	const int status = rnv_park_begin(rnv_runtime_park_take());

	if (status != RNV_OK) {
		rnv_runtime_park_give();
	}
	return status;
}

int rnv_runtime_park_end(void)
{
	const int status = rnv_park_end(&park);

	rnv_runtime_park_give();
	return status;
}

void rnv_runtime_parks_get(struct rnv_runtime_parks *parks)
{
	const struct rnv_park *source = rnv_runtime_park_take();
	const struct rnv_runtime_parks now = {
		.parks = source->parks,
		.late = source->late,
		.left = source->left,
	};

	rnv_runtime_park_give();
	*parks = now; /* a pointer that is wrong may fault: not under the lock */
}
