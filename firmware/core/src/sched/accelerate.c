/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Marked steps: the accelerator executes them, or the CPU does. */

#include "exec/exec.h"
#include "sched/internal.h"
#include "sched/npu_request.h"

/* --- events ---------------------------------------------------------------------------------- */

/* The accelerator's state has changed: whoever waits for that looks at it. From any context. */
static void note_event(void *context)
{
	struct rnv_sched *sched = context;
	uint64_t now_us = rnv_now_us();
	uint32_t key = rnv_critical_enter();
	uint32_t lanes = sched->npu_waiting | sched->npu_away;

	rnv_ready_set(sched, RNV_READY_EVENT);
	if (sched->npu_event_us == RNV_NEVER) {
		sched->npu_event_us = now_us;
	}
	rnv_critical_exit(key);
	for (; lanes != 0u; lanes &= lanes - 1u) {
		rnv_wake(sched, rnv_lowest(lanes));
	}
}

void rnv_npu_follow(struct rnv_sched *sched)
{
	rnv_npu_attach(sched->npu, note_event, sched);
}

int rnv_npu_take_model(struct rnv_sched *sched, const struct rnv_package *pkg)
{
	return (sched->npu != NULL) ? rnv_npu_load(sched->npu, pkg) : RNV_ENOTSUP;
}

/* A job that was waiting goes on; it could since then. In a critical section. */
static void go_on(struct rnv_sched *sched, struct rnv_lane *lane, uint64_t since_us)
{
	uint32_t bit = lane->bit;

	lane->current->state = RNV_JOB_RUNNING;
	rnv_ready_set(sched, bit);
	if ((rnv_load(&sched->above) & bit) != 0u) {
		rnv_store(&sched->blocked, sched->blocked | bit);
		lane->ready_us = (uint32_t)since_us;
	}
}

/* Give an end to the lane whose request it was. */
static void give_end(struct rnv_sched *sched, const struct rnv_npu_end *end, uint64_t since_us)
{
	struct rnv_lane *lane = &sched->lanes[end->lane];
	uint32_t key = rnv_critical_enter();
	bool mine = lane->npu_serial == end->serial;

	if (end->confirmed) {
		sched->npu_away &= ~lane->bit;
	}
	if (lane->zombie != NULL && lane->zombie_serial == end->serial) {
		lane->zombie_over = 1;
		rnv_ready_set(sched, rnv_attend_bit(lane));
	} else if (mine && lane->npu_state == RNV_LANE_NPU_AWAY) {
		lane->npu_status = end->status;
		lane->npu_state = end->confirmed ? RNV_LANE_NPU_ENDED : RNV_LANE_NPU_LOST;
		go_on(sched, lane, since_us);
	} else if (mine && lane->npu_state == RNV_LANE_NPU_LOST) {
		lane->npu_state = RNV_LANE_NPU_ENDED;
	}
	rnv_critical_exit(key);
	rnv_wake(sched, lane->number);
}

/* All lanes that wait for the accelerator try again, the most urgent first. */
static void retry(struct rnv_sched *sched, uint64_t since_us)
{
	uint32_t key = rnv_critical_enter();
	uint32_t waiting = sched->npu_waiting;

	for (uint32_t lanes = waiting; lanes != 0u; lanes &= lanes - 1u) {
		go_on(sched, &sched->lanes[rnv_lowest(lanes)], since_us);
	}
	rnv_critical_exit(key);
	for (; waiting != 0u; waiting &= waiting - 1u) {
		rnv_wake(sched, rnv_lowest(waiting));
	}
}

/* Look at the clock until the accelerator's time-out, if it has one. */
static void set_timer(struct rnv_sched *sched)
{
	uint64_t limit_us = rnv_npu_next_us(sched->npu);
	uint32_t key = rnv_critical_enter();

	sched->npu_limit_us = limit_us;
	if (limit_us != RNV_NEVER) {
		rnv_ready_set(sched, RNV_READY_TIMER);
	} else {
		rnv_ready_clear(sched, RNV_READY_TIMER);
	}
	rnv_critical_exit(key);
}

