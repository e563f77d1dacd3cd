/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef SCHED_SOAK_SOAK_H_
#define SCHED_SOAK_SOAK_H_

/*
 * A random soak of the scheduler in virtual time.
 *
 * The trace hook lets a step's cost pass when the step begins; what falls due meanwhile happens
 * there, as interrupts and other threads would do it. With a thread per lane, more urgent lanes are
 * driven at once, inside of the hook. What is checked is computed here from costs, from the order
 * of events and from runs of the same packages alone; of the scheduler only public functions are
 * asked, but for the slots at rest.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "npu_sim/npu_sim.h"
#include "ranvier/sched.h"

#define LANES       3u
#define IDLE        LANES /* as the lane that executes */
#define MODELS      7u
#define VARIANTS    2u
#define STATEFUL    5u /* its number */
#define RESIDENT    6u
#define MAX_STEPS   8u
#define MAX_BYTES   1024u
#define MAX_COST_US 40u /* of a step */
#define ARENA_BYTES 4096u
#define GUARD_BYTES 64u
#define GUARD       0xEEu
#define SLOTS       40u
#define RECORDS     256u
#define MAX_DEPTH   16u
#define NOBODY      LANES /* as the lane that the accelerator works for */

/* A package as it is alone, with memory of its own, and what its steps cost. */
struct variant {
	uint8_t *data;
	uint32_t bytes;
	struct rnv_package pkg;
	uint8_t *arena;
	void *externals[8];
	uint32_t cost_us[MAX_STEPS]; /* on the CPU */
	bool is_marked;              /* some steps are for the accelerator */
};

/* A model of the scheduler, and what this program knows of it. */
struct subject {
	struct variant variants[VARIANTS];
	_Alignas(16) uint8_t state[64];
	_Alignas(16) uint8_t state_alone[64];
	uint64_t drained_us; /* RNV_DRAIN_CANCEL was asked for; RNV_NEVER: not */
	uint32_t handle;
	uint32_t variant;
	uint32_t lanes;
	uint32_t completed;
	uint32_t failed;
	uint32_t jobs;
	bool draining;
	bool stale;
};

/* A job that was submitted. */
struct record {
	uint8_t in[MAX_BYTES];
	uint8_t out[MAX_BYTES];
	uint64_t deadline_us;
	uint64_t submit_us;
	uint32_t handle;
	uint32_t model;
	uint32_t variant;
	uint32_t lane;
	uint32_t changes_before; /* of the accelerator */
	uint16_t next_step;
	uint8_t flags;
	uint8_t ends;      /* traced */
	uint8_t callbacks; /* or collected */
	bool used;
	bool started;
	bool has_callback;
};

/* A lane as it must be, and what was measured in it. */
struct lane {
	struct rnv_lane_stats expected;
	struct record *current; /* started */
	struct record *zombie;
	uint64_t step_blocked_us; /* in the present row */
	uint64_t atomic_blocked_us;
	uint64_t npu_blocked_us;
	/* Longest rows, measured here, after which the lane went on. */
	uint64_t longest_step_us;
	uint64_t longest_atomic_us;
	uint64_t longest_npu_us;
	uint32_t depth;
	uint32_t queued;
	uint32_t claim; /* number of a model, or MODELS */
	uint32_t away;  /* its step is at the accelerator */
	uint32_t answered;
	bool drops_oldest;
	bool permits_atomic;
};

struct soak {
	struct rnv_sched sched;
	struct rnv_lane lanes[LANES];
	struct rnv_job slots[SLOTS];
	struct rnv_model models[MODELS];
	struct rnv_job *queues[LANES][MAX_DEPTH];
	void *externals[SLOTS * 4u];
	_Alignas(16) uint8_t arenas[LANES][ARENA_BYTES + GUARD_BYTES];
	struct rnv_npu npu;
	struct rnv_npu_sim sim;
	struct rnv_npu_sim_config sim_config;

	struct subject subjects[MODELS];
	struct record records[RECORDS];
	struct lane at[LANES];
	struct record *by_slot[RNV_SCHED_MAX_JOBS];
	uint64_t now_us;
	uint64_t next_action_us;
	uint64_t random;
	uint64_t seed;
	uint32_t nested;   /* critical sections */
	uint32_t woken;    /* lanes whose threads are to run */
	uint32_t holder;   /* lane that the accelerator works for */
	uint32_t events;   /* of the accelerator that were seen */
	uint32_t changes;  /* of the accelerator's state, at most */
	uint32_t accepted; /* jobs */
	uint32_t wanted;
	uint32_t depth; /* of actions in callbacks */
	uint64_t longest_drain_us;
	uint32_t mean_gap_us;
	uint32_t compared;
	uint32_t swaps;
	uint32_t swaps_kept;
	uint32_t reopened;
	uint32_t drains;
	uint32_t claims;
	uint32_t resident_jobs;
	uint32_t recovered;
	uint32_t zombies;
	uint32_t cancels;
	uint32_t deadline_changes;
	uint32_t fallbacks;
	uint32_t callback_actions;
	uint32_t preempted[LANES];
	uint64_t idle_us;
	bool threads;
	bool quiet; /* no new actions */
};

extern struct soak soak;

#define CHECK(condition, ...)                                                                      \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			soak_fail(__FILE__, __LINE__, #condition);                                 \
			(void)fprintf(stderr, __VA_ARGS__);                                        \
			(void)fprintf(stderr, "\n");                                               \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

void soak_fail(const char *file, int line, const char *condition);

/* world.c */
extern const struct rnv_sched_hooks soak_hooks;
uint32_t soak_random(uint32_t below);
bool soak_chance(uint32_t percent);
/* Longest step, and longest job, on the CPU of the models of less urgent lanes. */
uint32_t soak_longest_step(uint32_t above_lane);
uint32_t soak_longest_job(uint32_t above_lane);
/* Longest time that a less urgent lane may hold the accelerator. */
uint32_t soak_longest_request(uint32_t above_lane);
/* Act at random until `wanted` jobs are accepted. */
void soak_run(void);
/* Let all jobs end, and check that nothing is left of them. */
void soak_run_to_rest(void);
/* What blocked a lane is over, since it goes on, or has nothing to do any more. */
void soak_note_row_end(uint32_t lane, bool goes_on);

/* jobs.c */
void soak_submit(void);
void soak_cancel(void);
void soak_set_deadline(void);
void soak_collect(void);
void soak_note_start(const struct rnv_trace_event *event);
void soak_note_step(const struct rnv_trace_event *event);
void soak_note_done(const struct rnv_trace_event *event);
void soak_check_counters(void);
void soak_check_at_rest(void);

/* actions.c */
void soak_act(void);
void soak_open(uint32_t model);
void soak_settle_models(void);
void soak_calm(void);

#endif /* SCHED_SOAK_SOAK_H_ */
