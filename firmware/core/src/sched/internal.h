/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_SCHED_INTERNAL_H_
#define RNV_SCHED_INTERNAL_H_

/*
 * What the files of the scheduler share.
 *
 * Who owns what: a queued job and the lists belong to whoever is in the critical section. A job
 * that was taken out of a queue belongs to the one who did that, a lane's current job and its run
 * belong to the lane's driver; others only read its `state` and set `cancelled`, in the critical
 * section. A model that has jobs stays as it is.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ranvier/port.h"
#include "ranvier/sched.h"

/*
 * Bits of rnv_sched.ready. Lowest: a lane has steps or queued jobs, and its job is not waiting.
 * Above these, for each lane: its driver must look at it (rnv_lane_attend()).
 */
#define RNV_READY_LANES  ((1u << RNV_SCHED_MAX_LANES) - 1u)
#define RNV_READY_ATTEND (RNV_READY_LANES << RNV_SCHED_MAX_LANES)
#define RNV_READY_TIMER  (1u << 30) /* cooperative: the accelerator works, look at the clock */
#define RNV_READY_EVENT  (1u << 31) /* the accelerator's state has changed */
#define RNV_READY_DUE    (RNV_READY_ATTEND | RNV_READY_TIMER | RNV_READY_EVENT)

/* rnv_model.open */
enum {
	RNV_MODEL_FREE,
	RNV_MODEL_CHANGING,
	RNV_MODEL_OPEN
};

/* rnv_lane.npu_state */
enum {
	RNV_LANE_NPU_IDLE,  /* no request */
	RNV_LANE_NPU_AWAY,  /* with the accelerator */
	RNV_LANE_NPU_ENDED, /* over, `npu_status` tells how */
	RNV_LANE_NPU_LOST,  /* over, but memory may still be written */
	RNV_LANE_NPU_CPU,   /* the next step runs on the CPU although it is marked */
};

static inline uint32_t rnv_lowest(uint32_t word)
{
	return (uint32_t)__builtin_ctz(word);
}

static inline uint32_t rnv_attend_bit(const struct rnv_lane *lane)
{
	return lane->bit << RNV_SCHED_MAX_LANES;
}

/* Words that one side reads or writes outside of critical sections. */
static inline uint32_t rnv_load(const uint32_t *word)
{
	return atomic_load_explicit((const _Atomic uint32_t *)word, memory_order_relaxed);
}

static inline void rnv_store(uint32_t *word, uint32_t value)
{
	atomic_store_explicit((_Atomic uint32_t *)word, value, memory_order_relaxed);
}

/* `ready` outside of a critical section: what is missed now wakes the driver. */
static inline uint32_t rnv_ready(const struct rnv_sched *sched)
{
	return atomic_load_explicit((const _Atomic uint32_t *)&sched->ready, memory_order_acquire);
}

/* In a critical section. What was written before is seen by who sees the bits. */
static inline void rnv_ready_set(struct rnv_sched *sched, uint32_t bits)
{
	atomic_store_explicit((_Atomic uint32_t *)&sched->ready, sched->ready | bits,
			      memory_order_release);
}

/* In a critical section. */
static inline void rnv_ready_clear(struct rnv_sched *sched, uint32_t bits)
{
	atomic_store_explicit((_Atomic uint32_t *)&sched->ready, sched->ready & ~bits,
			      memory_order_release);
}

/* In a critical section: a lane without a current job has no work if no job is queued. */
static inline void rnv_lane_settle(struct rnv_sched *sched, struct rnv_lane *lane)
{
	if (lane->count == 0u && lane->current == NULL) {
		rnv_ready_clear(sched, lane->bit);
		rnv_store(&sched->blocked, sched->blocked & ~lane->bit);
		lane->blocked_us = 0;
	}
}

static inline void rnv_wake(const struct rnv_sched *sched, uint32_t lane)
{
	if (sched->hooks->wake != NULL) {
		sched->hooks->wake(sched->hooks->wake_context, lane);
	}
}

/* --- models.c; in a critical section --- */

/* Slot of a handle, whatever is in it now. */
static inline struct rnv_model *rnv_model_slot(const struct rnv_sched *sched, uint32_t handle)
{
	return &sched->models[handle & 0xFFFFu];
}

