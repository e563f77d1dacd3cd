/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stddef.h>

#include "sched/internal.h"

/* The hook may be exchanged at any time, so it is read once. */
void rnv_trace(const struct rnv_sched *sched, const struct rnv_trace_event *event)
{
	void (*trace)(void *context, const struct rnv_trace_event *event) = sched->hooks->trace;

	if (trace != NULL) {
		trace(sched->hooks->trace_context, event);
	}
}

void rnv_trace_job(const struct rnv_sched *sched, enum rnv_trace kind, const struct rnv_job *job)
{
	const struct rnv_trace_event event = {.job = job->handle,
					      .model = (uint16_t)job->model,
					      .kind = (uint8_t)kind,
					      .lane = job->lane};

	rnv_trace(sched, &event);
}

void rnv_trace_step(const struct rnv_sched *sched, enum rnv_trace kind, const struct rnv_lane *lane,
		    uint16_t step, int32_t status)
{
	const struct rnv_trace_event event = {.job = lane->current->handle,
					      .status = status,
					      .model = (uint16_t)lane->current->model,
					      .step = step,
					      .kind = (uint8_t)kind,
					      .lane = lane->number};

	rnv_trace(sched, &event);
}

void rnv_trace_done(const struct rnv_sched *sched, const struct rnv_job_result *result)
{
	const struct rnv_trace_event event = {.result = result,
					      .job = result->job,
					      .model = (uint16_t)result->model,
					      .kind = RNV_TRACE_DONE,
					      .lane = result->lane};

	rnv_trace(sched, &event);
}
