/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stddef.h>

#include "sched/internal.h"
#include "sched/npu_request.h"
#include "sched/queue.h"

static const struct rnv_sched_hooks no_hooks;

static bool is_valid(const struct rnv_sched_config *config)
{
	if (config == NULL || config->lane_configs == NULL || config->lanes == NULL ||
	    config->jobs == NULL || config->models == NULL ||
	    (config->externals == NULL && config->externals_per_job != 0u)) {
		return false;
	}
	return config->lane_count >= 1u && config->lane_count <= RNV_SCHED_MAX_LANES &&
	       config->job_count >= 1u && config->job_count <= RNV_SCHED_MAX_JOBS &&
	       config->model_count >= 1u;
}

static int init_lane(struct rnv_lane *lane, const struct rnv_lane_config *config, uint32_t number)
{
	if (config->queue == NULL || config->depth < 1u || config->depth > RNV_LANE_MAX_DEPTH ||
	    (config->arena == NULL && config->arena_bytes != 0u) ||
	    config->overload > RNV_OVERLOAD_DROP_OLDEST ||
	    (config->flags & ~(uint32_t)RNV_LANE_ATOMIC) != 0u) {
		return RNV_EINVAL;
	}
	if ((uintptr_t)config->arena % RNV_PACKAGE_ALIGN != 0u) {
		return RNV_EALIGN;
	}
	*lane = (struct rnv_lane){
		.queue = config->queue,
		.arena = config->arena,
		.arena_bytes = config->arena_bytes,
		.npu_since_us = RNV_NEVER,
		.bit = 1u << number,
		.depth = config->depth,
		.room = config->depth,
		.overload = config->overload,
		.flags = config->flags,
		.number = (uint8_t)number,
	};
	rnv_queue_init(lane);
	return RNV_OK;
}

static void init_jobs(struct rnv_sched *sched, void **externals)
{
	for (uint32_t i = sched->job_count; i > 0u; i--) {
		struct rnv_job *job = &sched->jobs[i - 1u];

		*job = (struct rnv_job){.handle = i - 1u};
		if (externals != NULL) {
			job->externals = externals + (i - 1u) * sched->externals_per_job;
		}
		rnv_job_free(sched, job);
	}
}

int rnv_sched_init(struct rnv_sched *sched, const struct rnv_sched_config *config)
{
	if (sched == NULL || !is_valid(config)) {
		return RNV_EINVAL;
	}
	*sched = (struct rnv_sched){
		.lanes = config->lanes,
		.jobs = config->jobs,
		.models = config->models,
		.npu = config->npu,
		.hooks = (config->hooks != NULL) ? config->hooks : &no_hooks,
		.npu_limit_us = RNV_NEVER,
		.npu_event_us = RNV_NEVER,
		.lane_count = config->lane_count,
		.job_count = config->job_count,
		.model_count = config->model_count,
		.externals_per_job = config->externals_per_job,
	};
	for (uint32_t i = 0; i < config->lane_count; i++) {
		int status = init_lane(&sched->lanes[i], &config->lane_configs[i], i);

		if (status != RNV_OK) {
			return status;
		}
	}
	init_jobs(sched, config->externals);
	for (uint32_t i = 0; i < config->model_count; i++) {
		sched->models[i] = (struct rnv_model){.handle = i};
		rnv_model_renew(&sched->models[i]);
	}
	if (sched->npu != NULL) {
		rnv_npu_follow(sched);
	}
	return RNV_OK;
}

uint64_t rnv_sched_next_us(struct rnv_sched *sched)
{
	return (sched->npu != NULL) ? rnv_npu_next_us(sched->npu) : RNV_NEVER;
}

static bool has_jobs(const struct rnv_lane *lane)
{
	return lane->count != 0u || lane->current != NULL || lane->zombie != NULL;
}

int rnv_lane_claim(struct rnv_sched *sched, uint32_t number, uint32_t handle)
{
	uint32_t key;
	struct rnv_lane *lane;
	const struct rnv_model *model;
	int status = RNV_OK;

	if (number >= sched->lane_count) {
		return RNV_EINVAL;
	}
	lane = &sched->lanes[number];
	key = rnv_critical_enter();
	model = rnv_model_of(sched, handle);
	if (model == NULL) {
		status = RNV_ENOENT;
	} else if ((model->lanes & lane->bit) == 0u) {
		status = RNV_ESTATE;
	} else if (has_jobs(lane) || lane->claim != RNV_NO_HANDLE) {
		status = RNV_EBUSY;
	} else {
		rnv_lane_reclaim(lane); /* sections nest */
		lane->claim = handle;
	}
	rnv_critical_exit(key);
	return status;
}

int rnv_lane_release(struct rnv_sched *sched, uint32_t number)
{
	uint32_t key;
	struct rnv_lane *lane;
	int status = RNV_OK;

	if (number >= sched->lane_count) {
		return RNV_EINVAL;
	}
	lane = &sched->lanes[number];
	key = rnv_critical_enter();
	if (lane->claim == RNV_NO_HANDLE) {
		status = RNV_ESTATE;
	} else if (has_jobs(lane)) {
		status = RNV_EBUSY;
	} else {
		lane->claim = RNV_NO_HANDLE;
	}
	rnv_critical_exit(key);
	return status;
}

void *rnv_lane_tensor(struct rnv_sched *sched, uint32_t number, uint16_t tensor)
{
	const struct rnv_tensor_rec *rec;
	const struct rnv_model *model;
	const struct rnv_lane *lane;
	uint32_t key;
	void *address = NULL;

	if (number >= sched->lane_count) {
		return NULL;
	}
	lane = &sched->lanes[number];
	key = rnv_critical_enter();
	model = rnv_model_of(sched, lane->claim);
	if (model != NULL) {
		rec = rnv_package_tensor(&model->pkg, tensor);
		if (rec != NULL && rec->storage == RNV_STORAGE_ARENA && rec->flags != 0u) {
			address = lane->arena - lane->held_bytes + rec->offset;
		}
	}
	rnv_critical_exit(key);
	return address;
}

int rnv_lane_stats_get(struct rnv_sched *sched, uint32_t number, struct rnv_lane_stats *stats)
{
	const struct rnv_lane *lane;
	uint32_t key;

	if (number >= sched->lane_count || stats == NULL) {
		return RNV_EINVAL;
	}
	lane = &sched->lanes[number];
	key = rnv_critical_enter();
	*stats = lane->stats;
	stats->submitted = lane->order;
	stats->queued = lane->count;
	stats->arena_bytes = lane->arena_bytes;
	if (lane->zombie == NULL) { /* nobody holds a part any more */
		stats->arena_bytes += lane->held_bytes;
	}
	rnv_critical_exit(key);
	return RNV_OK;
}
