/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_OTA_H_
#define RANVIER_OTA_H_

/**
 * @file
 * @brief The update engine: a package arrives in chunks, is verified, tested and activated.
 *
 * One session at a time, over a store. Requests (begin, chunk, activate, ...) come from a link;
 * what takes long (hashing, the signature, the self-test, erasing) is done piece by piece by
 * rnv_ota_poll(), from a context of low priority. The engine and its store are one object for
 * locking: the owner serialises all calls on both.
 *
 * What the engine does not know (lanes, accelerators, what runs) it asks through
 * `struct rnv_ota_hooks`.
 */

#include <stdint.h>

#include "ranvier/package.h"
#include "ranvier/patch.h"
#include "ranvier/status.h"
#include "ranvier/store.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Where the engine is. */
enum rnv_ota_phase {
	RNV_OTA_IDLE = 0,      /**< no session */
	RNV_OTA_RECEIVING = 1, /**< takes chunks */
	RNV_OTA_VERIFYING = 2, /**< hash and signature */
	RNV_OTA_TESTING = 3,   /**< structure and self-test, by the hook */
	RNV_OTA_READY = 4,     /**< the slot is good, and waits to be activated */
	RNV_OTA_ERASING = 5,   /**< a slot is being erased */
	RNV_OTA_DONE = 6,      /**< activated or erased */
	RNV_OTA_FAILED = 7,    /**< `rnv_ota_status.error` says why */
};

/** `rnv_ota_request.flags`: take a package for an instruction set that is slow here. */
#define RNV_OTA_ALLOW_SLOW 0x1

/** How rnv_ota_request.bytes encode the package. */
enum rnv_ota_encoding {
	RNV_OTA_PLAIN = 0, /**< as it is */
	RNV_OTA_PATCH =
		1, /**< stream of SPEC.md 4.6: compressed, perhaps against the current slot */
};

/** A package that is about to come. Copied. */
struct rnv_ota_request {
	uint32_t model;        /**< number in the store */
	uint32_t bytes;        /**< of the file that is sent */
	uint32_t encoding;     /**< enum rnv_ota_encoding */
	uint32_t base_crc32;   /**< RNV_OTA_PATCH: CRC-32 in the trailer of the base; 0: none */
	uint8_t sha256[32];    /**< of the file that is sent: names the upload when it is resumed */
	uint32_t flags;        /**< RNV_OTA_ALLOW_SLOW; does not tell one upload from another */
	const uint8_t *header; /**< the package's first RNV_HEADER_BYTES bytes, any alignment */
};

/** What the engine asks. */
struct rnv_ota_hooks {
	/**
	 * May this package be taken? Before any erase, and again when it has arrived: instruction
	 * set, op set, memory of the lanes. Sizes, name and security version are checked by the
	 * engine.
	 *
	 * @retval RNV_OK      yes
	 * @retval RNV_ENOTSUP no: instruction set (`flags` do not allow it) or ops
	 * @retval RNV_ENOMEM  no: memory
	 */
	int (*admit)(void *context, uint32_t model, const struct rnv_header *header,
		     uint32_t flags);
	/**
	 * Test a verified package: rnv_package_open(), then its golden self-test on a fresh
	 * instance, in the least urgent lane, on the CPU. Called again and again until it is done;
	 * one that is starved goes on returning RNV_EAGAIN. MUST let go of `data` before it returns
	 * anything else.
	 *
	 * @param data NULL: give up a test under way, and let go; RNV_EAGAIN: not yet
	 * @retval RNV_EAGAIN  not done: call again
	 * @retval RNV_OK      passed; also where the package carries no self-test
	 * @retval RNV_EBADMSG the self-test failed
	 * @retval others      as rnv_package_open(), or RNV_ENOMEM
	 */
	int (*test)(void *context, uint32_t model, const void *data, uint32_t bytes);
	/** What rnv_store_boot() chooses for a model has changed: load it, when it suits. */
	void (*changed)(void *context, uint32_t model);
	/** A session begins (1: before its first write) or is over (0): to park what must not run
	 * meanwhile. May be NULL. */
	void (*session)(void *context, uint32_t active);
	void *context; /**< first argument of each */
};

struct rnv_ota_unpacker;

