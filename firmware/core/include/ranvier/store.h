/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_STORE_H_
#define RANVIER_STORE_H_

/**
 * @file
 * @brief The model store: named models in flash, each with two slots, a trial and a way back.
 *
 * Two sectors hold the *registry*: which slot of a model is good, confirmed or on trial. Every
 * change is one log entry, programmed by one call: before it the old state holds, after it the new
 * one, whatever happens to the power. SPEC.md section 4 has every byte, DESIGN.md why it is safe.
 *
 * A package is written with rnv_store_fill_*(), verified with rnv_store_verify_*() and marked good,
 * activated, chosen by rnv_store_boot(), and confirmed. What is loaded is held by a view: nothing
 * is erased or programmed under a view.
 *
 * No function is safe for several threads or for interrupts: the owner serialises all calls on a
 * store. Each call erases at most two sectors and programs at most the registry's header and a few
 * units, so that the owner can yield in between. Only rnv_store_mount() and the functions whose
 * comments say "writes" touch the flash other than by reading.
 */

#include <stdint.h>

#include "ranvier/crypto.h"
#include "ranvier/flash.h"
#include "ranvier/package.h"
#include "ranvier/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RNV_STORE_MAX_MODELS  16 /**< Models of a store. */
#define RNV_STORE_MAX_REVOKED 8  /**< Keys that a registry can revoke. */
#define RNV_STORE_HASH_BYTES  8  /**< Bytes of a package's hash that name an upload. */
#define RNV_STORE_MAX_TRIES   15 /**< Most boots of a trial. */
#define RNV_STORE_NO_SLOT     3  /**< Neither slot 0 nor slot 1. */

/** A model's place, as the application lays it out; static, constant. */
struct rnv_store_layout {
	const char *name;    /**< of the packages it takes (`rnv_header.name`) */
	uint32_t slot_bytes; /**< of each of its two slots; whole sectors */
	/** Lowest `rnv_header.security_version` of this firmware: the registry's floor never counts
	 * for less. */
	uint32_t security_version;
};

/** What is known of a slot's content. */
enum rnv_slot_state {
	RNV_SLOT_EMPTY = 0,    /**< nothing that may be used; says nothing of its bytes */
	RNV_SLOT_FILLING = 1,  /**< a package is being written */
	RNV_SLOT_GOOD = 2,     /**< completely verified */
	RNV_SLOT_BAD = 3,      /**< was good, and did not verify when it was to be loaded */
	RNV_SLOT_REJECTED = 4, /**< was good, and its trial failed */
};

/** Where a model's trial is. */
enum rnv_trial {
	RNV_TRIAL_NONE = 0,
	RNV_TRIAL_PENDING = 1, /**< next time it is loaded */
	RNV_TRIAL_TRYING = 2,  /**< was loaded `tries` times and is not confirmed */
};

/** Why rnv_store_verify_step() refused a slot. */
enum rnv_store_why {
	RNV_WHY_NONE = 0,
	RNV_WHY_FLASH = 1,     /**< a unit cannot be read */
	RNV_WHY_HEADER = 2,    /**< not a package, longer than the slot, or of another name */
	RNV_WHY_HASH = 3,      /**< the content differs from its SHA-256 or its CRC-32 */
	RNV_WHY_UNSIGNED = 4,  /**< not signed, and RNV_STORE_ALLOW_UNSIGNED is not set */
	RNV_WHY_KEY = 5,       /**< signed with a key that is not compiled in */
	RNV_WHY_REVOKED = 6,   /**< signed with a key that was revoked */
	RNV_WHY_SIGNATURE = 7, /**< the signature is not that key's */
	RNV_WHY_OLDER = 8,     /**< its security version is below the floor */
};

/** `rnv_store_config.flags`: packages need no signature. For development only. */
#define RNV_STORE_ALLOW_UNSIGNED 0x1

/** How a store is mounted. The struct is copied, what it points to is not. */
struct rnv_store_config {
	const struct rnv_flash *flash;         /**< the region */
	const struct rnv_crypto *crypto;       /**< for verification */
	const struct rnv_store_layout *layout; /**< `model_count` rows */
	struct rnv_store_model *models;        /**< memory, `model_count` entries */
	const struct rnv_key *keys;            /**< `key_count`; may be NULL when 0 */
	uint32_t model_count;                  /**< 1..RNV_STORE_MAX_MODELS */
	uint32_t key_count;                    /**< keys that are compiled in */
	uint32_t trial_boots; /**< boots until a trial reverts: 1..RNV_STORE_MAX_TRIES */
	uint32_t flags;       /**< RNV_STORE_ALLOW_UNSIGNED */
	/**
	 * Called before a call erases or programs; NULL: nothing to do. May refuse: RNV_EAGAIN
	 * while an accelerator reads that bank, for example; the store's function then returns that
	 * code with nothing changed. Otherwise `write_end` follows.
	 */
	int (*write_begin)(void *context, uint32_t offset);
	void (*write_end)(void *context); /**< NULL: nothing to do */
	void *hook_context;               /**< for both */
};

