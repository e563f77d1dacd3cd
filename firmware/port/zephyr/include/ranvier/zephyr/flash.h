/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_ZEPHYR_FLASH_H_
#define RANVIER_ZEPHYR_FLASH_H_

/**
 * @file
 * @brief The flash seam (`ranvier/flash.h`) on a fixed partition; there with CONFIG_RANVIER_STORE.
 *
 * The partition is the one with the devicetree label `ranvier_store_partition`. It is programmed by
 * Zephyr's flash driver, a few units or one sector a call, as drivers may exclude interrupts for a
 * whole call; threads of more urgency have their turn in between.
 */

#include <ranvier/flash.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Fill a seam. From a thread, when drivers are up.
 *
 * @param flash to fill; there is one partition, so a second one is the same
 * @retval RNV_OK      filled
 * @retval RNV_EIO     the driver is not ready
 * @retval RNV_EINVAL  the partition is not of whole, equal sectors, or units are too large
 * @retval RNV_EALIGN  it is mapped at an address that is not 16-byte aligned
 * @retval RNV_ENOTSUP the flash does not have to be erased, or is not mapped
 */
int rnv_zephyr_flash_init(struct rnv_flash *flash);

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_ZEPHYR_FLASH_H_ */
