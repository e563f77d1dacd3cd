/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef TESTS_ZEPHYR_RUNTIME_WATCHDOG_H_
#define TESTS_ZEPHYR_RUNTIME_WATCHDOG_H_

#include <stdint.h>

/** The model, open during each test of the suite. */
extern uint32_t watchdog_model;

/** How often the watchdog's time was over. */
int watchdog_expired(void);

#endif /* TESTS_ZEPHYR_RUNTIME_WATCHDOG_H_ */
