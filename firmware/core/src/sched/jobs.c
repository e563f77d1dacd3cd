/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stddef.h>

#include "sched/internal.h"
#include "sched/queue.h"

/* The job of a handle, or NULL. In a critical section. */
static struct rnv_job *job_of(const struct rnv_sched *sched, uint32_t handle)
{
	uint32_t slot = handle % RNV_SCHED_MAX_JOBS;
	struct rnv_job *job = &sched->jobs[slot];

	if (slot < sched->job_count && job->handle == handle && job->state != RNV_JOB_FREE) {
		return job;
	}
	return NULL;
}

/* What is left to do of a cancellation outside of the critical section. */
enum action {
	NOTHING,
	FINISH,
	WAKE,
	STOP
};

/* Cancel what is not complete: RNV_OK or RNV_ENOENT. In a critical section. */
static int cancel(struct rnv_sched *sched, struct rnv_job *job, enum action *action,
		  uint32_t *serial)
{
	struct rnv_lane *lane = &sched->lanes[job->lane];

	switch (job->state) {
	case RNV_JOB_QUEUED:
		rnv_queue_remove(sched, lane, job);
		job->state = RNV_JOB_RUNNING; /* to others: not complete, out of the queue */
		rnv_lane_settle(sched, lane);
		*action = FINISH;
		return RNV_OK;
	case RNV_JOB_RUNNING:
		job->cancelled = 1;
		rnv_ready_set(sched, rnv_attend_bit(lane));
		*action = WAKE;
		return RNV_OK;
	case RNV_JOB_WAITING:
		job->cancelled = 1;
		*action = STOP;
		*serial = lane->npu_serial;
		if (lane->npu_state != RNV_LANE_NPU_AWAY) { /* it waits for its turn */
			job->state = RNV_JOB_RUNNING;
			rnv_ready_set(sched, lane->bit | rnv_attend_bit(lane));
			*action = WAKE;
		}
		return RNV_OK;
	case RNV_JOB_ZOMBIE:
		job->status = RNV_ECANCELED;
		return RNV_OK;
	default:
		return RNV_ENOENT;
	}
}

int rnv_job_cancel(struct rnv_sched *sched, uint32_t handle)
{
	enum action action = NOTHING;
	int status = RNV_ENOENT;
	uint32_t serial = 0;
	uint32_t key = rnv_critical_enter();
	struct rnv_job *job = job_of(sched, handle);
	uint32_t lane = 0;

	if (job != NULL) {
		lane = job->lane;
		status = cancel(sched, job, &action, &serial);
	}
	rnv_critical_exit(key);
	if (action == FINISH) {
		rnv_job_finish(sched, job, RNV_ECANCELED, false);
	} else if (action == STOP) {
		rnv_npu_stop(sched, serial);
	} else if (action == WAKE) {
		rnv_wake(sched, lane);
	}
	return status;
}

int rnv_job_set_deadline(struct rnv_sched *sched, uint32_t handle, uint64_t deadline_us)
{
	uint32_t key = rnv_critical_enter();
	struct rnv_job *job = job_of(sched, handle);
	int status = RNV_OK;

	if (job == NULL || job->state == RNV_JOB_DONE) {
		status = RNV_ENOENT;
	} else if (job->state != RNV_JOB_QUEUED) {
		status = RNV_ESTATE;
	} else {
		job->deadline_us = deadline_us;
		rnv_queue_moved(&sched->lanes[job->lane], job);
	}
	rnv_critical_exit(key);
	return status;
}

int rnv_job_state_get(struct rnv_sched *sched, uint32_t handle)
{
	uint32_t key = rnv_critical_enter();
	const struct rnv_job *job = job_of(sched, handle);
	int state = (job != NULL) ? job->state : RNV_ENOENT;

	rnv_critical_exit(key);
	return state;
}

int rnv_job_collect(struct rnv_sched *sched, uint32_t handle, struct rnv_job_result *result)
{
	uint32_t key;
	struct rnv_job *job;
	int status = RNV_OK;

	if (result == NULL) {
		return RNV_EINVAL;
	}
	key = rnv_critical_enter();
	job = job_of(sched, handle);
	if (job == NULL) {
		status = RNV_ENOENT;
	} else if (job->state != RNV_JOB_DONE) {
		status = RNV_EAGAIN;
	} else {
		rnv_job_describe(job, result);
		rnv_job_free(sched, job);
	}
	rnv_critical_exit(key);
	return status;
}