/** A model's state; all members are private. Entries are an array of the caller's. */
struct rnv_store_model {
	uint8_t slot[2];     /**< @private enum rnv_slot_state */
	uint8_t views[2];    /**< @private open views */
	uint8_t confirmed;   /**< @private slot, or RNV_STORE_NO_SLOT */
	uint8_t proven;      /**< @private bit s: what is in slot s was confirmed once */
	uint8_t passed;      /**< @private bit s: slot s is passed over until the next mount */
	uint8_t trial;       /**< @private enum rnv_trial */
	uint8_t trial_slot;  /**< @private */
	uint8_t tries;       /**< @private */
	uint8_t has_hash;    /**< @private */
	uint32_t floor;      /**< @private security version */
	uint32_t fills[2];   /**< @private times that each slot was filled or erased */
	uint32_t written;    /**< @private whole sectors of a fill, in bytes */
	uint8_t hash[8];     /**< @private of the package being filled */
	uint32_t erase_next; /**< @private sector to erase next, offset in the region; 0: none */
	uint32_t offset;     /**< @private of slot 0 in the region */
	uint32_t changes[2]; /**< @private erases and programs of each slot since the mount */
};

/** A store; all members are private. */
struct rnv_store {
	uint8_t sector;                 /**< @private registry sector in use */
	uint8_t writable;               /**< @private it was begun since the mount */
	uint8_t revoked_count;          /**< @private */
	uint8_t fill_model;             /**< @private model being filled, or 0xFF */
	uint8_t fill_slot;              /**< @private */
	uint8_t fill_erased;            /**< @private the sector at `position` was erased */
	uint8_t refused;                /**< @private by `write_begin`: the last write */
	uint32_t refusals;              /**< @private by `write_begin`, ever */
	uint32_t generation;            /**< @private of the registry sector in use; 0: none */
	uint32_t erases[2];             /**< @private of each registry sector */
	uint32_t layout_crc;            /**< @private */
	uint32_t header_bytes;          /**< @private of the registry's header, in whole units */
	uint32_t entry_bytes;           /**< @private */
	uint32_t entries;               /**< @private in the sector in use */
	uint32_t position;              /**< @private of the fill: bytes programmed or staged */
	uint32_t bad_entries;           /**< @private */
	uint32_t marginal;              /**< @private */
	struct rnv_store_config config; /**< @private */
	uint32_t revoked[8];            /**< @private key ids */
	uint8_t unit[128];              /**< @private staged bytes of the fill */
	struct rnv_store_model next;    /**< @private what a model is about to become */
};

/** What rnv_store_info_get() tells of a model. */
struct rnv_store_info {
	const char *name;    /**< of the layout */
	uint32_t slot_bytes; /**< of each slot */
	uint32_t floor;      /**< lowest security version that is accepted */
	uint32_t written;    /**< of a slot that is being filled: bytes that survive a reset */
	uint32_t fills[2];   /**< times that each slot was filled or erased: its generation */
	uint8_t hash[8];     /**< of the package being filled; zero: unknown */
	uint8_t slot[2];     /**< enum rnv_slot_state */
	uint8_t views[2];    /**< open views */
	uint8_t confirmed;   /**< slot, or RNV_STORE_NO_SLOT */
	uint8_t trial;       /**< enum rnv_trial */
	uint8_t trial_slot;  /**< slot on trial, or RNV_STORE_NO_SLOT */
	uint8_t tries;       /**< times that it was loaded */
	uint8_t next;        /**< slot that rnv_store_boot() would choose, or RNV_STORE_NO_SLOT */
	uint8_t proven;      /**< bit s: what is in slot s was confirmed once */
};

