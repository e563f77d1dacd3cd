/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef TESTS_ZEPHYR_IPC_REQUESTS_H_
#define TESTS_ZEPHYR_IPC_REQUESTS_H_

#include <stdint.h>

/** Requests under way at once. */
#define FLIGHTS 3

/** Begin FLIGHTS requests; returns how many are under way. */
uint32_t requests_begin(void);

/** Wait for those of requests_begin(), and count them in CONTROL. */
void requests_end(uint32_t count);

/** Run requests, again where a side starts anew, until so many are right or wrong. */
void requests_run(uint32_t count);

#endif /* TESTS_ZEPHYR_IPC_REQUESTS_H_ */
