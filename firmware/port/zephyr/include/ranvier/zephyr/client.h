/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_ZEPHYR_CLIENT_H_
#define RANVIER_ZEPHYR_CLIENT_H_

/**
 * @file
 * @brief Inference on the other core, from threads; with CONFIG_RANVIER_CLIENT.
 *
 * There is one client, that of the core's ranvier/client.h, with a lock, waiting and doorbells. A
 * thread of its own polls it: when the server rings, and every CONFIG_RANVIER_CLIENT_BEAT_MS. It
 * also answers when the server parks this core.
 *
 *     rnv_zephyr_client_start();
 *     rnv_zephyr_client_wait_bonded(K_FOREVER);
 *     rnv_zephyr_client_slot_take(&slot, K_FOREVER);
 *     rnv_zephyr_client_lookup(slot, "digits", 0, &model);
 *     input = rnv_zephyr_client_slot_data(slot, NULL);     // write the frame
 *     rnv_zephyr_client_run(slot, &job, K_FOREVER, &result);  // the outputs are behind it
 *     rnv_zephyr_client_slot_give(slot);
 *
 * RNV_ESTALE from any of these: a side has started anew. Give the slot back, and begin with
 * rnv_zephyr_client_wait_bonded().
 */

#include <zephyr/kernel.h>

#include <ranvier/client.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A request that is waited for. The caller's, and in place until it has ended. */
struct rnv_zephyr_request {
	struct k_sem ended;              /**< @private */
	struct rnv_client_result result; /**< how it ended */
};

/**
 * Make a client, in either order with the server. From a thread.
 *
 * When it is called again, the client starts anew, as after a reset: slots and requests are
 * forgotten (the server cancels its jobs), and what was under way never ends. So no thread may wait
 * for a request, nor count on a callback. In rnv_zephyr_client_wait_bonded() they go on waiting,
 * and in rnv_zephyr_client_slot_take() they are told.
 *
 * @retval RNV_OK  started
 * @retval RNV_EIO the device of the doorbells is not ready
 * @retval others  as rnv_client_init()
 */
int rnv_zephyr_client_start(void);

/**
 * Wait for the server. From a thread, not from a callback.
 *
 * @retval RNV_OK        bonded
 * @retval RNV_ETIMEDOUT not in time
 */
int rnv_zephyr_client_wait_bonded(k_timeout_t timeout);

/**
 * rnv_client_slot_take(), and wait until one is free. From a thread, not from a callback.
 *
 * @retval RNV_ETIMEDOUT none was free in time
 * @retval others        as rnv_client_slot_take()
 */
int rnv_zephyr_client_slot_take(uint32_t *slot, k_timeout_t timeout);

/** rnv_client_slot_data(). From a thread. */
void *rnv_zephyr_client_slot_data(uint32_t slot, uint32_t *bytes);

/** rnv_client_slot_give(). From a thread. */
int rnv_zephyr_client_slot_give(uint32_t slot);

/**
 * Look a model up, and wait for the answer. From a thread, not from a callback.
 *
 * @param slot  taken; its contents are lost
 * @param name  of the model
 * @param entry entry point number
 * @param model filled on RNV_OK
 * @retval RNV_OK found
 * @retval others as rnv_client_lookup(), and what its `done` is told
 */
int rnv_zephyr_client_lookup(uint32_t slot, const char *name, uint16_t entry,
			     struct rnv_ipc_model *model);

/** rnv_client_submit(): `job->done` is called in the client's thread. From a thread. */
int rnv_zephyr_client_submit(uint32_t slot, const struct rnv_client_job *job, uint32_t *id);

/**
 * Submit a job that is waited for. From a thread.
 *
 * @param slot    taken
 * @param job     copied; its `done` and `context` are not used
 * @param request for rnv_zephyr_client_wait()
 * @param id      receives the request's number; may be NULL
 * @retval RNV_OK under way
 * @retval others as rnv_client_submit()
 */
int rnv_zephyr_client_begin(uint32_t slot, const struct rnv_client_job *job,
			    struct rnv_zephyr_request *request, uint32_t *id);

/**
 * Wait for a request. From a thread, not from a callback.
 *
 * @retval RNV_OK        it has ended: see `request->result`
 * @retval RNV_ETIMEDOUT it goes on, and has to be waited for again
 */
int rnv_zephyr_client_wait(struct rnv_zephyr_request *request, k_timeout_t timeout);

/**
 * Submit a job and wait for it; it is cancelled when it takes too long. From a thread, not from a
 * callback.
 *
 * @param slot    taken
 * @param job     its `done` and `context` are not used
 * @param timeout when to cancel
 * @param result  filled once it was under way
 * @retval RNV_OK       complete
 * @retval RNV_ECANCELED took too long
 * @retval others       as rnv_client_submit(), and as it ended
 */
int rnv_zephyr_client_run(uint32_t slot, const struct rnv_client_job *job, k_timeout_t timeout,
			  struct rnv_client_result *result);

/** rnv_client_cancel(). From a thread. */
int rnv_zephyr_client_cancel(uint32_t id);

/**
 * Ask how the server is, and wait for the answer. From a thread, not from a callback.
 *
 * @param result filled on RNV_OK
 * @retval RNV_OK answered
 * @retval others as rnv_client_status(), and RNV_ESTALE
 */
int rnv_zephyr_client_status(struct rnv_client_result *result);

/** rnv_client_stats_get(). From a thread. */
void rnv_zephyr_client_stats(struct rnv_client_stats *stats);

/** Parks of this core, and of these how many it left by itself. Any thread or interrupt. */
void rnv_zephyr_client_parks(uint32_t *parks, uint32_t *left);

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_ZEPHYR_CLIENT_H_ */