/** What an engine needs to take patches: 2.2 KB. All members are private. Caller's memory. */
struct rnv_ota_patch {
	uint8_t held;                            /**< @private bytes in `out` */
	uint8_t taken;                           /**< @private of these, by the store */
	uint8_t base;                            /**< @private slot */
	const struct rnv_ota_unpacker *unpacker; /**< @private */
	uint32_t there;           /**< @private bytes of the package that were in the slot before */
	uint8_t out[128];         /**< @private on their way into the slot */
	struct rnv_patch decoder; /**< @private */
};

/** An engine; all members are private. */
struct rnv_ota {
	uint8_t model;                  /**< @private */
	uint8_t slot;                   /**< @private */
	uint8_t phase;                  /**< @private enum rnv_ota_phase */
	uint8_t step;                   /**< @private what rnv_ota_poll() does next */
	uint8_t then;                   /**< @private what follows a successful test */
	uint8_t active;                 /**< @private `session` was told so */
	struct rnv_store *store;        /**< @private */
	struct rnv_ota_hooks hooks;     /**< @private */
	struct rnv_ota_patch *patch;    /**< @private NULL: takes no patches */
	uint32_t offset;                /**< @private next byte of the file */
	int32_t error;                  /**< @private */
	uint32_t why;                   /**< @private */
	uint64_t active_us;             /**< @private last sign of life of the session */
	uint64_t idle_us;               /**< @private */
	struct rnv_store_verify verify; /**< @private */
	struct rnv_store_view view;     /**< @private of what is being tested */
	struct rnv_ota_request request; /**< @private of the present or last session */
	struct rnv_header header;       /**< @private */
};

/** What rnv_ota_status_get() tells. */
struct rnv_ota_status {
	uint32_t phase;     /**< enum rnv_ota_phase */
	uint32_t model;     /**< of the present or last session; 0xFFFFFFFF: none since the start */
	uint32_t slot;      /**< its slot */
	uint32_t offset;    /**< next byte of the file */
	uint32_t bytes;     /**< of the file */
	uint32_t done;      /**< bytes verified or erased, in these phases */
	uint32_t total;     /**< of these */
	int32_t error;      /**< RNV_OTA_FAILED: code; else 0 */
	uint32_t why;       /**< enum rnv_store_why */
	uint8_t sha256[32]; /**< of the file */
};

/**
 * Prepare an engine.
 *
 * @param ota     to fill
 * @param store   mounted
 * @param hooks   copied; all but `session` are there
 * @param idle_us after which a session that receives nothing is left; what has arrived can be
 *                resumed
 * @retval RNV_OK     idle
 * @retval RNV_EINVAL NULL, or a hook is missing
 */
int rnv_ota_init(struct rnv_ota *ota, struct rnv_store *store, const struct rnv_ota_hooks *hooks,
		 uint64_t idle_us);

/**
 * Let an idle engine take files of encoding RNV_OTA_PATCH. Without this call it takes none, and
 * the decoder is not linked.
 *
 * The base is the model's current slot, which nobody fills or erases during a session; it is read,
 * as the package's own bytes are, by rnv_store_read(). What comes out is verified as any package.
 *
 * @param ota   initialised
 * @param patch memory, for as long as the engine is used
 * @retval RNV_OK     it does
 * @retval RNV_EINVAL NULL, or the engine is at work
 */
int rnv_ota_accept_patches(struct rnv_ota *ota, struct rnv_ota_patch *patch);

/**
 * Announce a package. Everything that its header tells is checked before anything is erased.
 *
 * The same file (sha256) as that of a session under way, or of one that was interrupted, also by a
 * reset: goes on. Another file: what was under way is dropped. A patch is always sent from its
 * first byte after a reset or a time-out; what it makes that is in the slot already is not written
 * again.
 *
 * @param ota     engine
 * @param request copied
 * @param now_us  present time
 * @param offset  receives the next byte of the file that is wanted; `request->bytes`: all is there
 * @retval RNV_OK      send from `*offset` on
 * @retval RNV_ENOENT  no such model
 * @retval RNV_EFORMAT the header is none, or of another name than the model
 * @retval RNV_ENOSPC  longer than the slot
 * @retval RNV_EACCES  its security version is below the floor
 * @retval RNV_EINVAL  unknown encoding or flags, or patches are not taken
 * @retval RNV_ESTALE  a patch for a base that is not the current slot's package: send another one,
 *                     or the package
 * @retval RNV_EBUSY   the slot is held, or the engine verifies or erases another one: later
 * @retval others      of `admit` and rnv_store_fill_begin()
 */
