/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef LATENCY_H_
#define LATENCY_H_

/** @file @brief How long jobs took from submission to completion. */

#include <stdint.h>

#include <ranvier/job.h>

/** Zero at first. */
struct latency {
	uint64_t sum_us;
	uint32_t min_us;
	uint32_t max_us;
	uint32_t count;  /**< jobs that are complete */
	uint32_t missed; /**< of these, complete after their deadline */
	uint32_t failed; /**< jobs that ended otherwise */
};

/** Count a job that has ended. */
void latency_add(struct latency *latency, const struct rnv_job_result *result);

/** Print a line. */
void latency_print(const char *name, const struct latency *latency);

#endif /* LATENCY_H_ */
