/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* One thread drives all lanes and changes between them at step boundaries. */

#include "sched/internal.h"

/* A step blocked `lane`, or a job that is not taken over. In a critical section. */
static void note_blocking(struct rnv_lane *lane, uint64_t now_us, bool atomic)
{
	uint32_t blocked_us = (uint32_t)now_us - lane->ready_us;
	uint32_t *longest = atomic ? &lane->stats.longest_atomic_blocked_us
				   : &lane->stats.longest_step_blocked_us;

	lane->blocked_us += blocked_us;
	if (blocked_us > *longest) {
		*longest = blocked_us;
	}
}

/*
 * A more urgent lane takes over from `loser`, if that is not NULL, and what blocked `lanes`, if
 * anything did, is over.
 */
static void take_over(struct rnv_sched *sched, struct rnv_lane *loser, uint32_t lanes)
{
	uint32_t key = rnv_critical_enter();
	uint64_t now_us = rnv_now_us(); /* not before: no lane became ready later */

	lanes &= sched->blocked;
	rnv_store(&sched->blocked, sched->blocked & ~lanes);
	for (; lanes != 0u; lanes &= lanes - 1u) {
		note_blocking(&sched->lanes[rnv_lowest(lanes)], now_us, sched->atomic != 0u);
	}
	if (loser != NULL) {
		struct rnv_job *job = loser->current;

		loser->preempted = 1;
		loser->stats.preempted++;
		if (job->preemptions < UINT8_MAX) {
			job->preemptions++;
		}
	}
	rnv_critical_exit(key);
	if (loser != NULL && rnv_is_traced(sched)) {
		rnv_trace_job(sched, RNV_TRACE_PREEMPT, loser->current);
	}
}

/* What is due besides steps, by `ready`: true if there was something. */
static bool attend(struct rnv_sched *sched, uint32_t ready)
{
	uint32_t lanes = (ready & RNV_READY_ATTEND) >> RNV_SCHED_MAX_LANES;

	if ((ready & RNV_READY_EVENT) != 0u ||
	    ((ready & RNV_READY_TIMER) != 0u && rnv_now_us() >= sched->npu_limit_us)) {
		rnv_npu_poll(sched);
	} else if (lanes != 0u) {
		rnv_lane_attend(sched, &sched->lanes[rnv_lowest(lanes)]);
		if (sched->on != NULL && sched->on->current == NULL) {
			sched->on = NULL;
		}
	} else {
		return false;
	}
	return true;
}

/* The started job of `lane` has the CPU again. */
static void resume(struct rnv_sched *sched, struct rnv_lane *lane)
{
	struct rnv_job *job = lane->current;

	job->blocked_us += lane->blocked_us;
	lane->blocked_us = 0;
	if (lane->preempted != 0u) {
		lane->preempted = 0;
		if (rnv_is_traced(sched)) {
			rnv_trace_job(sched, RNV_TRACE_RESUME, job);
		}
	}
}

/* The lane that goes on, of those that can (there are some). */
static struct rnv_lane *choose(struct rnv_sched *sched, uint32_t lanes)
{
	struct rnv_lane *on = sched->on;
	struct rnv_lane *lane = &sched->lanes[rnv_lowest(lanes)];

	if (on == lane || (on != NULL && (lanes & on->bit) == 0u)) {
		on = NULL; /* it does not lose the CPU */
	} else if (on != NULL && sched->atomic != 0u) {
		return on;
	}
	if (on != NULL || rnv_load(&sched->blocked) != 0u) {
		take_over(sched, on, lanes);
	}
	return lane;
}

/*
 * Let the most urgent lane that can run go on, until one of the bits in `stop` is not as expected.
 * False if its job could not start.
 */
static bool go_on(struct rnv_sched *sched, uint32_t lanes)
{
	struct rnv_lane *lane = choose(sched, lanes);
	uint32_t bit = lane->bit;
	uint32_t stop = bit | RNV_READY_DUE;

	rnv_store(&sched->above, bit - 1u);
	if (lane->current != NULL) {
		resume(sched, lane);
	} else if (!rnv_lane_start(sched, lane)) {
		sched->on = NULL;
		return false;
	}
	sched->atomic = lane->current->flags & RNV_JOB_ATOMIC;
	if (sched->atomic == 0u) {
		stop |= bit - 1u;
	}
	sched->on = lane;
	sched->expect = bit;
	sched->stop = stop;
	return true;
}

/* The lane `on` need not be the one that goes on. */
static bool is_stopped(const struct rnv_sched *sched)
{
	uint32_t stop = (rnv_ready(sched) ^ sched->expect) & sched->stop;

	return stop != 0u && (stop != RNV_READY_TIMER || rnv_now_us() >= sched->npu_limit_us);
}

/* One step, or steps until it is idle: 0 if it is. */
static int advance(struct rnv_sched *sched, bool once)
{
	do {
		if (sched->on == NULL || is_stopped(sched)) {
			uint32_t ready = rnv_ready(sched);

			if ((ready & RNV_READY_DUE) != 0u && attend(sched, ready)) {
				continue;
			}
			ready &= RNV_READY_LANES;
			if (ready == 0u) {
				sched->on = NULL;
				rnv_store(&sched->above, 0);
				return 0;
			}
			if (!go_on(sched, ready)) {
				continue;
			}
		}
		if (rnv_lane_step(sched, sched->on) == 0) {
			sched->on = NULL;
		}
	} while (!once);
	return 1;
}

int rnv_sched_step(struct rnv_sched *sched)
{
	return advance(sched, true);
}

void rnv_sched_run(struct rnv_sched *sched)
{
	(void)advance(sched, false);
}
