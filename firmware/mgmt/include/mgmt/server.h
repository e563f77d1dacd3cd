/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef MGMT_SERVER_H_
#define MGMT_SERVER_H_

/**
 * @file
 * @brief The model server: models of a store, loaded into a scheduler, updated while they serve.
 *
 * It owns the store, the update engine and the models that it opens, and is what a link's handlers
 * (SMP, shell) call. In this order: rnv_sched_init(), rnv_store_mount(), rnv_server_init(),
 * rnv_server_boot(), then the link, and a thread of low priority that calls rnv_server_poll() for
 * ever.
 *
 * Who may call what: from any thread all functions but rnv_server_poll(), which has one thread for
 * the server's life. None from an interrupt, a completion callback, or a hook, of the scheduler's
 * or of this file. Each takes the lock and lets go of it before it returns; it may block for as
 * long as somebody else needs for one piece of work: some KB of hashing, the erasure and
 * programming of a few sectors, one signature, the verification of a package's structure. Nobody
 * else calls the store and the engine once rnv_server_boot() has been called. Jobs are submitted to
 * the scheduler directly, with the handle of rnv_server_handle() or rnv_model_find(); after an
 * update RNV_ENOENT tells that the handle is an old one.
 *
 * A lane that the application has claimed (rnv_lane_claim()) for a model keeps that model from
 * being exchanged: it has to be released for that.
 */

#include <stdint.h>

#include "ranvier/golden.h"
#include "ranvier/ota.h"
#include "ranvier/sched.h"
#include "ranvier/store.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RNV_SERVER_SHA_BYTES 4 /**< Of a SHA-256, to tell an upload from another. */

/** rnv_server_run.lane: the least urgent lane that the model is bound to. */
#define RNV_SERVER_ANY_LANE 0xFFFFFFFF

/** Where a model of the store runs; entry i is for model i of the store's layout. Constant. */
struct rnv_server_place {
	uint32_t lanes;       /**< bit l: bound to lane l; at least one */
	void *state;          /**< persistent state, 16-byte aligned; NULL: packages with none */
	uint32_t state_bytes; /**< its size */
	uint32_t flags;       /**< RNV_MODEL_AUTO_RESET, or 0 */
};

/** What a server is made of. Copied; what it points to is the server's for its life. */
struct rnv_server_config {
	struct rnv_sched *sched; /**< initialised; with room for one more model than it serves */
	struct rnv_store *store; /**< mounted */
	const struct rnv_server_place *places; /**< one for each model of the store */
	struct rnv_server_model *models;       /**< memory, one for each, of any content */
	uint32_t model_count;                  /**< models of the store */
	uint32_t isa_fast; /**< bit i: packing i (enum rnv_isa) is fast in this build */
	/**
	 * Memory for inputs and outputs of run and self-test, and the state of the instance that is
	 * tested; 16-byte aligned. A package that needs more (rnv_server_io_bytes()) is refused.
	 */
	void *io;
	uint32_t io_bytes; /**< its size; 0 where no package is to be taken by updates */
	uint64_t idle_us;  /**< after which an upload or run that nobody goes on with is left */
	uint64_t drain_us; /**< that an exchange waits for a model's jobs; then it cancels them; not
			      0 */
	/** The server's mutex, not recursive; NULL (both) where one thread calls all. */
	void (*lock)(void *context);
	void (*unlock)(void *context); /**< see `lock` */
	/** There is work: let rnv_server_poll() be called. Called with the lock held; must only
	 * note it. May be NULL. */
	void (*wake)(void *context);
	/** A session of the update engine begins (1) or is over (0), as rnv_ota_hooks.session. May
	 * be NULL. */
	void (*session)(void *context, uint32_t active);
	/** Opens a model; NULL: rnv_model_open() on `sched`. Called with the lock held. */
	int (*open)(void *context, const struct rnv_model_config *config, uint32_t *model,
		    struct rnv_diag *diag);
	/** Exchanges a model; NULL: rnv_model_swap() on `sched`. Called with the lock held. */
	int (*swap)(void *context, const struct rnv_model_config *config, uint32_t *model,
		    uint32_t *kept, struct rnv_diag *diag);
	void *context; /**< first argument of each of these */
};

