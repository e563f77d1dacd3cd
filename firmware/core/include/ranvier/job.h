/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_JOB_H_
#define RANVIER_JOB_H_

/**
 * @file
 * @brief Jobs: what to run, where it is, how it ended.
 *
 * The rules for all functions (threads, interrupts, memory) are those of ranvier/sched.h.
 */

#include <stdint.h>

#include "ranvier/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A deadline or an event that never comes. */
#define RNV_NEVER 0xFFFFFFFFFFFFFFFF

/** No handle: no job, no model. */
#define RNV_NO_HANDLE 0

struct rnv_sched;

/** `rnv_job_request.flags` */
#define RNV_JOB_FORGET     0x01 /**< Its slot frees itself although there is no callback. */
#define RNV_JOB_DROP_LATE  0x02 /**< Not started once its deadline is over: ends with RNV_ETIME. */
#define RNV_JOB_ATOMIC     0x04 /**< Not taken over (cooperative), where its lane permits that. */
#define RNV_JOB_NPU_WAIT   0x08 /**< Waits for a busy accelerator instead of using the CPU. */
#define RNV_JOB_NPU_STRICT 0x10 /**< No CPU fallback: marked steps on the accelerator, or fail. */
#define RNV_JOB_NPU_NEVER  0x20 /**< All steps on the CPU. */
#define RNV_JOB_RESET      0x40 /**< Clears the model's persistent state before its first step. */
#define RNV_JOB_PACKED     0x80 /**< All inputs and outputs in one block of memory. */

/** Alignment of the block of a job with RNV_JOB_PACKED, and of each tensor in it. */
#define RNV_PACKED_ALIGN 16

/** Where a job is. */
enum rnv_job_state {
	RNV_JOB_FREE = 0,    /**< a slot without a job */
	RNV_JOB_QUEUED = 1,  /**< not started */
	RNV_JOB_RUNNING = 2, /**< owns its lane: running, or ready to go on */
	RNV_JOB_WAITING = 3, /**< owns its lane: waits for the accelerator */
	RNV_JOB_ZOMBIE = 4,  /**< over, but the accelerator has not let go of its memory */
	RNV_JOB_DONE = 5,    /**< complete; its result waits for rnv_job_collect() */
};

/** A buffer of the caller. */
struct rnv_buffer {
	void *data;     /**< aligned to the element size */
	uint32_t bytes; /**< exactly the tensor's bytes */
};

/**
 * How a job ended, and when. `status`:
 *
 * - RNV_OK: the outputs are written
 * - RNV_ECANCELED: cancelled, or its model was drained with cancellation
 * - RNV_ENOBUFS: dropped from a full lane
 * - RNV_ETIME: RNV_JOB_DROP_LATE and the deadline was over before it started
 * - RNV_ETIMEDOUT, RNV_EIO: the accelerator, and no fallback
 * - RNV_ESTALE: its model's persistent state was stale when its turn came, or could not be cleared
 *   since a quarantined accelerator may still write it for a zombie of that model
 * - RNV_ENOMEM: the lane's arena is too small while a quarantined accelerator holds a part of it
 *
 * Other than with RNV_OK the contents of the outputs are undefined.
 */
struct rnv_job_result {
	uint32_t job;      /**< handle; no longer valid */
	uint32_t model;    /**< handle of its model */
	int32_t status;    /**< enum rnv_status, see above */
	uint8_t lane;      /**< its lane */
	uint8_t missed;    /**< 1: completed after its deadline */
	uint8_t fallbacks; /**< steps that ran on the CPU since the accelerator could not; saturates
			    */
	uint8_t preemptions; /**< times that another lane took over; saturates */
	uint64_t submit_us;  /**< when it was submitted */
	uint64_t start_us;   /**< when its first step began; RNV_NEVER: it never did */
	uint64_t end_us;     /**< when it was complete */
	uint32_t blocked_us; /**< of the time between: waiting for a step of a less urgent lane */
};

/** What to run. Copied by rnv_job_submit(), the buffers it names are not. */
struct rnv_job_request {
	uint32_t model;       /**< handle */
	uint16_t entry;       /**< entry point number, 0 is the default */
	uint8_t lane;         /**< lane number; the model must be bound to it */
	uint8_t flags;        /**< RNV_JOB_* */
	uint64_t deadline_us; /**< absolute; RNV_NEVER: none. In the past: runs, and counts as
				 missed */
	/** One for each input, then one for each output of the entry, with `data` NULL where
	 * resident; may itself be NULL (and the count 0) where all are. RNV_JOB_PACKED: one, with
	 * at least `bytes` of rnv_model_layout(): the inputs, then the outputs, each at the next
	 * multiple of RNV_PACKED_ALIGN; what is resident is left out. */
	const struct rnv_buffer *buffers;
	uint16_t buffer_count; /**< entries of `buffers`; must be the exact number */
	/**
	 * Completion; NULL: by rnv_job_collect(), unless RNV_JOB_FORGET. Called once for each job,
	 * from the thread that drives its lane, or from the context that cancelled or drained it,
	 * or submitted the job that it was dropped for: an interrupt, if that is one. Never in a
	 * critical section. By then the buffers are the caller's again, the job's slot is free, and
	 * its model does not count it any more (see rnv_model_drain()), so it may submit, cancel,
	 * drain and close. It must not block. `result` is valid during the call.
	 */
	void (*done)(void *context, const struct rnv_job_result *result);
	void *context; /**< for `done` */
};

