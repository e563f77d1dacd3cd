/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_PORT_ZEPHYR_PARK_INTERNAL_H_
#define RANVIER_PORT_ZEPHYR_PARK_INTERNAL_H_

/** @file @brief Of parks: what the model store, the service and the start of the core need. */

#include <zephyr/sys/util.h>

#include <ranvier/flash.h>
#include <ranvier/park.h>

/** The park of the second core, for one writer of flash at a time. From a thread. */
struct rnv_park *rnv_runtime_park_take(void);

/** Behind rnv_runtime_park_take(), by the same thread. */
void rnv_runtime_park_give(void);

/** Wait for writes of flash that the second core may execute from; none begins then. From a thread.
 */
static inline void rnv_runtime_park_exclude(void)
{
	if (IS_ENABLED(CONFIG_RANVIER_PARK)) {
		(void)rnv_runtime_park_take();
	}
}

/** Behind rnv_runtime_park_exclude(), by the same thread. */
static inline void rnv_runtime_park_allow(void)
{
	if (IS_ENABLED(CONFIG_RANVIER_PARK)) {
		rnv_runtime_park_give();
	}
}

/**
 * Have writes of the store park the second core, where it executes from the same bank.
 *
 * @param flash of the store's partition; replaced by one that parks
 * @retval RNV_OK done, or not needed
 * @retval others as rnv_parked_flash_init()
 */
int rnv_runtime_park_store(struct rnv_flash *flash);

#endif /* RANVIER_PORT_ZEPHYR_PARK_INTERNAL_H_ */
