/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef NPU_SIM_NPU_SIM_THREAD_H_
#define NPU_SIM_NPU_SIM_THREAD_H_

/**
 * @file
 * @brief A simulated accelerator in a POSIX thread of its own.
 */

#include <pthread.h>
#include <stdbool.h>

#include "npu_sim/npu_sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A simulated accelerator and its thread. The caller owns it and does not move it. */
struct rnv_npu_sim_thread {
	struct rnv_npu_sim sim; /**< the driver's device */
	pthread_t thread;       /**< @private */
	pthread_mutex_t lock;   /**< @private */
	pthread_cond_t changed; /**< @private */
	bool kicked;            /**< @private */
	bool stopping;          /**< @private */
};

/**
 * Start it; then rnv_npu_init(npu, &rnv_npu_sim_driver, &thread->sim).
 *
 * @param thread     to fill
 * @param npu        receives the events, from that thread
 * @param timeout_us `rnv_npu_caps.timeout_us`
 * @param abort_us   `rnv_npu_caps.abort_us`
 * @retval RNV_OK     started
 * @retval RNV_EAGAIN the system has no thread to give
 */
int rnv_npu_sim_thread_start(struct rnv_npu_sim_thread *thread, struct rnv_npu *npu,
			     uint32_t timeout_us, uint32_t abort_us);

/** Stop and join it. A pending request never ends then. */
void rnv_npu_sim_thread_stop(struct rnv_npu_sim_thread *thread);

#ifdef __cplusplus
}
#endif

#endif /* NPU_SIM_NPU_SIM_THREAD_H_ */
