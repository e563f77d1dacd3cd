/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* A thread for each lane, which the RTOS preempts by their priorities. */

#include "sched/internal.h"

/*
 * The lane's thread has work. Lanes are urgent in the order of their numbers, so of those that are
 * executing, it takes the CPU from the most urgent one below.
 */
static void begin(struct rnv_sched *sched, struct rnv_lane *lane)
{
	uint32_t bit = lane->bit;
	struct rnv_job *job = NULL;
	uint32_t key = rnv_critical_enter();
	uint32_t others = sched->active & ~(bit | (bit - 1u));

	if (others != 0u) {
		struct rnv_lane *other = &sched->lanes[rnv_lowest(others)];

		job = other->current;
		if (job != NULL) {
			other->stats.preempted++;
			job->preemptions = (uint8_t)(job->preemptions +
						     ((job->preemptions < UINT8_MAX) ? 1u : 0u));
		}
	}
	sched->active |= bit;
	rnv_critical_exit(key);
}

static void end(struct rnv_sched *sched, const struct rnv_lane *lane)
{
	uint32_t key = rnv_critical_enter();

	sched->active &= ~lane->bit;
	rnv_critical_exit(key);
}

/* Execute steps until something else is due. */
static void work(struct rnv_sched *sched, struct rnv_lane *lane, uint32_t mask)
{
	begin(sched, lane);
	while ((rnv_ready(sched) & mask) == lane->bit) {
		if (lane->current != NULL || rnv_lane_start(sched, lane)) {
			(void)rnv_lane_step(sched, lane);
		}
	}
	end(sched, lane);
}

int rnv_lane_run(struct rnv_sched *sched, uint32_t number)
{
	struct rnv_lane *lane;
	uint32_t mask;
	uint32_t due;

	if (sched == NULL || number >= sched->lane_count) {
		return RNV_EINVAL;
	}
	lane = &sched->lanes[number];
	mask = lane->bit | rnv_attend_bit(lane) | RNV_READY_EVENT;
	if (sched->npu != NULL) {
		rnv_npu_poll(sched); /* its time-out may be what this call is for */
	}
	for (due = rnv_ready(sched) & mask; due != 0u; due = rnv_ready(sched) & mask) {
		if ((due & RNV_READY_EVENT) != 0u) {
			rnv_npu_poll(sched);
		} else if ((due & rnv_attend_bit(lane)) != 0u) {
			rnv_lane_attend(sched, lane);
		} else {
			work(sched, lane, mask);
		}
	}
	return RNV_OK;
}
