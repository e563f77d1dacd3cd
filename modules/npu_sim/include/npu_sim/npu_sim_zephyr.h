/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef NPU_SIM_NPU_SIM_ZEPHYR_H_
#define NPU_SIM_NPU_SIM_ZEPHYR_H_

/**
 * @file
 * @brief The simulated accelerator of a Zephyr application: one, sized by Kconfig.
 *
 * A thread of its own executes the steps, and a timer's interrupt sends the events. The thread
 * stands for hardware, so it should be more urgent than those of the lanes; the time of its steps
 * is time of the CPU all the same.
 */

#include "npu_sim/npu_sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Start it, and make `npu` an accelerator of it. Once, from a thread, before the scheduler is
 * initialised.
 *
 * @param npu to fill
 * @return the simulated device, for rnv_npu_sim_set()
 */
struct rnv_npu_sim *rnv_npu_sim_zephyr_start(struct rnv_npu *npu);

#ifdef __cplusplus
}
#endif

#endif /* NPU_SIM_NPU_SIM_ZEPHYR_H_ */
