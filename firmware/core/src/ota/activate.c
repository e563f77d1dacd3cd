/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What becomes of slots on request: activated, confirmed, gone back from, erased, dropped. */

#include <stddef.h>
#include <string.h>

#include "ota/internal.h"

/* The engine turns to another slot. */
static void turn_to(struct rnv_ota *ota, uint32_t model, uint32_t slot, uint8_t phase, uint8_t step)
{
	memset(&ota->verify, 0, sizeof(ota->verify));
	memset(&ota->request, 0, sizeof(ota->request));
	ota->offset = 0;
	ota->error = RNV_OK;
	ota->why = RNV_WHY_NONE;
	ota->model = (uint8_t)model;
	ota->slot = (uint8_t)slot;
	ota->phase = phase;
	ota->step = step;
}

static bool is_busy(const struct rnv_ota *ota)
{
	return ota->phase == RNV_OTA_RECEIVING || rnv_ota_works(ota);
}

/* The package that was just received waits to be activated. */
static bool is_ready(const struct rnv_ota *ota, uint32_t model)
{
	return ota->phase == RNV_OTA_READY && ota->model == model;
}

static bool is_candidate(const struct rnv_store_info *info, uint32_t slot, uint32_t permanent)
{
	return slot != info->confirmed &&
	       (info->slot[slot] == RNV_SLOT_GOOD ||
		(info->slot[slot] == RNV_SLOT_REJECTED && permanent == 0u));
}

/* The slot to activate: of two rather the one that is not loaded now. RNV_ENOENT: none. */
static int candidate(const struct rnv_store_info *info, uint32_t permanent)
{
	uint32_t first = (info->next == 0u) ? 1u : 0u;

	if (is_candidate(info, first, permanent)) {
		return (int)first;
	}
	return is_candidate(info, 1u - first, permanent) ? (int)(1u - first) : RNV_ENOENT;
}

/* The good slot that was confirmed before the confirmed one. RNV_ENOENT: none. */
static int way_back(const struct rnv_store_info *info)
{
	int slot = candidate(info, 1);

	return (slot >= 0 && (info->proven >> slot & 1u) != 0u) ? slot : RNV_ENOENT;
}

static int start_activation(struct rnv_ota *ota, uint32_t model, int slot, uint32_t permanent)
{
	if (slot < 0) {
		return slot;
	}
	turn_to(ota, model, (uint32_t)slot, RNV_OTA_VERIFYING, RNV_OTA_STEP_START);
	ota->then = permanent != 0u ? RNV_OTA_THEN_PERMANENT : RNV_OTA_THEN_TRIAL;
	rnv_ota_settle(ota);
	return RNV_EAGAIN;
}

/* Do a step at once; where it cannot be done now rnv_ota_poll() does it. */
static int do_step(struct rnv_ota *ota, uint8_t step)
{
	int status;

	ota->step = step;
	status = rnv_ota_step(ota);
	rnv_ota_settle(ota);
	return status;
}

int rnv_ota_activate(struct rnv_ota *ota, uint32_t model, uint32_t permanent)
{
	struct rnv_store_info info;
	int status = rnv_store_info_get(ota->store, model, &info);

	if (status != RNV_OK) {
		return status;
	}
	if (is_busy(ota)) {
		return RNV_EBUSY;
	}
	if (!is_ready(ota, model)) {
		return start_activation(ota, model, candidate(&info, permanent), permanent);
	}
	ota->then = permanent != 0u ? RNV_OTA_THEN_PERMANENT : RNV_OTA_THEN_TRIAL;
	return do_step(ota, RNV_OTA_STEP_COMMIT);
}

int rnv_ota_confirm(struct rnv_ota *ota, uint32_t model, uint32_t security_version)
{
	return rnv_store_confirm(ota->store, model, security_version);
}

int rnv_ota_rollback(struct rnv_ota *ota, uint32_t model)
{
	struct rnv_store_info info;
	int status = rnv_store_info_get(ota->store, model, &info);

	if (status != RNV_OK) {
		return status;
	}
	if (is_busy(ota)) {
		return RNV_EBUSY;
	}
	if (info.trial == RNV_TRIAL_NONE) {
		return start_activation(ota, model, way_back(&info), 1);
	}
	turn_to(ota, model, info.trial_slot, RNV_OTA_IDLE, RNV_OTA_STEP_NONE);
	return do_step(ota, RNV_OTA_STEP_REVERT);
}

int rnv_ota_erase(struct rnv_ota *ota, uint32_t model, uint32_t slot)
{
	int status;

	if (is_busy(ota)) {
		return RNV_EBUSY;
	}
	rnv_ota_park(ota);
	status = rnv_store_erase(ota->store, model, slot);
	if (status == RNV_EAGAIN) {
		turn_to(ota, model, slot, RNV_OTA_ERASING, RNV_OTA_STEP_ERASE);
	} else if (status == RNV_OK) { /* it was the last sector of one that had been left */
		turn_to(ota, model, slot, RNV_OTA_DONE, RNV_OTA_STEP_NONE);
	}
	rnv_ota_settle(ota);
	return status;
}

/* Whether the slot holds what was received in this session, and nothing has been made of it. */
static bool is_received(const struct rnv_ota *ota)
{
	if (ota->model == RNV_OTA_NO_MODEL || ota->then != RNV_OTA_THEN_GOOD) {
		return false;
	}
	return ota->phase == RNV_OTA_RECEIVING || ota->phase == RNV_OTA_VERIFYING ||
	       ota->phase == RNV_OTA_TESTING || ota->phase == RNV_OTA_READY ||
	       (ota->phase == RNV_OTA_FAILED &&
		rnv_ota_model(ota)->slot[ota->slot] == RNV_SLOT_FILLING);
}

int rnv_ota_abort(struct rnv_ota *ota)
{
	bool received = is_received(ota);

	if (ota->step == RNV_OTA_STEP_TEST || ota->step == RNV_OTA_STEP_LET_GO) {
		return do_step(ota, RNV_OTA_STEP_LET_GO);
	}
	if (ota->step == RNV_OTA_STEP_EMPTY || ota->step == RNV_OTA_STEP_BAD ||
	    ota->step == RNV_OTA_STEP_REVERT) {
		return do_step(ota, ota->step);
	}
	ota->phase = RNV_OTA_IDLE;
	return do_step(ota, received ? RNV_OTA_STEP_EMPTY : RNV_OTA_STEP_NONE);
}
