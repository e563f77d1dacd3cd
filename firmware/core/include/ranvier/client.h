/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_CLIENT_H_
#define RANVIER_CLIENT_H_

/**
 * @file
 * @brief The client's side of inference on another core.
 *
 * It needs neither scheduler nor kernels, clock nor lock: a second core's image has these few files
 * of the core only. One context at a time calls it; a port adds the lock, the waiting and the
 * doorbell. Nothing blocks.
 *
 * rnv_client_poll() does all that moves: call it when the doorbell rings, and at least every
 * `beat_us` of the server's configuration. A lost doorbell costs that time, nothing else.
 */

#include <stdint.h>

#include "ranvier/ipc.h"
#include "ranvier/ring.h"
#include "ranvier/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Where a client is. */
enum rnv_client_state {
	RNV_CLIENT_ALONE = 0,   /**< no formatted region: the server has not started */
	RNV_CLIENT_BONDING = 1, /**< said hello; the server has not accepted */
	RNV_CLIENT_BONDED = 2,  /**< requests are taken */
};

/**
 * How a request ended: what `done` is called with, once for each request, by rnv_client_poll(). It
 * may call everything but poll and init.
 */
struct rnv_client_result {
	uint32_t id;   /**< of the request */
	uint32_t slot; /**< still the caller's; RNV_IPC_MAX_SLOTS: it had none */
	/**
	 * RNV_OK; what the server's rnv_job_submit() returned or the job ended with; RNV_EACCES:
	 * the lane is not open to this client; RNV_EAGAIN also: it has as many jobs as it may;
	 * RNV_ESTALE: the bond is over (a side was reset, or its heart stopped), and the slot must
	 * be given back.
	 */
	int32_t status;
	uint32_t args[3]; /**< as enum rnv_ipc_type says */
};

/** A request under way; all members are private. */
struct rnv_client_request {
	void (*done)(void *context, const struct rnv_client_result *result); /**< @private */
	void *context;                                                       /**< @private */
	uint32_t id; /**< @private 0: none */
};

/** How a client is made. Copied. */
struct rnv_client_config {
	void *region;          /**< shared memory, RNV_IPC_LINE aligned */
	uint32_t region_bytes; /**< readable and writable there */
	/** Tell the server to look. MUST order all stores before it; callable from where the client
	 * is called. NULL: the server polls. */
	void (*doorbell)(void *context);
	void *context;           /**< for `doorbell` */
	uint32_t server_dead_us; /**< the bond is over when the server's heart stops for so long; 0:
				    never */
	uint32_t hello_us;       /**< says hello again when it is not accepted for so long; not 0 */
};

/** What has happened; counters wrap at 2^32. */
struct rnv_client_stats {
	uint32_t requests;  /**< sent */
	uint32_t responses; /**< that ended one */
	uint32_t foreign;   /**< responses dropped: late, of another epoch, or of nothing that was
			       asked */
	uint32_t bonds;     /**< times accepted */
	uint32_t broken;    /**< bonds that ended since the region was spoilt */
};

/** A client; all members are private. In memory that no other core writes. */
struct rnv_client {
	struct rnv_client_config config;                            /**< @private */
	struct rnv_ring requests;                                   /**< @private */
	struct rnv_ring responses;                                  /**< @private */
	struct rnv_client_request under_way[RNV_IPC_MAX_SLOTS + 1]; /**< @private by slot; status */
	struct rnv_client_stats stats;                              /**< @private */
	struct rnv_ipc_layout layout;                               /**< @private of this bond */
	uint64_t since_us;     /**< @private hello, or the last beat */
	uint32_t slots_offset; /**< @private */
	uint32_t server_epoch; /**< @private of this bond */
	uint32_t epoch;        /**< @private */
	uint32_t server_beat;  /**< @private */
	uint32_t next_id;      /**< @private */
	uint32_t taken;        /**< @private bit s: slot s is the caller's */
	uint32_t fresh;        /**< @private bit s: taken in this bond */
	uint8_t state;         /**< @private enum rnv_client_state */
	uint8_t spoilt;        /**< @private the ring of requests is */
};

/**
 * Make a client. Nothing is read of the region yet.
 *
 * @retval RNV_OK     made
 * @retval RNV_EINVAL NULL, `hello_us` 0, or a region smaller than any
 * @retval RNV_EALIGN the region is not aligned
 */
int rnv_client_init(struct rnv_client *client, const struct rnv_client_config *config);

/**
 * Let things move: bond, beat, take responses and call their `done`.
 *
 * @param client client
 * @param now_us any monotonic clock in microseconds; the server's may be another
 * @return enum rnv_client_state
 */
int rnv_client_poll(struct rnv_client *client, uint64_t now_us);

