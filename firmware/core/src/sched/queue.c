/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stdbool.h>
#include <stddef.h>

#include "sched/internal.h"
#include "sched/queue.h"

/*
 * Jobs stay at their place while they are queued. Nodes 2 and 3 are the roots of two complete
 * binary trees, node n has the children 2n and 2n + 1, and node `root` + p is the leaf of place p.
 * Each node has the place of the job that is first below it. The last comparison, of the two roots,
 * is made by who asks: changes are the longest parts of critical sections, and this one part less.
 */
#define NOWHERE 0xFFu

void rnv_queue_init(struct rnv_lane *lane)
{
	uint32_t leaves = 2;

	while (leaves < lane->depth) {
		leaves *= 2u;
	}
	for (uint32_t i = 0; i < sizeof(lane->first); i++) {
		lane->first[i] = NOWHERE;
	}
	lane->root = (uint8_t)leaves;
	lane->used = 0;
}

struct rnv_job *rnv_queue_head(const struct rnv_lane *lane)
{
	uint32_t left = lane->first[2];
	uint32_t right = lane->first[3];
	struct rnv_job *a;
	struct rnv_job *b;

	if (right == NOWHERE) {
		return lane->queue[left];
	}
	b = lane->queue[right];
	if (left == NOWHERE) {
		return b;
	}
	a = lane->queue[left];
	if (a->deadline_us == b->deadline_us) {
		return ((int32_t)(a->order - b->order) < 0) ? a : b;
	}
	return (a->deadline_us < b->deadline_us) ? a : b;
}

/*
 * Enter the job of `place`. It was submitted last, so it is behind what has its deadline; and where
 * another one stays first, nothing changes further up.
 */
static void enter(struct rnv_lane *lane, uint32_t place, uint64_t deadline_us)
{
	struct rnv_job *const *queue = lane->queue;
	uint8_t *first = lane->first;
	uint32_t node = lane->root + place;

	first[node] = (uint8_t)place;
	while (node > 3u) {
		uint32_t other = first[node ^ 1u];

		if (other != NOWHERE && queue[other]->deadline_us <= deadline_us) {
			return;
		}
		node >>= 1;
		first[node] = (uint8_t)place;
	}
}

/*
 * Play again all from `node` up, where the job of `place` is first. In words of 32 bits, and with
 * nothing read twice: this is the longest part of critical sections.
 */
static void replay(const struct rnv_lane *lane, uint8_t *first, uint32_t node, uint32_t place)
{
	struct rnv_job *const *queue = lane->queue;
	uint32_t order = queue[place]->order;
	uint32_t high = (uint32_t)(queue[place]->deadline_us >> 32);
	uint32_t low = (uint32_t)queue[place]->deadline_us;

	first[node] = (uint8_t)place;
	while (node > 3u) {
		uint32_t other = first[node ^ 1u];

		node >>= 1;
		if (other != NOWHERE) {
			const struct rnv_job *rival = queue[other];
			uint32_t rival_high = (uint32_t)(rival->deadline_us >> 32);
			uint32_t rival_low = (uint32_t)rival->deadline_us;
			bool before = (rival_high == high) ? rival_low < low : rival_high < high;

			if (rival_high == high && rival_low == low) {
				before = (int32_t)(rival->order - order) < 0;
			}
			if (before) {
				place = other;
				high = rival_high;
				low = rival_low;
				order = rival->order;
			}
		}
		first[node] = (uint8_t)place;
	}
}

/* Nothing is at `place` any more. */
static void vacate(struct rnv_lane *lane, uint32_t place)
{
	uint8_t *first = lane->first;
	uint32_t node = lane->root + place;

	first[node] = NOWHERE;
	while (node > 3u) {
		uint32_t other = first[node ^ 1u];

		node >>= 1;
		if (other != NOWHERE) {
			replay(lane, first, node, other);
			return;
		}
		first[node] = NOWHERE;
	}
}

/* Behind the last queued job of its model. */
static bool follow(struct rnv_model *model, struct rnv_job *job)
{
	struct rnv_job *ahead = model->newest;

	job->ahead = ahead;
	job->behind = NULL;
	model->newest = job;
	if (ahead != NULL) {
		ahead->behind = job;
		job->place = NOWHERE;
	}
	return ahead != NULL;
}

/* Lists by submission: only where the oldest job may have to be found. */

static void append(struct rnv_lane *lane, struct rnv_job *job)
{
	job->older = lane->newest;
	job->newer = NULL;
	lane->newest = job;
	if (job->older != NULL) {
		job->older->newer = job;
	} else {
		lane->oldest = job;
	}
}

static void unlink_job(struct rnv_lane *lane, struct rnv_job *job)
{
	if (job->older != NULL) {
		job->older->newer = job->newer;
	} else {
		lane->oldest = job->newer;
	}
	if (job->newer != NULL) {
		job->newer->older = job->older;
	} else {
		lane->newest = job->older;
	}
}

void rnv_queue_push(struct rnv_lane *lane, struct rnv_model *model, struct rnv_job *job)
{
	job->order = lane->order++;
	lane->count++;
	if (lane->overload == RNV_OVERLOAD_DROP_OLDEST) {
		append(lane, job);
	}
	if (job->in_chain == 0u || !follow(model, job)) {
		uint32_t place = rnv_lowest(~lane->used);

		lane->used |= 1u << place;
		lane->queue[place] = job;
		job->place = (uint8_t)place;
		enter(lane, place, job->deadline_us);
	}
}

/* Take a job out of the chain of its model; returns the one that takes its place in the queue. */
static struct rnv_job *leave(struct rnv_model *model, struct rnv_job *job)
{
	struct rnv_job *behind = job->behind;

	if (behind != NULL) {
		behind->ahead = job->ahead;
	} else {
		model->newest = job->ahead;
	}
	if (job->ahead != NULL) {
		job->ahead->behind = behind;
	}
	return behind;
}

void rnv_queue_remove(struct rnv_sched *sched, struct rnv_lane *lane, struct rnv_job *job)
{
	struct rnv_job *next = NULL;
	uint32_t place = job->place;

	lane->count--;
	if (lane->overload == RNV_OVERLOAD_DROP_OLDEST) {
		unlink_job(lane, job);
	}
	if (job->in_chain != 0u) {
		next = leave(rnv_model_slot(sched, job->model), job);
		if (place == NOWHERE) {
			return;
		}
	}
	if (next != NULL) {
		next->place = (uint8_t)place;
		lane->queue[place] = next;
		replay(lane, lane->first, lane->root + place, place);
	} else {
		lane->used &= ~(1u << place);
		vacate(lane, place);
	}
}

void rnv_queue_moved(struct rnv_lane *lane, const struct rnv_job *job)
{
	if (job->place != NOWHERE) {
		replay(lane, lane->first, lane->root + (uint32_t)job->place, job->place);
	}
}
