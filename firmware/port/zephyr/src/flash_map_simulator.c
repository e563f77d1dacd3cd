/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <zephyr/drivers/flash.h>
#include <zephyr/drivers/flash/flash_simulator.h>

#include "flash_internal.h"

const uint8_t *rnv_zephyr_flash_base(const struct device *device)
{
	size_t bytes;

	return flash_simulator_get_memory(device, &bytes);
}
