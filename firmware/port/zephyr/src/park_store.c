/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The store's flash, with a park around each write of the bank that the second core executes from.
 */

#include <zephyr/sys/util.h>

#include <ranvier/status.h>

#include "park_bank.h"
#include "park_internal.h"

BUILD_ASSERT(IN_ONE_FLASH,
	     "CONFIG_RANVIER_PARK: store and image of the second core are in one flash");

static struct rnv_flash inner;
static struct rnv_flash parking;
static struct rnv_parked_flash parked;

static int program(void *context, uint32_t offset, const void *from, uint32_t bytes)
{
	int status;

	(void)rnv_runtime_park_take();
	status = parking.program(context, offset, from, bytes);
	rnv_runtime_park_give();
	return status;
}

static int erase(void *context, uint32_t offset)
{
	int status;

	(void)rnv_runtime_park_take();
	status = parking.erase(context, offset);
	rnv_runtime_park_give();
	return status;
}

int rnv_runtime_park_store(struct rnv_flash *flash)
{
	struct rnv_park *park;
	int status;

	if (!IN_ONE_BANK) {
		return RNV_OK;
	}
	inner = *flash;
	park = rnv_runtime_park_take();
	status = rnv_parked_flash_init(&parked, &inner, park,
				       MAX(BANK_START, STORE_START) - STORE_START,
				       MIN(BANK_END, STORE_END) - STORE_START, &parking);
	rnv_runtime_park_give();
	if (status == RNV_OK) {
		*flash = parking;
		flash->program = program;
		flash->erase = erase;
	}
	return status;
}
