/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_PORT_ZEPHYR_SECOND_CORE_INTERNAL_H_
#define RANVIER_PORT_ZEPHYR_SECOND_CORE_INTERNAL_H_

/** @file @brief Of the start of the second core: the chip's part. */

#include <stdint.h>

/**
 * Let the second core out of reset.
 *
 * @param vectors address of its vector table
 */
void rnv_zephyr_second_core_release(uint32_t vectors);

/**
 * Read a part of the image's place, and never fault.
 *
 * @param from  first byte
 * @param to    receives the bytes
 * @param bytes how many
 * @retval RNV_OK      read
 * @retval RNV_EBADMSG a part cannot be read
 */
int rnv_zephyr_second_core_read(const uint8_t *from, void *to, uint32_t bytes);

#endif /* RANVIER_PORT_ZEPHYR_SECOND_CORE_INTERNAL_H_ */
