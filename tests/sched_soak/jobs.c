/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Jobs: what is submitted, what must become of it, and what the counters must say. */

#include <string.h>

#include "soak.h"

/* --- a package alone --- */

static const struct rnv_tensor_rec *tensor_of(const struct variant *variant, uint32_t number)
{
	return rnv_package_tensor(&variant->pkg, (uint16_t)number);
}

static uint32_t input_of(const struct variant *variant)
{
	return variant->pkg.operands[variant->pkg.entries[0].input_first];
}

static uint32_t output_of(const struct variant *variant)
{
	return variant->pkg.operands[variant->pkg.entries[0].output_first];
}

/* What the job must put out: a run that nothing interferes with, in other memory. */
static void run_alone(struct subject *subject, struct variant *variant, const struct record *job,
		      uint8_t *out)
{
	struct rnv_exec exec;
	uint8_t in[MAX_BYTES];
	uint32_t input = input_of(variant);
	uint32_t output = output_of(variant);
	uint32_t in_bytes = tensor_of(variant, input)->bytes;
	uint32_t out_bytes = tensor_of(variant, output)->bytes;

	CHECK(rnv_exec_init(&exec, &variant->pkg, variant->arena, ARENA_BYTES, variant->externals,
			    8) == RNV_OK,
	      "alone");
	memcpy(in, job->in, in_bytes);
	if (variant->pkg.header->state_bytes != 0u) {
		CHECK(rnv_exec_set_state(&exec, subject->state_alone, 64) == RNV_OK, "state");
	}
	if (tensor_of(variant, input)->storage == RNV_STORAGE_EXTERNAL) {
		CHECK(rnv_exec_bind(&exec, (uint16_t)input, in, in_bytes) == RNV_OK, "in");
		CHECK(rnv_exec_bind(&exec, (uint16_t)output, out, out_bytes) == RNV_OK, "out");
	} else {
		memcpy(rnv_exec_tensor(&exec, (uint16_t)input), in, in_bytes);
	}
	CHECK(rnv_exec_run(&exec, 0) == RNV_OK, "alone");
	if (tensor_of(variant, output)->storage != RNV_STORAGE_EXTERNAL) {
		memcpy(out, rnv_exec_tensor(&exec, (uint16_t)output), out_bytes);
	}
}

/* --- ends --- */

static struct record *record_of(uint32_t handle)
{
	struct record *job = soak.by_slot[handle % RNV_SCHED_MAX_JOBS];

	CHECK(job != NULL && job->handle == handle && job->used, "unknown job %u", handle);
	return job;
}

static void release(struct record *job)
{
	soak.by_slot[job->handle % RNV_SCHED_MAX_JOBS] = NULL;
	job->used = false;
}

static void check_output(struct subject *subject, const struct record *job)
{
	struct variant *variant = &subject->variants[job->variant];
	uint32_t bytes = tensor_of(variant, output_of(variant))->bytes;
	uint8_t expected[MAX_BYTES];
	const uint8_t *out = job->out;

	if (subject->variants[0].pkg.header->state_bytes != 0u &&
	    (subject->stale || (job->flags & RNV_JOB_RESET) != 0u)) {
		memset(subject->state_alone, 0, sizeof(subject->state_alone));
	}
	subject->stale = false;
	run_alone(subject, variant, job, expected);
	if (job->model == RESIDENT) {
		out = rnv_lane_tensor(&soak.sched, job->lane, (uint16_t)output_of(variant));
		CHECK(out != NULL, "a resident output");
		soak.resident_jobs++;
	}
	CHECK(rnv_crc32(0, out, bytes) == rnv_crc32(0, expected, bytes), "model %u lane %u",
	      job->model, job->lane);
	soak.compared++;
}

/* A quarantined accelerator may still write the state of the job's model. */
static bool is_state_held(const struct record *job)
{
	const struct record *zombie = soak.at[job->lane].zombie;

	return job->model == STATEFUL && zombie != NULL && zombie->model == STATEFUL;
}

