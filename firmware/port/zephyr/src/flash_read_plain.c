/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <zephyr/drivers/flash.h>

#include <ranvier/status.h>

#include "flash_internal.h"

int rnv_zephyr_flash_read(const struct device *device, uint32_t offset, const uint8_t *mapped,
			  void *to, uint32_t bytes)
{
	ARG_UNUSED(mapped);
	return (flash_read(device, (off_t)offset, to, bytes) == 0) ? RNV_OK : RNV_EIO;
}
