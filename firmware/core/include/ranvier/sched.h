/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_SCHED_H_
#define RANVIER_SCHED_H_

/**
 * @file
 * @brief Inference jobs: lanes by urgency, deadlines, preemption between steps, models.
 *
 * A lane has an arena and a queue of its own; lane 0 is the most urgent. Inside a lane the earliest
 * deadline runs first, then the one submitted first; a job that has started keeps its lane until it
 * is complete. A more urgent lane takes over at the next step boundary: the arena of the one that
 * waits is not touched, so nothing is copied.
 *
 * Two drivers, one core. *Cooperative*: one thread calls rnv_sched_run() whenever the `wake` hook
 * was called, and at rnv_sched_next_us(). *Thread per lane*: thread i, of a priority that falls
 * with i, calls rnv_lane_run(i) instead, and the RTOS preempts inside a step. A scheduler is driven
 * in one of the two ways for its life, by exactly these threads.
 *
 * All memory is the caller's (struct rnv_sched_config) and belongs to the scheduler for its life.
 * Unless said otherwise every function may be called from any thread, from interrupts, and from a
 * completion callback; none blocks; the time in critical sections is bounded by
 * @ref RNV_LANE_MAX_DEPTH alone. Times are rnv_now_us().
 */

#include <stdint.h>

#include "ranvier/exec.h"
#include "ranvier/job.h"
#include "ranvier/npu.h"
#include "ranvier/package.h"
#include "ranvier/status.h"
#include "ranvier/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RNV_SCHED_MAX_LANES 8    /**< Lanes of a scheduler. */
#define RNV_LANE_MAX_DEPTH  32   /**< Queued jobs of a lane. */
#define RNV_SCHED_MAX_JOBS  1024 /**< Job slots of a scheduler. */

/* --- models ---------------------------------------------------------------------------------- */

/** `rnv_model_config.flags` */
#define RNV_MODEL_AUTO_RESET 0x1 /**< A stale state is cleared, and counted, not refused. */
/**
 * An instance beside that of its name, for a self-test: rnv_model_find() and rnv_model_next() pass
 * over it, and the accelerator does not load it.
 */
#define RNV_MODEL_UNLISTED   0x2

/** How a model is opened. Copied. */
struct rnv_model_config {
	const void *data; /**< package, 16-byte aligned; unchanged and mapped until close or swap */
	uint32_t bytes;   /**< readable at `data` */
	uint32_t lanes;   /**< bit l: bound to lane l */
	void *state;      /**< persistent state, 16-byte aligned; NULL where the package has none */
	uint32_t state_bytes; /**< at least the package's; the model's until close */
	uint32_t flags;       /**< RNV_MODEL_* */
	/**
	 * Costs for admission, in microseconds for each step, `step_count` entries; NULL: none.
	 * Read by open and swap only.
	 */
	const uint32_t *step_cost_us;
};

/** What a model is and does. */
struct rnv_model_info {
	uint32_t model;                /**< handle */
	const struct rnv_package *pkg; /**< view; valid until close or swap */
	uint32_t lanes;                /**< bit l: bound to lane l */
	uint32_t jobs;                 /**< queued, started and zombies */
	uint32_t completed;            /**< ended with RNV_OK */
	uint32_t failed;               /**< ended otherwise */
	uint32_t resets;               /**< stale states cleared by RNV_MODEL_AUTO_RESET */
	uint8_t draining;              /**< 1: refuses jobs */
	uint8_t stale;                 /**< 1: its persistent state is stale */
	uint8_t npu; /**< 1: the accelerator has loaded it; 0: see rnv_model_npu_load() */
};

/** A model's slot; all members are private. Slots are an array of the caller's. */
struct rnv_model {
	struct rnv_package pkg; /**< @private */
	void *state;            /**< @private */
	struct rnv_job *newest; /**< @private last queued job of a model with state */
	uint32_t cost_us[8];    /**< @private of each entry; 0 without costs */
	uint32_t state_bytes;   /**< @private that the package has */
	uint32_t state_room;    /**< @private at `state` */
	uint32_t handle;        /**< @private the present one, or the next one */
	uint32_t lanes;         /**< @private */
	uint32_t leaving;       /**< @private lanes that rnv_model_unbind() looks at */
	uint32_t jobs;          /**< @private */
	uint32_t completed;     /**< @private */
	uint32_t failed;        /**< @private */
	uint32_t resets;        /**< @private */
	uint8_t open;           /**< @private 0: free, 1: being opened or swapped, 2: open */
	uint8_t flags;          /**< @private */
	uint8_t draining;       /**< @private */
	uint8_t stale;          /**< @private */
	uint8_t npu;            /**< @private */
	uint8_t resident;       /**< @private its inputs and outputs lie in the arena */
};

