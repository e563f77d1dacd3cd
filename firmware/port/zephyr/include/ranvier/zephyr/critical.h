/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_ZEPHYR_CRITICAL_H_
#define RANVIER_ZEPHYR_CRITICAL_H_

/**
 * @file
 * @brief How long critical sections are; there only with CONFIG_RANVIER_CRITICAL_STATS.
 */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The longest critical section since the start, from its first rnv_critical_enter() to the
 * rnv_critical_exit() that ends it. Any thread or interrupt.
 *
 * @return cycles of rnv_cycles(), one reading of that counter included
 */
uint32_t rnv_critical_longest(void);

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_ZEPHYR_CRITICAL_H_ */
