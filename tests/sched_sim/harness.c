/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "harness.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ranvier/port.h"
#include "ranvier/sched.h"

static struct {
	struct rnv_sched sched;
	struct rnv_lane lanes[SIM_MAX_LANES];
	struct rnv_job slots[SIM_SLOTS];
	struct rnv_model models[SIM_MAX_STEPS];
	struct rnv_job *queues[SIM_MAX_LANES][SIM_DEPTH];
	void *externals[SIM_SLOTS * 2];
	_Alignas(16) uint8_t arenas[SIM_MAX_LANES][SIM_ARENA];
	uint32_t handles[SIM_MAX_STEPS]; /* of the models */
	uint64_t now_us;
	uint32_t nested; /* critical sections */
	uint32_t lane_count;
	bool preemptive;
	struct sim_action *actions;
	uint32_t action_count;
	uint32_t next;
	struct sim_job *jobs;
	const struct sim_action *submits[SIM_MAX_JOBS];
	uint32_t job_handles[SIM_MAX_JOBS];
	uint8_t buffers[SIM_MAX_JOBS][2][16];
	uint32_t woken;
} sim;

uint32_t rnv_critical_enter(void)
{
	return sim.nested++;
}

void rnv_critical_exit(uint32_t key)
{
	sim.nested--;
	if (sim.nested != key) {
		rnv_panic("critical sections nest");
	}
}

uint64_t rnv_now_us(void)
{
	return sim.now_us;
}

uint32_t rnv_cycles(void)
{
	return (uint32_t)sim.now_us;
}

uint32_t rnv_cycles_per_second(void)
{
	return 1000000;
}

void rnv_panic(const char *what)
{
	(void)fprintf(stderr, "panic: %s\n", what);
	abort();
}

static void outside(void)
{
	if (sim.nested != 0u) {
		rnv_panic("hook in a critical section");
	}
}

static void done(void *context, const struct rnv_job_result *result)
{
	struct sim_job *job = context;

	outside();
	job->status = result->status;
	job->start_us = result->start_us;
	job->end_us = result->end_us;
	job->missed = result->missed;
	job->blocked_us = result->blocked_us;
	job->completions++;
}

static void submit(struct sim_action *action)
{
	struct rnv_buffer buffers[2] = {
		{sim.buffers[action->job][0], 16},
		{sim.buffers[action->job][1], 16},
	};
	struct rnv_job_request request = {
		.model = sim.handles[action->step_count - 1u],
		.lane = (uint8_t)action->lane,
		.flags = (uint8_t)action->flags,
		.deadline_us = action->deadline_us,
		.buffers = buffers,
		.buffer_count = 2,
		.done = done,
		.context = &sim.jobs[action->job],
	};

	action->answer = rnv_job_submit(&sim.sched, &request, &sim.job_handles[action->job]);
	if (action->answer == RNV_OK) {
		sim.submits[action->job] = action;
	}
}

static void perform_due(void)
{
	while (sim.next < sim.action_count && sim.actions[sim.next].at_us <= sim.now_us) {
		struct sim_action *action = &sim.actions[sim.next++];
		uint32_t handle = sim.job_handles[action->job];

		switch (action->kind) {
		case SIM_SUBMIT:
			submit(action);
			break;
		case SIM_CANCEL:
			action->answer = rnv_job_cancel(&sim.sched, handle);
			break;
		default:
			action->answer =
				rnv_job_set_deadline(&sim.sched, handle, action->deadline_us);
			break;
		}
	}
}

/* Drive the lanes below `beyond` as their threads would, the most urgent first. */
static void drive_lanes(uint32_t beyond)
{
	for (uint32_t lane = 0; lane < beyond; lane++) {
		if ((sim.woken & (1u << lane)) != 0u) {
			sim.woken &= ~(1u << lane);
			(void)rnv_lane_run(&sim.sched, lane);
			lane = UINT32_MAX; /* from the most urgent again */
		}
	}
}

