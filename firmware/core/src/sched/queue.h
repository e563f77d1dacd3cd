/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_SCHED_QUEUE_H_
#define RNV_SCHED_QUEUE_H_

/*
 * The queue of a lane: by deadline, equal ones by submission, and all by submission for the policy
 * of a full lane. Jobs of a model with persistent state run in the order of their submission: only
 * the first of them competes, the others are behind it.
 *
 * A tournament and not a heap: it takes log2(depth) comparisons whatever is done to it, where a
 * heap takes two for each level to take its first. Only in critical sections.
 */

#include "ranvier/sched.h"

/* Empty; `depth` of the lane is set. */
void rnv_queue_init(struct rnv_lane *lane);

/* The job that runs next; the queue is not empty. */
struct rnv_job *rnv_queue_head(const struct rnv_lane *lane);

/* Queue a job, whose `in_chain` tells whether its model has state; the lane is not full. */
void rnv_queue_push(struct rnv_lane *lane, struct rnv_model *model, struct rnv_job *job);

/* Take a queued job out. */
void rnv_queue_remove(struct rnv_sched *sched, struct rnv_lane *lane, struct rnv_job *job);

/* The deadline of a queued job was changed. */
void rnv_queue_moved(struct rnv_lane *lane, const struct rnv_job *job);

#endif /* RNV_SCHED_QUEUE_H_ */