/** A model that is served; all members are private. Entries are an array of the caller's. */
struct rnv_server_model {
	uint8_t slot;               /**< @private that runs, or RNV_STORE_NO_SLOT */
	uint8_t changed;            /**< @private another one is to be loaded */
	uint8_t kept;               /**< @private the last exchange kept the state */
	struct rnv_store_view view; /**< @private of what runs */
	uint32_t handle;            /**< @private in the scheduler, or RNV_NO_HANDLE */
	int32_t error;              /**< @private why the last one was not loaded */
	struct rnv_diag diag;       /**< @private likewise */
};

/** An exchange under way; all members are private. */
struct rnv_server_load {
	uint8_t slot;                   /**< @private */
	uint8_t state;                  /**< @private */
	uint8_t asks;                   /**< @private of rnv_store_boot(), for this exchange */
	uint32_t model;                 /**< @private */
	uint64_t since_us;              /**< @private of the drain */
	struct rnv_store_verify verify; /**< @private */
	struct rnv_store_view view;     /**< @private of the new one */
};

/** A job of the server's, with inputs and outputs in the workspace; all members are private. */
struct rnv_io {
	uint16_t entry;   /**< @private */
	uint16_t inputs;  /**< @private */
	uint16_t outputs; /**< @private */
	uint8_t lane;     /**< @private */
	uint8_t claimed;  /**< @private the lane, for a resident package */
	uint32_t handle;  /**< @private of the model */
	uint32_t job;     /**< @private */
};

/** A golden self-test under way; all members are private. */
struct rnv_server_test {
	struct rnv_io io;              /**< @private of the entry point, on the instance */
	uint16_t entries;              /**< @private */
	uint8_t model;                 /**< @private of the one on demand */
	uint8_t state;                 /**< @private */
	uint8_t demand;                /**< @private enum rnv_server_state of the one on demand */
	uint8_t is_demand;             /**< @private it is the one on demand */
	uint8_t waiting;               /**< @private for a lane, a job, or memory */
	const struct rnv_package *pkg; /**< @private of the instance */
	int32_t result;                /**< @private how it ends */
	int32_t status;                /**< @private how the one on demand ended */
	struct rnv_golden_walk golden; /**< @private */
};

#define RNV_SERVER_PAST_RUNS 4 /**< Runs whose id is remembered after they were submitted. */

/** A run for a link; all members are private. */
struct rnv_server_job {
	struct rnv_io io;             /**< @private of the entry point */
	uint8_t flags;                /**< @private */
	uint8_t state;                /**< @private enum rnv_server_state */
	uint16_t version[3];          /**< @private of the package */
	uint32_t crc;                 /**< @private of the package */
	uint32_t offset;              /**< @private next byte of the inputs */
	uint32_t input_bytes;         /**< @private */
	uint32_t id;                  /**< @private of the run */
	uint64_t active_us;           /**< @private last sign of life */
	uint64_t deadline_us;         /**< @private from submission */
	struct rnv_job_result result; /**< @private */
};

/** A server; all members are private. */
struct rnv_server {
	uint8_t io_owner;                         /**< @private of `config.io` */
	uint8_t io_wanted;                        /**< @private a self-test waits for it */
	uint16_t lane_count;                      /**< @private */
	struct rnv_server_test test;              /**< @private */
	struct rnv_server_config config;          /**< @private */
	struct rnv_server_load load;              /**< @private */
	struct rnv_server_job run;                /**< @private */
	struct rnv_ota ota;                       /**< @private */
	uint32_t past_runs[RNV_SERVER_PAST_RUNS]; /**< @private ids, the newest first */
};

/** What is known of the package in a slot. */
struct rnv_server_slot {
	uint32_t state;            /**< enum rnv_slot_state */
	uint32_t fills;            /**< times that it was filled or erased */
	uint32_t bytes;            /**< of its package; 0: none, or it cannot be read */
	uint32_t security_version; /**< of its package, as the following ones */
	uint32_t crc;              /**< `rnv_trailer.crc32` */
	uint32_t key;              /**< `rnv_trailer.key_id`; 0: unsigned */
	uint16_t version[3];       /**< major, minor, patch */
};