void rnv_npu_poll(struct rnv_sched *sched)
{
	uint64_t now_us = rnv_now_us();
	struct rnv_npu_end end;
	uint64_t since_us;
	uint32_t key = rnv_critical_enter();

	since_us = (sched->npu_event_us < now_us) ? sched->npu_event_us : now_us;
	sched->npu_event_us = RNV_NEVER;
	rnv_ready_clear(sched, RNV_READY_EVENT);
	rnv_critical_exit(key);
	rnv_npu_expire(sched->npu, now_us);
	while (rnv_npu_take(sched->npu, &end)) {
		give_end(sched, &end, since_us);
	}
	if (rnv_npu_free(sched->npu) || !rnv_npu_usable(sched->npu)) {
		retry(sched, since_us);
	}
	set_timer(sched);
}

void rnv_npu_stop(struct rnv_sched *sched, uint32_t serial)
{
	rnv_npu_abort(sched->npu, serial, rnv_now_us());
	note_event(sched);
}

/* --- waiting for the accelerator to be free -------------------------------------------------- */

/* It has waited, if it has. In a critical section. */
static void count_wait(struct rnv_lane *lane, uint64_t now_us)
{
	if (lane->npu_since_us != RNV_NEVER) {
		uint64_t waited_us = now_us - lane->npu_since_us;

		lane->npu_since_us = RNV_NEVER;
		if (waited_us > lane->stats.longest_npu_blocked_us) {
			lane->stats.longest_npu_blocked_us =
				(waited_us < UINT32_MAX) ? (uint32_t)waited_us : UINT32_MAX;
		}
	}
}

/* It waits no longer, but not because it got what it waits for: others may. */
static void stop_waiting(struct rnv_sched *sched, struct rnv_lane *lane)
{
	uint64_t now_us = rnv_now_us();
	uint32_t key = rnv_critical_enter();

	sched->npu_waiting &= ~lane->bit;
	count_wait(lane, now_us);
	rnv_ready_set(sched, RNV_READY_EVENT);
	rnv_critical_exit(key);
}

/* Stop the request of a less urgent lane, if there is one and the driver is quick enough. */
static void take_from_others(struct rnv_sched *sched, const struct rnv_lane *lane)
{
	uint32_t key = rnv_critical_enter();
	uint32_t others = sched->npu_away & ~((lane->bit << 1) - 1u);

	rnv_critical_exit(key);
	if (others == 0u || rnv_npu_abort_us(sched->npu) == 0u) {
		return;
	}
	for (; others != 0u; others &= others - 1u) {
		uint32_t serial;

		key = rnv_critical_enter();
		serial = sched->lanes[rnv_lowest(others)].npu_serial;
		rnv_critical_exit(key);
		rnv_npu_abort(sched->npu, serial, rnv_now_us());
	}
	set_timer(sched);
}

static void wait_for_free(struct rnv_sched *sched, struct rnv_lane *lane)
{
	uint64_t now_us = rnv_now_us();
	uint32_t bit = lane->bit;
	uint32_t key = rnv_critical_enter();
	bool first;

	sched->npu_waiting |= bit;
	if (lane->npu_since_us == RNV_NEVER) {
		lane->npu_since_us = now_us;
	}
	lane->current->state = RNV_JOB_WAITING;
	rnv_ready_clear(sched, bit);
	first = (sched->npu_waiting & (bit - 1u)) == 0u;
	if (lane->current->cancelled != 0u) {
		lane->current->state = RNV_JOB_RUNNING;
		rnv_ready_set(sched, bit | rnv_attend_bit(lane));
	}
	rnv_critical_exit(key);
	take_from_others(sched, lane);
	/* What was said before it waited nobody has heard. */
	if (first && (rnv_npu_free(sched->npu) || !rnv_npu_usable(sched->npu))) {
		note_event(sched);
	}
}

/* --- requests -------------------------------------------------------------------------------- */

