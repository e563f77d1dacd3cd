/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_PORT_ZEPHYR_FLASH_INTERNAL_H_
#define RANVIER_PORT_ZEPHYR_FLASH_INTERNAL_H_

/** @file @brief Of the flash port: parts that are chosen by the build. */

#include <stdint.h>

#include <zephyr/device.h>

/** Where the first byte of the flash (not of the partition) is mapped; NULL: it is not. */
const uint8_t *rnv_zephyr_flash_base(const struct device *device);

/**
 * Read what may be damaged.
 *
 * @param device flash
 * @param offset in the flash
 * @param mapped the same, in memory
 * @param to     receives the bytes
 * @param bytes  how many
 * @retval RNV_OK      read
 * @retval RNV_EBADMSG a unit cannot be read
 * @retval RNV_EIO     the device does not work
 */
int rnv_zephyr_flash_read(const struct device *device, uint32_t offset, const uint8_t *mapped,
			  void *to, uint32_t bytes);

#endif /* RANVIER_PORT_ZEPHYR_FLASH_INTERNAL_H_ */
