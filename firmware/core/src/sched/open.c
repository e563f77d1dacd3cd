/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Opening and swapping models. Meanwhile their slots belong to the thread that does it. */

#include <stddef.h>
#include <string.h>

#include "sched/internal.h"

void rnv_model_renew(struct rnv_model *model)
{
	uint32_t handle = model->handle + 0x10000u;

	model->handle = (handle > 0xFFFFu) ? handle : handle + 0x10000u;
}

static void set_open(struct rnv_model *model, uint8_t open)
{
	uint32_t key = rnv_critical_enter();

	model->open = open;
	rnv_critical_exit(key);
}

static struct rnv_model *take_slot(struct rnv_sched *sched)
{
	struct rnv_model *taken = NULL;

	for (uint32_t i = 0; i < sched->model_count && taken == NULL; i++) {
		struct rnv_model *model = &sched->models[i];
		uint32_t key = rnv_critical_enter();

		if (model->open == RNV_MODEL_FREE) {
			model->open = RNV_MODEL_CHANGING;
			model->pkg.header = NULL;
			taken = model;
		}
		rnv_critical_exit(key);
	}
	return taken;
}

static bool is_single(uint32_t lanes)
{
	return (lanes & (lanes - 1u)) == 0u;
}

/* RNV_ENOMEM, and what is needed. */
static int too_small(struct rnv_diag *diag, uint32_t need)
{
	diag->value = need;
	return RNV_ENOMEM;
}

int rnv_model_fits(struct rnv_sched *sched, const struct rnv_header *header,
		   const struct rnv_model_config *config, struct rnv_diag *diag)
{
	for (uint32_t lanes = config->lanes; lanes != 0u; lanes &= lanes - 1u) {
		uint32_t key = rnv_critical_enter();
		bool fits = rnv_lane_fits(&sched->lanes[rnv_lowest(lanes)], header);

		rnv_critical_exit(key);
		if (!fits) {
			return too_small(diag, header->arena_bytes);
		}
	}
	if (header->external_count > sched->externals_per_job) {
		return too_small(diag, header->external_count);
	}
	if (header->state_bytes == 0u) {
		return RNV_OK;
	}
	if (!is_single(config->lanes)) {
		return RNV_EINVAL;
	}
	if (config->state == NULL || config->state_bytes < header->state_bytes) {
		return too_small(diag, header->state_bytes);
	}
	return ((uintptr_t)config->state % RNV_PACKAGE_ALIGN == 0u) ? RNV_OK : RNV_EALIGN;
}

/* In a critical section. */
static bool has_name(const struct rnv_model *model, const struct rnv_header *header)
{
	return model->open != RNV_MODEL_FREE && model->pkg.header != NULL &&
	       (model->flags & RNV_MODEL_UNLISTED) == 0u &&
	       memcmp(model->pkg.header->name, header->name, RNV_NAME_BYTES) == 0;
}

/*
 * The new package is the slot's, and seen by others that open at the same time: of two models of
 * one name at most one is opened.
 */
static int publish(struct rnv_sched *sched, struct rnv_model *model, const struct rnv_package *pkg,
		   uint32_t flags)
{
	uint32_t key = rnv_critical_enter();
	bool exists = false;

	model->pkg = *pkg;
	model->flags = (uint8_t)flags;
	rnv_critical_exit(key);
	if ((flags & RNV_MODEL_UNLISTED) != 0u) {
		return RNV_OK;
	}
	for (uint32_t i = 0; i < sched->model_count && !exists; i++) {
		const struct rnv_model *other = &sched->models[i];

		key = rnv_critical_enter();
		exists = other != model && has_name(other, pkg->header);
		rnv_critical_exit(key);
	}
	return exists ? RNV_EEXIST : RNV_OK;
}

/* What a job of each entry costs, for admission. */
static void add_costs(struct rnv_model *model, const uint32_t *step_cost_us)
{
	for (uint32_t i = 0; i < model->pkg.entry_count; i++) {
		const struct rnv_entry_rec *entry = &model->pkg.entries[i];
		uint64_t sum = 0;

		for (uint32_t step = 0; step_cost_us != NULL && step < entry->step_count; step++) {
			sum += step_cost_us[entry->step_first + step];
		}
		model->cost_us[i] = (sum < UINT32_MAX) ? (uint32_t)sum : UINT32_MAX;
	}
}

