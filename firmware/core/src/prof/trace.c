/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The hook: an event is stamped, kept and counted in one critical section. */

#include <stddef.h>

#include "ranvier/port.h"
#include "ranvier/prof.h"

#include "prof/stat.h"

#define MOST_BLOCKED_US 0x7FFFFFFFu
#define MISSED          0x80000000u

/* Cycles between two readings; 0 where the counter ran back. */
static uint32_t elapsed(uint32_t from, uint32_t to)
{
	const uint32_t cycles = to - from;

	return cycles < 0x80000000u ? cycles : 0u;
}

/* Microseconds between two times; 0 where they are not in order. */
static uint32_t duration(uint64_t from, uint64_t to)
{
	if (to <= from) {
		return 0;
	}
	return to - from < UINT32_MAX ? (uint32_t)(to - from) : UINT32_MAX;
}

static uint32_t value_of(const struct rnv_trace_event *event)
{
	uint32_t blocked_us;

	if (event->kind == RNV_TRACE_SUBMIT) {
		return (uint32_t)rnv_now_us();
	}
	if (event->kind != RNV_TRACE_DONE) {
		return event->step;
	}
	blocked_us = event->result->blocked_us;
	return (blocked_us < MOST_BLOCKED_US ? blocked_us : MOST_BLOCKED_US) |
	       (event->result->missed != 0u ? MISSED : 0u);
}

static struct rnv_prof_record record_of(const struct rnv_trace_event *event)
{
	const int32_t status = event->result != NULL ? event->result->status : event->status;
	const struct rnv_prof_record record = {
		.job = event->job,
		.value = value_of(event),
		.model = event->model,
		.kind = (uint8_t)(event->kind | event->lane << 5),
		.status = (int8_t)status,
	};

	return record;
}

static void keep(struct rnv_prof *prof, const struct rnv_prof_record *record, uint32_t now)
{
	struct rnv_prof_record *place = &prof->records[prof->next];

	*place = *record;
	place->cycles = now;
	prof->next++;
	if (prof->next == prof->record_count) {
		prof->next = 0;
	}
	if (prof->used < prof->record_count) {
		prof->used++;
	} else if (prof->lost != UINT32_MAX) {
		prof->lost++;
	}
}

static struct rnv_prof_model *watched(struct rnv_prof *prof, uint16_t slot)
{
	struct rnv_prof_model *model = slot < prof->model_count ? &prof->models[slot] : NULL;

	return model != NULL && model->steps != NULL ? model : NULL;
}

static struct rnv_prof_step *step_of(struct rnv_prof *prof, const struct rnv_trace_event *event)
{
	struct rnv_prof_model *model = watched(prof, event->model);

	return model != NULL && event->step < model->step_count ? &model->steps[event->step] : NULL;
}

/* The next less urgent lane that is in a step: what begins now runs inside of it. */
static uint8_t outer_of(const struct rnv_prof *prof, uint32_t lane)
{
	uint32_t others = (uint32_t)prof->in_step >> lane >> 1;

	if (others == 0u || prof->parallel != 0u) {
		return RNV_PROF_MAX_LANES;
	}
	lane++;
	while ((others & 1u) == 0u) {
		others >>= 1;
		lane++;
	}
	return (uint8_t)lane;
}

static void step_begin(struct rnv_prof *prof, const struct rnv_trace_event *event)
{
	struct rnv_prof_lane *lane = &prof->lanes[event->lane];

	lane->outer = outer_of(prof, event->lane);
	lane->step = event->step;
	lane->taken = 0;
	prof->in_step |= (uint8_t)(1u << event->lane);
	lane->step_begin = rnv_cycles(); /* as late as can be: not what was done above */
}

static void step_end(struct rnv_prof *prof, const struct rnv_trace_event *event, uint32_t now)
{
	struct rnv_prof_lane *lane = &prof->lanes[event->lane];
	struct rnv_prof_step *step = step_of(prof, event);
	const uint32_t bit = 1u << event->lane;
	uint32_t all, own;

	if ((prof->in_step & bit) == 0u || lane->step != event->step) {
		return;
	}
	prof->in_step &= (uint8_t)~bit;
	all = elapsed(lane->step_begin, now);
	own = all > lane->taken ? all - lane->taken : 0u;
	if (lane->outer < RNV_PROF_MAX_LANES) {
		prof->lanes[lane->outer].taken += all;
	}
	if (step == NULL) {
		return;
	}
	if (step->runs == 0u || own < step->min_cycles) {
		step->min_cycles = own;
	}
	if (own > step->max_cycles) {
		step->max_cycles = own;
	}
	step->total_cycles += own;
	step->last_cycles = own;
	step->runs++;
}

