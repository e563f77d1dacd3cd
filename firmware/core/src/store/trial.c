/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What becomes real: good, activated, tried, confirmed, reverted, bad, passed over. */

#include <stddef.h>

#include "store/registry.h"

static void make_confirmed(struct rnv_store_model *model, uint32_t slot, uint32_t security_version)
{
	rnv_model_set_confirmed(model, slot);
	model->floor = rnv_max(model->floor, security_version);
	rnv_model_end_trial(model);
}

int rnv_store_set_good(struct rnv_store *store, const struct rnv_store_verify *verify)
{
	struct rnv_store_model *next = rnv_registry_edit(store, verify->model);
	int status;

	if (!rnv_verify_holds(store, verify) || next->slot[verify->slot] != RNV_SLOT_FILLING) {
		return RNV_ESTATE;
	}
	next->slot[verify->slot] = RNV_SLOT_GOOD;
	status = rnv_registry_model(store, verify->model, 0);
	if (status == RNV_OK && store->fill_model == verify->model) {
		store->fill_model = RNV_NO_FILL;
	}
	return status;
}

/* A word of a slot's package, which was verified before: RNV_OK or RNV_EIO. */
static int read_word(const struct rnv_store *store, uint32_t model, uint32_t slot, uint32_t at,
		     uint32_t *value)
{
	return rnv_store_read(store, model, slot, at, value, sizeof(*value)) == RNV_OK ? RNV_OK
										       : RNV_EIO;
}

/* Whether the key of a slot's package may still sign: RNV_OK, RNV_EACCES or RNV_EIO. */
static int check_key(const struct rnv_store *store, uint32_t model, uint32_t slot)
{
	uint32_t bytes;
	uint32_t key_id;
	int status = read_word(store, model, slot,
			       (uint32_t)offsetof(struct rnv_header, total_bytes), &bytes);

	if (status == RNV_OK) {
		status = read_word(store, model, slot,
				   bytes - RNV_TRAILER_BYTES +
					   (uint32_t)offsetof(struct rnv_trailer, key_id),
				   &key_id);
	}
	if (status != RNV_OK) {
		return status;
	}
	return rnv_key_is_revoked(store, key_id) ? RNV_EACCES : RNV_OK;
}

int rnv_store_activate(struct rnv_store *store, const struct rnv_store_verify *verify,
		       uint32_t permanent)
{
	uint32_t model = verify->model;
	uint32_t slot = verify->slot;
	struct rnv_store_model *next = rnv_registry_edit(store, model);
	uint32_t version;
	int status;

	if (!rnv_verify_holds(store, verify) || next->confirmed == slot ||
	    (next->slot[slot] != RNV_SLOT_GOOD &&
	     (permanent != 0u || next->slot[slot] != RNV_SLOT_REJECTED))) {
		return RNV_ESTATE;
	}
	status = read_word(store, model, slot,
			   (uint32_t)offsetof(struct rnv_header, security_version), &version);
	if (status == RNV_OK) {
		status = check_key(store, model, slot);
	}
	if (status != RNV_OK) {
		return status;
	}
	if (version < rnv_model_floor(store, model)) {
		return RNV_ESTATE; /* the floor has risen since it was verified */
	}
	next->slot[slot] = RNV_SLOT_GOOD;
	if (permanent != 0u) {
		make_confirmed(next, slot, version);
	} else {
		next->trial = RNV_TRIAL_PENDING;
		next->trial_slot = (uint8_t)slot;
		next->tries = 0;
	}
	return rnv_registry_model(store, model, 0);
}

int rnv_store_boot(struct rnv_store *store, uint32_t model)
{
	struct rnv_store_model *next = rnv_registry_edit(store, model);
	uint32_t slot;
	uint32_t trial;
	int status = RNV_OK;

	if (next == NULL) {
		return RNV_ENOENT;
	}
	trial = next->trial;
	slot = rnv_model_boot(store, next);
	if (trial != RNV_TRIAL_NONE) {
		status = rnv_registry_model(store, model, 0);
	}
	if (status != RNV_OK) {
		return status;
	}
	return slot == RNV_STORE_NO_SLOT ? RNV_ENOENT : (int)slot;
}

int rnv_store_confirm(struct rnv_store *store, uint32_t model, uint32_t security_version)
{
	struct rnv_store_model *next = rnv_registry_edit(store, model);
	int status;

	if (next == NULL) {
		return RNV_ENOENT;
	}
	if (next->trial != RNV_TRIAL_TRYING) {
		return RNV_ESTATE;
	}
	status = check_key(store, model, next->trial_slot);
	if (status != RNV_OK) {
		return status;
	}
	make_confirmed(next, next->trial_slot, security_version);
	return rnv_registry_model(store, model, 0);
}

int rnv_store_revert(struct rnv_store *store, uint32_t model)
{
	struct rnv_store_model *next = rnv_registry_edit(store, model);

	if (next == NULL) {
		return RNV_ENOENT;
	}
	if (next->trial == RNV_TRIAL_NONE) {
		return RNV_ESTATE;
	}
	rnv_model_fail_trial(next);
	return rnv_registry_model(store, model, 0);
}

int rnv_store_mark_bad(struct rnv_store *store, uint32_t model, uint32_t slot)
{
	struct rnv_store_model *next = rnv_registry_edit(store, model);

	if (next == NULL || slot > 1u) {
		return RNV_ENOENT;
	}
	if (next->slot[slot] != RNV_SLOT_GOOD) {
		return RNV_ESTATE;
	}
	if (next->views[slot] != 0u) {
		return RNV_EBUSY;
	}
	next->slot[slot] = RNV_SLOT_BAD;
	if (next->trial_slot == slot) {
		rnv_model_end_trial(next);
	}
	return rnv_registry_model(store, model, 0);
}

int rnv_store_pass_over(struct rnv_store *store, uint32_t model, uint32_t slot)
{
	struct rnv_store_model *of = rnv_store_model_get(store, model);

	if (of == NULL || slot > 1u) {
		return RNV_ENOENT;
	}
	if (of->slot[slot] != RNV_SLOT_GOOD || of->trial_slot == slot) {
		return RNV_ESTATE;
	}
	of->passed |= rnv_slot_bit(slot);
	return RNV_OK;
}