/** What rnv_server_model_get() tells. */
struct rnv_server_model_info {
	struct rnv_store_info store;     /**< as rnv_store_info_get() */
	struct rnv_server_slot slots[2]; /**< from the flash, not verified */
	uint32_t running;                /**< slot that is loaded, or RNV_STORE_NO_SLOT */
	uint32_t handle;                 /**< in the scheduler, or RNV_NO_HANDLE */
	uint32_t lanes;                  /**< bit l: bound to lane l; 0 where none runs */
	uint32_t jobs;                   /**< it has now */
	uint32_t completed;              /**< since it was loaded */
	uint32_t failed;                 /**< likewise */
	uint32_t changing;               /**< 1: another one is being loaded, or is about to be */
	uint32_t kept;                   /**< 1: the last exchange kept the persistent state */
	int32_t error; /**< why what was last to be loaded was not; RNV_OK: it was. RNV_EBUSY: jobs
			* did not end */
	struct rnv_diag diag; /**< likewise, of its structure */
};

/** What rnv_server_info_get() tells. */
struct rnv_server_info {
	struct rnv_store_stats store; /**< of the registry; revoked keys */
	const struct rnv_key *keys;   /**< compiled in */
	uint32_t key_count;           /**< of these */
	uint32_t model_count;         /**< of the store */
	uint32_t isa_fast;            /**< bit i: packing i is fast */
	uint32_t io_bytes;            /**< of the workspace */
	uint32_t unsigned_allowed;    /**< 1: RNV_STORE_ALLOW_UNSIGNED */
	uint32_t patches;             /**< 1: uploads may be of RNV_OTA_PATCH */
};

/** A run that a link asks for. Copied. */
struct rnv_server_run {
	uint32_t model;       /**< number in the store */
	uint32_t entry;       /**< entry point */
	uint32_t lane;        /**< lane, or RNV_SERVER_ANY_LANE */
	uint32_t bytes;       /**< of all its inputs */
	uint32_t flags;       /**< RNV_JOB_RESET, or 0 */
	uint32_t id;          /**< whose it is: of the client's choice, new for each run; 0: none */
	uint64_t deadline_us; /**< from its submission on, or RNV_NEVER */
};

/** Where a run, or a self-test on demand, is. */
enum rnv_server_state {
	RNV_SERVER_NONE = 0,
	RNV_SERVER_FILLING = 1, /**< takes inputs */
	RNV_SERVER_RUNNING = 2,
	RNV_SERVER_DONE = 3,
};

/** What rnv_server_run_read() tells. */
struct rnv_server_run_status {
	uint32_t state;      /**< enum rnv_server_state */
	int32_t status;      /**< RNV_SERVER_DONE: as rnv_job_result.status; else 0 */
	uint32_t us;         /**< from submission to completion; saturates */
	uint32_t bytes;      /**< of all outputs; 0 where it did not end well */
	uint32_t crc;        /**< `rnv_trailer.crc32` of the package that ran */
	uint32_t job;        /**< the job's handle; RNV_NO_HANDLE: not submitted */
	uint16_t version[3]; /**< likewise, major, minor, patch */
	uint16_t missed;     /**< 1: completed after its deadline */
};

/**
 * Workspace that a package needs at most: for all its inputs and outputs, its state, and pointers.
 *
 * @return size in bytes; 0xFFFFFFFF where that exceeds 32 bits
 */
uint32_t rnv_server_io_bytes(const struct rnv_header *header);

/**
 * Make a server. Nobody else uses it yet.
 *
 * @param server to fill; must stay where it is
 * @param config copied
 * @retval RNV_OK     ready
 * @retval RNV_EINVAL NULL, no time to drain, a place without lanes or with one that the scheduler
 *                    has not, or another number of models than the store's
 * @retval RNV_EALIGN `io` or a state is not 16-byte aligned
 */
int rnv_server_init(struct rnv_server *server, const struct rnv_server_config *config);

/**
 * Take uploads of RNV_OTA_PATCH. Once, between rnv_server_init() and rnv_server_boot(); without
 * this call none is taken, and what decodes them is not linked.
 *
 * @param patch memory, for as long as the server is used
 * @retval others as rnv_ota_accept_patches()
 */
int rnv_server_accept_patches(struct rnv_server *server, struct rnv_ota_patch *patch);

