/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <zephyr/kernel.h>
#include <zephyr/logging/log_ctrl.h>
#include <zephyr/sys/printk.h>

#include <ranvier/port.h>

void rnv_panic(const char *what)
{
	LOG_PANIC(); /* what was logged before comes first */
	printk("ranvier: %s\n", what);
	k_panic();
	CODE_UNREACHABLE;
}