/* Give the next step to the accelerator: RNV_OK, then the job waits; or as rnv_npu_request(). */
static int request(struct rnv_sched *sched, struct rnv_lane *lane)
{
	uint64_t now_us = rnv_now_us();
	uint16_t step = lane->exec.step;
	uint32_t bit = lane->bit;
	uint32_t key = rnv_critical_enter();
	int status = RNV_EBUSY;
	bool cancelled;

	if ((sched->npu_waiting & (bit - 1u)) == 0u) { /* else a more urgent lane is next */
		sched->npu_waiting &= ~bit;
		lane->current->state = RNV_JOB_WAITING;
		lane->npu_state = RNV_LANE_NPU_AWAY;
		sched->npu_away |= bit;
		rnv_ready_clear(sched, bit);
		status = RNV_OK;
	}
	rnv_critical_exit(key);
	if (status != RNV_OK) {
		return status;
	}
	if (rnv_is_traced(sched)) {
		rnv_trace_step(sched, RNV_TRACE_NPU_BEGIN, lane, step, RNV_OK);
	}
	status = rnv_npu_request(sched->npu, &lane->exec, lane->number, now_us, &lane->npu_serial);
	if (status == RNV_OK) {
		key = rnv_critical_enter();
		count_wait(lane, now_us);
		cancelled = lane->current->cancelled != 0u;
		rnv_critical_exit(key);
		set_timer(sched);
		if (cancelled) { /* perhaps before it had this serial */
			rnv_npu_stop(sched, lane->npu_serial);
		}
		return RNV_OK;
	}
	if (rnv_is_traced(sched)) {
		rnv_trace_step(sched, RNV_TRACE_NPU_END, lane, step, status);
	}
	key = rnv_critical_enter();
	lane->current->state = RNV_JOB_RUNNING;
	lane->npu_state = RNV_LANE_NPU_IDLE;
	if (lane->zombie == NULL) {
		sched->npu_away &= ~bit;
	}
	rnv_ready_set(sched, bit | ((lane->current->cancelled != 0u) ? rnv_attend_bit(lane) : 0u));
	rnv_critical_exit(key);
	return status;
}

/* The accelerator does not execute the step: true if the CPU does, else the job has failed. */
static bool fall_back(struct rnv_sched *sched, struct rnv_lane *lane, int32_t status)
{
	struct rnv_job *job = lane->current;

	if (lane->npu_since_us != RNV_NEVER) {
		stop_waiting(sched, lane);
	}
	if ((job->flags & RNV_JOB_NPU_STRICT) != 0u) {
		rnv_job_finish(sched, job, status, false);
		return false;
	}
	if (job->fallbacks < UINT8_MAX) {
		job->fallbacks++;
	}
	return true;
}

/* As rnv_lane_accelerate(), for a marked step that was not tried before. */
static bool hand_over(struct rnv_sched *sched, struct rnv_lane *lane)
{
	const struct rnv_job *job = lane->current;
	int status = RNV_ESTATE;

	if (rnv_model_slot(sched, job->model)->npu != 0u) {
		status = request(sched, lane);
	}
	if (status == RNV_OK) {
		return false;
	}
	if (status == RNV_EBUSY && (job->flags & (RNV_JOB_NPU_WAIT | RNV_JOB_NPU_STRICT)) != 0u) {
		wait_for_free(sched, lane);
		return false;
	}
	return fall_back(sched, lane, RNV_EIO);
}

/*
 * The run of the current job is over although its memory may still be written: its part of the
 * arena is held until that has ended. False if it has ended in the meantime.
 */
