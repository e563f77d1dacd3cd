/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What the engine does by itself, step by step: verify, test, commit, erase. */

#include <stddef.h>
#include <string.h>

#include "ota/internal.h"
#include "store/registry.h"

#define VERIFY_BYTES 1024u /* hashed at once */

int rnv_ota_init(struct rnv_ota *ota, struct rnv_store *store, const struct rnv_ota_hooks *hooks,
		 uint64_t idle_us)
{
	if (ota == NULL || store == NULL || hooks == NULL || hooks->admit == NULL ||
	    hooks->test == NULL || hooks->changed == NULL) {
		return RNV_EINVAL;
	}
	memset(ota, 0, sizeof(*ota));
	ota->store = store;
	ota->hooks = *hooks;
	ota->idle_us = idle_us;
	ota->model = RNV_OTA_NO_MODEL;
	ota->slot = RNV_STORE_NO_SLOT;
	return RNV_OK;
}

static void set_active(struct rnv_ota *ota, bool active)
{
	if (active != (ota->active != 0u)) {
		ota->active = active;
		if (ota->hooks.session != NULL) {
			ota->hooks.session(ota->hooks.context, active);
		}
	}
}

void rnv_ota_park(struct rnv_ota *ota)
{
	set_active(ota, true);
}

void rnv_ota_settle(struct rnv_ota *ota)
{
	set_active(ota, ota->phase == RNV_OTA_RECEIVING || rnv_ota_works(ota));
}

void rnv_ota_done(struct rnv_ota *ota)
{
	ota->phase = RNV_OTA_DONE;
	ota->step = RNV_OTA_STEP_NONE;
	ota->hooks.changed(ota->hooks.context, ota->model);
}

/* The session has failed; `step` is what is left to be done. */
static int fail(struct rnv_ota *ota, int status, uint8_t step)
{
	ota->phase = RNV_OTA_FAILED;
	ota->error = status;
	ota->step = step;
	return (step == RNV_OTA_STEP_NONE) ? status : RNV_EAGAIN;
}

/*
 * The package is refused. One that was received is never gone on with; one that was good is bad if
 * it is damaged. RNV_EIO says nothing of the package.
 */
static int refuse(struct rnv_ota *ota, int status)
{
	uint8_t step = RNV_OTA_STEP_NONE;

	if (status == RNV_EIO) {
		rnv_store_fill_leave(ota->store);
	} else if (ota->then == RNV_OTA_THEN_GOOD) {
		step = RNV_OTA_STEP_EMPTY;
	} else if (status == RNV_EBADMSG) {
		step = RNV_OTA_STEP_BAD;
	}
	return fail(ota, status, step);
}

/* Between two chunks. */
static int unpack(struct rnv_ota *ota)
{
	int status = rnv_ota_unpack(ota);

	if (status == RNV_EAGAIN) {
		return status;
	}
	ota->step = RNV_OTA_STEP_NONE;
	if (status < 0) {
		rnv_ota_lose(ota, status);
	}
	return (status < 0) ? status : RNV_OK;
}

static int end_fill(struct rnv_ota *ota)
{
	int status = 1;

	if (ota->request.encoding == RNV_OTA_PATCH) {
		status = rnv_ota_unpack(ota);
		if (status == RNV_EAGAIN) {
			return status;
		}
	}
	if (status <= 0) {
		rnv_ota_lose(ota, (status == RNV_OK) ? RNV_EFORMAT : status);
		return RNV_EAGAIN;
	}
	status = rnv_store_fill_end(ota->store);
	if (status == RNV_OK) {
		ota->step = RNV_OTA_STEP_START;
	} else if (status != RNV_EAGAIN) {
		return fail(ota, status, RNV_OTA_STEP_NONE);
	}
	return RNV_EAGAIN;
}