/**
 * Verify a package, once, and bind it to lanes. From a thread: takes as long as rnv_package_open()
 * and the driver's load(). A model that the accelerator does not load, or not at this moment, is
 * opened for the CPU: see `rnv_model_info.npu` and rnv_model_npu_load().
 *
 * @param sched  scheduler
 * @param config copied
 * @param model  receives the handle
 * @param diag   receives why the package was refused; may be NULL
 * @retval RNV_OK     open
 * @retval RNV_EEXIST a model of that name is open
 * @retval RNV_EAGAIN no slot is free
 * @retval RNV_ENOMEM the arena of a lane, the scheduler's row of externals, or the state's memory
 *                    is too small; `diag->value` has the need where it is given
 * @retval RNV_EINVAL NULL, unknown flags or lanes; a model with state bound to several lanes
 * @retval others     as rnv_package_open()
 */
int rnv_model_open(struct rnv_sched *sched, const struct rnv_model_config *config, uint32_t *model,
		   struct rnv_diag *diag);

/**
 * Whether a package of such a header would find the memory that rnv_model_open() asks for.
 *
 * @param sched  scheduler
 * @param header need not be part of a package
 * @param config `lanes`, `state` and `state_bytes` count
 * @param diag   `value` receives the need where memory is too small
 * @retval RNV_OK     it would
 * @retval RNV_ENOMEM as rnv_model_open()
 * @retval RNV_EINVAL state, and several lanes
 * @retval RNV_EALIGN `state` is not 16-byte aligned
 */
int rnv_model_fits(struct rnv_sched *sched, const struct rnv_header *header,
		   const struct rnv_model_config *config, struct rnv_diag *diag);

/**
 * Close a model.
 *
 * @retval RNV_OK     closed; its memory is the caller's again and its handle is dead
 * @retval RNV_ENOENT no such model
 * @retval RNV_EBUSY  it has jobs: drain first; or a lane is claimed for it
 */
int rnv_model_close(struct rnv_sched *sched, uint32_t model);

/**
 * Bind a model to another lane.
 *
 * @retval RNV_OK     bound (also if it was)
 * @retval RNV_ENOENT no such model
 * @retval RNV_EINVAL no such lane; a second lane for a model with state
 * @retval RNV_ENOMEM the lane's arena is too small
 */
int rnv_model_bind(struct rnv_sched *sched, uint32_t model, uint32_t lane);

/**
 * Unbind a model from a lane: further jobs are refused there.
 *
 * @retval RNV_OK     not bound (also if it was not)
 * @retval RNV_ENOENT no such model
 * @retval RNV_EINVAL no such lane
 * @retval RNV_EBUSY  it has jobs in that lane, or the lane is claimed for it, or another thread is
 *                    just unbinding it there; while it looks, new jobs there get RNV_ESTATE
 */
int rnv_model_unbind(struct rnv_sched *sched, uint32_t model, uint32_t lane);

/** Whether jobs that are queued run or are cancelled when their model is drained. */
enum rnv_drain {
	RNV_DRAIN_FINISH = 0, /**< all run */
	RNV_DRAIN_CANCEL = 1, /**< queued ones end now, started ones at the next step boundary */
};

