/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_PORT_ZEPHYR_CLIENT_PARK_H_
#define RANVIER_PORT_ZEPHYR_CLIENT_PARK_H_

/** @file @brief Of the client: what it does when the server asks for a park. */

#include <stdint.h>

/** Answer, wait, and return; or nothing, without CONFIG_RANVIER_CLIENT_PARK. */
void rnv_zephyr_client_park(void *region, uint32_t token);

#endif /* RANVIER_PORT_ZEPHYR_CLIENT_PARK_H_ */
