/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Models by handle and name: binding, draining, listing. Opening them: open.c. */

#include <stddef.h>
#include <string.h>

#include "sched/internal.h"

/* rnv_model.draining */
#define DRAINED 0x1u /* rnv_model_drain() */
#define HELD    0x2u /* a thread has the model for itself */

struct rnv_model *rnv_model_of(const struct rnv_sched *sched, uint32_t handle)
{
	struct rnv_model *model = rnv_model_slot(sched, handle);

	if ((handle & 0xFFFFu) < sched->model_count && model->handle == handle &&
	    model->open == RNV_MODEL_OPEN) {
		return model;
	}
	return NULL;
}

/* In a critical section: of those that are found by their name, and listed. */
static bool is_listed(const struct rnv_model *model)
{
	return model->open == RNV_MODEL_OPEN && (model->flags & RNV_MODEL_UNLISTED) == 0u;
}

bool rnv_model_admits(const struct rnv_model *model, const struct rnv_lane *lane)
{
	uint32_t claim = lane->claim;

	if ((model->lanes & lane->bit) == 0u || model->draining != 0u) {
		return false;
	}
	return (claim == RNV_NO_HANDLE) ? model->resident == 0u : claim == model->handle;
}

bool rnv_model_is_claimed(const struct rnv_sched *sched, const struct rnv_model *model)
{
	for (uint32_t i = 0; i < sched->lane_count; i++) {
		if (sched->lanes[i].claim == model->handle) {
			return true;
		}
	}
	return false;
}

bool rnv_lane_fits(const struct rnv_lane *lane, const struct rnv_header *header)
{
	return header->arena_bytes <= lane->arena_bytes + lane->held_bytes;
}

int rnv_model_close(struct rnv_sched *sched, uint32_t handle)
{
	uint32_t key = rnv_critical_enter();
	struct rnv_model *model = rnv_model_of(sched, handle);
	int status = RNV_OK;

	if (model == NULL) {
		status = RNV_ENOENT;
	} else if (model->jobs != 0u || rnv_model_is_claimed(sched, model)) {
		status = RNV_EBUSY;
	} else {
		rnv_model_renew(model);
		model->open = RNV_MODEL_FREE;
	}
	rnv_critical_exit(key);
	return status;
}

int rnv_model_bind(struct rnv_sched *sched, uint32_t handle, uint32_t lane)
{
	uint32_t key = rnv_critical_enter();
	struct rnv_model *model = rnv_model_of(sched, handle);
	int status = RNV_OK;

	if (model == NULL) {
		status = RNV_ENOENT;
	} else if (lane >= sched->lane_count ||
		   (model->state_bytes != 0u &&
		    ((model->lanes | model->leaving) & ~(1u << lane)) != 0u)) {
		status = RNV_EINVAL;
	} else if (!rnv_lane_fits(&sched->lanes[lane], model->pkg.header)) {
		status = RNV_ENOMEM;
	} else {
		model->lanes |= 1u << lane;
	}
	rnv_critical_exit(key);
	return status;
}

/* Whether a model has a job in a lane: one short critical section for each slot. */
static bool has_jobs(struct rnv_sched *sched, uint32_t handle, uint32_t lane)
{
	bool found = false;

	for (uint32_t i = 0; i < sched->job_count && !found; i++) {
		const struct rnv_job *job = &sched->jobs[i];
		uint32_t key = rnv_critical_enter();

		found = job->state != RNV_JOB_FREE && job->state != RNV_JOB_DONE &&
			job->model == handle && job->lane == lane;
		rnv_critical_exit(key);
	}
	return found;
}

/*
 * No more jobs of a model come in a lane that it is bound to, but it is not unbound yet: `leaving`;
 * RNV_EBUSY.
 */
static int begin_unbind(struct rnv_sched *sched, uint32_t handle, uint32_t lane, bool *leaving)
{
	uint32_t key = rnv_critical_enter();
	struct rnv_model *model = rnv_model_of(sched, handle);
	uint32_t bit = 1u << lane;
	int status = RNV_OK;

	*leaving = false;
	if (model == NULL) {
		status = RNV_ENOENT;
	} else if (sched->lanes[lane].claim == handle || (model->leaving & bit) != 0u) {
		status = RNV_EBUSY;
	} else if ((model->lanes & bit) != 0u) {
		model->lanes &= ~bit;
		model->leaving |= bit;
		*leaving = true;
	}
	rnv_critical_exit(key);
	return status;
}

static void end_unbind(struct rnv_sched *sched, uint32_t handle, uint32_t lane, bool stays)
{
	uint32_t key = rnv_critical_enter();
	struct rnv_model *model = rnv_model_of(sched, handle);

	if (model != NULL) { /* else it was closed meanwhile */
		model->leaving &= ~(1u << lane);
		model->lanes |= stays ? 1u << lane : 0u;
	}
	rnv_critical_exit(key);
}

