/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef LOCAL_H_
#define LOCAL_H_

/** @file @brief This core's own jobs, more urgent than the client's. */

#include <stdint.h>

/** What has become of them. */
struct local_totals {
	uint32_t done;    /**< complete */
	uint32_t failed;  /**< otherwise */
	uint32_t other;   /**< complete, with another result than the first */
	uint32_t most_us; /**< longest time from submission to completion */
};

/** Begin to submit one each CONFIG_SAMPLE_LOCAL_PERIOD_MS, in a thread. */
void local_start(uint32_t model);

/** Read the counters. Any thread. */
struct local_totals local_totals_get(void);

#endif /* LOCAL_H_ */
