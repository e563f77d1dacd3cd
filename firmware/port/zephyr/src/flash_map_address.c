/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "flash_internal.h"

const uint8_t *rnv_zephyr_flash_base(const struct device *device)
{
	ARG_UNUSED(device);
	return (const uint8_t *)CONFIG_RANVIER_STORE_FLASH_ADDRESS;
}