/**
 * Refuse further jobs of a model and let those that it has come to an end. Covers queued, started
 * and waiting jobs.
 *
 * Bounded: with RNV_DRAIN_CANCEL by one step, or the driver's stop (with a thread per lane, and by
 * whatever more urgent lanes execute before that step can end); with RNV_DRAIN_FINISH by the jobs.
 * A zombie of a quarantined accelerator ends with rnv_npu_recover().
 *
 * A job that has ended no longer counts when its `done` is called, so that this may drain and close
 * its own model. Another thread may therefore find no jobs while the last `done` is about to be
 * called, or runs: what that needs has to live until it has returned.
 *
 * @param sched scheduler
 * @param model handle
 * @param how   enum rnv_drain
 * @retval RNV_OK     it has no jobs now
 * @retval RNV_EAGAIN it still has: ask again (`completed` hook), rnv_model_info.jobs tells
 * @retval RNV_ENOENT no such model
 * @retval RNV_EINVAL unknown `how`
 */
int rnv_model_drain(struct rnv_sched *sched, uint32_t model, uint32_t how);

/**
 * End a drain: accept jobs again.
 *
 * @retval RNV_OK     accepting
 * @retval RNV_ENOENT no such model
 */
int rnv_model_undrain(struct rnv_sched *sched, uint32_t model);

/**
 * Replace the package of a drained model. From a thread: verifies the new one as rnv_model_open().
 * On an error the old one stays, drained.
 *
 * The persistent state is kept only if both packages' `state_layout` are equal; else it is zero.
 *
 * @param sched  scheduler
 * @param config `lanes` 0 keeps the present ones; `state` NULL keeps the present memory
 * @param model  in: the handle; out: that of the replacement, accepting jobs; the old one is dead
 * @param kept   receives 1 where the state was kept, else 0; may be NULL
 * @param diag   receives why the package was refused; may be NULL
 * @retval RNV_OK     replaced
 * @retval RNV_EBUSY  it is not drained, or has jobs, a lane is claimed for it, or another thread is
 *                    just unbinding it
 * @retval RNV_ENOENT no such model
 * @retval others     as rnv_model_open()
 */
int rnv_model_swap(struct rnv_sched *sched, const struct rnv_model_config *config, uint32_t *model,
		   uint32_t *kept, struct rnv_diag *diag);

/**
 * Clear a model's persistent state: zero, and no longer stale.
 *
 * @retval RNV_OK     clear
 * @retval RNV_ENOENT no such model
 * @retval RNV_EBUSY  it has jobs
 */
int rnv_model_reset(struct rnv_sched *sched, uint32_t model);

/**
 * Load a model's marked steps into the accelerator again, or for the first time: where
 * `rnv_model_info.npu` is 0 since it was busy, suspended or quarantined when the model was opened
 * or swapped. From a thread: takes as long as the driver's load(). Meanwhile the model's jobs are
 * refused (RNV_ESTATE).
 *
 * @retval RNV_OK      loaded: its further jobs use the accelerator
 * @retval RNV_ENOENT  no such model
 * @retval RNV_EBUSY   it has jobs (drain first), or the accelerator is busy: try again
 * @retval RNV_ESTATE  the accelerator is suspended or quarantined
 * @retval RNV_ENOTSUP there is none, no step is marked, or it cannot execute one that is
 * @retval RNV_EIO     the accelerator does not answer
 */
int rnv_model_npu_load(struct rnv_sched *sched, uint32_t model);

/**
 * Handle of the open model of a name.
 *
 * @return handle, or RNV_NO_HANDLE
 */
uint32_t rnv_model_find(struct rnv_sched *sched, const char *name);

/**
 * The open model after another, for listing.
 *
 * @param sched scheduler
 * @param model handle (of a model that may have been closed since), or RNV_NO_HANDLE to begin
 * @return handle, or RNV_NO_HANDLE at the end
 */
uint32_t rnv_model_next(struct rnv_sched *sched, uint32_t model);

/**
 * Describe a model.
 *
 * @retval RNV_OK     filled
 * @retval RNV_ENOENT no such model
 */
int rnv_model_info_get(struct rnv_sched *sched, uint32_t model, struct rnv_model_info *info);

#define RNV_LAYOUT_TENSORS 12 /**< Tensors whose sizes a struct rnv_model_layout has. */

/** What an entry point takes and gives, as RNV_JOB_PACKED lays it out. */
struct rnv_model_layout {
	uint32_t lanes;   /**< bit l: bound to lane l */
	uint32_t bytes;   /**< of the block */
	uint16_t inputs;  /**< number of inputs */
	uint16_t outputs; /**< number of outputs, behind them */
	/** Of each tensor; 0 where it is resident, and behind the last. */
	uint32_t tensor_bytes[RNV_LAYOUT_TENSORS];
};

