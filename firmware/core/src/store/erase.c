/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Erasing slots, and refusing keys. */

#include <stddef.h>

#include "store/registry.h"

/* RNV_OK where the slot may be erased. */
static int may_erase(const struct rnv_store_model *model, uint32_t slot)
{
	if (model == NULL || slot > 1u) {
		return RNV_ENOENT;
	}
	if (model->confirmed == slot || model->trial_slot == slot ||
	    rnv_model_current(model) == slot) {
		return RNV_ESTATE;
	}
	return model->views[slot] != 0u ? RNV_EBUSY : RNV_OK;
}

static int begin_erase(struct rnv_store *store, uint32_t model, uint32_t slot)
{
	struct rnv_store_model *next = rnv_registry_edit(store, model);
	int status;

	next->slot[slot] = RNV_SLOT_EMPTY;
	next->proven &= (uint8_t)~rnv_slot_bit(slot);
	status = rnv_registry_model(store, model, 1u << slot);
	if (status != RNV_OK) {
		return status;
	}
	store->config.models[model].erase_next = rnv_slot_offset(store, model, slot);
	if (store->fill_model == model && store->fill_slot == slot) {
		store->fill_model = RNV_NO_FILL;
	}
	return RNV_EAGAIN;
}

int rnv_store_erase(struct rnv_store *store, uint32_t model, uint32_t slot)
{
	struct rnv_store_model *of = rnv_store_model_get(store, model);
	int status = may_erase(of, slot);
	uint32_t start;
	uint32_t end;

	if (status != RNV_OK) {
		return status;
	}
	start = rnv_slot_offset(store, model, slot);
	end = start + store->config.layout[model].slot_bytes;
	if (of->erase_next < start || of->erase_next >= end) { /* 0, or in the other slot */
		return begin_erase(store, model, slot);
	}
	status = rnv_slot_write(store, of->erase_next, NULL, 0);
	if (status != RNV_OK) {
		return status;
	}
	of->erase_next += store->config.flash->geometry.sector_bytes;
	if (of->erase_next != end) {
		return RNV_EAGAIN;
	}
	of->erase_next = 0;
	return RNV_OK;
}

bool rnv_key_is_revoked(const struct rnv_store *store, uint32_t key_id)
{
	uint32_t i = 0;

	while (i < store->revoked_count && store->revoked[i] != key_id) {
		i++;
	}
	return i < store->revoked_count;
}

/* Whether all other keys that are compiled in have been revoked. */
static bool is_last(const struct rnv_store *store, uint32_t key_id)
{
	for (uint32_t i = 0; i < store->config.key_count; i++) {
		uint32_t id = store->config.keys[i].id;

		if (id != key_id && !rnv_key_is_revoked(store, id)) {
			return false;
		}
	}
	return true;
}

int rnv_store_revoke(struct rnv_store *store, uint32_t key_id)
{
	struct rnv_log log = {.kind = RNV_LOG_REVOKED};

	if (key_id == 0u) {
		return RNV_EINVAL;
	}
	if (rnv_key_is_revoked(store, key_id)) {
		return RNV_OK;
	}
	if (rnv_key_find(store, key_id) == NULL) {
		return RNV_ENOENT;
	}
	if (is_last(store, key_id)) {
		return RNV_EACCES;
	}
	if (store->revoked_count == RNV_STORE_MAX_REVOKED) {
		return RNV_ENOSPC;
	}
	rnv_put32(log.content, key_id);
	return rnv_registry_write(store, &log, 1);
}