static bool bury(struct rnv_sched *sched, struct rnv_lane *lane, int32_t status)
{
	struct rnv_job *job = lane->current;
	struct rnv_model *model = rnv_model_slot(sched, job->model);
	uint32_t bytes = (model->pkg.header->arena_bytes + (RNV_PACKAGE_ALIGN - 1u)) &
			 ~(uint32_t)(RNV_PACKAGE_ALIGN - 1u);
	uint32_t key = rnv_critical_enter();
	bool lost = lane->npu_state == RNV_LANE_NPU_LOST;
	const struct rnv_trace_event event = {.job = job->handle,
					      .status = lane->npu_status,
					      .model = (uint16_t)job->model,
					      .step = lane->exec.step,
					      .kind = RNV_TRACE_NPU_END,
					      .lane = lane->number};

	if (lost) {
		bytes = (bytes < lane->arena_bytes) ? bytes : lane->arena_bytes;
		job->state = RNV_JOB_ZOMBIE;
		job->status = status;
		model->stale = model->state_bytes != 0u;
		lane->zombie = job;
		lane->zombie_serial = lane->npu_serial;
		lane->zombie_over = 0;
		lane->npu_state = RNV_LANE_NPU_IDLE;
		lane->held_bytes += bytes;
		lane->arena += bytes;
		lane->arena_bytes -= bytes;
		lane->current = NULL;
		rnv_lane_settle(sched, lane);
	}
	rnv_critical_exit(key);
	if (lost && rnv_is_traced(sched)) {
		rnv_trace(sched, &event);
	}
	return lost;
}

/* Where the request is: one that is lost may be confirmed at any time. */
static uint8_t state_of(const struct rnv_lane *lane)
{
	uint32_t key = rnv_critical_enter();
	uint8_t state = lane->npu_state;

	rnv_critical_exit(key);
	return state;
}

/* Its step has ended. */
static void note_end(const struct rnv_sched *sched, struct rnv_lane *lane)
{
	if (rnv_is_traced(sched)) {
		rnv_trace_step(sched, RNV_TRACE_NPU_END, lane, lane->exec.step, lane->npu_status);
	}
	lane->npu_state = RNV_LANE_NPU_IDLE;
}

/* Somebody may cancel at any time; what is missed now the lane's driver attends to. */
static bool is_cancelled(const struct rnv_job *job)
{
	uint32_t key = rnv_critical_enter();
	bool cancelled = job->cancelled != 0u;

	rnv_critical_exit(key);
	return cancelled;
}

void rnv_lane_cancel(struct rnv_sched *sched, struct rnv_lane *lane)
{
	if (state_of(lane) == RNV_LANE_NPU_LOST && bury(sched, lane, RNV_ECANCELED)) {
		return;
	}
	if (state_of(lane) == RNV_LANE_NPU_ENDED) {
		note_end(sched, lane);
	}
	if (lane->npu_since_us != RNV_NEVER) {
		stop_waiting(sched, lane);
	}
	lane->npu_state = RNV_LANE_NPU_IDLE;
	rnv_job_finish(sched, lane->current, RNV_ECANCELED, false);
}

/* The accelerator has ended the current job's step: as rnv_lane_accelerate() for what follows. */
static bool take_end(struct rnv_sched *sched, struct rnv_lane *lane)
{
	struct rnv_job *job = lane->current;
	int32_t status = lane->npu_status;

	note_end(sched, lane);
	if (is_cancelled(job)) {
		rnv_lane_cancel(sched, lane);
		return false;
	}
	if (status == RNV_OK) {
		if (!rnv_exec_skip(&lane->exec)) {
			rnv_job_finish(sched, job, RNV_OK, false);
			return false;
		}
	} else if (status != RNV_ECANCELED) { /* which is: a more urgent lane wanted it */
		if (!fall_back(sched, lane, status)) {
			return false;
		}
		lane->npu_state = RNV_LANE_NPU_CPU;
	}
	return true;
}

bool rnv_lane_accelerate(struct rnv_sched *sched, struct rnv_lane *lane)
{
	if (state_of(lane) == RNV_LANE_NPU_LOST &&
	    bury(sched, lane, is_cancelled(lane->current) ? RNV_ECANCELED : RNV_ETIMEDOUT)) {
		return false;
	}
	if (state_of(lane) == RNV_LANE_NPU_ENDED && !take_end(sched, lane)) {
		return false;
	}
	if (!rnv_exec_is_marked(&lane->exec)) {
		return true;
	}
	if (lane->npu_state == RNV_LANE_NPU_CPU) {
		lane->npu_state = RNV_LANE_NPU_IDLE;
		return true;
	}
	return hand_over(sched, lane);
}