/**
 * What a job of an entry point takes in one block of memory. The model counts a job more meanwhile.
 *
 * @param sched  scheduler
 * @param model  handle
 * @param entry  entry point number
 * @param layout filled on RNV_OK
 * @retval RNV_OK        filled; the sizes stay so until the model is swapped, `lanes` may change
 * @retval RNV_ENOENT    no such model
 * @retval RNV_EINVAL    no such entry point
 * @retval RNV_ESTATE    it is being drained: later, or look it up again
 * @retval RNV_EOVERFLOW more bytes than 32 bits can hold
 */
int rnv_model_layout(struct rnv_sched *sched, uint32_t model, uint32_t entry,
		     struct rnv_model_layout *layout);

/**
 * Op of a step, to name what a profile counts.
 *
 * @param sched scheduler
 * @param model handle
 * @param step  number in the package
 * @retval >=0        op code
 * @retval RNV_ENOENT no such model or step
 */
int rnv_model_step_op(struct rnv_sched *sched, uint32_t model, uint32_t step);

/* --- lanes ----------------------------------------------------------------------------------- */

/** What a full lane does with one more job. */
enum rnv_overload {
	RNV_OVERLOAD_REFUSE = 0,      /**< refuses it */
	RNV_OVERLOAD_DROP_OLDEST = 1, /**< drops the one that has been queued for longest */
};

/** `rnv_lane_config.flags`: the lane permits RNV_JOB_ATOMIC. */
#define RNV_LANE_ATOMIC 0x1

/** A lane as the caller wants it. Copied. */
struct rnv_lane_config {
	void *arena;            /**< activation arena, 16-byte aligned */
	uint32_t arena_bytes;   /**< its size; the largest of the models bound to the lane */
	struct rnv_job **queue; /**< `depth` pointers for the queue, of any content */
	uint16_t depth;         /**< queued jobs, without the started one: 1..RNV_LANE_MAX_DEPTH */
	uint8_t overload;       /**< enum rnv_overload */
	uint8_t flags;          /**< RNV_LANE_ATOMIC */
};

/** What a lane has done; counters wrap at 2^32, `longest_*` are never reset. */
struct rnv_lane_stats {
	uint32_t submitted;         /**< accepted */
	uint32_t completed;         /**< ended with RNV_OK */
	uint32_t missed;            /**< of these, after their deadline */
	uint32_t cancelled;         /**< ended with RNV_ECANCELED */
	uint32_t dropped;           /**< ended with RNV_ENOBUFS or RNV_ETIME */
	uint32_t failed;            /**< ended with another error */
	uint32_t refused;           /**< not accepted: queue full, no slot, or admission */
	uint32_t preempted;         /**< times that a more urgent lane took over */
	uint32_t queued;            /**< queued now */
	uint32_t most_queued;       /**< most ever queued */
	uint32_t arena_bytes;       /**< the arena's size now (less while a part is quarantined) */
	uint32_t arena_high_water;  /**< largest `arena_bytes` of a package that ran here */
	uint32_t longest_queued_us; /**< longest from submission to first step */
	uint32_t longest_step_blocked_us; /**< longest blocking by a step of a less urgent lane */
	uint32_t longest_npu_blocked_us;  /**< longest wait for the accelerator held by another lane
					   */
	uint32_t longest_atomic_blocked_us; /**< longest blocking by an RNV_JOB_ATOMIC job */
};