static void spend(uint32_t cost_us, uint32_t lane)
{
	uint64_t left_us = cost_us;

	while (left_us > 0u) {
		uint64_t pause_us = left_us;

		if (sim.next < sim.action_count) {
			uint64_t at_us = sim.actions[sim.next].at_us;
			uint64_t until_us = (at_us > sim.now_us) ? at_us - sim.now_us : 0u;

			pause_us = (until_us < left_us) ? until_us : left_us;
		}
		sim.now_us += pause_us;
		left_us -= pause_us;
		perform_due();
		if (sim.preemptive) {
			drive_lanes(lane);
		}
	}
}

static void trace(void *context, const struct rnv_trace_event *event)
{
	(void)context;
	outside();
	if (event->kind != RNV_TRACE_STEP_BEGIN) {
		return;
	}
	for (uint32_t i = 0; i < SIM_MAX_JOBS; i++) {
		if (sim.submits[i] != NULL && sim.job_handles[i] == event->job) {
			spend(sim.submits[i]->cost_us[event->step], event->lane);
			return;
		}
	}
	rnv_panic("step of a job that was submitted");
}

static void wake(void *context, uint32_t lane)
{
	(void)context;
	outside();
	sim.woken |= 1u << lane;
}

static const struct rnv_sched_hooks hooks = {.wake = wake, .trace = trace};

static int set_up(const void *const *packages, const uint32_t *package_bytes,
		  const struct sim_lane *lanes)
{
	struct rnv_lane_config lane_configs[SIM_MAX_LANES] = {0};
	struct rnv_sched_config config = {
		.lane_configs = lane_configs,
		.lanes = sim.lanes,
		.jobs = sim.slots,
		.models = sim.models,
		.externals = sim.externals,
		.lane_count = (uint16_t)sim.lane_count,
		.job_count = SIM_SLOTS,
		.model_count = SIM_MAX_STEPS,
		.externals_per_job = 2,
		.hooks = &hooks,
	};
	int status;

	for (uint32_t i = 0; i < sim.lane_count; i++) {
		lane_configs[i] = (struct rnv_lane_config){
			.arena = sim.arenas[i],
			.arena_bytes = SIM_ARENA,
			.queue = sim.queues[i],
			.depth = (uint16_t)lanes[i].depth,
			.overload = (uint8_t)lanes[i].drop_oldest,
			.flags = (lanes[i].atomic != 0u) ? RNV_LANE_ATOMIC : 0u,
		};
	}
	status = rnv_sched_init(&sim.sched, &config);
	for (uint32_t i = 0; status == RNV_OK && i < SIM_MAX_STEPS; i++) {
		struct rnv_model_config model = {
			.data = packages[i],
			.bytes = package_bytes[i],
			.lanes = (1u << sim.lane_count) - 1u,
		};

		status = rnv_model_open(&sim.sched, &model, &sim.handles[i], NULL);
	}
	return status;
}

int sim_run(const void *const *packages, const uint32_t *package_bytes,
	    const struct sim_lane *lanes, uint32_t lane_count, uint32_t preemptive,
	    struct sim_action *actions, uint32_t action_count, struct sim_job *jobs)
{
	int status;

	memset(&sim, 0, sizeof(sim));
	sim.lane_count = lane_count;
	sim.preemptive = preemptive != 0u;
	sim.actions = actions;
	sim.action_count = action_count;
	sim.jobs = jobs;
	status = set_up(packages, package_bytes, lanes);
	if (status != RNV_OK) {
		return status;
	}
	for (;;) {
		perform_due();
		if (sim.preemptive) {
			drive_lanes(lane_count);
		} else {
			rnv_sched_run(&sim.sched);
		}
		if (sim.next == sim.action_count) {
			return RNV_OK;
		}
		if (sim.actions[sim.next].at_us > sim.now_us) {
			sim.now_us = sim.actions[sim.next].at_us;
		}
	}
}

uint32_t sim_longest_blocked_us(uint32_t lane)
{
	struct rnv_lane_stats stats;

	(void)rnv_lane_stats_get(&sim.sched, lane, &stats);
	return stats.longest_step_blocked_us;
}

uint32_t sim_slots_in_use(void)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < SIM_SLOTS; i++) {
		count += sim.slots[i].state != RNV_JOB_FREE;
	}
	return count;
}