int rnv_ota_begin(struct rnv_ota *ota, const struct rnv_ota_request *request, uint64_t now_us,
		  uint32_t *offset);

/**
 * Take a chunk. One that is not the wanted one is harmless: nothing is written, `*offset` tells
 * which is. After the last one the engine goes on by itself, by rnv_ota_poll().
 *
 * @param ota    engine
 * @param at     its offset in the file
 * @param data   in RAM, any alignment
 * @param bytes  at least 1
 * @param crc    CRC-32 of the chunk
 * @param now_us present time
 * @param offset receives the next byte that is wanted
 * @retval RNV_OK      taken, or not wanted
 * @retval RNV_EBADMSG its CRC is wrong; nothing was written
 * @retval RNV_ENOSPC  beyond the end of the file
 * @retval RNV_ESTATE  no session that takes chunks
 * @retval RNV_EAGAIN  of `write_begin`, or what a patch has told is still being written, by
 *                     rnv_ota_poll(): `*offset` tells how much was taken
 * @retval RNV_EFORMAT the patch is damaged, or not of the package that was announced: the session
 *                     has failed
 * @retval RNV_ESTALE  the patch is for another base than was announced: likewise
 * @retval others      as rnv_store_fill_write(): the session has failed
 */
int rnv_ota_chunk(struct rnv_ota *ota, uint32_t at, const void *data, uint32_t bytes, uint32_t crc,
		  uint64_t now_us, uint32_t *offset);

/**
 * Do a piece of what is to be done: some 1 KB of hashing, one sector, a call of a hook, or one
 * signature.
 *
 * @param ota    engine
 * @param now_us present time
 * @retval 1 call again
 * @retval 0 nothing to do until the next request (but call it every second or so, for the time-out)
 */
int rnv_ota_poll(struct rnv_ota *ota, uint64_t now_us);

/**
 * Activate the good slot that is not current, after verifying and testing it (again, unless that
 * was just done).
 *
 * @param ota       engine
 * @param model     number
 * @param permanent 0: on trial; 1: for good
 * @retval RNV_OK     activated; `changed` was called
 * @retval RNV_EAGAIN it will be, by rnv_ota_poll(): the status tells
 * @retval RNV_ENOENT no such model, or no good slot beside the current one
 * @retval RNV_EBUSY  the engine is at work
 * @retval others     of rnv_store_activate()
 */
int rnv_ota_activate(struct rnv_ota *ota, uint32_t model, uint32_t permanent);

/**
 * Confirm the trial of a model. The floor becomes `security_version`, that of the package that
 * runs.
 *
 * @retval others as rnv_store_confirm()
 */
int rnv_ota_confirm(struct rnv_ota *ota, uint32_t model, uint32_t security_version);

/**
 * Go back: end a trial, or, where none is under way, activate the other good slot for good, if it
 * was confirmed before (what was only received is no way back), after verifying and testing it, if
 * its security version is not below the floor.
 *
 * @retval RNV_OK     done; `changed` was called
 * @retval RNV_ENOENT no such model, or no trial is under way and the other slot is not good or was
 *                    never confirmed
 * @retval others     as rnv_ota_activate() and rnv_store_revert()
 */
int rnv_ota_rollback(struct rnv_ota *ota, uint32_t model);

/**
 * Erase a slot that is neither current nor on trial, by rnv_ota_poll().
 *
 * @retval RNV_EAGAIN begun
 * @retval RNV_OK     erased: but for its last sector it was already
 * @retval RNV_ENOENT no such model or slot
 * @retval RNV_EBUSY  the engine is at work, or the slot is held
 * @retval RNV_ESTATE the slot is current or on trial
 */
int rnv_ota_erase(struct rnv_ota *ota, uint32_t model, uint32_t slot);

/**
 * Drop the session: what was received is forgotten, the slot is empty. Idle: nothing happens.
 *
 * @retval RNV_OK     dropped
 * @retval RNV_EAGAIN it will be, by rnv_ota_poll(): the test has to let go first
 * @retval others     of the store
 */
int rnv_ota_abort(struct rnv_ota *ota);

/** Describe the engine. */
void rnv_ota_status_get(const struct rnv_ota *ota, struct rnv_ota_status *status);

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_OTA_H_ */
