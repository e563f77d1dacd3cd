/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_ZEPHYR_RUNTIME_H_
#define RANVIER_ZEPHYR_RUNTIME_H_

/**
 * @file
 * @brief The ready-made scheduler of CONFIG_RANVIER_RUNTIME.
 *
 * Lanes, memory and threads are Kconfig's. It is started before main() (SYS_INIT, level
 * APPLICATION); models are opened by the application.
 */

#include <zephyr/sys/util_macro.h>

#include <ranvier/port.h>
#include <ranvier/sched.h>
#include <ranvier/zephyr/driver.h>

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */
/** Numbers of the lanes. Those that Kconfig does not have are not declared. */
enum rnv_zephyr_lane {
	IF_ENABLED(CONFIG_RANVIER_LANE_REALTIME, (RNV_LANE_REALTIME,))
	IF_ENABLED(CONFIG_RANVIER_LANE_NORMAL, (RNV_LANE_NORMAL,))
	IF_ENABLED(CONFIG_RANVIER_LANE_BEST_EFFORT, (RNV_LANE_BEST_EFFORT,))
	RNV_LANE_COUNT
};
/* clang-format on */

struct rnv_prof;
struct rnv_reservation;

/** The scheduler. Any thread or interrupt. */
struct rnv_sched *rnv_runtime_sched(void);

/** Its driver, to wait for jobs. Any thread or interrupt. */
struct rnv_zephyr_driver *rnv_runtime_driver(void);

/** Its accelerator, or NULL where there is none. Any thread or interrupt. */
struct rnv_npu *rnv_runtime_npu(void);

/** Its profiler; declared always, there only with CONFIG_RANVIER_PROFILER. */
struct rnv_prof *rnv_runtime_prof(void);

/** Name of a lane, as in Kconfig; NULL where there is no such lane. Any thread or interrupt. */
const char *rnv_runtime_lane_name(uint32_t lane);

/** rnv_model_open(), and its model is profiled where there is a profiler, and logged. */
int rnv_runtime_model_open(const struct rnv_model_config *config, uint32_t *model,
			   struct rnv_diag *diag);

/** rnv_model_swap(), and the new model is profiled where there is a profiler, and logged. */
int rnv_runtime_model_swap(const struct rnv_model_config *config, uint32_t *model, uint32_t *kept,
			   struct rnv_diag *diag);

/**
 * Declare work that admission shall count; there only with CONFIG_RANVIER_ADMISSION. From a thread,
 * before the first job, or while nobody submits one.
 *
 * @param reservations of ranvier/admission.h; stays the caller's, constant while declared
 * @param count        entries; 0: none
 * @retval RNV_OK     counts for jobs that are submitted from now on
 * @retval RNV_EINVAL NULL, or a lane that Kconfig does not have
 */
int rnv_runtime_reserve(const struct rnv_reservation *reservations, uint32_t count);

/** As Zephyr's task_wdt_callback_t: what happens instead of a reset. Called in an interrupt. */
typedef void (*rnv_runtime_expired_t)(int channel, void *user_data);

/**
 * Begin to feed a channel of the task watchdog; there only with CONFIG_RANVIER_WATCHDOG. For
 * applications that have CONFIG_RANVIER_WATCHDOG_INIT=n: once, after their task_wdt_init().
 *
 * @param expired   called when a lane was stuck for too long; NULL: the system is reset
 * @param user_data for `expired`
 * @retval 0         feeding
 * @retval -EALREADY it does already
 * @retval -ENOMEM   no channel is free: CONFIG_TASK_WDT_CHANNELS
 */
int rnv_runtime_watchdog_start(rnv_runtime_expired_t expired, void *user_data);

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_ZEPHYR_RUNTIME_H_ */
