/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <zephyr/arch/arm/arch.h>
#include <zephyr/kernel.h>

#include <cmsis_core.h>

#include <ranvier/zephyr/fault.h>
#include <ranvier/zephyr/runtime.h>

#include "fault_internal.h"

static bool is_of_mpu(unsigned int reason)
{
	switch (reason) {
	case K_ERR_ARM_MEM_GENERIC:
	case K_ERR_ARM_MEM_STACKING:
	case K_ERR_ARM_MEM_UNSTACKING:
	case K_ERR_ARM_MEM_DATA_ACCESS:
	case K_ERR_ARM_MEM_INSTRUCTION_ACCESS:
	case K_ERR_ARM_MEM_FP_LAZY_STATE_PRESERVATION:
		return true;
	default:
		return false;
	}
}

/* Holds locks, or has the bookkeeping of jobs half done. */
static bool is_of_ranvier(const struct k_thread *thread)
{
	const struct rnv_zephyr_driver *driver = rnv_runtime_driver();
	bool is = (IS_ENABLED(CONFIG_RANVIER_SERVICE) && rnv_runtime_is_service(thread)) ||
		  (IS_ENABLED(CONFIG_RANVIER_STORE) && rnv_runtime_is_server(thread));

	for (uint32_t i = 0; i < driver->worker_count; i++) {
		is = is || thread == &driver->workers[i].thread;
	}
	return is;
}

bool rnv_fault_is_guard(unsigned int reason, const struct arch_esf *esf)
{
	const struct k_thread *thread = k_current_get();

	return is_of_mpu(reason) && esf != NULL && (esf->basic.xpsr & IPSR_ISR_Msk) == 0u &&
	       (thread->base.user_options & K_ESSENTIAL) == 0u && !is_of_ranvier(thread);
}