static int start_verify(struct rnv_ota *ota)
{
	int status = rnv_store_verify_start(ota->store, ota->model, ota->slot, &ota->verify);

	if (status != RNV_OK) {
		return fail(ota, status, RNV_OTA_STEP_NONE);
	}
	ota->step = RNV_OTA_STEP_VERIFY;
	return RNV_EAGAIN;
}

/* A package that is verified, and held: is it the one that was announced, and may it be taken? */
static int check_header(struct rnv_ota *ota)
{
	const struct rnv_header *header = ota->view.data;
	uint32_t flags = ota->request.flags;

	if (ota->then != RNV_OTA_THEN_GOOD) {
		flags = RNV_OTA_ALLOW_SLOW; /* was decided when it came */
	} else if (memcmp(header, &ota->header, sizeof(*header)) != 0) {
		ota->why = RNV_WHY_HEADER;
		return RNV_EBADMSG;
	}
	return ota->hooks.admit(ota->hooks.context, ota->model, header, flags);
}

static int verify(struct rnv_ota *ota)
{
	int status = rnv_store_verify_step(ota->store, &ota->verify, VERIFY_BYTES);

	if (status == RNV_EAGAIN) {
		return status;
	}
	ota->why = ota->verify.why;
	if (status == RNV_OK) {
		status = rnv_store_view_open(ota->store, &ota->verify, &ota->view);
	}
	if (status == RNV_OK) {
		status = check_header(ota);
		if (status == RNV_OK) {
			ota->phase = RNV_OTA_TESTING;
			ota->step = RNV_OTA_STEP_TEST;
			return RNV_EAGAIN;
		}
		rnv_store_view_close(ota->store, &ota->view);
	}
	return refuse(ota, status);
}

static int test(struct rnv_ota *ota)
{
	int status =
		ota->hooks.test(ota->hooks.context, ota->model, ota->view.data, ota->view.bytes);

	if (status == RNV_EAGAIN) {
		return status;
	}
	rnv_store_view_close(ota->store, &ota->view);
	if (status != RNV_OK) {
		return refuse(ota, status);
	}
	ota->step = RNV_OTA_STEP_COMMIT;
	return RNV_EAGAIN;
}

/* A test is given up: what was received is dropped, what was good stays. */
static int let_go(struct rnv_ota *ota)
{
	if (ota->hooks.test(ota->hooks.context, ota->model, NULL, 0) == RNV_EAGAIN) {
		return RNV_EAGAIN;
	}
	rnv_store_view_close(ota->store, &ota->view);
	ota->phase = RNV_OTA_IDLE;
	ota->step = (ota->then == RNV_OTA_THEN_GOOD) ? RNV_OTA_STEP_EMPTY : RNV_OTA_STEP_NONE;
	return rnv_ota_step(ota);
}

static int commit(struct rnv_ota *ota)
{
	bool received = ota->then == RNV_OTA_THEN_GOOD;
	int status = received ? rnv_store_set_good(ota->store, &ota->verify)
			      : rnv_store_activate(ota->store, &ota->verify,
						   ota->then == RNV_OTA_THEN_PERMANENT);

	if (status == RNV_EAGAIN) {
		return status;
	}
	if (status == RNV_EACCES) {
		ota->why = RNV_WHY_REVOKED; /* since it was verified */
	}
	if (status != RNV_OK) {
		return fail(ota, status, RNV_OTA_STEP_NONE);
	}
	if (received) {
		ota->phase = RNV_OTA_READY;
		ota->step = RNV_OTA_STEP_NONE;
	} else {
		rnv_ota_done(ota);
	}
	return RNV_OK;
}

/* The first call of an erase notes that the slot is empty: the rest is left. */
static int empty(struct rnv_ota *ota)
{
	int status = rnv_store_erase(ota->store, ota->model, ota->slot);

	if (status == RNV_EAGAIN && rnv_ota_model(ota)->slot[ota->slot] != RNV_SLOT_EMPTY) {
		return status; /* the flash is busy */
	}
	ota->step = RNV_OTA_STEP_NONE;
	return (status == RNV_EAGAIN) ? RNV_OK : status;
}

