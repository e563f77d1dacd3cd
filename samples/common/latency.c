/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "latency.h"

#include <stdio.h>

#include <ranvier/status.h>

void latency_add(struct latency *latency, const struct rnv_job_result *result)
{
	uint32_t took_us = (uint32_t)(result->end_us - result->submit_us);

	if (result->status != RNV_OK) {
		latency->failed++;
		return;
	}
	if (latency->count == 0U || took_us < latency->min_us) {
		latency->min_us = took_us;
	}
	if (took_us > latency->max_us) {
		latency->max_us = took_us;
	}
	latency->sum_us += took_us;
	latency->count++;
	latency->missed += result->missed;
}

void latency_print(const char *name, const struct latency *latency)
{
	uint32_t mean_us = 0;

	if (latency->count != 0U) {
		mean_us = (uint32_t)(latency->sum_us / latency->count);
	}
	printf("%s: %u jobs, latency %u to %u us, mean %u us, %u late, %u failed\n", name,
	       (unsigned int)latency->count, (unsigned int)latency->min_us,
	       (unsigned int)latency->max_us, (unsigned int)mean_us, (unsigned int)latency->missed,
	       (unsigned int)latency->failed);
}
