/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_PROF_H_
#define RANVIER_PROF_H_

/**
 * @file
 * @brief The profiler: cycles of every step, times of jobs, and a ring of the last events.
 *
 * rnv_prof_trace() is the scheduler's `trace` hook. A build that does not use it has none of it:
 * zero bytes, zero calls. All memory is the caller's: `struct rnv_prof`, one `struct
 * rnv_prof_model` for each slot of the scheduler, 32 bytes for each step of a model that is
 * watched, and 16 bytes for each event that is kept.
 *
 * What a step took is its own: the time of more urgent steps that ran inside of it (thread per
 * lane) is taken off. The scheduler's own work around these, completions, other threads and
 * interrupts are not told apart and count as the step's, so figures err to the high side.
 *
 * Unless said otherwise every function may be called from any thread; rnv_prof_trace() also from
 * interrupts. Critical sections are of constant length.
 */

#include <stdint.h>

#include "ranvier/status.h"
#include "ranvier/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Lanes that are told apart: those of a scheduler. */
#define RNV_PROF_MAX_LANES 8

/** Buckets of a histogram: 0 to 7 us each, then four for every doubling. */
#define RNV_PROF_BUCKETS 124

/** Bytes of a line of rnv_prof_dump_line(), its end included. */
#define RNV_PROF_LINE_BYTES 88

/** `rnv_prof_config.flags`: lanes run on several cores at once, so nothing is taken off. */
#define RNV_PROF_PARALLEL 0x1

/** Cycles of a step. Zero where it never ran. */
struct rnv_prof_step {
	uint64_t total_cycles;   /**< sum over `runs` */
	uint32_t runs;           /**< times that the CPU ran it */
	uint32_t min_cycles;     /**< shortest */
	uint32_t max_cycles;     /**< longest */
	uint32_t last_cycles;    /**< the latest one */
	uint32_t npu_runs;       /**< times that the accelerator ran it */
	uint32_t npu_max_cycles; /**< longest of these, from request to end */
};

/** What is measured of jobs. */
enum rnv_prof_time {
	RNV_PROF_QUEUEING = 0, /**< from submission to the first step */
	RNV_PROF_BLOCKING = 1, /**< waiting for a step of a less urgent lane */
	RNV_PROF_RESPONSE = 2, /**< from submission to completion */
};

/** A distribution of times; all members are private. */
struct rnv_prof_stat {
	uint64_t total_us;                  /**< @private */
	uint32_t count;                     /**< @private */
	uint32_t min_us;                    /**< @private */
	uint32_t max_us;                    /**< @private */
	uint32_t buckets[RNV_PROF_BUCKETS]; /**< @private */
};

/**
 * A distribution in five numbers. Percentiles are nearest ranks, told by the middle of a bucket:
 * exact below 8 us, else within 12.5 percent. The others are exact.
 */
struct rnv_prof_summary {
	uint32_t count;   /**< jobs; 0: all else is 0 */
	uint32_t min_us;  /**< shortest */
	uint32_t mean_us; /**< mean, rounded down */
	uint32_t p50_us;  /**< median */
	uint32_t p99_us;  /**< 99 of 100 took at most that */
	uint32_t max_us;  /**< longest */
};

/** A model to watch. Copied; what it points to is the profiler's until the slot is watched anew. */
struct rnv_prof_target {
	struct rnv_prof_step *steps; /**< `step_count` entries, of any content */
	uint16_t step_count;         /**< steps of the package */
	uint32_t package_crc;        /**< the package's `crc32`, so that a trace names its model */
	uint32_t arena_bytes;        /**< the package's, for the lanes' high-water marks */
};

/** What is known of a slot's jobs. */
struct rnv_prof_jobs {
	uint32_t completed;               /**< ended with RNV_OK */
	uint32_t failed;                  /**< ended otherwise; not in `times` */
	uint32_t missed;                  /**< completed after their deadline */
	uint32_t arena_bytes;             /**< of the arena, in use while one runs */
	struct rnv_prof_summary times[3]; /**< by enum rnv_prof_time */
};

/** A slot; all members are private. Slots are an array of the caller's. */
struct rnv_prof_model {
	struct rnv_prof_step *steps;   /**< @private NULL: not watched */
	uint16_t step_count;           /**< @private */
	uint32_t package_crc;          /**< @private */
	uint32_t arena_bytes;          /**< @private */
	uint32_t completed;            /**< @private */
	uint32_t failed;               /**< @private */
	uint32_t missed;               /**< @private */
	struct rnv_prof_stat times[3]; /**< @private by enum rnv_prof_time */
};

/** An event of the ring; all members are private. Records are an array of the caller's. */
struct rnv_prof_record {
	uint32_t cycles; /**< @private */
	uint32_t job;    /**< @private */
	uint32_t value;  /**< @private by kind, see SPEC.md */
	uint16_t model;  /**< @private */
	uint8_t kind;    /**< @private kind, and the lane from bit 5 on */
	int8_t status;   /**< @private */
};

/** What goes on in a lane; all members are private. */
struct rnv_prof_lane {
	uint32_t step_begin;       /**< @private cycles */
	uint32_t taken;            /**< @private cycles of more urgent steps within the step */
	uint32_t npu_begin;        /**< @private cycles */
	uint32_t arena_high_water; /**< @private */
	uint16_t step;             /**< @private */
	uint16_t npu_step;         /**< @private */
	uint8_t outer;             /**< @private lane whose step this one runs inside of */
};

