/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef REMOTE_H_
#define REMOTE_H_

/** @file @brief The second core's application: its frames, and a round of requests. */

#include <stdint.h>

#include <ranvier/ipc.h>

/** A frame as the camera has it; the model's output of its index is the expected one. */
struct remote_frame {
	const uint8_t *pixels; /**< grey, 0 to 255 */
	uint32_t count;        /**< of pixels */
};

/** One frame for each class. */
extern const struct remote_frame remote_frames[];

/** Entries of @ref remote_frames. */
extern const uint32_t remote_frame_count;

/** What has become of the frames. */
struct remote_totals {
	uint32_t right;     /**< the expected output was the largest */
	uint32_t wrong;     /**< another one was */
	uint32_t cancelled; /**< as was asked for */
	uint32_t stale;     /**< since a side had started anew */
	uint32_t failed;    /**< otherwise */
	uint32_t least_us;  /**< shortest time from the request to its result; 0: none */
	uint32_t most_us;   /**< longest */
	uint32_t late;      /**< complete after the deadline */
};

/**
 * Look the model up.
 *
 * @param model filled on RNV_OK
 * @retval RNV_OK  found
 * @retval others as rnv_zephyr_client_lookup()
 */
int remote_find(struct rnv_ipc_model *model);

/**
 * Send all frames, as many at once as there are slots, and one more that is cancelled.
 *
 * @param model  as looked up
 * @param totals added to
 * @retval RNV_OK     all have ended
 * @retval RNV_ESTALE a side has started anew: the model has to be looked up again
 */
int remote_round(const struct rnv_ipc_model *model, struct remote_totals *totals);

/**
 * Begin requests, and never end them: what a reset of this core leaves. rnv_zephyr_client_start()
 * has to follow.
 */
void remote_abandon(const struct rnv_ipc_model *model);

#endif /* REMOTE_H_ */