/** A lane; all members are private. Lanes are an array of the caller's. */
struct rnv_lane {
	struct rnv_exec exec;        /**< @private run of `current` */
	struct rnv_job *current;     /**< @private started job */
	struct rnv_job *zombie;      /**< @private job that a quarantined accelerator holds */
	struct rnv_job *oldest;      /**< @private jobs by submission, where the lane drops them */
	struct rnv_job *newest;      /**< @private */
	struct rnv_job **queue;      /**< @private queued jobs, at fixed places */
	uint8_t *arena;              /**< @private usable part */
	uint32_t arena_bytes;        /**< @private */
	uint32_t held_bytes;         /**< @private in front of it, held for `zombie` */
	uint32_t bit;                /**< @private 1 << number */
	uint32_t used;               /**< @private bit p: place p of `queue` is taken */
	uint32_t order;              /**< @private next submission number */
	uint32_t claim;              /**< @private handle of the model that it is claimed for */
	uint32_t ready_us;           /**< @private when a step began to block it; low half */
	uint64_t npu_since_us;       /**< @private since when it waits for the accelerator */
	uint32_t blocked_us;         /**< @private to be added to the next job that runs */
	uint32_t npu_serial;         /**< @private of its request */
	uint32_t zombie_serial;      /**< @private of that of `zombie` */
	int32_t npu_status;          /**< @private how its request ended */
	uint16_t depth;              /**< @private */
	uint16_t count;              /**< @private queued jobs */
	uint16_t room;               /**< @private queued jobs that it takes now */
	uint8_t root;                /**< @private leaves of `first` */
	uint8_t overload;            /**< @private */
	uint8_t dropping;            /**< @private the completion of a dropped job is running */
	uint8_t flags;               /**< @private */
	uint8_t number;              /**< @private */
	uint8_t preempted;           /**< @private another lane has taken over */
	uint8_t npu_use;             /**< @private marked steps of `current` are not simply run */
	uint8_t npu_state;           /**< @private where its request is */
	uint8_t zombie_over;         /**< @private nobody accesses memory of `zombie` any more */
	uint8_t first[64];           /**< @private tournament: the place that is first, by node */
	struct rnv_lane_stats stats; /**< @private */
};

/**
 * Claim a lane for a model with resident inputs and outputs: until it is released, the lane takes
 * jobs of that model only, and between them its arena is the caller's.
 *
 * @retval RNV_OK     claimed
 * @retval RNV_ENOENT no such model
 * @retval RNV_EINVAL no such lane
 * @retval RNV_ESTATE the model is not bound to the lane
 * @retval RNV_EBUSY  the lane has jobs or is claimed
 */
int rnv_lane_claim(struct rnv_sched *sched, uint32_t lane, uint32_t model);

/**
 * Release a claim.
 *
 * @retval RNV_OK     free for all models
 * @retval RNV_EINVAL no such lane
 * @retval RNV_ESTATE not claimed
 * @retval RNV_EBUSY  it has jobs
 */
int rnv_lane_release(struct rnv_sched *sched, uint32_t lane);

/**
 * Address of a resident tensor of the model that a lane is claimed for. The bytes are the caller's
 * while no job of the lane is submitted.
 *
 * @param sched  scheduler
 * @param lane   lane number
 * @param tensor as given by rnv_package_input() and rnv_package_output()
 * @return address in the lane's arena, or NULL: no such lane, not claimed, not a resident tensor
 */
void *rnv_lane_tensor(struct rnv_sched *sched, uint32_t lane, uint16_t tensor);

/**
 * Read a lane's counters.
 *
 * @retval RNV_OK     filled
 * @retval RNV_EINVAL no such lane
 */
int rnv_lane_stats_get(struct rnv_sched *sched, uint32_t lane, struct rnv_lane_stats *stats);

/* --- the scheduler --------------------------------------------------------------------------- */

/**
 * Calls out of the scheduler. Each may be NULL, none is called in a critical section. The caller's;
 * `trace` alone may be exchanged later, by one store, its context having been stored before.
 */
struct rnv_sched_hooks {
	/** Lane `lane` has work: let rnv_sched_run() or rnv_lane_run() be called. Must be callable
	 * from every context that submits, interrupts included, and only note it. */
	void (*wake)(void *context, uint32_t lane);
	/** A job without callback is complete (`job`), or one of a draining model (any): threads
	 * that wait ask again. Context as for rnv_job_request.done. */
	void (*completed)(void *context, uint32_t job);
	/** An event, in the context where it happens. Must be quick: it delays what it observes. */
	void (*trace)(void *context, const struct rnv_trace_event *event);
	/** Whether a job with a deadline shall be accepted: RNV_OK, or RNV_ETIME. See admission.h.
	 */
	int (*admit)(void *context, struct rnv_sched *sched, const struct rnv_job_request *request);
	void *wake_context;  /**< for `wake` and `completed` */
	void *trace_context; /**< for `trace` */
	void *admit_context; /**< for `admit` */
};

