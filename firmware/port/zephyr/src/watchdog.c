/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Feeds the task watchdog as long as every thread of the scheduler that has work, and its turn,
 * makes progress: its steps, requests of the accelerator or jobs end.
 */

#include <zephyr/device.h>
#include <zephyr/devicetree.h>
#include <zephyr/kernel.h>
#include <zephyr/logging/log.h>
#include <zephyr/task_wdt/task_wdt.h>

#include <ranvier/zephyr/runtime.h>

#include "runtime_internal.h"

LOG_MODULE_DECLARE(ranvier, CONFIG_RANVIER_LOG_LEVEL);

#define INTERVAL_MS (CONFIG_RANVIER_WATCHDOG_PERIOD_MS / 4)
#define PER_LANE    IS_ENABLED(CONFIG_RANVIER_THREAD_PER_LANE)
#define WORKERS     (PER_LANE ? RNV_LANE_COUNT : 1)

static atomic_t progress[WORKERS];
static atomic_val_t seen[WORKERS];
static uint32_t stalled_ms[WORKERS];
static int channel = -1;

static void check(struct k_work *work);
static K_WORK_DELAYABLE_DEFINE(checks, check);

/* Jobs may be dropped and cancelled by others while their thread hangs. */
static bool is_progress(const struct rnv_trace_event *event)
{
	switch (event->kind) {
	case RNV_TRACE_STEP_END:
	case RNV_TRACE_NPU_END:
		return true;
	case RNV_TRACE_DONE:
		return event->result->status != RNV_ENOBUFS &&
		       event->result->status != RNV_ECANCELED;
	default:
		return false;
	}
}

void rnv_runtime_watchdog_trace(const struct rnv_trace_event *event)
{
	if (is_progress(event)) {
		(void)atomic_inc(&progress[PER_LANE ? event->lane : 0U]);
	}
}

static bool has_queued(uint32_t lane)
{
	struct rnv_lane_stats stats;

	return rnv_lane_stats_get(rnv_runtime_sched(), lane, &stats) == RNV_OK &&
	       stats.queued != 0U;
}

static bool has_work(uint32_t worker)
{
	bool work = rnv_zephyr_driver_busy(rnv_runtime_driver(), worker);

	for (uint32_t lane = 0; lane < RNV_LANE_COUNT && !work; lane++) {
		work = (!PER_LANE || lane == worker) && has_queued(lane);
	}
	return work;
}

static bool is_stuck(uint32_t worker, bool had_its_turn)
{
	atomic_val_t now = atomic_get(&progress[worker]);

	if (now != seen[worker] || !has_work(worker)) {
		seen[worker] = now;
		stalled_ms[worker] = 0;
		return false;
	}
	stalled_ms[worker] += had_its_turn ? INTERVAL_MS : 0U;
	return stalled_ms[worker] >= CONFIG_RANVIER_WATCHDOG_STUCK_MS;
}

static void check(struct k_work *work)
{
	const uint32_t turns = rnv_zephyr_driver_turns(rnv_runtime_driver());
	bool stuck = false;

	ARG_UNUSED(work);
	for (uint32_t worker = 0; worker < WORKERS; worker++) {
		if (is_stuck(worker, (turns & BIT(worker)) != 0U)) {
			LOG_ERR("stuck: no step ends in %s",
				PER_LANE ? rnv_runtime_lane_name(worker) : "any lane");
			stuck = true;
		}
	}
	if (!stuck) {
		(void)task_wdt_feed(channel);
	}
	(void)k_work_schedule(&checks, K_MSEC(INTERVAL_MS));
}

int rnv_runtime_watchdog_start(rnv_runtime_expired_t expired, void *user_data)
{
	if (channel >= 0) {
		return -EALREADY;
	}
	channel = task_wdt_add(CONFIG_RANVIER_WATCHDOG_PERIOD_MS, expired, user_data);
	if (channel < 0) {
		LOG_ERR("no channel of the task watchdog: %d", channel);
		return channel;
	}
	(void)k_work_schedule(&checks, K_NO_WAIT);
	return 0;
}

void rnv_runtime_watchdog_init(void)
{
	const struct device *hardware = IS_ENABLED(CONFIG_TASK_WDT_HW_FALLBACK)
						? DEVICE_DT_GET_OR_NULL(DT_ALIAS(watchdog0))
						: NULL;
	int err = task_wdt_init(hardware);

	if (err != 0) {
		LOG_ERR("task watchdog: %d", err);
		return;
	}
	(void)rnv_runtime_watchdog_start(NULL, NULL);
}
