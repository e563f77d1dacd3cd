/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stddef.h>
#include <string.h>

#include "exec/exec.h"
#include "sched/internal.h"
#include "sched/queue.h"

void rnv_lane_reclaim(struct rnv_lane *lane)
{
	uint32_t key = rnv_critical_enter();

	if (lane->zombie == NULL) {
		lane->arena -= lane->held_bytes;
		lane->arena_bytes += lane->held_bytes;
		lane->held_bytes = 0;
	}
	rnv_critical_exit(key);
}

/* The first queued job is the lane's, or NULL: no work. */
static struct rnv_job *take_first(struct rnv_sched *sched, struct rnv_lane *lane)
{
	uint32_t key = rnv_critical_enter();
	struct rnv_job *job = NULL;

	if (lane->count != 0u) {
		job = rnv_queue_head(lane);
		rnv_queue_remove(sched, lane, job);
		job->state = RNV_JOB_RUNNING;
		lane->current = job;
	} else {
		rnv_lane_settle(sched, lane);
	}
	rnv_critical_exit(key);
	return job;
}

/*
 * Make the state of the job's model fit for it: RNV_OK, or RNV_ESTALE. Never while a zombie of the
 * model may write it. Only the driver of the one lane of a model with state does this.
 */
static int prepare_state(const struct rnv_lane *lane, struct rnv_model *model,
			 const struct rnv_job *job)
{
	uint32_t key;
	bool stale;
	bool clears = (job->flags & RNV_JOB_RESET) != 0u;

	if (lane->zombie != NULL && lane->zombie->model == job->model) {
		return RNV_ESTALE;
	}
	key = rnv_critical_enter();
	stale = model->stale != 0u && !clears;
	if (stale && (model->flags & RNV_MODEL_AUTO_RESET) != 0u) {
		model->resets++;
		stale = false;
		clears = true;
	}
	if (clears) {
		model->stale = 0;
	}
	rnv_critical_exit(key);
	if (clears) {
		memset(model->state, 0, model->state_bytes);
	}
	return stale ? RNV_ESTALE : RNV_OK;
}

/* How long the lane was blocked, as far as that was a part of the job's time. */
static uint32_t take_blocked(struct rnv_lane *lane, uint64_t queued_us)
{
	uint32_t blocked_us = lane->blocked_us;

	lane->blocked_us = 0;
	return (blocked_us < queued_us) ? blocked_us : (uint32_t)queued_us;
}

/* RNV_OK, or why the lane's new job cannot run. */
static int prepare(struct rnv_lane *lane, struct rnv_model *model, struct rnv_job *job)
{
	uint64_t now_us = rnv_now_us();
	uint32_t flags = job->flags;
	int status = RNV_OK;

	if (lane->held_bytes != 0u) {
		rnv_lane_reclaim(lane);
	}
	if ((flags & RNV_JOB_DROP_LATE) != 0u && now_us > job->deadline_us) {
		return RNV_ETIME;
	}
	/* Addresses of resident tensors are known to the caller: they cannot move. */
	if (lane->held_bytes != 0u &&
	    (model->pkg.header->arena_bytes > lane->arena_bytes || lane->claim != RNV_NO_HANDLE)) {
		return RNV_ENOMEM;
	}
	if (model->state_bytes != 0u) {
		status = prepare_state(lane, model, job);
	}
	if (status == RNV_OK) {
		job->start_us = now_us;
		if (lane->blocked_us != 0u) {
			job->blocked_us = take_blocked(lane, now_us - job->submit_us);
		}
		rnv_exec_begin(&lane->exec, &model->pkg, lane->arena, job->externals, model->state,
			       job->entry);
		lane->npu_use = (model->npu != 0u || (flags & RNV_JOB_NPU_STRICT) != 0u) &&
				(flags & RNV_JOB_NPU_NEVER) == 0u;
	}
	return status;
}

bool rnv_lane_start(struct rnv_sched *sched, struct rnv_lane *lane)
{
	struct rnv_job *job = take_first(sched, lane);
	int status;

	if (job == NULL) {
		return false;
	}
	status = prepare(lane, rnv_model_slot(sched, job->model), job);
	if (status != RNV_OK) {
		rnv_job_finish(sched, job, status, false);
		return false;
	}
	if (rnv_is_traced(sched)) {
		rnv_trace_job(sched, RNV_TRACE_START, job);
	}
	return true;
}

int rnv_lane_step(struct rnv_sched *sched, struct rnv_lane *lane)
{
	int more;

	if (lane->npu_use != 0u && !rnv_lane_accelerate(sched, lane)) {
		return 0;
	}
	if (rnv_is_traced(sched)) {
		uint16_t step = lane->exec.step;

		rnv_trace_step(sched, RNV_TRACE_STEP_BEGIN, lane, step, RNV_OK);
		more = rnv_exec_step(&lane->exec);
		rnv_trace_step(sched, RNV_TRACE_STEP_END, lane, step, RNV_OK);
	} else {
		more = rnv_exec_step(&lane->exec);
	}
	if (more == 0) {
		rnv_job_finish(sched, lane->current, RNV_OK, false);
	}
	return more;
}

void rnv_lane_attend(struct rnv_sched *sched, struct rnv_lane *lane)
{
	struct rnv_job *job = lane->current;
	struct rnv_job *zombie = NULL;
	int32_t status = RNV_OK;
	bool cancelled;
	uint32_t key = rnv_critical_enter();

	rnv_ready_clear(sched, rnv_attend_bit(lane));
	if (lane->zombie_over != 0u) {
		zombie = lane->zombie;
		status = zombie->status;
	}
	cancelled = job != NULL && job->cancelled != 0u && job->state == RNV_JOB_RUNNING;
	rnv_critical_exit(key);
	if (zombie != NULL) {
		rnv_job_finish(sched, zombie, status, false);
	}
	if (cancelled) {
		rnv_lane_cancel(sched, lane);
	}
}