static void count_end(const struct record *job, const struct rnv_job_result *result)
{
	struct lane *lane = &soak.at[job->lane];
	struct subject *subject = &soak.subjects[job->model];
	struct rnv_lane_stats *expected = &lane->expected;
	uint32_t queued_us = (uint32_t)(result->start_us - result->submit_us);
	uint32_t arena_bytes = subject->variants[job->variant].pkg.header->arena_bytes;
	bool missed = result->status == RNV_OK && soak.now_us > job->deadline_us;

	if (job->started) {
		CHECK(result->start_us != RNV_NEVER, "a job started");
		if (queued_us > expected->longest_queued_us) {
			expected->longest_queued_us = queued_us;
		}
		if (arena_bytes > expected->arena_high_water) {
			expected->arena_high_water = arena_bytes;
		}
	} else {
		CHECK(result->start_us == RNV_NEVER, "a job did not start");
	}
	CHECK(result->missed == missed, "missed");
	CHECK(result->status != RNV_ESTALE || is_state_held(job), "stale");
	expected->missed += missed;
	expected->completed += result->status == RNV_OK;
	expected->cancelled += result->status == RNV_ECANCELED;
	expected->dropped += result->status == RNV_ENOBUFS || result->status == RNV_ETIME;
	expected->failed += result->status == RNV_EIO || result->status == RNV_ETIMEDOUT ||
			    result->status == RNV_ESTALE || result->status == RNV_ENOMEM;
	subject->completed += result->status == RNV_OK;
	subject->failed += result->status != RNV_OK;
	subject->jobs--;
	soak.fallbacks += result->fallbacks;
}

/* What a job says that it was blocked for: by one step, or job, and again after each wait. */
static void check_blocking(const struct record *job, const struct rnv_job_result *result)
{
	const struct variant *variant = &soak.subjects[job->model].variants[job->variant];
	uint32_t step = soak_longest_step(job->lane);
	uint32_t whole = soak_longest_job(job->lane); /* where jobs are not taken over */
	uint64_t once = (whole > step) ? whole : step;
	uint64_t times = 1;

	if (variant->is_marked) {
		times += soak.changes - job->changes_before;
	}
	CHECK(result->blocked_us <= times * once, "%u us blocked", result->blocked_us);
	CHECK(result->blocked_us <= result->end_us - result->submit_us, "%u us blocked",
	      result->blocked_us);
}

static void leave_lane(struct record *job, int32_t status)
{
	struct lane *lane = &soak.at[job->lane];

	if (lane->zombie == job) {
		lane->zombie = NULL;
		return;
	}
	if (lane->current == job) {
		lane->current = NULL;
		lane->away = 0;
	} else {
		CHECK(!job->started, "a job that has left its lane");
		lane->queued--;
	}
	/* One that was dropped is replaced at once: the lane has work all the time. */
	if (lane->queued == 0u && lane->current == NULL && status != RNV_ENOBUFS) {
		soak_note_row_end(job->lane, false);
	}
}

void soak_note_done(const struct rnv_trace_event *event)
{
	const struct rnv_job_result *result = event->result;
	struct record *job = record_of(event->job);
	struct subject *subject = &soak.subjects[job->model];

	CHECK(job->ends++ == 0u, "ends twice");
	CHECK(result->job == job->handle && result->lane == job->lane &&
		      result->end_us == soak.now_us && result->submit_us == job->submit_us,
	      "result");
	leave_lane(job, result->status);
	check_blocking(job, result);
	count_end(job, result);
	if (result->status == RNV_OK) {
		CHECK(job->next_step == subject->variants[job->variant].pkg.entries[0].step_count,
		      "complete after step %u", job->next_step);
		check_output(subject, job);
	} else if (job->started) {
		subject->stale = true;
	}
	if (!job->has_callback && (job->flags & RNV_JOB_FORGET) != 0u) {
		release(job);
	}
}

static void done(void *context, const struct rnv_job_result *result)
{
	struct record *job = context;

	CHECK(soak.nested == 0u, "callback in a critical section");
	CHECK(job->used && job->handle == result->job && job->ends == 1u, "callback");
	CHECK(job->callbacks++ == 0u, "called twice");
	CHECK(rnv_job_state_get(&soak.sched, result->job) == RNV_ENOENT, "its slot is free");
	release(job);
	if (!soak.quiet && soak.depth < 2u && soak_chance(5)) {
		soak.depth++;
		soak.callback_actions++;
		soak_act();
		soak.depth--;
	}
}

/* --- progress --- */

void soak_note_start(const struct rnv_trace_event *event)
{
	struct record *job = record_of(event->job);
	struct lane *lane = &soak.at[job->lane];

	CHECK(!job->started && job->ends == 0u, "starts twice");
	CHECK(lane->current == NULL, "a started job keeps its lane");
	CHECK(!is_state_held(job), "a job runs on a state that may be written");
	job->started = true;
	lane->queued--;
	lane->current = job;
}