static void npu_end(struct rnv_prof *prof, const struct rnv_trace_event *event, uint32_t now)
{
	struct rnv_prof_lane *lane = &prof->lanes[event->lane];
	struct rnv_prof_step *step = step_of(prof, event);
	const uint32_t bit = 1u << event->lane;
	const uint32_t known = (prof->in_npu & bit) != 0u && lane->npu_step == event->step;
	const uint32_t cycles = elapsed(lane->npu_begin, now);

	prof->in_npu &= (uint8_t)~bit;
	if (known == 0u || step == NULL || event->status != RNV_OK) {
		return;
	}
	step->npu_runs++;
	if (cycles > step->npu_max_cycles) {
		step->npu_max_cycles = cycles;
	}
}

static void job_start(struct rnv_prof *prof, const struct rnv_trace_event *event)
{
	struct rnv_prof_lane *lane = &prof->lanes[event->lane];
	const struct rnv_prof_model *model = watched(prof, event->model);

	if (model != NULL && model->arena_bytes > lane->arena_high_water) {
		lane->arena_high_water = model->arena_bytes;
	}
}

static void job_done(struct rnv_prof *prof, const struct rnv_trace_event *event)
{
	struct rnv_prof_model *model = watched(prof, event->model);

	if (model == NULL) {
		return;
	}
	if (event->result->status != RNV_OK) {
		model->failed++;
		return;
	}
	model->completed++;
	model->missed += event->result->missed;
}

static void count(struct rnv_prof *prof, const struct rnv_trace_event *event, uint32_t now)
{
	struct rnv_prof_lane *lane = &prof->lanes[event->lane];

	switch (event->kind) {
	case RNV_TRACE_START:
		job_start(prof, event);
		break;
	case RNV_TRACE_STEP_BEGIN:
		step_begin(prof, event);
		break;
	case RNV_TRACE_STEP_END:
		step_end(prof, event, now);
		break;
	case RNV_TRACE_NPU_BEGIN:
		prof->in_npu |= (uint8_t)(1u << event->lane);
		lane->npu_step = event->step;
		lane->npu_begin = now;
		break;
	case RNV_TRACE_NPU_END:
		npu_end(prof, event, now);
		break;
	case RNV_TRACE_DONE:
		job_done(prof, event);
		break;
	default:
		break;
	}
}

/* A time of a completed job, in a critical section of its own: that of the event is long enough. */
static void count_time(struct rnv_prof *prof, uint16_t slot, enum rnv_prof_time time, uint32_t us)
{
	const uint32_t bucket = rnv_prof_bucket_of(us);
	const uint32_t key = rnv_critical_enter();
	struct rnv_prof_model *model = watched(prof, slot);

	if (model != NULL && prof->on != 0u) {
		rnv_prof_stat_add(&model->times[time], us, bucket);
	}
	rnv_critical_exit(key);
}

static void count_times(struct rnv_prof *prof, uint16_t slot, const struct rnv_job_result *result)
{
	if (result->status != RNV_OK) {
		return;
	}
	count_time(prof, slot, RNV_PROF_QUEUEING, duration(result->submit_us, result->start_us));
	count_time(prof, slot, RNV_PROF_BLOCKING, result->blocked_us);
	count_time(prof, slot, RNV_PROF_RESPONSE, duration(result->submit_us, result->end_us));
}

void rnv_prof_trace(void *context, const struct rnv_trace_event *event)
{
	struct rnv_prof *prof = context;
	struct rnv_prof_record record;
	uint32_t key, now;

	if (event->lane >= RNV_PROF_MAX_LANES) {
		return;
	}
	record = record_of(event);
	key = rnv_critical_enter();
	if (prof->on != 0u) {
		now = rnv_cycles();
		if (prof->record_count != 0u) {
			keep(prof, &record, now);
		}
		count(prof, event, now);
	}
	rnv_critical_exit(key);
	if (event->kind == RNV_TRACE_DONE) {
		count_times(prof, event->model, event->result);
	}
}
