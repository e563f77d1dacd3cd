/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stddef.h>

#include "ranvier/admission.h"

#include "sched/internal.h"

/* Cost of a job as a whole; 0: not known. */
static uint32_t cost_us(const struct rnv_sched *sched, uint32_t model, uint32_t entry)
{
	return rnv_model_slot(sched, model)->cost_us[entry];
}

/* Cost of what is left of the job that owns a lane. */
static uint32_t left_us(struct rnv_sched *sched, const struct rnv_lane *lane)
{
	const uint32_t *step_us = NULL;
	uint32_t step = 0;
	uint32_t end = 0;
	uint32_t key = rnv_critical_enter();
	uint32_t sum = 0;

	if (lane->current != NULL) {
		step_us = rnv_model_slot(sched, lane->current->model)->step_cost_us;
		step = lane->exec.step;
		end = lane->exec.step_end;
	}
	rnv_critical_exit(key);
	for (; step_us != NULL && step < end; step++) {
		sum += step_us[step];
	}
	return sum;
}

/* Cost of the queued jobs of more urgent lanes, and of those of this one that go before. */
static uint64_t queued_us(struct rnv_sched *sched, const struct rnv_job_request *request)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < sched->job_count; i++) {
		const struct rnv_job *job = &sched->jobs[i];
		uint32_t key = rnv_critical_enter();

		if (job->state == RNV_JOB_QUEUED &&
		    (job->lane < request->lane ||
		     (job->lane == request->lane && job->deadline_us <= request->deadline_us))) {
			sum += cost_us(sched, job->model, job->entry);
		}
		rnv_critical_exit(key);
	}
	return sum;
}

/* Cost of the reservations of a lane, and of more urgent ones, in a window. */
static uint64_t reserved_us(const struct rnv_admission *admission, uint32_t lane,
			    uint64_t window_us)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < admission->reservation_count; i++) {
		const struct rnv_reservation *r = &admission->reservations[i];

		if (r->lane <= lane) {
			sum += (window_us + r->period_us - 1u) / r->period_us * r->cost_us;
		}
	}
	return sum;
}

int rnv_admission_check(void *context, struct rnv_sched *sched,
			const struct rnv_job_request *request)
{
	const struct rnv_admission *admission = context;
	uint64_t now_us = rnv_now_us();
	uint64_t work_us = cost_us(sched, request->model, request->entry);
	uint64_t window_us;
	uint64_t needed_us;

	if (request->deadline_us == RNV_NEVER || work_us == 0u) {
		return RNV_OK;
	}
	work_us += admission->blocking_us + queued_us(sched, request);
	for (uint32_t lane = 0; lane <= request->lane; lane++) {
		work_us += left_us(sched, &sched->lanes[lane]);
	}
	/* The least window that holds the work and what is reserved in it. */
	needed_us = work_us;
	do {
		window_us = needed_us;
		if (request->deadline_us < now_us || window_us > request->deadline_us - now_us) {
			return RNV_ETIME;
		}
		needed_us = work_us + reserved_us(admission, request->lane, window_us);
	} while (needed_us > window_us);
	return RNV_OK;
}
