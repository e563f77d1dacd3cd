/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Time, the drivers, and what blocks whom while time passes. */

#include "ranvier/port.h"
#include "soak.h"

/* --- the port --- */

uint32_t rnv_critical_enter(void)
{
	return soak.nested++;
}

void rnv_critical_exit(uint32_t key)
{
	soak.nested--;
	CHECK(soak.nested == key, "critical sections nest");
}

uint64_t rnv_now_us(void)
{
	return soak.now_us;
}

uint32_t rnv_cycles(void)
{
	return (uint32_t)soak.now_us;
}

uint32_t rnv_cycles_per_second(void)
{
	return 1000000;
}

void rnv_panic(const char *what)
{
	CHECK(false, "panic: %s", what);
	abort();
}

/* --- chance --- */

uint32_t soak_random(uint32_t below)
{
	soak.random ^= soak.random << 13;
	soak.random ^= soak.random >> 7;
	soak.random ^= soak.random << 17;
	return (uint32_t)((soak.random >> 16) % below);
}

bool soak_chance(uint32_t percent)
{
	return soak_random(100) < percent;
}

/* --- bounds, from the costs alone --- */

static uint32_t longest(uint32_t above_lane, bool whole)
{
	uint32_t below = ~((2u << above_lane) - 1u);
	uint32_t most = 0;

	for (uint32_t m = 0; m < MODELS; m++) {
		for (uint32_t v = 0; v < VARIANTS; v++) {
			const struct variant *variant = &soak.subjects[m].variants[v];
			uint32_t sum = 0;

			if ((soak.subjects[m].lanes & below) == 0u) {
				continue;
			}
			for (uint32_t step = 0; step < variant->pkg.step_count; step++) {
				uint32_t cost = variant->cost_us[step];

				sum = whole ? sum + cost : cost;
				most = (sum > most) ? sum : most;
			}
		}
	}
	return most;
}

uint32_t soak_longest_step(uint32_t above_lane)
{
	return longest(above_lane, false);
}

uint32_t soak_longest_job(uint32_t above_lane)
{
	return longest(above_lane, true);
}

uint32_t soak_longest_request(uint32_t above_lane)
{
	const struct rnv_npu_sim_config *config = &soak.sim_config;
	uint32_t stop_us = (config->abort_us != 0u) ? config->abort_us : config->timeout_us;

	/* The time-outs are seen after the step that runs. */
	return config->timeout_us + stop_us + 2u * soak_longest_step(above_lane);
}

/* --- who could go on --- */

static bool is_quarantined(void)
{
	struct rnv_npu_info info;

	rnv_npu_info_get(&soak.npu, &info);
	return info.state == RNV_NPU_QUARANTINED;
}

/* Events of the accelerator since the last call. */
static void see_accelerator(void)
{
	struct rnv_npu_sim_counts counts;

	rnv_npu_sim_counts_get(&soak.sim, &counts);
	if (counts.events != soak.events) {
		soak.changes += counts.events - soak.events;
		soak.events = counts.events;
		if (soak.holder != NOBODY) {
			soak.at[soak.holder].answered = 1;
		}
		soak.holder = NOBODY;
	}
	if (soak.holder != NOBODY && is_quarantined()) {
		soak.holder = NOBODY;
		soak.changes++;
	}
}

static bool waits_for_free(const struct lane *lane)
{
	return lane->current != NULL && lane->away == 0u &&
	       rnv_job_state_get(&soak.sched, lane->current->handle) == RNV_JOB_WAITING;
}

/* The lane has something that the CPU could do for it now. */
static bool is_able(const struct lane *lane)
{
	if (lane->current == NULL) {
		return lane->queued != 0u;
	}
	if (rnv_job_state_get(&soak.sched, lane->current->handle) != RNV_JOB_WAITING) {
		return true;
	}
	return (lane->away != 0u) ? lane->answered != 0u : soak.holder == NOBODY;
}

