/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What is known of the models and of the registry. */

#include "store/registry.h"

struct rnv_store_model *rnv_store_model_get(const struct rnv_store *store, uint32_t model)
{
	return model < store->config.model_count ? &store->config.models[model] : NULL;
}

uint32_t rnv_slot_offset(const struct rnv_store *store, uint32_t model, uint32_t slot)
{
	return store->config.models[model].offset + slot * store->config.layout[model].slot_bytes;
}

static bool is_usable(const struct rnv_store_model *model, uint32_t slot)
{
	return model->slot[slot] == RNV_SLOT_GOOD && (model->passed & rnv_slot_bit(slot)) == 0u;
}

uint32_t rnv_model_current(const struct rnv_store_model *model)
{
	uint32_t slot = model->confirmed;

	if (slot != RNV_STORE_NO_SLOT && !is_usable(model, slot)) {
		slot = 1u - slot;
	}
	return slot != RNV_STORE_NO_SLOT && is_usable(model, slot) ? slot : RNV_STORE_NO_SLOT;
}

void rnv_model_set_confirmed(struct rnv_store_model *model, uint32_t slot)
{
	model->confirmed = (uint8_t)slot;
	if (slot != RNV_STORE_NO_SLOT) {
		model->proven |= rnv_slot_bit(slot);
	}
}

void rnv_model_end_trial(struct rnv_store_model *model)
{
	model->trial = RNV_TRIAL_NONE;
	model->trial_slot = RNV_STORE_NO_SLOT;
	model->tries = 0;
}

void rnv_model_fail_trial(struct rnv_store_model *model)
{
	if (model->slot[model->trial_slot] == RNV_SLOT_GOOD) {
		model->slot[model->trial_slot] = RNV_SLOT_REJECTED;
	}
	rnv_model_end_trial(model);
}

/* The slot to load now, or RNV_STORE_NO_SLOT; `next` becomes the state that is then to be recorded.
 */
uint32_t rnv_model_boot(const struct rnv_store *store, struct rnv_store_model *next)
{
	if (next->trial == RNV_TRIAL_NONE) {
		return rnv_model_current(next);
	}
	if (next->slot[next->trial_slot] != RNV_SLOT_GOOD ||
	    (next->trial == RNV_TRIAL_TRYING && next->tries >= store->config.trial_boots)) {
		rnv_model_fail_trial(next);
		return rnv_model_current(next);
	}
	next->tries = (uint8_t)(next->trial == RNV_TRIAL_PENDING ? 1 : next->tries + 1);
	next->trial = RNV_TRIAL_TRYING;
	return next->trial_slot;
}

uint32_t rnv_model_floor(const struct rnv_store *store, uint32_t model)
{
	return rnv_max(store->config.models[model].floor,
		       store->config.layout[model].security_version);
}

int rnv_store_info_get(const struct rnv_store *store, uint32_t model, struct rnv_store_info *info)
{
	const struct rnv_store_model *from = rnv_store_model_get(store, model);
	struct rnv_store_model next;

	if (from == NULL) {
		return RNV_ENOENT;
	}
	next = *from;
	memset(info, 0, sizeof(*info));
	info->name = store->config.layout[model].name;
	info->slot_bytes = store->config.layout[model].slot_bytes;
	info->floor = rnv_model_floor(store, model);
	info->written = from->written;
	memcpy(info->fills, from->fills, sizeof(info->fills));
	memcpy(info->hash, from->hash, sizeof(info->hash));
	memcpy(info->slot, from->slot, sizeof(info->slot));
	memcpy(info->views, from->views, sizeof(info->views));
	info->confirmed = from->confirmed;
	info->trial = from->trial;
	info->trial_slot = from->trial_slot;
	info->tries = from->tries;
	info->proven = from->proven;
	info->next = (uint8_t)rnv_model_boot(store, &next);
	return RNV_OK;
}

uint32_t rnv_store_refusals(const struct rnv_store *store)
{
	return store->refusals;
}

void rnv_store_stats_get(const struct rnv_store *store, struct rnv_store_stats *stats)
{
	stats->generation = store->generation;
	memcpy(stats->erases, store->erases, sizeof(stats->erases));
	stats->entries = store->entries;
	stats->room = rnv_registry_room(store);
	stats->bad_entries = store->bad_entries;
	stats->marginal = store->marginal;
	stats->revoked_count = store->revoked_count;
	memcpy(stats->revoked, store->revoked, sizeof(stats->revoked));
}
