/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stddef.h>

#include "ranvier/admission.h"

#include "sched/internal.h"

/* Steps to the least window; the last one is the whole time to the deadline. */
#define MAX_ROUNDS 16u

/* Cost of a job as a whole; 0: not known. */
static uint32_t cost_us(const struct rnv_sched *sched, uint32_t model, uint32_t entry)
{
	return rnv_model_slot(sched, model)->cost_us[entry];
}

/* Cost of the job that owns a lane, as a whole: how far it is only its driver knows. */
static uint32_t started_us(struct rnv_sched *sched, const struct rnv_lane *lane)
{
	uint32_t key = rnv_critical_enter();
	const struct rnv_job *job = lane->current;
	uint32_t us = (job != NULL) ? cost_us(sched, job->model, job->entry) : 0u;

	rnv_critical_exit(key);
	return us;
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

/* Cost of the reservations of a lane, and of more urgent ones, in a window; or more than it. */
static uint64_t reserved_us(const struct rnv_admission *admission, uint32_t lane,
			    uint32_t window_us)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < admission->reservation_count && sum <= window_us; i++) {
		const struct rnv_reservation *r = &admission->reservations[i];
		uint32_t period_us = (r->period_us != 0u) ? r->period_us : 1u;

		if (r->lane <= lane) {
			sum += ((window_us - 1u) / period_us + 1ull) * r->cost_us;
		}
	}
	return sum;
}

/*
 * Whether work, and what is reserved meanwhile, is done in time. The least window that holds both
 * is approached from below; where it is not found soon, the whole time has to hold both.
 */
static bool is_done_in(const struct rnv_admission *admission, uint32_t lane, uint64_t work_us,
		       uint32_t time_us)
{
	uint64_t needed_us = work_us;

	for (uint32_t round = 0; round < MAX_ROUNDS && needed_us <= time_us; round++) {
		uint32_t window_us = (round < MAX_ROUNDS - 1u) ? (uint32_t)needed_us : time_us;

		needed_us = work_us + reserved_us(admission, lane, window_us);
		if (needed_us <= window_us) {
			return true;
		}
	}
	return false;
}

int rnv_admission_check(void *context, struct rnv_sched *sched,
			const struct rnv_job_request *request)
{
	const struct rnv_admission *admission = context;
	uint64_t now_us = rnv_now_us();
	uint64_t work_us = cost_us(sched, request->model, request->entry);
	uint64_t time_us;

	if (request->deadline_us == RNV_NEVER || work_us == 0u) {
		return RNV_OK;
	}
	if (request->deadline_us < now_us) {
		return RNV_ETIME;
	}
	time_us = request->deadline_us - now_us;
	work_us += admission->blocking_us + queued_us(sched, request);
	for (uint32_t lane = 0; lane <= request->lane; lane++) {
		work_us += started_us(sched, &sched->lanes[lane]);
	}
	return is_done_in(admission, request->lane, work_us,
			  (time_us < UINT32_MAX) ? (uint32_t)time_us : UINT32_MAX)
		       ? RNV_OK
		       : RNV_ETIME;
}
