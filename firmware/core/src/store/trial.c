/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What becomes real: good, activated, tried, confirmed, reverted, bad. */

#include <stddef.h>

#include "store/registry.h"

static void make_confirmed(struct rnv_store_model *model, uint32_t slot, uint32_t security_version)
{
	model->confirmed = (uint8_t)slot;
	model->floor = rnv_max(model->floor, security_version);
	rnv_model_end_trial(model);
}

int rnv_store_set_good(struct rnv_store *store, const struct rnv_store_verify *verify)
{
	struct rnv_store_model next;
	int status;

	if (!rnv_verify_holds(store, verify)) {
		return RNV_ESTATE;
	}
	next = store->config.models[verify->model];
	if (next.slot[verify->slot] != RNV_SLOT_FILLING) {
		return RNV_ESTATE;
	}
	next.slot[verify->slot] = RNV_SLOT_GOOD;
	status = rnv_registry_model(store, verify->model, &next, 0);
	if (status == RNV_OK && store->fill_model == verify->model) {
		store->fill_model = RNV_NO_FILL;
	}
	return status;
}

int rnv_store_activate(struct rnv_store *store, const struct rnv_store_verify *verify,
		       uint32_t permanent)
{
	const struct rnv_flash *flash = store->config.flash;
	struct rnv_store_model next;
	uint8_t version[4];
	uint32_t slot = verify->slot;

	if (!rnv_verify_holds(store, verify)) {
		return RNV_ESTATE;
	}
	next = store->config.models[verify->model];
	if (next.confirmed == slot || (next.slot[slot] != RNV_SLOT_GOOD &&
				       (permanent != 0u || next.slot[slot] != RNV_SLOT_REJECTED))) {
		return RNV_ESTATE;
	}
	if (flash->read(flash->context,
			rnv_slot_offset(store, verify->model, slot) +
				(uint32_t)offsetof(struct rnv_header, security_version),
			version, sizeof(version)) < 0) {
		return RNV_EIO;
	}
	if (rnv_get32(version) < rnv_model_floor(store, verify->model)) {
		return RNV_ESTATE; /* the floor has risen since it was verified */
	}
	next.slot[slot] = RNV_SLOT_GOOD;
	if (permanent != 0u) {
		make_confirmed(&next, slot, rnv_get32(version));
	} else {
		next.trial = RNV_TRIAL_PENDING;
		next.trial_slot = (uint8_t)slot;
		next.tries = 0;
	}
	return rnv_registry_model(store, verify->model, &next, 0);
}

int rnv_store_boot(struct rnv_store *store, uint32_t model)
{
	const struct rnv_store_model *of = rnv_store_model_get(store, model);
	struct rnv_store_model next;
	uint32_t slot;
	int status = RNV_OK;

	if (of == NULL) {
		return RNV_ENOENT;
	}
	next = *of;
	slot = rnv_model_boot(store, &next);
	if (of->trial != RNV_TRIAL_NONE) {
		status = rnv_registry_model(store, model, &next, 0);
	}
	if (status != RNV_OK) {
		return status;
	}
	return slot == RNV_STORE_NO_SLOT ? RNV_ENOENT : (int)slot;
}

int rnv_store_confirm(struct rnv_store *store, uint32_t model, uint32_t security_version)
{
	const struct rnv_store_model *of = rnv_store_model_get(store, model);
	struct rnv_store_model next;

	if (of == NULL) {
		return RNV_ENOENT;
	}
	if (of->trial != RNV_TRIAL_TRYING) {
		return RNV_ESTATE;
	}
	next = *of;
	make_confirmed(&next, of->trial_slot, security_version);
	return rnv_registry_model(store, model, &next, 0);
}

int rnv_store_revert(struct rnv_store *store, uint32_t model)
{
	const struct rnv_store_model *of = rnv_store_model_get(store, model);
	struct rnv_store_model next;

	if (of == NULL) {
		return RNV_ENOENT;
	}
	if (of->trial == RNV_TRIAL_NONE) {
		return RNV_ESTATE;
	}
	next = *of;
	rnv_model_fail_trial(&next);
	return rnv_registry_model(store, model, &next, 0);
}

int rnv_store_mark_bad(struct rnv_store *store, uint32_t model, uint32_t slot)
{
	const struct rnv_store_model *of = rnv_store_model_get(store, model);
	struct rnv_store_model next;

	if (of == NULL || slot > 1u) {
		return RNV_ENOENT;
	}
	if (of->slot[slot] != RNV_SLOT_GOOD) {
		return RNV_ESTATE;
	}
	if (of->views[slot] != 0u) {
		return RNV_EBUSY;
	}
	next = *of;
	next.slot[slot] = RNV_SLOT_BAD;
	if (next.trial_slot == slot) {
		rnv_model_end_trial(&next);
	}
	return rnv_registry_model(store, model, &next, 0);
}
