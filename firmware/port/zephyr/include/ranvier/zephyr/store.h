/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_ZEPHYR_STORE_H_
#define RANVIER_ZEPHYR_STORE_H_

/**
 * @file
 * @brief The model store of the ready-made scheduler; there with CONFIG_RANVIER_STORE.
 *
 * Models in flash, served by the scheduler of `ranvier/zephyr/runtime.h`, and updated while they
 * serve: over SMP with CONFIG_RANVIER_MGMT, or by the application's own calls on the server.
 */

#include <zephyr/kernel.h>

#include <mgmt/server.h>
#include <ranvier/zephyr/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Mount the store, load its models, and serve them. Once, from a thread, before others call the
 * server. Blocks until all models are loaded or refused, which is logged; a thread of
 * CONFIG_RANVIER_SERVER_PRIORITY does the work, then and afterwards.
 *
 * An empty store is in order: it waits for updates.
 *
 * @param layout the models, `count` rows; static. Changing names, sizes or order empties the store
 * @param places where each of them runs, likewise
 * @param count  1 to CONFIG_RANVIER_STORE_MODELS
 * @retval >=0        models that are open
 * @retval RNV_EINVAL too many rows, or a layout that does not fit the partition
 * @retval RNV_ESTATE called before
 * @retval others     as rnv_zephyr_flash_init(), rnv_psa_init(), rnv_store_mount() and
 *                    rnv_server_init(): there is no server
 */
int rnv_runtime_store_start(const struct rnv_store_layout *layout,
			    const struct rnv_server_place *places, uint32_t count);

/**
 * The server, when it has loaded its models. From a thread.
 *
 * @param timeout longest time to wait for that
 * @return server, or NULL
 */
struct rnv_server *rnv_runtime_server(k_timeout_t timeout);

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_ZEPHYR_STORE_H_ */
