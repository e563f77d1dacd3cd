/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_SERVICE_H_
#define RANVIER_SERVICE_H_

/**
 * @file
 * @brief The server's side: another core's requests become jobs.
 *
 * One struct rnv_service is one client: its region, its limits, its jobs. A server of several
 * clients has several. It is a job source like any other, never blocks on a client, and believes
 * nothing that it reads in shared memory.
 *
 * rnv_service_poll() does all that moves, in one context at a time: a thread, or an interrupt. Call
 * it when the client's doorbell rings, when `wake` was called, and at least every `beat_us`.
 * Completions of jobs only note what has ended and call `wake`, in whatever context they happen.
 */

#include <stdint.h>

#include "ranvier/ipc.h"
#include "ranvier/ring.h"
#include "ranvier/sched.h"
#include "ranvier/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rnv_service;

/** A client's job; all members are private. An array of the caller's, one for each slot. */
struct rnv_service_job {
	struct rnv_service *service;  /**< @private */
	uint64_t accept_us;           /**< @private */
	struct rnv_job_result result; /**< @private */
	uint32_t id;                  /**< @private of the request */
	uint32_t handle;              /**< @private of the job */
	uint32_t state;               /**< @private free, running, ended */
};

/** How a client is served. Copied. */
struct rnv_service_config {
	struct rnv_sched *sched;      /**< where its jobs go */
	void *region;                 /**< shared memory, RNV_IPC_LINE aligned, rnv_ipc_bytes() */
	struct rnv_ipc_layout layout; /**< of the region */
	struct rnv_service_job *jobs; /**< `layout.slots`, of any content */
	/** Bit l: the client may use lane l. Its deadlines are its own: it can starve others there.
	 */
	uint32_t lanes;
	uint32_t max_jobs; /**< jobs of it at a time, 1..layout.slots */
	/** Its bond is over when its heart stops for so long; 0: never, and then a client that
	 * finds its region spoilt waits until the server starts again. Longer than a beat and a
	 * park (ranvier/park.h) together: a parked client has no heartbeat. */
	uint32_t dead_us;
	uint32_t beat_us; /**< how often it is polled at least; told to the client */
	/** Tell the client to look. MUST order all stores before it. NULL: the client polls. */
	void (*doorbell)(void *context);
	/** Let rnv_service_poll() be called, without calling it. From any context that completes
	 * jobs, perhaps once more while rnv_service_end() returns RNV_OK. Not NULL. */
	void (*wake)(void *context);
	void *context; /**< for both */
};

/** What has happened; counters wrap at 2^32. */
struct rnv_service_stats {
	uint32_t bonded;    /**< 1: a client is bonded */
	uint32_t bonds;     /**< times that one was accepted */
	uint32_t dead;      /**< bonds that ended since the heart stopped */
	uint32_t broken;    /**< bonds that ended since the region was spoilt */
	uint32_t requests;  /**< taken */
	uint32_t completed; /**< jobs that ended with RNV_OK */
	uint32_t failed;    /**< jobs that ended otherwise */
	uint32_t refused;   /**< requests answered with an error at once */
	uint32_t foreign;   /**< messages of another epoch, dropped */
	uint32_t jobs;      /**< under way now */
	uint32_t most_jobs; /**< most ever under way */
	uint32_t held; /**< polls that took no request since the client had not taken its responses
			*/
};

/** A client as the server sees it; all members are private. In memory that no client can write. */
struct rnv_service {
	struct rnv_service_config config; /**< @private */
	struct rnv_ring requests;         /**< @private */
	struct rnv_ring responses;        /**< @private */
	struct rnv_service_stats stats;   /**< @private */
	uint64_t heard_us;                /**< @private when the client's beat last changed */
	uint32_t epoch;                   /**< @private the server's */
	uint32_t client_epoch;            /**< @private of the bond, or 0 */
	uint32_t ignored_epoch;           /**< @private was there when the region was formatted */
	uint32_t client_beat;             /**< @private */
	uint32_t beat;                    /**< @private */
	uint32_t slots_offset;            /**< @private */
	uint32_t ending;                  /**< @private the bond is over, jobs are to let go */
	struct rnv_message answer; /**< @private that the ring of responses had no room for */
	uint32_t holding;          /**< @private 1: there is one */
	uint32_t ring;             /**< @private 1: the client shall look */
};

/**
 * Format the region and serve its client. A client that was bonded to a server before sees that it
 * has to bond again.
 *
 * @retval RNV_OK     served
 * @retval RNV_EINVAL NULL, or a number out of range
 * @retval RNV_EALIGN the region is not aligned
 */
int rnv_service_init(struct rnv_service *service, const struct rnv_service_config *config,
		     uint64_t now_us);

/**
 * Let things move: accept, take requests, answer, cancel what a dead client left, beat.
 *
 * Bounded: at most `layout.entries` requests and `layout.slots` answers.
 *
 * @param service service
 * @param now_us  rnv_now_us()
 * @retval 1 requests may be left: call again
 * @retval 0 idle: call again as said above
 */
int rnv_service_poll(struct rnv_service *service, uint64_t now_us);

/**
 * End serving: cancels the client's jobs. The client sees a region that is not formatted.
 *
 * @retval RNV_OK     over; all memory is the caller's
 * @retval RNV_EAGAIN jobs have not let go: call again, at the latest when `wake` was called
 */
int rnv_service_end(struct rnv_service *service);

/**
 * Read the counters. From the context that polls.
 *
 * @param service service
 * @param stats   filled
 */
void rnv_service_stats_get(const struct rnv_service *service, struct rnv_service_stats *stats);

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_SERVICE_H_ */