/** Memory of a profiler. Copied; what it points to is the profiler's for its life. */
struct rnv_prof_config {
	struct rnv_prof_model *models;   /**< `model_count` slots, of any content */
	struct rnv_prof_record *records; /**< `record_count`, of any content; NULL: no ring */
	uint32_t record_count;           /**< events to keep: 0..2^24 */
	uint16_t model_count;            /**< the scheduler's, at least 1 */
	uint16_t flags;                  /**< RNV_PROF_* */
};

/** A profiler; all members are private. */
struct rnv_prof {
	struct rnv_prof_lane lanes[RNV_PROF_MAX_LANES]; /**< @private */
	struct rnv_prof_model *models;                  /**< @private */
	struct rnv_prof_record *records;                /**< @private */
	uint32_t record_count;                          /**< @private */
	uint32_t used;                                  /**< @private records that hold an event */
	uint32_t next;                                  /**< @private record to write */
	uint32_t lost;                                  /**< @private events written over */
	uint16_t model_count;                           /**< @private */
	uint8_t parallel;                               /**< @private */
	uint8_t on;                                     /**< @private */
	uint8_t in_step;                                /**< @private bit l: lane l is in a step */
	uint8_t in_npu; /**< @private bit l: the accelerator has a step of lane l */
};

/**
 * Initialise. Off, and no slot is watched.
 *
 * @param prof   profiler to fill
 * @param config copied
 * @retval RNV_OK     ready
 * @retval RNV_EINVAL NULL, no slots, too many records, or unknown flags
 */
int rnv_prof_init(struct rnv_prof *prof, const struct rnv_prof_config *config);

/**
 * The scheduler's `trace` hook.
 *
 * Takes a constant time. Events of slots that are not watched, and of steps that a target does not
 * have, only go to the ring.
 *
 * @param prof  the hook's `context`: a struct rnv_prof
 * @param event what happened
 */
void rnv_prof_trace(void *prof, const struct rnv_trace_event *event);

/**
 * Watch the model of a slot, from zero: to be called when it is opened and when it is swapped. By
 * one thread at a time for each slot.
 *
 * @param prof   profiler
 * @param slot   number of the model's slot, as in struct rnv_trace_event
 * @param target the model; NULL: watch none
 * @retval RNV_OK     watched
 * @retval RNV_EINVAL no such slot, or no steps
 */
int rnv_prof_watch(struct rnv_prof *prof, uint32_t slot, const struct rnv_prof_target *target);

/**
 * Switch on or off. What was counted stays; what is under way when it is switched is not counted.
 *
 * @param prof profiler
 * @param on   0: off
 */
void rnv_prof_enable(struct rnv_prof *prof, uint32_t on);

/** Zero all that was counted, and empty the ring. By one thread, as rnv_prof_watch(). */
void rnv_prof_reset(struct rnv_prof *prof);

/**
 * Read a step's cycles.
 *
 * @param prof   profiler
 * @param slot   number of the model's slot
 * @param number step number
 * @param step   receives a consistent copy
 * @retval RNV_OK     filled
 * @retval RNV_ENOENT no such slot, or not watched
 * @retval RNV_EINVAL no such step: the steps are over
 */
int rnv_prof_step_get(struct rnv_prof *prof, uint32_t slot, uint32_t number,
		      struct rnv_prof_step *step);

/**
 * Read what is known of a slot's jobs. Not for interrupts: goes through all buckets.
 *
 * @retval RNV_OK     filled
 * @retval RNV_ENOENT no such slot, or not watched
 */
int rnv_prof_jobs_get(struct rnv_prof *prof, uint32_t slot, struct rnv_prof_jobs *jobs);

/**
 * Jobs in a bucket of a histogram.
 *
 * @param prof   profiler
 * @param slot   number of the model's slot
 * @param time   enum rnv_prof_time
 * @param bucket 0..RNV_PROF_BUCKETS - 1
 * @return count; 0 where there is no such slot, time or bucket
 */
uint32_t rnv_prof_bucket_get(struct rnv_prof *prof, uint32_t slot, uint32_t time, uint32_t bucket);

/**
 * Least time of a bucket: it reaches to below that of the next one.
 *
 * @param bucket 0..RNV_PROF_BUCKETS - 1
 * @return microseconds
 */
uint32_t rnv_prof_bucket_us(uint32_t bucket);

/**
 * Most of a lane's arena that a watched model has used.
 *
 * @return bytes; 0 where there is no such lane
 */
uint32_t rnv_prof_arena_high_water(struct rnv_prof *prof, uint32_t lane);

/**
 * Copy a part of the dump (SPEC.md, Trace): what was counted, and the ring. The same bytes at every
 * call while it is off and nothing is reset or watched.
 *
 * @param prof   profiler
 * @param offset from the dump's beginning
 * @param data   receives at most `bytes`
 * @param bytes  at most 2^30
 * @retval >=0        bytes copied; fewer than asked for at the dump's end
 * @retval RNV_ESTATE it is on
 */
int rnv_prof_dump(struct rnv_prof *prof, uint32_t offset, void *data, uint32_t bytes);

/**
 * The next line of the dump as text, for a console.
 *
 * @param prof   profiler
 * @param offset in: 0 to begin; out: where the next line begins
 * @param line   receives RNV_PROF_LINE_BYTES: text without line feed, with a terminating zero
 * @retval >0         length of the text
 * @retval 0          the dump is over
 * @retval RNV_ESTATE it is on
 */
int rnv_prof_dump_line(struct rnv_prof *prof, uint32_t *offset, char *line);

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_PROF_H_ */