/**
 * Take a free slot.
 *
 * @param client client
 * @param slot   receives its number
 * @retval RNV_OK     the caller's until rnv_client_slot_give()
 * @retval RNV_EAGAIN none is free
 * @retval RNV_ESTATE not bonded
 */
int rnv_client_slot_take(struct rnv_client *client, uint32_t *slot);

/**
 * A slot's memory: `slot_bytes` of it, RNV_IPC_LINE aligned. The caller's while no request of the
 * slot is under way and the bond of rnv_client_slot_take() holds.
 *
 * @param client client
 * @param slot   taken
 * @param bytes  receives its size; may be NULL
 * @return address, or NULL: not taken, or in a bond before this
 */
void *rnv_client_slot_data(struct rnv_client *client, uint32_t slot, uint32_t *bytes);

/**
 * Give a slot back.
 *
 * @retval RNV_OK     free
 * @retval RNV_EINVAL not taken
 * @retval RNV_EBUSY  a request of it is under way
 */
int rnv_client_slot_give(struct rnv_client *client, uint32_t slot);

/**
 * Look a model up. The slot's memory is used; with RNV_OK it holds a struct rnv_ipc_model.
 *
 * @param client  client
 * @param slot    taken
 * @param name    shorter than RNV_IPC_NAME
 * @param entry   entry point number
 * @param done    completion; not NULL. RNV_ENOENT: no such model; RNV_EINVAL: no such entry;
 *                RNV_ENOSPC: it does not fit a slot, or has more than RNV_IPC_MAX_TENSORS;
 *                RNV_ESTATE: it is being drained, try again
 * @param context for `done`
 * @retval RNV_OK     under way
 * @retval RNV_EINVAL NULL, slot not taken, or a name that is too long
 * @retval RNV_EBUSY  a request of the slot is under way
 * @retval RNV_EAGAIN the ring is full: later
 * @retval RNV_ESTATE not bonded
 * @retval RNV_ESTALE the slot was taken in a bond before this
 */
int rnv_client_lookup(struct rnv_client *client, uint32_t slot, const char *name, uint16_t entry,
		      void (*done)(void *context, const struct rnv_client_result *result),
		      void *context);

/** What to run on a slot. */
struct rnv_client_job {
	uint32_t model;       /**< handle, of rnv_client_lookup() */
	uint32_t bytes;       /**< rnv_ipc_model.bytes */
	uint32_t deadline_us; /**< from acceptance on, or RNV_IPC_NO_DEADLINE */
	uint16_t entry;       /**< entry point number */
	uint8_t lane;         /**< one of rnv_ipc_model.lanes */
	uint8_t flags;        /**< of RNV_IPC_JOB_FLAGS */
	void (*done)(void *context,
		     const struct rnv_client_result *result); /**< completion; not NULL */
	void *context;                                        /**< for `done` */
};

/**
 * Submit a job: the inputs are in the slot, the outputs will be behind them.
 *
 * @param client client
 * @param slot   taken; the server's until `done`
 * @param job    copied
 * @param id     receives the request's number; may be NULL
 * @retval RNV_OK     under way
 * @retval RNV_EINVAL NULL, slot not taken, or more bytes than it has
 * @retval RNV_EBUSY  a request of the slot is under way
 * @retval RNV_EAGAIN the ring is full: later
 * @retval RNV_ESTATE not bonded
 * @retval RNV_ESTALE the slot was taken in a bond before this
 */
int rnv_client_submit(struct rnv_client *client, uint32_t slot, const struct rnv_client_job *job,
		      uint32_t *id);

/**
 * Ask for a request to be cancelled. It ends with RNV_ECANCELED, or as it was about to end.
 *
 * @retval RNV_OK     asked
 * @retval RNV_ENOENT no such request is under way
 * @retval RNV_EAGAIN the ring is full: later
 */
int rnv_client_cancel(struct rnv_client *client, uint32_t id);

/**
 * Ask how the server is; one at a time.
 *
 * @retval RNV_OK     under way
 * @retval RNV_EINVAL NULL
 * @retval RNV_EBUSY  one is under way
 * @retval RNV_EAGAIN the ring is full: later
 * @retval RNV_ESTATE not bonded
 */
int rnv_client_status(struct rnv_client *client,
		      void (*done)(void *context, const struct rnv_client_result *result),
		      void *context);

/**
 * Read the counters.
 *
 * @param client client
 * @param stats  filled
 */
void rnv_client_stats_get(const struct rnv_client *client, struct rnv_client_stats *stats);

/**
 * Token of a park that the server asks for, or 0. See ranvier/park.h.
 */
uint32_t rnv_client_park_asked(const struct rnv_client *client);

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_CLIENT_H_ */