/* The current job whose memory the accelerator does not let go has left its lane. */
static void see_zombie(struct lane *lane)
{
	struct record *job = lane->current;

	if (job != NULL && rnv_job_state_get(&soak.sched, job->handle) == RNV_JOB_ZOMBIE) {
		CHECK(lane->zombie == NULL, "two zombies in a lane");
		lane->zombie = job;
		lane->current = NULL;
		lane->away = 0;
		soak.zombies++;
		if (lane->queued == 0u) {
			soak_note_row_end((uint32_t)(lane - soak.at), false);
		}
	}
}

/* `us` pass while `executing`, a lane or IDLE, has the CPU. */
static void account(uint64_t us, uint32_t executing)
{
	bool atomic = false;

	see_accelerator();
	if (executing == IDLE) {
		soak.idle_us += us;
	} else {
		atomic = (soak.at[executing].current->flags & RNV_JOB_ATOMIC) != 0u;
	}
	for (uint32_t l = 0; l < LANES; l++) {
		struct lane *lane = &soak.at[l];

		see_zombie(lane);
		CHECK(executing != IDLE || lane->zombie == NULL || is_quarantined(),
		      "lane %u: a zombie after recovery", l);
		if (executing > l && is_able(lane)) {
			CHECK(executing != IDLE, "lane %u has work and the CPU is idle", l);
			CHECK(!soak.threads, "lane %u waits for lane %u", l, executing);
			*(atomic ? &lane->atomic_blocked_us : &lane->step_blocked_us) += us;
		}
		if (executing >= l && waits_for_free(lane) && soak.holder != NOBODY &&
		    soak.holder > l) {
			lane->npu_blocked_us += us;
		}
	}
}

static void keep_longest(uint64_t *longest_us, uint64_t us)
{
	*longest_us = (us > *longest_us) ? us : *longest_us;
}

void soak_note_row_end(uint32_t l, bool goes_on)
{
	struct lane *lane = &soak.at[l];
	uint32_t step = soak_longest_step(l);
	uint32_t request_us = soak_longest_request(l);

	CHECK(lane->step_blocked_us <= step, "lane %u: blocked for %llu us, longest step %u", l,
	      (unsigned long long)lane->step_blocked_us, step);
	CHECK(lane->atomic_blocked_us <= soak_longest_job(l), "lane %u: blocked for %llu us", l,
	      (unsigned long long)lane->atomic_blocked_us);
	CHECK(lane->npu_blocked_us <= request_us, "lane %u: accelerator held for %llu us", l,
	      (unsigned long long)lane->npu_blocked_us);
	keep_longest(&lane->longest_npu_us, lane->npu_blocked_us);
	if (goes_on) {
		keep_longest(&lane->longest_step_us, lane->step_blocked_us);
		keep_longest(&lane->longest_atomic_us, lane->atomic_blocked_us);
	}
	lane->step_blocked_us = 0;
	lane->atomic_blocked_us = 0;
	lane->npu_blocked_us = 0;
}

/* --- time --- */

static void happen(void)
{
	while (rnv_npu_sim_next_us(&soak.sim) <= soak.now_us) {
		rnv_npu_sim_poll(&soak.sim, soak.now_us);
		see_accelerator();
	}
	if (rnv_sched_next_us(&soak.sched) <= soak.now_us) {
		soak.woken = (1u << LANES) - 1u;
	}
	while (!soak.quiet && soak.next_action_us <= soak.now_us) {
		soak.next_action_us += 1u + soak_random(2u * soak.mean_gap_us);
		soak_act();
	}
	soak_check_counters();
}

static uint64_t next_event_us(void)
{
	uint64_t next_us = rnv_npu_sim_next_us(&soak.sim);
	uint64_t limit_us = rnv_sched_next_us(&soak.sched);

	if (limit_us > soak.now_us && limit_us < next_us) {
		next_us = limit_us;
	}
	if (!soak.quiet && soak.next_action_us < next_us) {
		next_us = soak.next_action_us;
	}
	return next_us;
}