/* Verify the configuration's package and put it into the slot, whose lanes and state are set. */
static int fill(struct rnv_sched *sched, struct rnv_model *model,
		const struct rnv_model_config *config, struct rnv_diag *diag)
{
	const struct rnv_model_config needs = {
		.lanes = model->lanes, .state = model->state, .state_bytes = model->state_room};
	struct rnv_package pkg;
	int status = rnv_package_open(&pkg, config->data, config->bytes, 0, diag);

	if (status == RNV_OK) {
		status = rnv_model_fits(sched, pkg.header, &needs, diag);
	}
	if (status == RNV_OK) {
		status = publish(sched, model, &pkg, config->flags);
	}
	if (status == RNV_OK) {
		add_costs(model, config->step_cost_us);
		model->completed = 0;
		model->failed = 0;
		model->resets = 0;
		model->draining = 0;
		model->resident =
			(pkg.header->flags & RNV_FLAG_IO_MASK) == (uint32_t)RNV_IO_RESIDENT;
		model->npu = (config->flags & RNV_MODEL_UNLISTED) == 0u &&
			     rnv_npu_take_model(sched, &model->pkg) == RNV_OK;
	}
	return status;
}

static bool is_valid(const struct rnv_sched *sched, const struct rnv_model_config *config)
{
	return config != NULL && config->data != NULL &&
	       (config->flags & ~(uint32_t)(RNV_MODEL_AUTO_RESET | RNV_MODEL_UNLISTED)) == 0u &&
	       (config->lanes >> sched->lane_count) == 0u;
}

/* Persistent state of a new model, or of one whose layout has changed. */
static void clear_state(struct rnv_model *model)
{
	if (model->state_bytes != 0u) {
		memset(model->state, 0, model->state_bytes);
	}
	model->stale = 0;
}

int rnv_model_open(struct rnv_sched *sched, const struct rnv_model_config *config, uint32_t *handle,
		   struct rnv_diag *diag)
{
	struct rnv_diag ignored;
	struct rnv_model *model;
	int status;

	if (sched == NULL || handle == NULL || !is_valid(sched, config)) {
		return RNV_EINVAL;
	}
	model = take_slot(sched);
	if (model == NULL) {
		return RNV_EAGAIN;
	}
	model->lanes = config->lanes;
	model->state = config->state;
	model->state_room = config->state_bytes;
	model->leaving = 0;
	model->newest = NULL;
	model->jobs = 0;
	status = fill(sched, model, config, (diag != NULL) ? diag : &ignored);
	if (status == RNV_OK) {
		model->state_bytes = model->pkg.header->state_bytes;
		clear_state(model);
		*handle = model->handle;
	}
	set_open(model, (status == RNV_OK) ? RNV_MODEL_OPEN : RNV_MODEL_FREE);
	return status;
}

/* Take a model that nobody uses out of use. */
static int begin_swap(struct rnv_sched *sched, uint32_t handle, struct rnv_model **model)
{
	uint32_t key = rnv_critical_enter();
	struct rnv_model *found = rnv_model_of(sched, handle);
	int status = RNV_OK;

	if (found == NULL) {
		status = RNV_ENOENT;
	} else if (found->draining == 0u || found->jobs != 0u || found->leaving != 0u ||
		   rnv_model_is_claimed(sched, found)) {
		status = RNV_EBUSY;
	} else {
		found->open = RNV_MODEL_CHANGING;
		*model = found;
	}
	rnv_critical_exit(key);
	return status;
}

/* Bring the state over to the new package: whether it was kept. */
static bool move_state(struct rnv_model *model, const struct rnv_model *old)
{
	const struct rnv_header *header = model->pkg.header;
	bool keep = old->state_bytes != 0u && header->state_bytes == old->state_bytes &&
		    header->state_layout == old->pkg.header->state_layout;

	model->state_bytes = header->state_bytes;
	if (!keep) {
		clear_state(model);
	} else if (model->state != old->state) {
		memmove(model->state, old->state, model->state_bytes);
	}
	return keep;
}

int rnv_model_swap(struct rnv_sched *sched, const struct rnv_model_config *config, uint32_t *handle,
		   uint32_t *kept, struct rnv_diag *diag)
{
	struct rnv_diag ignored;
	struct rnv_model *model;
	struct rnv_model old;
	bool keep;
	int status;

	if (sched == NULL || handle == NULL || !is_valid(sched, config)) {
		return RNV_EINVAL;
	}
	status = begin_swap(sched, *handle, &model);
	if (status != RNV_OK) {
		return status;
	}
	old = *model;
	if (config->lanes != 0u) {
		model->lanes = config->lanes;
	}
	if (config->state != NULL) {
		model->state = config->state;
		model->state_room = config->state_bytes;
	}
	status = fill(sched, model, config, (diag != NULL) ? diag : &ignored);
	if (status == RNV_OK) {
		keep = move_state(model, &old);
		rnv_model_renew(model);
		*handle = model->handle;
		if (kept != NULL) {
			*kept = keep;
		}
		set_open(model, RNV_MODEL_OPEN);
	} else {
		uint32_t key = rnv_critical_enter();

		*model = old; /* as it was: open, drained */
		model->open = RNV_MODEL_OPEN;
		rnv_critical_exit(key);
	}
	return status;
}