int rnv_model_unbind(struct rnv_sched *sched, uint32_t handle, uint32_t lane)
{
	bool leaving;
	int status;

	if (lane >= sched->lane_count) {
		return RNV_EINVAL;
	}
	status = begin_unbind(sched, handle, lane, &leaving);
	if (leaving) {
		status = has_jobs(sched, handle, lane) ? RNV_EBUSY : RNV_OK;
		end_unbind(sched, handle, lane, status != RNV_OK);
	}
	return status;
}

/* Cancel all jobs of a model. No more come, since it is being drained. */
static void cancel_jobs(struct rnv_sched *sched, uint32_t handle)
{
	for (uint32_t i = 0; i < sched->job_count; i++) {
		const struct rnv_job *job = &sched->jobs[i];
		uint32_t key = rnv_critical_enter();
		uint32_t found = RNV_NO_HANDLE;

		if (job->state != RNV_JOB_FREE && job->model == handle) {
			found = job->handle;
		}
		rnv_critical_exit(key);
		if (found != RNV_NO_HANDLE) {
			(void)rnv_job_cancel(sched, found);
		}
	}
}

/* Set and clear bits of `draining`: the model's number of jobs, or RNV_ENOENT. */
static int set_draining(struct rnv_sched *sched, uint32_t handle, uint32_t set, uint32_t clear)
{
	uint32_t key = rnv_critical_enter();
	struct rnv_model *model = rnv_model_of(sched, handle);
	int status = RNV_ENOENT;

	if (model != NULL) {
		model->draining = (uint8_t)((model->draining & ~clear) | set);
		status = (int)model->jobs;
	}
	rnv_critical_exit(key);
	return status;
}

/* Jobs that a model has, or RNV_ENOENT. */
static int job_count(struct rnv_sched *sched, uint32_t handle)
{
	uint32_t key = rnv_critical_enter();
	const struct rnv_model *model = rnv_model_of(sched, handle);
	int jobs = (model != NULL) ? (int)model->jobs : RNV_ENOENT;

	rnv_critical_exit(key);
	return jobs;
}

int rnv_model_drain(struct rnv_sched *sched, uint32_t handle, uint32_t how)
{
	int jobs;

	if (how > RNV_DRAIN_CANCEL) {
		return RNV_EINVAL;
	}
	jobs = set_draining(sched, handle, DRAINED, 0);
	if (jobs > 0 && how == RNV_DRAIN_CANCEL) {
		cancel_jobs(sched, handle);
		jobs = job_count(sched, handle);
	}
	return (jobs > 0) ? RNV_EAGAIN : jobs;
}

int rnv_model_undrain(struct rnv_sched *sched, uint32_t handle)
{
	int jobs = set_draining(sched, handle, 0, DRAINED);

	return (jobs > 0) ? RNV_OK : jobs;
}

/* Have a model without jobs for oneself: it takes none, and stays. */
static int hold(struct rnv_sched *sched, uint32_t handle, struct rnv_model **held)
{
	uint32_t key = rnv_critical_enter();
	struct rnv_model *model = rnv_model_of(sched, handle);
	int status = RNV_OK;

	if (model == NULL) {
		status = RNV_ENOENT;
	} else if (model->jobs != 0u) {
		status = RNV_EBUSY;
	} else {
		model->draining |= HELD;
		model->jobs++;
		*held = model;
	}
	rnv_critical_exit(key);
	return status;
}

/* Others may have it again: `clear` of `draining`. Who drains it may have waited for this. */
static void let_go(struct rnv_sched *sched, struct rnv_model *model, uint32_t clear)
{
	uint32_t key = rnv_critical_enter();
	bool tell;

	model->draining &= (uint8_t)~clear;
	model->jobs--;
	tell = model->draining != 0u;
	rnv_critical_exit(key);
	if (tell && sched->hooks->completed != NULL) {
		sched->hooks->completed(sched->hooks->wake_context, RNV_NO_HANDLE);
	}
}

int rnv_model_reset(struct rnv_sched *sched, uint32_t handle)
{
	struct rnv_model *model;
	uint32_t key;
	int status = hold(sched, handle, &model);

	if (status != RNV_OK) {
		return status;
	}
	if (model->state_bytes != 0u) {
		memset(model->state, 0, model->state_bytes);
	}
	key = rnv_critical_enter();
	model->stale = 0;
	rnv_critical_exit(key);
	let_go(sched, model, HELD);
	return RNV_OK;
}

int rnv_model_npu_load(struct rnv_sched *sched, uint32_t handle)
{
	struct rnv_model *model;
	uint32_t key;
	int status = hold(sched, handle, &model);

	if (status != RNV_OK) {
		return status;
	}
	status = rnv_npu_take_model(sched, &model->pkg);
	key = rnv_critical_enter();
	if (status == RNV_OK) {
		model->npu = 1;
	} else if (status != RNV_EBUSY && status != RNV_ESTATE) {
		model->npu = 0; /* the driver has tried */
	}
	rnv_critical_exit(key);
	let_go(sched, model, HELD);
	return status;
}