/* Run the threads of the lanes above `beyond` that were woken, the most urgent first. */
static void drive_threads(uint32_t beyond)
{
	for (uint32_t lane = 0; lane < beyond; lane++) {
		if ((soak.woken & (1u << lane)) != 0u) {
			soak.woken &= ~(1u << lane);
			CHECK(rnv_lane_run(&soak.sched, lane) == RNV_OK, "rnv_lane_run");
			lane = UINT32_MAX; /* from the most urgent again */
		}
	}
}

static void spend(uint32_t cost_us, uint32_t lane)
{
	uint64_t left_us = cost_us;

	if (soak.threads) {
		drive_threads(lane); /* woken by a callback just before */
	}
	while (left_us > 0u) {
		uint64_t next_us = next_event_us();
		uint64_t pause_us = (next_us > soak.now_us) ? next_us - soak.now_us : 0u;

		pause_us = (pause_us < left_us) ? pause_us : left_us;
		account(pause_us, lane);
		soak.now_us += pause_us;
		left_us -= pause_us;
		happen();
		if (soak.threads) {
			drive_threads(lane);
		}
	}
}

/* --- hooks --- */

static void trace(void *context, const struct rnv_trace_event *event)
{
	struct lane *lane = &soak.at[event->lane];
	struct record *job;

	(void)context;
	CHECK(soak.nested == 0u, "hook in a critical section");
	see_zombie(lane);
	switch (event->kind) {
	case RNV_TRACE_START:
		soak_note_start(event);
		break;
	case RNV_TRACE_STEP_BEGIN:
		soak_note_row_end(event->lane, true);
		soak_note_step(event);
		job = lane->current;
		spend(soak.subjects[job->model].variants[job->variant].cost_us[event->step],
		      event->lane);
		break;
	case RNV_TRACE_NPU_BEGIN:
		see_accelerator();
		soak_note_row_end(event->lane, true);
		lane->away = 1;
		lane->answered = 0;
		soak.holder = (soak.holder == NOBODY) ? event->lane : soak.holder;
		break;
	case RNV_TRACE_NPU_END:
		see_accelerator();
		lane->away = 0;
		if (event->status == RNV_OK) {
			soak_note_step(event);
		} else if (soak.holder == event->lane) {
			soak.holder = NOBODY;
		}
		soak.changes++;
		break;
	case RNV_TRACE_PREEMPT:
		soak.preempted[event->lane]++;
		break;
	case RNV_TRACE_DONE:
		soak_note_done(event);
		break;
	default:
		break;
	}
}

static void wake(void *context, uint32_t lane)
{
	(void)context;
	CHECK(soak.nested == 0u, "hook in a critical section");
	soak.woken |= 1u << lane;
}

static void completed(void *context, uint32_t job)
{
	(void)context;
	(void)job;
	CHECK(soak.nested == 0u, "hook in a critical section");
}

const struct rnv_sched_hooks soak_hooks = {.wake = wake, .completed = completed, .trace = trace};

/* --- the loop --- */

static void drive(void)
{
	if (soak.threads) {
		drive_threads(LANES);
	}
	while (soak.woken != 0u) {
		soak.woken = 0;
		rnv_sched_run(&soak.sched);
	}
	CHECK(rnv_sched_next_us(&soak.sched) > soak.now_us, "what was due was not done");
}

/* Let time pass until the next event: false if there is none. */
static bool sleep_to_event(void)
{
	uint64_t next_us = next_event_us();

	if (next_us == UINT64_MAX) {
		return false;
	}
	if (next_us > soak.now_us) {
		account(next_us - soak.now_us, IDLE);
		soak.now_us = next_us;
	}
	happen();
	return true;
}

void soak_run(void)
{
	soak.quiet = false;
	soak.next_action_us = soak.now_us + 1u;
	while (soak.accepted < soak.wanted) {
		drive();
		(void)sleep_to_event();
	}
}

void soak_run_to_rest(void)
{
	soak.quiet = true;
	for (uint32_t turns = 0; turns < 4u; turns++) {
		soak_calm(); /* ends zombies, and drains */
		do {
			drive();
			see_accelerator();
		} while (sleep_to_event());
	}
	soak_check_at_rest();
}