/**
 * Load all models, one after the other: choose (which counts a trial), verify, open. A slot that
 * cannot be loaded is marked bad, or its trial ended, and the other one is tried. Once, before
 * rnv_server_poll(); blocks for as long as that takes.
 *
 * @return how many models are open
 */
int rnv_server_boot(struct rnv_server *server);

/**
 * Do a piece of what is to be done: of an upload's verification and test, of an exchange of models,
 * of a self-test; collect a run; look for time-outs. One thread, of low priority.
 *
 * An exchange lets the old model run while the new one is verified, then drains it: jobs that it
 * has are run for `drain_us`, then cancelled; where they do not end for as long again, the old one
 * goes on, and the exchange is tried again with the next activation or boot.
 *
 * @return in how many microseconds it wants to be called again, or earlier when `wake` is called.
 *         0: at once, after others had their turn
 */
uint32_t rnv_server_poll(struct rnv_server *server);

/* --- what is there --------------------------------------------------------------------------- */

/** Describe the server. */
void rnv_server_info_get(struct rnv_server *server, struct rnv_server_info *info);

/**
 * Number of the model of a name.
 *
 * @param server server
 * @param name   need not be terminated by a zero
 * @param bytes  its length
 * @return number, or RNV_ENOENT
 */
int rnv_server_find(const struct rnv_server *server, const char *name, uint32_t bytes);

/** Handle of a model in the scheduler, or RNV_NO_HANDLE where none is loaded. */
uint32_t rnv_server_handle(struct rnv_server *server, uint32_t model);

/**
 * Describe a model. Reads the flash.
 *
 * @retval RNV_OK     filled
 * @retval RNV_ENOENT no such model
 */
int rnv_server_model_get(struct rnv_server *server, uint32_t model,
			 struct rnv_server_model_info *info);

/**
 * Op codes of the steps of the model that runs, for a host's table of a profile.
 *
 * @param server server
 * @param model  number
 * @param first  step
 * @param codes  receives those of the steps from `first` on
 * @param room   entries of `codes`
 * @param count  receives how many were filled
 * @retval >=0        steps of the package
 * @retval RNV_ENOENT no such model, or none runs
 */
int rnv_server_steps_get(struct rnv_server *server, uint32_t model, uint32_t first, uint16_t *codes,
			 uint32_t room, uint32_t *count);

/* --- updates -----------------------------------------------------------------------------------
 */

/**
 * rnv_ota_begin(), with `request->header` 128 bytes.
 *
 * @retval RNV_ENOTSUP instruction set that is slow here (RNV_OTA_ALLOW_SLOW), or ops that this
 *                     build lacks
 * @retval RNV_ENOMEM  arena of a lane, state, or workspace
 * @retval others      as rnv_ota_begin()
 */
int rnv_server_upload_begin(struct rnv_server *server, const struct rnv_ota_request *request,
			    uint32_t *offset);

/**
 * rnv_ota_chunk().
 *
 * @param sha begins the SHA-256 of the file that the chunk is of: RNV_SERVER_SHA_BYTES; NULL: of
 *            whatever file is under way
 * @retval RNV_ESTATE also: another file is under way; nothing was taken
 * @retval others     as rnv_ota_chunk()
 */
int rnv_server_upload_chunk(struct rnv_server *server, const void *sha, uint32_t at,
			    const void *data, uint32_t bytes, uint32_t crc, uint32_t *offset);

/** rnv_ota_status_get(). */
void rnv_server_update_get(struct rnv_server *server, struct rnv_ota_status *status);

/** rnv_ota_activate(). What is activated is loaded by rnv_server_poll(). */
int rnv_server_activate(struct rnv_server *server, uint32_t model, uint32_t permanent);

/**
 * Confirm the trial of a model, with the security version of the package that runs.
 *
 * @retval RNV_ESTATE no trial is under way, or what runs is not the slot on trial
 * @retval others     as rnv_store_confirm()
 */
int rnv_server_confirm(struct rnv_server *server, uint32_t model);

/** rnv_ota_rollback(). What is gone back to is loaded by rnv_server_poll(); where there is nothing,
 * what runs is closed. */
int rnv_server_rollback(struct rnv_server *server, uint32_t model);