/** What rnv_store_stats_get() tells of the registry. */
struct rnv_store_stats {
	uint32_t generation;  /**< of the registry; 0: the flash holds none yet */
	uint32_t erases[2];   /**< of each registry sector */
	uint32_t entries;     /**< log entries in the sector in use */
	uint32_t room;        /**< log entries that a sector has */
	uint32_t bad_entries; /**< units of the registry that could not be read or made no sense */
	uint32_t marginal;    /**< reads that the hardware had to correct, or that differed */
	uint32_t revoked_count; /**< keys revoked */
	uint32_t revoked[8];    /**< their ids */
};

/** A slot that is held while its package is in use; all but `data` and `bytes` are private. */
struct rnv_store_view {
	uint8_t model;       /**< @private */
	uint8_t slot;        /**< @private */
	uint8_t open;        /**< @private */
	const void *data;    /**< the package in mapped flash, 16-byte aligned */
	uint32_t bytes;      /**< its length */
	uint32_t generation; /**< @private `fills` of the slot */
};

/** A verification under way; all members but `why` are private. Caller's memory. */
struct rnv_store_verify {
	uint8_t model;       /**< @private */
	uint8_t slot;        /**< @private */
	uint8_t state;       /**< @private */
	uint32_t done;       /**< @private bytes */
	uint32_t total;      /**< @private */
	uint32_t crc;        /**< @private */
	uint32_t generation; /**< @private */
	uint32_t why;        /**< enum rnv_store_why, after a refusal */
};

/**
 * Bytes of the region that a layout needs: two registry sectors, then both slots of each model.
 *
 * @return size in bytes; 0 where it exceeds 2^31 or the layout is invalid
 */
uint32_t rnv_store_region_bytes(const struct rnv_flash_geometry *geometry,
				const struct rnv_store_layout *layout, uint32_t model_count);

/**
 * Mount: read the registry. Writes only where the registry that was found is damaged or marginal
 * (it is written anew into the other sector); an empty flash is not written, all models are "none".
 *
 * Reads the two registry sectors; bounded, and may itself be cut.
 *
 * @param store  to fill
 * @param config copied
 * @retval RNV_OK     mounted; rnv_store_stats_get() tells what was found
 * @retval RNV_EINVAL NULL, a count out of range, a geometry or layout that does not fit the region,
 *                    two models of one name, or a sector too small for the registry
 * @retval RNV_EIO    the flash does not work
 * @retval others     of `write_begin`
 */
int rnv_store_mount(struct rnv_store *store, const struct rnv_store_config *config);

/** Number of the model of a name. @return number, or RNV_ENOENT */
int rnv_store_find(const struct rnv_store *store, const char *name);

/** Describe a model. @retval RNV_OK filled @retval RNV_ENOENT no such model */
int rnv_store_info_get(const struct rnv_store *store, uint32_t model, struct rnv_store_info *info);

/** Describe the registry. */
void rnv_store_stats_get(const struct rnv_store *store, struct rnv_store_stats *stats);

/** Times that `write_begin` has refused since the mount; wraps. */
uint32_t rnv_store_refusals(const struct rnv_store *store);

/* --- filling a slot -------------------------------------------------------------------------- */

/**
 * Begin to fill the slot that is not in use, or go on after a reset. Writes. Where none is in use
 * that is the one that is not confirmed, if the confirmed one is good; else one that no view holds;
 * of two that with fewer fills.
 *
 * The slot's good mark is cleared before any of it is erased. A fill of the same `hash` that a
 * reset interrupted goes on at its last whole sector; any other one starts anew. At most one model
 * is filled at a time: beginning another one abandons it (it can be resumed).
 *
 * @param store  store
 * @param model  model number
 * @param hash   RNV_STORE_HASH_BYTES that name the package: the start of the SHA-256 of its file
 * @param bytes  length of the package
 * @param offset receives how many of its bytes are there already
 * @retval RNV_OK     go on with rnv_store_fill_write() from `*offset`
 * @retval RNV_ENOENT no such model
 * @retval RNV_ENOSPC longer than the slot; nothing was written
 * @retval RNV_ESTATE a trial is under way: confirm it or roll it back first
 * @retval RNV_EBUSY  the slot is held by a view
 * @retval RNV_EIO    the flash does not take what is written
 * @retval others     of `write_begin`
 */
int rnv_store_fill_begin(struct rnv_store *store, uint32_t model, const uint8_t *hash,
			 uint32_t bytes, uint32_t *offset);

