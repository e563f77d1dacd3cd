/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* For applications without a handler of their own: as Zephyr's, but for faults of the MPU. */

#include <zephyr/fatal.h>
#include <zephyr/kernel.h>
#include <zephyr/logging/log.h>
#include <zephyr/logging/log_ctrl.h>

#include <ranvier/zephyr/fault.h>

LOG_MODULE_DECLARE(ranvier, CONFIG_RANVIER_LOG_LEVEL);

void k_sys_fatal_error_handler(unsigned int reason, const struct arch_esf *esf)
{
	if (rnv_fault_is_guard(reason, esf)) {
		LOG_ERR("guarded memory: thread %s is aborted", k_thread_name_get(k_current_get()));
		return;
	}
	LOG_PANIC();
	LOG_ERR("halting the system");
	k_fatal_halt(reason);
}