/** rnv_ota_erase(). @retval RNV_EBUSY also: the slot runs */
int rnv_server_erase(struct rnv_server *server, uint32_t model, uint32_t slot);

/** rnv_ota_abort(). */
int rnv_server_abort(struct rnv_server *server);

/** rnv_store_revoke(). Models that were signed with the key run until the next boot. */
int rnv_server_revoke(struct rnv_server *server, uint32_t key_id);

/* --- run and self-test -------------------------------------------------------------------------
 */

/**
 * Begin a run: one at a time. One of another id, or of none, that is filled or done is dropped. One
 * of the same id goes on as it is, so that a request which comes twice does not run twice: that
 * also holds for the last RNV_SERVER_PAST_RUNS that were submitted with an id.
 *
 * @param server server
 * @param run    copied
 * @retval RNV_OK     give its inputs by rnv_server_run_write()
 * @retval RNV_ENOENT no such model, or none is loaded
 * @retval RNV_EINVAL no such entry, another number of input bytes, or flags
 * @retval RNV_ESTATE the model is not bound to the lane; or a run of this id was submitted, and its
 *                    outputs are gone
 * @retval RNV_ENOMEM the workspace is too small
 * @retval RNV_EBUSY  a run or a self-test is under way, or one of an update waits for its turn
 */
int rnv_server_run_begin(struct rnv_server *server, const struct rnv_server_run *run);

/**
 * Give inputs: they follow each other without gaps. The last ones submit the job (at once where
 * there are none). What is not wanted next is harmless: nothing is written.
 *
 * @param server server
 * @param id     the run's
 * @param at     offset in the inputs
 * @param data   any alignment
 * @param bytes  how many
 * @param offset receives the next byte that is wanted
 * @param job    receives the job's handle when it was submitted, else RNV_NO_HANDLE; may be NULL
 * @retval RNV_OK     taken, or not wanted; also the last ones once more
 * @retval RNV_EINVAL beyond the inputs; nothing was taken
 * @retval RNV_ESTATE no run takes inputs, or one of another id
 * @retval RNV_EBUSY  a resident model's lane has jobs or is claimed: give the last ones again
 * @retval RNV_EAGAIN the lane is full, or no job slot is free: likewise
 * @retval others     as rnv_job_submit(); the run is over
 */
int rnv_server_run_write(struct rnv_server *server, uint32_t id, uint32_t at, const void *data,
			 uint32_t bytes, uint32_t *offset, uint32_t *job);

/**
 * Where the run is, and its outputs, which follow each other without gaps; as often as one likes
 * until the next run, or nobody asks for `idle_us`; for a second while a self-test waits.
 *
 * @param server server
 * @param id     the run's
 * @param at     offset in the outputs
 * @param data   receives outputs
 * @param room   most bytes, at most INT_MAX
 * @param status filled
 * @retval >=0        bytes at `data`: 0 while it is not done, and at the end
 * @retval RNV_ESTATE the run is one of another id; `status` has RNV_SERVER_NONE
 */
int rnv_server_run_read(struct rnv_server *server, uint32_t id, uint32_t at, void *data,
			uint32_t room, struct rnv_server_run_status *status);

/**
 * Begin the golden self-test of the model that runs: on an instance of its own, in the least urgent
 * lane, on the CPU. rnv_server_poll() does it.
 *
 * @retval RNV_OK     begun
 * @retval RNV_ENOENT no such model, or none is loaded
 * @retval RNV_EBUSY  a run or another self-test is under way
 * @retval RNV_ENOMEM the workspace is too small
 */
int rnv_server_selftest(struct rnv_server *server, uint32_t model);

/**
 * Where the last self-test on demand is.
 *
 * @param server server
 * @param status receives, RNV_SERVER_DONE: RNV_OK: passed; RNV_EBADMSG: failed; RNV_EINVAL: the
 *               package carries none; RNV_ECANCELED: another one was loaded meanwhile; other codes
 *               as rnv_model_open()
 * @return enum rnv_server_state
 */
uint32_t rnv_server_selftest_get(struct rnv_server *server, int32_t *status);

#ifdef __cplusplus
}
#endif

#endif /* MGMT_SERVER_H_ */