/** Memory and wiring of a scheduler. Copied; what it points to is the scheduler's for its life. */
struct rnv_sched_config {
	const struct rnv_lane_config
		*lane_configs;    /**< read by init only; [0] is the most urgent */
	struct rnv_lane *lanes;   /**< `lane_count`, of any content */
	struct rnv_job *jobs;     /**< `job_count`, of any content */
	struct rnv_model *models; /**< `model_count`, of any content */
	void **externals;         /**< `job_count` rows of `externals_per_job` pointers */
	uint16_t lane_count;      /**< 1..RNV_SCHED_MAX_LANES */
	uint16_t job_count;   /**< 1..RNV_SCHED_MAX_JOBS: queued, started and uncollected jobs */
	uint16_t model_count; /**< 1..65535 */
	uint16_t externals_per_job;          /**< most inputs and outputs of a model */
	struct rnv_npu *npu;                 /**< accelerator, or NULL */
	const struct rnv_sched_hooks *hooks; /**< never copied; NULL: none */
};

/** A scheduler; all members are private. */
struct rnv_sched {
	struct rnv_lane *lanes;              /**< @private */
	struct rnv_job *jobs;                /**< @private */
	struct rnv_model *models;            /**< @private */
	struct rnv_job *free;                /**< @private */
	struct rnv_npu *npu;                 /**< @private */
	const struct rnv_sched_hooks *hooks; /**< @private */
	struct rnv_lane *on;                 /**< @private cooperative: lane that goes on */
	uint64_t npu_limit_us; /**< @private cooperative: the accelerator's time-out */
	uint64_t npu_event_us; /**< @private first event that nobody has looked at */
	uint32_t ready;        /**< @private bit l: lane l has work; and what is due */
	uint32_t stop;         /**< @private cooperative: bits of `ready` that stop `on` */
	uint32_t blocked; /**< @private bit l: a less urgent step began before lane l was ready */
	uint32_t active;  /**< @private thread per lane: bit l: lane l executes */
	uint32_t expect;  /**< @private cooperative: of these, the bit of `on` */
	uint32_t npu_waiting; /**< @private bit l: lane l waits for the accelerator to be free */
	uint32_t npu_away;    /**< @private bit l: the accelerator has a request of lane l */
	uint32_t above;       /**< @private cooperative: more urgent lanes than the one that runs */
	uint32_t atomic;      /**< @private cooperative: its job is not taken over */
	uint16_t lane_count;  /**< @private */
	uint16_t job_count;   /**< @private */
	uint16_t model_count; /**< @private */
	uint16_t externals_per_job; /**< @private */
};

/**
 * Initialise.
 *
 * @retval RNV_OK     ready, without models
 * @retval RNV_EINVAL NULL, or a number out of range
 * @retval RNV_EALIGN an arena is not 16-byte aligned
 */
int rnv_sched_init(struct rnv_sched *sched, const struct rnv_sched_config *config);

/**
 * Cooperative driver: execute at most one step of the most urgent lane that can run, and what is
 * due around it (accelerator events, time-outs, completions). By the driver's thread only.
 *
 * @retval 1 something was done: call again
 * @retval 0 idle: call again after `wake`, or at rnv_sched_next_us()
 */
int rnv_sched_step(struct rnv_sched *sched);

/** Cooperative driver: rnv_sched_step() until it is idle. */
void rnv_sched_run(struct rnv_sched *sched);

/**
 * Driver with a thread per lane: execute the jobs of one lane until it has none that can run. By
 * that lane's thread only; call again after `wake` for that lane, or at rnv_sched_next_us().
 *
 * @retval RNV_OK     idle
 * @retval RNV_EINVAL no such lane
 */
int rnv_lane_run(struct rnv_sched *sched, uint32_t lane);

/**
 * When a driver must be called although nothing woke it: the accelerator's time-out.
 *
 * @return absolute time, or RNV_NEVER
 */
uint64_t rnv_sched_next_us(struct rnv_sched *sched);

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_SCHED_H_ */