/**
 * Write the next bytes of the package. Writes: in one call at most one sector is erased, and what
 * is programmed stays within one sector. Everything programmed is read back.
 *
 * @param store store
 * @param data  the next bytes, in RAM, any alignment
 * @param bytes how many
 * @param taken receives how many of them were taken: call again with the rest, perhaps after others
 *              had their turn. 0 where a sector was erased
 * @retval RNV_OK     taken
 * @retval RNV_ESTATE no fill is under way
 * @retval RNV_EBUSY  the slot is held by a view
 * @retval RNV_ENOSPC beyond the slot
 * @retval RNV_EIO    the flash does not take what is written; the fill is over, its slot empty
 * @retval others     of `write_begin`
 */
int rnv_store_fill_write(struct rnv_store *store, const void *data, uint32_t bytes,
			 uint32_t *taken);

/**
 * End a fill: program what is staged. Writes. The slot is then to be verified.
 *
 * @retval RNV_OK     all of it is in the flash
 * @retval RNV_ESTATE no fill is under way
 * @retval RNV_EIO    as rnv_store_fill_write()
 * @retval others     of `write_begin`
 */
int rnv_store_fill_end(struct rnv_store *store);

/**
 * Leave a fill as it is: nothing is written; rnv_store_fill_begin() with the same hash goes on at
 * its last whole sector.
 */
void rnv_store_fill_leave(struct rnv_store *store);

/* --- verification and views ------------------------------------------------------------------- */

/**
 * Begin to verify a slot: of any state but EMPTY.
 *
 * @retval RNV_OK     call rnv_store_verify_step()
 * @retval RNV_ENOENT no such model or slot, or it is empty
 */
int rnv_store_verify_start(struct rnv_store *store, uint32_t model, uint32_t slot,
			   struct rnv_store_verify *verify);

/**
 * Verify a piece: every byte is read guarded, then hashed as it lies in mapped memory; last the
 * SHA-256, the CRC-32, the key, the signature, and the security version against the floor are
 * checked. Structure is not: that is rnv_package_open()'s.
 *
 * One verification at a time for each struct rnv_crypto. The step that checks the signature takes
 * as long as `rnv_crypto.verify`.
 *
 * @param store  store
 * @param verify begun
 * @param bytes  most bytes to hash in this call, at least 1
 * @retval RNV_EAGAIN  call again
 * @retval RNV_OK      verified
 * @retval RNV_EBADMSG damaged; `verify->why` says what
 * @retval RNV_EACCES  not permitted; `verify->why` says what
 * @retval RNV_ESTATE  the slot has changed since the start
 * @retval RNV_ENOTSUP the flash is not mapped
 * @retval RNV_EIO     the flash or the crypto implementation failed: nothing is known
 */
int rnv_store_verify_step(struct rnv_store *store, struct rnv_store_verify *verify, uint32_t bytes);

/**
 * Hold a slot's package: as long as the view is open nobody erases or programs the slot.
 *
 * @param store  store
 * @param verify the slot's completed verification (RNV_OK)
 * @param view   to fill
 * @retval RNV_OK     held
 * @retval RNV_ESTATE not completely verified, or the slot has changed since
 * @retval RNV_EAGAIN 255 views are open
 */
int rnv_store_view_open(struct rnv_store *store, const struct rnv_store_verify *verify,
			struct rnv_store_view *view);

/**
 * Read bytes of a slot as they are, guarded and not verified: for those who describe it.
 *
 * @param store  store
 * @param model  model number
 * @param slot   slot
 * @param offset in the slot
 * @param to     receives the bytes
 * @param bytes  how many
 * @retval RNV_OK      read
 * @retval RNV_ENOENT  no such model or slot
 * @retval RNV_EINVAL  beyond the slot
 * @retval RNV_EBADMSG some of it cannot be read
 * @retval RNV_EIO     the flash does not work
 */
int rnv_store_read(const struct rnv_store *store, uint32_t model, uint32_t slot, uint32_t offset,
		   void *to, uint32_t bytes);

/** Let go of a slot. Also for a view that is not open. */
void rnv_store_view_close(struct rnv_store *store, struct rnv_store_view *view);

/* --- what becomes real: each writes one log entry -----------------------------------------------
 */

/**
 * Mark the slot that was filled as good. Writes.
 *
 * @param store  store
 * @param verify its completed verification
 * @retval RNV_OK     good
 * @retval RNV_ESTATE not completely verified, changed since, or not being filled
 * @retval RNV_EIO    the flash does not take what is written
 * @retval others     of `write_begin`
 */
int rnv_store_set_good(struct rnv_store *store, const struct rnv_store_verify *verify);