/**
 * A job's slot; all members are private. Slots are an array of the caller's.
 */
struct rnv_job {
	uint64_t deadline_us;   /**< @private */
	uint64_t submit_us;     /**< @private */
	uint64_t start_us;      /**< @private */
	uint64_t end_us;        /**< @private */
	struct rnv_job *older;  /**< @private queue of the lane by submission */
	struct rnv_job *newer;  /**< @private also the list of free slots */
	struct rnv_job *ahead;  /**< @private queued jobs of a model with state by submission */
	struct rnv_job *behind; /**< @private */
	void **externals;       /**< @private its row of the scheduler's array */
	void (*done)(void *context, const struct rnv_job_result *result); /**< @private */
	void *context;                                                    /**< @private */
	uint32_t handle;     /**< @private the present one, or the next one */
	uint32_t model;      /**< @private handle of its model */
	uint32_t order;      /**< @private submission number in its lane */
	uint32_t blocked_us; /**< @private */
	int32_t status;      /**< @private */
	uint16_t entry;      /**< @private */
	uint8_t place;       /**< @private in the lane's queue, or none */
	uint8_t in_chain;    /**< @private queued between `ahead` and `behind` */
	uint8_t state;       /**< @private enum rnv_job_state */
	uint8_t lane;        /**< @private */
	uint8_t flags;       /**< @private */
	uint8_t cancelled;   /**< @private to end at the next step boundary */
	uint8_t fallbacks;   /**< @private */
	uint8_t preemptions; /**< @private */
};

/**
 * Submit a job.
 *
 * The buffers belong to the runtime until completion, also after a cancel. Inputs are only read
 * unless the package is compiled for donated inputs; outputs must overlap nothing else.
 *
 * @param sched   scheduler
 * @param request what to run
 * @param job     receives the handle; may be NULL
 * @retval RNV_OK     queued
 * @retval RNV_ENOENT no such model: never was, closed or swapped
 * @retval RNV_EINVAL no such entry or lane, a wrong number or size of buffers, a NULL buffer,
 *                    contradicting flags, RNV_JOB_ATOMIC in a lane that does not permit it
 * @retval RNV_EALIGN a buffer is not aligned to its element size, or the block of RNV_JOB_PACKED
 * @retval RNV_ESTATE the model is not bound to that lane, is being drained, is resident and the
 *                    lane is not claimed for it, or the lane is claimed for another model
 * @retval RNV_EAGAIN the lane's queue is full and refuses, or no slot is free; also one that drops,
 *                    while the completion of the job that it has just dropped is running
 * @retval RNV_ETIME  admission: the deadline could not be met
 */
int rnv_job_submit(struct rnv_sched *sched, const struct rnv_job_request *request, uint32_t *job);

/**
 * Cancel a job. A queued one ends before the call returns; one that has started at its next step
 * boundary; one at the accelerator when the driver confirms the stop.
 *
 * @retval RNV_OK     it ends with RNV_ECANCELED, or as it was just about to end without this: with
 *                    RNV_OK after its last step, or dropped
 * @retval RNV_ENOENT no such job, or it is complete
 */
int rnv_job_cancel(struct rnv_sched *sched, uint32_t job);

/**
 * Change the deadline of a queued job; its place in the queue follows.
 *
 * @param sched       scheduler
 * @param job         handle
 * @param deadline_us absolute; RNV_NEVER: none
 * @retval RNV_OK     changed
 * @retval RNV_ENOENT no such job, or it is complete
 * @retval RNV_ESTATE it has started
 */
int rnv_job_set_deadline(struct rnv_sched *sched, uint32_t job, uint64_t deadline_us);

/**
 * Where a job is.
 *
 * @retval >=0        enum rnv_job_state
 * @retval RNV_ENOENT no such job (also: complete, with a callback or RNV_JOB_FORGET)
 */
int rnv_job_state_get(struct rnv_sched *sched, uint32_t job);

/**
 * Take the result of a job that was submitted without callback, and free its slot.
 *
 * @param sched  scheduler
 * @param job    handle
 * @param result filled on RNV_OK
 * @retval RNV_OK     complete; the handle is no longer valid
 * @retval RNV_EAGAIN not complete
 * @retval RNV_ENOENT no such job
 */
int rnv_job_collect(struct rnv_sched *sched, uint32_t job, struct rnv_job_result *result);

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_JOB_H_ */
