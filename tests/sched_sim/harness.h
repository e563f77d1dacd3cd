/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef SCHED_SIM_HARNESS_H_
#define SCHED_SIM_HARNESS_H_

/*
 * A script of actions against the scheduler in virtual time.
 *
 * The trace hook lets a step's cost pass when the step begins. Actions that fall due meanwhile are
 * performed there, as an interrupt would; where the driver is a thread per lane, a more urgent lane
 * with work is then driven at once, inside of the hook, as a more urgent thread would be.
 */

#include <stdint.h>

#define SIM_MAX_LANES 4
#define SIM_MAX_STEPS 6
#define SIM_MAX_JOBS  512
#define SIM_NO_STATUS 1000
#define SIM_ARENA     256
#define SIM_DEPTH     32
#define SIM_SLOTS     160

enum sim_kind {
	SIM_SUBMIT = 0,
	SIM_CANCEL = 1,
	SIM_SET_DEADLINE = 2,
};

/* An action; `job` numbers the jobs of a script. Sorted by time. */
struct sim_action {
	uint64_t at_us;
	uint64_t deadline_us;
	uint32_t kind;
	uint32_t job;
	uint32_t lane;
	uint32_t flags;
	uint32_t step_count;
	uint32_t cost_us[6];
	int32_t answer; /* out: status */
};

/* What has become of a job; `status` is SIM_NO_STATUS while there is no completion. */
struct sim_job {
	uint64_t start_us;
	uint64_t end_us;
	int32_t status;
	uint32_t completions;
	uint32_t missed;
	uint32_t blocked_us;
};

struct sim_lane {
	uint32_t depth;
	uint32_t drop_oldest;
	uint32_t atomic;
};

/*
 * Run a script to its end. packages[n - 1] has n steps; job numbers are below SIM_MAX_JOBS.
 * Returns 0, or the status of the call that failed in setting up.
 */
int sim_run(const void *const *packages, const uint32_t *package_bytes,
	    const struct sim_lane *lanes, uint32_t lane_count, uint32_t preemptive,
	    struct sim_action *actions, uint32_t action_count, struct sim_job *jobs);

/* Longest blocking by a step that the lane counted in the last run. */
uint32_t sim_longest_blocked_us(uint32_t lane);

/* Number of slots that were not free after the last run. */
uint32_t sim_slots_in_use(void);

#endif /* SCHED_SIM_HARNESS_H_ */
