/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_ZEPHYR_SERVICE_H_
#define RANVIER_ZEPHYR_SERVICE_H_

/**
 * @file
 * @brief The ready-made scheduler serves a client on the other core; with CONFIG_RANVIER_SERVICE.
 *
 * A thread polls the core's service (ranvier/service.h): when the client rings, when a job of it
 * ends, and every CONFIG_RANVIER_SERVICE_BEAT_MS. Models are opened by the application, or come
 * from the store; the client looks them up by name.
 */

#include <ranvier/service.h>
#include <ranvier/zephyr/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Begin to serve. From a thread. With CONFIG_RANVIER_PARK it waits for a write of the flash that
 * the client executes from; otherwise call it while there is none.
 *
 * @param lanes bit l: the client may use lane l
 * @retval RNV_OK     serving
 * @retval RNV_EINVAL a lane that there is not, or sizes of Kconfig that do not fit together
 * @retval RNV_ESTATE serving already, or not over yet
 * @retval RNV_EIO    the device of the doorbells is not ready
 */
int rnv_runtime_service_start(uint32_t lanes);

/**
 * End serving, and wait until the client's jobs have let go of the shared memory. From a thread,
 * not from a completion callback. The client finds no server then, and cannot be parked: writes of
 * the flash that it executes from fail until it is served again (ranvier/zephyr/park.h).
 *
 * @retval RNV_OK     over; may be started again
 * @retval RNV_ESTATE not serving
 */
int rnv_runtime_service_stop(void);

/**
 * Read the counters. From a thread.
 *
 * @param stats filled; all 0 when it has never been started
 */
void rnv_runtime_service_stats(struct rnv_service_stats *stats);

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_ZEPHYR_SERVICE_H_ */
