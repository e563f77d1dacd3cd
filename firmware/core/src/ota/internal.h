/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_OTA_INTERNAL_H_
#define RNV_OTA_INTERNAL_H_

/* What the files of the update engine share. */

#include <stdbool.h>

#include "ranvier/ota.h"

#define RNV_OTA_NO_MODEL 0xFFu /* rnv_ota.model: there was none yet */

/* rnv_ota.step: what rnv_ota_poll() does next. */
enum {
	RNV_OTA_STEP_NONE,   /* nothing */
	RNV_OTA_STEP_UNPACK, /* write what a patch has told */
	RNV_OTA_STEP_END,    /* program what is staged of the fill */
	RNV_OTA_STEP_START,  /* begin to verify */
	RNV_OTA_STEP_VERIFY, /* go on */
	RNV_OTA_STEP_TEST,   /* ask the hook */
	RNV_OTA_STEP_LET_GO, /* a test is given up */
	RNV_OTA_STEP_COMMIT, /* mark good, or activate */
	RNV_OTA_STEP_EMPTY,  /* what was received is not to be used: the slot is empty */
	RNV_OTA_STEP_BAD,    /* what was good is not */
	RNV_OTA_STEP_REVERT, /* end a trial */
	RNV_OTA_STEP_ERASE,  /* one more sector */
};

/* rnv_ota.then: what becomes of a slot that was verified and tested. */
enum {
	RNV_OTA_THEN_GOOD,      /* it was received: marked good */
	RNV_OTA_THEN_TRIAL,     /* activated */
	RNV_OTA_THEN_PERMANENT, /* activated for good */
};

#define RNV_OTA_UNPACK_BYTES 1024u /* of a package, written at once by rnv_ota_poll() */

/* unpack.c: how an engine takes patches. */
struct rnv_ota_unpacker {
	/* Is the base the current slot's package? RNV_OK, RNV_ESTALE or RNV_EIO. */
	int (*check)(const struct rnv_ota *ota, const struct rnv_ota_request *request);
	/* A session of which so many bytes of the package are in the slot already. */
	void (*start)(struct rnv_ota *ota, const struct rnv_ota_request *request, uint32_t there);
	/*
	 * Take bytes of the patch, and write at most `most` of the package: RNV_OK: it wants more;
	 * 1: the package is complete; RNV_EAGAIN: call again, with what is left; others as
	 * rnv_patch_decode() and rnv_store_fill_write().
	 */
	int (*write)(struct rnv_ota *ota, const uint8_t *data, uint32_t bytes, uint32_t most);
};

/* --- receive.c --- */

/* Go on with what a patch has told, as `rnv_ota_unpacker.write`. */
int rnv_ota_unpack(struct rnv_ota *ota);

/* What comes of an upload has failed. A part of a patch cannot be gone on with: it is dropped. */
void rnv_ota_lose(struct rnv_ota *ota, int status);

/* --- ota.c --- */

/* The engine does something by itself. */
static inline bool rnv_ota_works(const struct rnv_ota *ota)
{
	return ota->step != RNV_OTA_STEP_NONE;
}

/* What the store knows of the model. */
static inline const struct rnv_store_model *rnv_ota_model(const struct rnv_ota *ota)
{
	return &ota->store->config.models[ota->model];
}

/* Do one step: RNV_EAGAIN while more is to be done. */
int rnv_ota_step(struct rnv_ota *ota);

/* Tell the `session` hook that one begins: before its first write. */
void rnv_ota_park(struct rnv_ota *ota);

/* Tell it what has become of that. */
void rnv_ota_settle(struct rnv_ota *ota);

/* The slot that rnv_store_boot() chooses may be another one. */
void rnv_ota_done(struct rnv_ota *ota);

#endif /* RNV_OTA_INTERNAL_H_ */