/**
 * Activate the slot that is not confirmed: on trial from the next rnv_store_boot() on, or for good.
 * Writes. For good raises the floor to the package's security version.
 *
 * @param store     store
 * @param verify    the slot's completed verification
 * @param permanent 0: on trial; 1: for good
 * @retval RNV_OK     activated; a trial that was under way of the same slot starts anew
 * @retval RNV_ESTATE not completely verified or changed since; neither good nor (on trial)
 * rejected; already confirmed; the floor has risen since
 * @retval RNV_EACCES its key was revoked since
 * @retval RNV_EIO    the flash does not take what is written
 * @retval others     of `write_begin`
 */
int rnv_store_activate(struct rnv_store *store, const struct rnv_store_verify *verify,
		       uint32_t permanent);

/**
 * Choose the slot to load now: the one on trial, counted before it is tried; when it has had its
 * boots the trial is over, and the slot rejected; else the confirmed one; where that is not good,
 * or passed over, the other one, if good. Writes, while a trial is under way.
 *
 * The caller verifies the slot it gets. Where that fails it asks again, after rnv_store_mark_bad(),
 * or, for RNV_EACCES, rnv_store_revert() of a trial, else rnv_store_pass_over().
 *
 * @retval >=0        slot
 * @retval RNV_ENOENT no such model, or none of its slots can be used: it still takes updates
 * @retval RNV_EIO    the flash does not take what is written: nothing was decided
 * @retval others     of `write_begin`
 */
int rnv_store_boot(struct rnv_store *store, uint32_t model);

/**
 * Confirm the trial: the slot becomes the confirmed one and the floor its package's security
 * version. Writes.
 *
 * @param store            store
 * @param model            number
 * @param security_version `rnv_header.security_version` of the package that runs
 * @retval RNV_OK     confirmed
 * @retval RNV_ESTATE no trial was begun (or only activated, and not loaded)
 * @retval RNV_EACCES the slot's key was revoked: the next boot would refuse it
 * @retval RNV_ENOENT no such model
 * @retval others     as rnv_store_activate()
 */
int rnv_store_confirm(struct rnv_store *store, uint32_t model, uint32_t security_version);

/**
 * End a trial without success: the slot is rejected, the confirmed one stays. Writes. To go back to
 * the slot before the confirmed one, verify and activate it.
 *
 * @retval RNV_OK     ended
 * @retval RNV_ESTATE no trial is under way
 * @retval RNV_ENOENT no such model
 * @retval others     as rnv_store_activate()
 */
int rnv_store_revert(struct rnv_store *store, uint32_t model);

/**
 * Note that a good slot did not verify. Writes. A trial of it is over.
 *
 * @retval RNV_OK     bad
 * @retval RNV_ENOENT no such model or slot
 * @retval RNV_ESTATE it is not good
 * @retval RNV_EBUSY  it is held by a view
 * @retval others     as rnv_store_activate()
 */
int rnv_store_mark_bad(struct rnv_store *store, uint32_t model, uint32_t slot);

/**
 * Do not choose a good slot until the next mount: it may not be loaded (RNV_EACCES), for its key or
 * its version. Nothing is written, so a firmware that has the key loads it again.
 *
 * @retval RNV_OK     it is passed over
 * @retval RNV_ENOENT no such model or slot
 * @retval RNV_ESTATE it is not good, or on trial: that ends with rnv_store_revert()
 */
int rnv_store_pass_over(struct rnv_store *store, uint32_t model, uint32_t slot);

/**
 * Erase a slot, one sector a call. Writes: first that the slot is empty. A fill of it is over.
 *
 * @retval RNV_EAGAIN call again
 * @retval RNV_OK     erased
 * @retval RNV_ENOENT no such model or slot
 * @retval RNV_ESTATE the slot is confirmed or on trial
 * @retval RNV_EBUSY  it is held by a view
 * @retval others     as rnv_store_activate()
 */
int rnv_store_erase(struct rnv_store *store, uint32_t model, uint32_t slot);

/**
 * Refuse a key for ever. Writes.
 *
 * @retval RNV_OK     revoked (also if it was)
 * @retval RNV_EINVAL 0
 * @retval RNV_ENOENT it is not compiled in: what is signed with it is refused as it is
 * @retval RNV_EACCES it is the last key that is compiled in and not revoked
 * @retval RNV_ENOSPC RNV_STORE_MAX_REVOKED keys are revoked
 * @retval others     as rnv_store_activate()
 */
int rnv_store_revoke(struct rnv_store *store, uint32_t key_id);

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_STORE_H_ */