/* A step was executed: by the accelerator, or now by the CPU. */
void soak_note_step(const struct rnv_trace_event *event)
{
	struct record *job = record_of(event->job);

	CHECK(soak.at[job->lane].current == job, "a step of a job that has no lane");
	CHECK(event->step == job->next_step, "step %u after %u", event->step, job->next_step);
	job->next_step++;
}

/* --- what a user does --- */

static struct record *free_record(void)
{
	for (uint32_t i = 0; i < RECORDS; i++) {
		if (!soak.records[i].used) {
			return &soak.records[i];
		}
	}
	return NULL;
}

static uint8_t random_flags(const struct lane *lane, bool *callback)
{
	static const uint8_t npu[8] = {0,
				       0,
				       RNV_JOB_NPU_WAIT,
				       RNV_JOB_NPU_WAIT,
				       RNV_JOB_NPU_STRICT,
				       RNV_JOB_NPU_NEVER,
				       0,
				       RNV_JOB_NPU_WAIT | RNV_JOB_NPU_STRICT};
	uint32_t flags = npu[soak_random(8)];

	*callback = soak_chance(70);
	if (!*callback && soak_chance(50)) {
		flags |= RNV_JOB_FORGET;
	}
	if (soak_chance(10)) {
		flags |= RNV_JOB_DROP_LATE;
	}
	if (lane->permits_atomic && soak_chance(15)) {
		flags |= RNV_JOB_ATOMIC;
	}
	if (soak_chance(5)) {
		flags |= RNV_JOB_RESET;
	}
	return (uint8_t)flags;
}

static uint64_t random_deadline(void)
{
	if (soak_chance(40)) {
		return RNV_NEVER;
	}
	return soak_chance(10) ? soak.now_us - soak_random(1000) : soak.now_us + soak_random(2000);
}

static void check_answer(int status, const struct lane *lane, const struct subject *subject,
			 uint32_t l)
{
	uint32_t used = 0;
	uint32_t model = (uint32_t)(subject - soak.subjects);
	bool admits = !subject->draining && (subject->lanes & (1u << l)) != 0u &&
		      (lane->claim == MODELS || lane->claim == model) &&
		      (model != RESIDENT || lane->claim == model);

	for (uint32_t i = 0; i < RECORDS; i++) {
		used += soak.records[i].used;
	}
	if (!admits) {
		CHECK(status == RNV_ESTATE, "%d, not admitted", status);
	} else if (status == RNV_EAGAIN) {
		/* One is full, or no slot is free; a callback may be inside of a drop. */
		CHECK(lane->queued + 1u >= lane->depth || used >= SLOTS, "%d, with room", status);
	} else {
		CHECK(status == RNV_OK, "%d", status);
		CHECK(lane->drops_oldest || lane->queued < lane->depth, "full");
	}
}

/* The answer of the submission; the job is filled in before, and what it drops ends in it. */
static int submit(struct record *job, struct subject *subject, struct lane *lane)
{
	const struct variant *variant = &subject->variants[job->variant];
	bool resident = job->model == RESIDENT;
	struct rnv_buffer buffers[2] = {
		{job->in, tensor_of(variant, input_of(variant))->bytes},
		{job->out, tensor_of(variant, output_of(variant))->bytes},
	};
	const struct rnv_job_request request = {
		.model = subject->handle,
		.lane = (uint8_t)job->lane,
		.flags = job->flags,
		.deadline_us = job->deadline_us,
		.buffers = resident ? NULL : buffers,
		.buffer_count = resident ? 0 : 2,
		.done = job->has_callback ? done : NULL,
		.context = job,
	};
	uint32_t queued = lane->queued;
	int status;

	job->used = true; /* so that no callback takes it */
	status = rnv_job_submit(&soak.sched, &request, &job->handle);
	job->used = status == RNV_OK;
	if (soak.depth == 0u && queued == lane->queued) {
		check_answer(status, lane, subject, job->lane);
	}
	return status;
}

static void fill(struct record *job, uint32_t model, uint32_t lane)
{
	bool callback;
	uint32_t first = soak_random(256);
	uint32_t factor = 1u + 2u * soak_random(64);

	*job = (struct record){
		.model = model,
		.variant = soak.subjects[model].variant,
		.lane = lane,
		.submit_us = soak.now_us,
		.deadline_us = random_deadline(),
		.changes_before = soak.changes,
		.flags = random_flags(&soak.at[lane], &callback),
	};
	job->has_callback = callback;
	for (uint32_t i = 0; i < MAX_BYTES; i++) {
		job->in[i] = (uint8_t)(first + i * factor);
	}
}

