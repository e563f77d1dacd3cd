/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stddef.h>

#include "sched/internal.h"

/* A handle is the number of a slot and, above, how often the slot was used, which is never 0. */
#define SLOT_MASK (RNV_SCHED_MAX_JOBS - 1u)

void rnv_job_free(struct rnv_sched *sched, struct rnv_job *job)
{
	uint32_t handle = job->handle + RNV_SCHED_MAX_JOBS;

	job->handle = (handle > SLOT_MASK) ? handle : handle + RNV_SCHED_MAX_JOBS;
	job->state = RNV_JOB_FREE;
	job->newer = sched->free;
	sched->free = job;
}

void rnv_job_describe(const struct rnv_job *job, struct rnv_job_result *result)
{
	result->job = job->handle;
	result->model = job->model;
	result->status = job->status;
	result->lane = job->lane;
	result->missed = job->status == RNV_OK && job->end_us > job->deadline_us;
	result->fallbacks = job->fallbacks;
	result->preemptions = job->preemptions;
	result->submit_us = job->submit_us;
	result->start_us = job->start_us;
	result->end_us = job->end_us;
	result->blocked_us = job->blocked_us;
}

/* A job that was started is over. In a critical section. */
static void count_run(struct rnv_lane_stats *stats, struct rnv_model *model,
		      const struct rnv_job_result *result)
{
	uint64_t queued_us = result->start_us - result->submit_us;
	uint32_t arena_bytes = model->pkg.header->arena_bytes;

	if (queued_us > stats->longest_queued_us) {
		stats->longest_queued_us =
			(queued_us < UINT32_MAX) ? (uint32_t)queued_us : UINT32_MAX;
	}
	if (arena_bytes > stats->arena_high_water) {
		stats->arena_high_water = arena_bytes;
	}
	if (result->status != RNV_OK && model->state_bytes != 0u) {
		model->stale = 1;
	}
}

/* In a critical section. */
static void count(struct rnv_lane_stats *stats, struct rnv_model *model,
		  const struct rnv_job_result *result)
{
	if (result->status == RNV_OK) {
		model->completed++;
		stats->completed++;
		stats->missed += result->missed;
		return;
	}
	model->failed++;
	if (result->status == RNV_ECANCELED) {
		stats->cancelled++;
	} else if (result->status == RNV_ENOBUFS || result->status == RNV_ETIME) {
		stats->dropped++;
	} else {
		stats->failed++;
	}
}

/* The lane of a job that was started is free, and has work if jobs are queued. */
static void leave_lane(struct rnv_sched *sched, struct rnv_lane *lane, const struct rnv_job *job)
{
	if (lane->current == job) {
		lane->current = NULL;
		lane->preempted = 0;
		rnv_lane_settle(sched, lane);
	} else if (lane->zombie == job) {
		lane->zombie = NULL;
		lane->zombie_over = 0;
	}
}

void rnv_job_finish(struct rnv_sched *sched, struct rnv_job *job, int32_t status, bool keep)
{
	void (*done)(void *context, const struct rnv_job_result *result) = job->done;
	void *context = job->context;
	struct rnv_model *model = rnv_model_slot(sched, job->model);
	struct rnv_lane *lane = &sched->lanes[job->lane];
	struct rnv_job_result result;
	bool collect = done == NULL && (job->flags & RNV_JOB_FORGET) == 0u;
	bool tell;
	uint32_t key;

	job->end_us = rnv_now_us();
	key = rnv_critical_enter();
	job->status = status; /* which a cancellation writes of a zombie */
	rnv_job_describe(job, &result);
	leave_lane(sched, lane, job);
	if (result.start_us != RNV_NEVER) {
		count_run(&lane->stats, model, &result);
	}
	count(&lane->stats, model, &result);
	model->jobs--;
	tell = collect || model->draining != 0u;
	if (collect) {
		job->state = RNV_JOB_DONE;
	} else {
		rnv_job_free(sched, job);
		if (keep) {
			sched->free = job->newer;
		}
	}
	rnv_critical_exit(key);
	if (rnv_is_traced(sched)) {
		rnv_trace_done(sched, &result);
	}
	if (done != NULL) {
		done(context, &result);
	}
	if (tell && sched->hooks->completed != NULL) {
		sched->hooks->completed(sched->hooks->wake_context, result.job);
	}
}