/* The open model of a handle, or NULL. */
struct rnv_model *rnv_model_of(const struct rnv_sched *sched, uint32_t handle);

/* Whether jobs of a model may be queued in a lane. */
bool rnv_model_admits(const struct rnv_model *model, const struct rnv_lane *lane);

/* Whether a lane is claimed for a model. */
bool rnv_model_is_claimed(const struct rnv_sched *sched, const struct rnv_model *model);

/* Whether a lane's arena, with what may be held of it, is large enough. */
bool rnv_lane_fits(const struct rnv_lane *lane, const struct rnv_header *header);

/* The handle of a slot is dead. */
void rnv_model_renew(struct rnv_model *model);

/* Where the next tensor of an RNV_JOB_PACKED block lies, behind `end` bytes. */
static inline uint64_t rnv_packed_at(uint64_t end)
{
	return (end + RNV_PACKED_ALIGN - 1u) & ~(uint64_t)(RNV_PACKED_ALIGN - 1u);
}

/* --- complete.c --- */

/* What a job comes to. */
void rnv_job_describe(const struct rnv_job *job, struct rnv_job_result *result);

/* A free slot with its next handle. In a critical section. */
void rnv_job_free(struct rnv_sched *sched, struct rnv_job *job);

/*
 * A job that the caller owns is over: count, free its slot, which `keep` leaves out of the list of
 * free ones, and tell whoever waits.
 */
void rnv_job_finish(struct rnv_sched *sched, struct rnv_job *job, int32_t status, bool keep);

/* --- trace.c --- */

static inline bool rnv_is_traced(const struct rnv_sched *sched)
{
	return sched->hooks->trace != NULL;
}

void rnv_trace(const struct rnv_sched *sched, const struct rnv_trace_event *event);
void rnv_trace_job(const struct rnv_sched *sched, enum rnv_trace kind, const struct rnv_job *job);
void rnv_trace_step(const struct rnv_sched *sched, enum rnv_trace kind, const struct rnv_lane *lane,
		    uint16_t step, int32_t status);
void rnv_trace_done(const struct rnv_sched *sched, const struct rnv_job_result *result);

/* --- run.c; by the lane's driver --- */

/* All of the arena is free again, unless a zombie holds a part. While no job runs. */
void rnv_lane_reclaim(struct rnv_lane *lane);

/* Start the first job of the queue: true if there is a step to execute now. */
bool rnv_lane_start(struct rnv_sched *sched, struct rnv_lane *lane);

/*
 * Execute the next step of the current job, and end the job where that was the last: 1 if the job
 * can go on, else 0.
 */
int rnv_lane_step(struct rnv_sched *sched, struct rnv_lane *lane);

/* End a job that was cancelled, and a zombie whose memory is free. */
void rnv_lane_attend(struct rnv_sched *sched, struct rnv_lane *lane);

/* --- accelerate.c --- */

/* Follow the accelerator's events. In rnv_sched_init(). */
void rnv_npu_follow(struct rnv_sched *sched);

/*
 * Load a model's marked steps: RNV_OK if they may run on the accelerator, else as rnv_npu_load();
 * RNV_ENOTSUP where there is none. From a thread.
 */
int rnv_npu_take_model(struct rnv_sched *sched, const struct rnv_package *pkg);

/*
 * What to do with the next step of a job that may use the accelerator: true if the CPU executes it
 * now, false if there is nothing to execute, since the job waits, or is over. By the lane's driver.
 */
bool rnv_lane_accelerate(struct rnv_sched *sched, struct rnv_lane *lane);

/* End the current job, which was cancelled and is not at the accelerator. By the lane's driver. */
void rnv_lane_cancel(struct rnv_sched *sched, struct rnv_lane *lane);

/* Take the accelerator's ends and give them to their lanes. By any driver. */
void rnv_npu_poll(struct rnv_sched *sched);

/* Ask the accelerator to stop a lane's request. Outside of critical sections. */
void rnv_npu_stop(struct rnv_sched *sched, uint32_t serial);

#endif /* RNV_SCHED_INTERNAL_H_ */