uint32_t rnv_model_find(struct rnv_sched *sched, const char *name)
{
	uint8_t padded[RNV_NAME_BYTES] = {0};
	uint32_t found = RNV_NO_HANDLE;

	for (uint32_t i = 0; name[i] != '\0'; i++) {
		if (i >= RNV_NAME_BYTES - 1u) {
			return RNV_NO_HANDLE;
		}
		padded[i] = (uint8_t)name[i];
	}
	for (uint32_t i = 0; i < sched->model_count && found == RNV_NO_HANDLE; i++) {
		const struct rnv_model *model = &sched->models[i];
		uint32_t key = rnv_critical_enter();

		if (is_listed(model) &&
		    memcmp(model->pkg.header->name, padded, RNV_NAME_BYTES) == 0) {
			found = model->handle;
		}
		rnv_critical_exit(key);
	}
	return found;
}

uint32_t rnv_model_next(struct rnv_sched *sched, uint32_t handle)
{
	uint32_t i = (handle != RNV_NO_HANDLE) ? (handle & 0xFFFFu) + 1u : 0u;
	uint32_t found = RNV_NO_HANDLE;

	for (; i < sched->model_count && found == RNV_NO_HANDLE; i++) {
		const struct rnv_model *model = &sched->models[i];
		uint32_t key = rnv_critical_enter();

		if (is_listed(model)) {
			found = model->handle;
		}
		rnv_critical_exit(key);
	}
	return found;
}

int rnv_model_info_get(struct rnv_sched *sched, uint32_t handle, struct rnv_model_info *info)
{
	uint32_t key = rnv_critical_enter();
	const struct rnv_model *model = rnv_model_of(sched, handle);
	int status = RNV_ENOENT;

	if (model != NULL) {
		info->model = handle;
		info->pkg = &model->pkg;
		info->lanes = model->lanes;
		info->jobs = model->jobs;
		info->completed = model->completed;
		info->failed = model->failed;
		info->resets = model->resets;
		info->draining = (model->draining & DRAINED) != 0u;
		info->stale = model->stale;
		info->npu = model->npu;
		status = RNV_OK;
	}
	rnv_critical_exit(key);
	return status;
}

/* Keep a model that is not drained as it is. */
static int keep(struct rnv_sched *sched, uint32_t handle, struct rnv_model **kept, uint32_t *lanes)
{
	uint32_t key = rnv_critical_enter();
	struct rnv_model *model = rnv_model_of(sched, handle);
	int status = RNV_OK;

	if (model == NULL) {
		status = RNV_ENOENT;
	} else if (model->draining != 0u) { /* who drained it counts on its having no jobs */
		status = RNV_ESTATE;
	} else {
		model->jobs++;
		*kept = model;
		*lanes = model->lanes;
	}
	rnv_critical_exit(key);
	return status;
}

/* Describe an entry of a package; false where it takes more than 32 bits can hold. */
static bool lay_out(const struct rnv_package *pkg, const struct rnv_entry_rec *entry,
		    struct rnv_model_layout *layout)
{
	uint32_t count = (uint32_t)entry->input_count + entry->output_count;
	uint64_t end = 0;

	layout->inputs = entry->input_count;
	layout->outputs = entry->output_count;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t operand = (i < entry->input_count)
					   ? entry->input_first + i
					   : entry->output_first + i - entry->input_count;
		const struct rnv_tensor_rec *rec = &pkg->tensors[pkg->operands[operand]];

		if (rec->storage != RNV_STORAGE_EXTERNAL) {
			continue;
		}
		end = rnv_packed_at(end) + rec->bytes;
		if (i < RNV_LAYOUT_TENSORS) {
			layout->tensor_bytes[i] = rec->bytes;
		}
	}
	layout->bytes = (uint32_t)end;
	return end <= UINT32_MAX;
}

int rnv_model_layout(struct rnv_sched *sched, uint32_t handle, uint32_t entry,
		     struct rnv_model_layout *layout)
{
	struct rnv_model_layout found = {0};
	struct rnv_model *model;
	int status = keep(sched, handle, &model, &found.lanes);

	if (status != RNV_OK) {
		return status;
	}
	if (entry >= model->pkg.entry_count) {
		status = RNV_EINVAL;
	} else if (!lay_out(&model->pkg, &model->pkg.entries[entry], &found)) {
		status = RNV_EOVERFLOW;
	} else {
		*layout = found;
	}
	let_go(sched, model, 0);
	return status;
}

int rnv_model_step_op(struct rnv_sched *sched, uint32_t handle, uint32_t step)
{
	uint32_t key = rnv_critical_enter();
	const struct rnv_model *model = rnv_model_of(sched, handle);
	int op = RNV_ENOENT;

	if (model != NULL && step < model->pkg.step_count) {
		op = model->pkg.ops[model->pkg.steps[step].op].code;
	}
	rnv_critical_exit(key);
	return op;
}