/* A resident model's input is put where the lane has it: only while the lane has no other job. */
static bool put_resident(const struct record *job)
{
	const struct lane *lane = &soak.at[job->lane];
	const struct variant *variant = &soak.subjects[RESIDENT].variants[job->variant];
	uint8_t *input;

	if (lane->claim != RESIDENT) {
		return true; /* which will be refused */
	}
	if (lane->queued != 0u || lane->current != NULL || lane->zombie != NULL) {
		return false;
	}
	input = rnv_lane_tensor(&soak.sched, job->lane, (uint16_t)input_of(variant));
	CHECK(input != NULL, "a resident input");
	memcpy(input, job->in, tensor_of(variant, input_of(variant))->bytes);
	return true;
}

void soak_submit(void)
{
	struct record *job = free_record();
	uint32_t l = soak_random(LANES);
	struct lane *lane = &soak.at[l];
	uint32_t model =
		(lane->claim != MODELS && soak_chance(80)) ? lane->claim : soak_random(MODELS);
	struct subject *subject = &soak.subjects[model];

	if (job == NULL || ((subject->lanes & (1u << l)) == 0u && soak_chance(95))) {
		return;
	}
	fill(job, model, l);
	if (model == RESIDENT && !put_resident(job)) {
		return;
	}
	switch (submit(job, subject, lane)) {
	case RNV_OK:
		soak.by_slot[job->handle % RNV_SCHED_MAX_JOBS] = job;
		lane->queued++;
		lane->expected.submitted++;
		subject->jobs++;
		soak.accepted++;
		break;
	case RNV_EAGAIN:
		lane->expected.refused++;
		break;
	default:
		break;
	}
}

static struct record *any_record(void)
{
	uint32_t first = soak_random(RECORDS);

	for (uint32_t i = 0; i < RECORDS; i++) {
		struct record *job = &soak.records[(first + i) % RECORDS];

		if (job->used && soak.by_slot[job->handle % RNV_SCHED_MAX_JOBS] == job) {
			return job;
		}
	}
	return NULL;
}

void soak_cancel(void)
{
	const struct record *job = any_record();
	bool over;

	if (job != NULL) {
		over = job->ends != 0u;
		CHECK(rnv_job_cancel(&soak.sched, job->handle) == (over ? RNV_ENOENT : RNV_OK),
		      "cancel");
		soak.cancels += !over;
	}
}

void soak_set_deadline(void)
{
	struct record *job = any_record();
	uint64_t deadline_us = random_deadline();
	int expected;

	if (job == NULL) {
		return;
	}
	expected = (job->ends != 0u) ? RNV_ENOENT : (job->started ? RNV_ESTATE : RNV_OK);
	CHECK(rnv_job_set_deadline(&soak.sched, job->handle, deadline_us) == expected,
	      "set_deadline, expected %d", expected);
	if (expected == RNV_OK) {
		job->deadline_us = deadline_us;
		soak.deadline_changes++;
	}
}

void soak_collect(void)
{
	struct rnv_job_result result;

	for (uint32_t i = 0; i < RECORDS; i++) {
		struct record *job = &soak.records[i];

		if (!job->used || soak.by_slot[job->handle % RNV_SCHED_MAX_JOBS] != job ||
		    job->has_callback || (job->flags & RNV_JOB_FORGET) != 0u) {
			continue;
		}
		if (job->ends == 0u) {
			CHECK(rnv_job_collect(&soak.sched, job->handle, &result) == RNV_EAGAIN,
			      "collect");
			continue;
		}
		CHECK(rnv_job_collect(&soak.sched, job->handle, &result) == RNV_OK, "collect");
		CHECK(result.job == job->handle, "collect");
		release(job);
	}
}

/* --- counters --- */

