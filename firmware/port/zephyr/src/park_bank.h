/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_PORT_ZEPHYR_PARK_BANK_H_
#define RANVIER_PORT_ZEPHYR_PARK_BANK_H_

/** @file @brief Of parks: where the model store and the second core's image are, in one flash. */

#include <zephyr/devicetree.h>
#include <zephyr/sys/util.h>

#define STORE DT_NODELABEL(ranvier_store_partition)
#define IMAGE DT_NODELABEL(ranvier_remote_image)

#define STORE_START DT_REG_ADDR(STORE)
#define STORE_END   (STORE_START + DT_REG_SIZE(STORE))
#define BANK_START  ROUND_DOWN(DT_REG_ADDR(IMAGE), CONFIG_RANVIER_PARK_BANK_SIZE)
#define BANK_END    ROUND_UP(DT_REG_ADDR(IMAGE) + DT_REG_SIZE(IMAGE), CONFIG_RANVIER_PARK_BANK_SIZE)

#define IN_ONE_FLASH DT_SAME_NODE(DT_GPARENT(STORE), DT_GPARENT(IMAGE))
#define IN_ONE_BANK  (BANK_START < STORE_END && STORE_START < BANK_END)

#endif /* RANVIER_PORT_ZEPHYR_PARK_BANK_H_ */
