/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <zephyr/kernel.h>

#include <ranvier/zephyr/driver.h>

void rnv_zephyr_step_cost(void *context, const struct rnv_trace_event *event)
{
	ARG_UNUSED(context);
	if (event->kind == RNV_TRACE_STEP_BEGIN) {
		k_busy_wait(CONFIG_RANVIER_STEP_COST_US);
	}
}