static void check_lane(uint32_t l)
{
	const struct lane *lane = &soak.at[l];
	const struct rnv_lane_stats *e = &lane->expected;
	struct rnv_lane_stats s;

	CHECK(rnv_lane_stats_get(&soak.sched, l, &s) == RNV_OK, "stats");
	CHECK(s.submitted == e->submitted && s.completed == e->completed && s.missed == e->missed &&
		      s.cancelled == e->cancelled && s.dropped == e->dropped &&
		      s.failed == e->failed && s.refused == e->refused && s.queued == lane->queued,
	      "lane %u: submitted %u %u completed %u %u missed %u %u cancelled %u %u dropped %u %u "
	      "failed %u %u refused %u %u queued %u %u",
	      l, s.submitted, e->submitted, s.completed, e->completed, s.missed, e->missed,
	      s.cancelled, e->cancelled, s.dropped, e->dropped, s.failed, e->failed, s.refused,
	      e->refused, s.queued, lane->queued);
	CHECK(s.submitted == s.completed + s.cancelled + s.dropped + s.failed + s.queued +
				     (lane->current != NULL) + (lane->zombie != NULL),
	      "lane %u: counters add up", l);
	CHECK(s.arena_high_water == e->arena_high_water, "lane %u: high water %u %u", l,
	      s.arena_high_water, e->arena_high_water);
	CHECK(s.longest_queued_us == e->longest_queued_us, "lane %u: queued %u %u", l,
	      s.longest_queued_us, e->longest_queued_us);
	CHECK(s.most_queued <= lane->depth, "lane %u: %u queued", l, s.most_queued);
	CHECK(s.longest_step_blocked_us <= soak_longest_step(l), "lane %u: %u us", l,
	      s.longest_step_blocked_us);
	CHECK(s.longest_atomic_blocked_us <= soak_longest_job(l), "lane %u: %u us", l,
	      s.longest_atomic_blocked_us);
	CHECK(!soak.threads || (s.longest_step_blocked_us | s.longest_atomic_blocked_us) == 0u,
	      "lane %u: blocked with a thread per lane", l);
}

/* Jobs that are cancelled end at the next step boundary, or when the accelerator has stopped. */
static void check_drain(struct subject *subject)
{
	uint64_t took_us = soak.now_us - subject->drained_us;

	if (took_us > soak.longest_drain_us) {
		soak.longest_drain_us = took_us;
	}
	if (subject->jobs == 0u) {
		subject->drained_us = RNV_NEVER;
	}
	CHECK(soak.threads || took_us <= soak_longest_request(0) + MAX_COST_US,
	      "a drain takes %llu us", (unsigned long long)took_us);
}

static void check_model(uint32_t m)
{
	struct subject *subject = &soak.subjects[m];
	struct rnv_model_info info;

	CHECK(rnv_model_info_get(&soak.sched, subject->handle, &info) == RNV_OK, "model %u", m);
	CHECK(info.completed == subject->completed && info.failed == subject->failed &&
		      info.jobs == subject->jobs && (info.draining != 0u) == subject->draining,
	      "model %u: completed %u %u failed %u %u jobs %u %u", m, info.completed,
	      subject->completed, info.failed, subject->failed, info.jobs, subject->jobs);
	for (uint32_t l = 0; l < LANES; l++) {
		if (soak.at[l].zombie != NULL && soak.at[l].zombie->model == m) {
			subject->drained_us = RNV_NEVER; /* ends when somebody recovers it */
		}
	}
	if (subject->drained_us != RNV_NEVER) {
		check_drain(subject);
	}
}

void soak_check_counters(void)
{
	if (soak.depth != 0u) {
		return;
	}
	for (uint32_t l = 0; l < LANES; l++) {
		check_lane(l);
		for (uint32_t i = 0; i < GUARD_BYTES; i++) {
			CHECK(soak.arenas[l][ARENA_BYTES + i] == GUARD, "lane %u: guard", l);
		}
	}
	for (uint32_t m = 0; m < MODELS; m++) {
		check_model(m);
	}
}

void soak_check_at_rest(void)
{
	soak_collect();
	soak_check_counters();
	for (uint32_t i = 0; i < SLOTS; i++) {
		CHECK(soak.slots[i].state == RNV_JOB_FREE, "slot %u leaks, %u", i,
		      soak.slots[i].state);
	}
	for (uint32_t i = 0; i < RECORDS; i++) {
		CHECK(!soak.records[i].used, "a job never ended");
	}
	for (uint32_t l = 0; l < LANES; l++) {
		struct rnv_lane_stats s;

		(void)rnv_lane_stats_get(&soak.sched, l, &s);
		CHECK(s.arena_bytes == ARENA_BYTES || soak.at[l].zombie == NULL, "lane %u", l);
		CHECK(soak.threads || s.preempted == soak.preempted[l], "lane %u: preempted", l);
		/* It also counts some after which the lane did not go on. */
		CHECK(s.longest_step_blocked_us >= soak.at[l].longest_step_us &&
			      s.longest_atomic_blocked_us >= soak.at[l].longest_atomic_us,
		      "lane %u: blocked for %u and %u us, measured %llu and %llu", l,
		      s.longest_step_blocked_us, s.longest_atomic_blocked_us,
		      (unsigned long long)soak.at[l].longest_step_us,
		      (unsigned long long)soak.at[l].longest_atomic_us);
	}
}
