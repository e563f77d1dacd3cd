/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_PORT_ZEPHYR_FAULT_INTERNAL_H_
#define RANVIER_PORT_ZEPHYR_FAULT_INTERNAL_H_

/** @file @brief Of faults: threads without which the rest does not go on. */

#include <stdbool.h>

#include <zephyr/kernel.h>

/** Whether it is the thread that serves the second core; with CONFIG_RANVIER_SERVICE. */
bool rnv_runtime_is_service(const struct k_thread *other);

/** Whether it is the thread that updates models; with CONFIG_RANVIER_STORE. */
bool rnv_runtime_is_server(const struct k_thread *other);

#endif /* RANVIER_PORT_ZEPHYR_FAULT_INTERNAL_H_ */