static int mark_bad(struct rnv_ota *ota)
{
	int status = rnv_store_mark_bad(ota->store, ota->model, ota->slot);

	if (status != RNV_EAGAIN) {
		ota->step = RNV_OTA_STEP_NONE;
	}
	return status;
}

static int revert(struct rnv_ota *ota)
{
	int status = rnv_store_revert(ota->store, ota->model);

	if (status == RNV_OK) {
		rnv_ota_done(ota);
	} else if (status != RNV_EAGAIN) {
		return fail(ota, status, RNV_OTA_STEP_NONE);
	}
	return status;
}

static int erase(struct rnv_ota *ota)
{
	int status = rnv_store_erase(ota->store, ota->model, ota->slot);

	if (status == RNV_OK) {
		ota->phase = RNV_OTA_DONE;
		ota->step = RNV_OTA_STEP_NONE;
	} else if (status != RNV_EAGAIN) {
		return fail(ota, status, RNV_OTA_STEP_NONE);
	}
	return status;
}

int rnv_ota_step(struct rnv_ota *ota)
{
	switch (ota->step) {
	case RNV_OTA_STEP_UNPACK:
		return unpack(ota);
	case RNV_OTA_STEP_END:
		return end_fill(ota);
	case RNV_OTA_STEP_START:
		return start_verify(ota);
	case RNV_OTA_STEP_VERIFY:
		return verify(ota);
	case RNV_OTA_STEP_TEST:
		return test(ota);
	case RNV_OTA_STEP_LET_GO:
		return let_go(ota);
	case RNV_OTA_STEP_COMMIT:
		return commit(ota);
	case RNV_OTA_STEP_EMPTY:
		return empty(ota);
	case RNV_OTA_STEP_BAD:
		return mark_bad(ota);
	case RNV_OTA_STEP_REVERT:
		return revert(ota);
	case RNV_OTA_STEP_ERASE:
		return erase(ota);
	default:
		return RNV_OK;
	}
}

int rnv_ota_poll(struct rnv_ota *ota, uint64_t now_us)
{
	if (ota->step == RNV_OTA_STEP_UNPACK) {
		ota->active_us = now_us;
	}
	if (ota->phase == RNV_OTA_RECEIVING && now_us > ota->active_us &&
	    now_us - ota->active_us >= ota->idle_us) {
		rnv_store_fill_leave(ota->store);
		(void)fail(ota, RNV_ETIMEDOUT, RNV_OTA_STEP_NONE);
	}
	(void)rnv_ota_step(ota);
	rnv_ota_settle(ota);
	return rnv_ota_works(ota) ? 1 : 0;
}

/* Bytes of the slot that have been erased. */
static uint32_t erased(const struct rnv_ota *ota)
{
	uint32_t next = rnv_ota_model(ota)->erase_next;
	uint32_t start = rnv_slot_offset(ota->store, ota->model, ota->slot);

	return (next > start) ? next - start : 0u;
}

void rnv_ota_status_get(const struct rnv_ota *ota, struct rnv_ota_status *status)
{
	memset(status, 0, sizeof(*status));
	status->phase = ota->phase;
	status->model = (ota->model == RNV_OTA_NO_MODEL) ? UINT32_MAX : ota->model;
	status->slot = ota->slot;
	status->offset = ota->offset;
	status->bytes = ota->request.bytes;
	memcpy(status->sha256, ota->request.sha256, sizeof(status->sha256));
	if (ota->phase == RNV_OTA_FAILED) {
		status->error = ota->error;
		status->why = ota->why;
	} else if (ota->phase == RNV_OTA_VERIFYING) {
		status->done = ota->verify.done;
		status->total = ota->verify.total;
	} else if (ota->phase == RNV_OTA_ERASING) {
		status->done = erased(ota);
		status->total = ota->store->config.layout[ota->model].slot_bytes;
	}
}
