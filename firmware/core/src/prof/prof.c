/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What applications ask of a profiler; trace.c is what the scheduler tells it. */

#include <stddef.h>
#include <string.h>

#include "ranvier/port.h"
#include "ranvier/prof.h"

#include "prof/stat.h"

#define MOST_RECORDS (1u << 24)

int rnv_prof_init(struct rnv_prof *prof, const struct rnv_prof_config *config)
{
	if (prof == NULL || config == NULL || config->models == NULL || config->model_count == 0u) {
		return RNV_EINVAL;
	}
	if (config->record_count > MOST_RECORDS ||
	    (config->records == NULL && config->record_count != 0u) ||
	    (config->flags & ~(uint32_t)RNV_PROF_PARALLEL) != 0u) {
		return RNV_EINVAL;
	}
	*prof = (struct rnv_prof){
		.models = config->models,
		.records = config->records,
		.record_count = config->record_count,
		.model_count = config->model_count,
		.parallel = config->flags & RNV_PROF_PARALLEL,
	};
	memset(config->models, 0, config->model_count * sizeof(*config->models));
	return RNV_OK;
}

/* Everything is cleared outside of critical sections, while the hook does not see it. */
int rnv_prof_watch(struct rnv_prof *prof, uint32_t slot, const struct rnv_prof_target *target)
{
	struct rnv_prof_model *model;
	struct rnv_prof_target wanted = {0};
	uint32_t key;

	if (slot >= prof->model_count ||
	    (target != NULL && (target->steps == NULL || target->step_count == 0u))) {
		return RNV_EINVAL;
	}
	if (target != NULL) {
		wanted = *target;
	}
	model = &prof->models[slot];
	key = rnv_critical_enter();
	model->steps = NULL;
	rnv_critical_exit(key);

	memset(model->times, 0, sizeof(model->times));
	if (target != NULL) {
		memset(wanted.steps, 0, wanted.step_count * sizeof(*wanted.steps));
	}
	model->step_count = wanted.step_count;
	model->package_crc = wanted.package_crc;
	model->arena_bytes = wanted.arena_bytes;
	model->completed = 0;
	model->failed = 0;
	model->missed = 0;

	key = rnv_critical_enter();
	model->steps = wanted.steps;
	rnv_critical_exit(key);
	return RNV_OK;
}

void rnv_prof_enable(struct rnv_prof *prof, uint32_t on)
{
	const uint32_t key = rnv_critical_enter();

	prof->in_step = 0;
	prof->in_npu = 0;
	prof->on = on != 0u;
	rnv_critical_exit(key);
}

void rnv_prof_reset(struct rnv_prof *prof)
{
	uint32_t key;

	for (uint32_t slot = 0; slot < prof->model_count; slot++) {
		const struct rnv_prof_model *model = &prof->models[slot];
		const struct rnv_prof_target target = {
			.steps = model->steps,
			.step_count = model->step_count,
			.package_crc = model->package_crc,
			.arena_bytes = model->arena_bytes,
		};

		if (target.steps != NULL) {
			(void)rnv_prof_watch(prof, slot, &target);
		}
	}
	key = rnv_critical_enter();
	prof->used = 0;
	prof->next = 0;
	prof->lost = 0;
	for (uint32_t i = 0; i < RNV_PROF_MAX_LANES; i++) {
		prof->lanes[i].arena_high_water = 0;
	}
	rnv_critical_exit(key);
}

static struct rnv_prof_model *watched(struct rnv_prof *prof, uint32_t slot)
{
	struct rnv_prof_model *model = slot < prof->model_count ? &prof->models[slot] : NULL;

	return model != NULL && model->steps != NULL ? model : NULL;
}

int rnv_prof_step_get(struct rnv_prof *prof, uint32_t slot, uint32_t number,
		      struct rnv_prof_step *step)
{
	const uint32_t key = rnv_critical_enter();
	const struct rnv_prof_model *model = watched(prof, slot);
	int status = RNV_OK;

	if (model == NULL) {
		status = RNV_ENOENT;
	} else if (number >= model->step_count) {
		status = RNV_EINVAL;
	} else {
		*step = model->steps[number];
	}
	rnv_critical_exit(key);
	return status;
}

int rnv_prof_jobs_get(struct rnv_prof *prof, uint32_t slot, struct rnv_prof_jobs *jobs)
{
	const uint32_t key = rnv_critical_enter();
	const struct rnv_prof_model *model = watched(prof, slot);

	if (model != NULL) {
		jobs->completed = model->completed;
		jobs->failed = model->failed;
		jobs->missed = model->missed;
		jobs->arena_bytes = model->arena_bytes;
	}
	rnv_critical_exit(key);
	if (model == NULL) {
		return RNV_ENOENT;
	}
	for (uint32_t i = 0; i < 3u; i++) {
		rnv_prof_stat_summary(&model->times[i], &jobs->times[i]);
	}
	return RNV_OK;
}

uint32_t rnv_prof_bucket_get(struct rnv_prof *prof, uint32_t slot, uint32_t time, uint32_t bucket)
{
	const uint32_t key = rnv_critical_enter();
	const struct rnv_prof_model *model = watched(prof, slot);
	uint32_t count = 0;

	if (model != NULL && time <= RNV_PROF_RESPONSE && bucket < RNV_PROF_BUCKETS) {
		count = model->times[time].buckets[bucket];
	}
	rnv_critical_exit(key);
	return count;
}

uint32_t rnv_prof_arena_high_water(struct rnv_prof *prof, uint32_t lane)
{
	const uint32_t key = rnv_critical_enter();
	const uint32_t bytes = lane < RNV_PROF_MAX_LANES ? prof->lanes[lane].arena_high_water : 0u;

	rnv_critical_exit(key);
	return bytes;
}
