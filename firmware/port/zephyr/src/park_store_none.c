/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* No second core executes from flash that the store writes. */

#include <zephyr/sys/util.h>

#include <ranvier/status.h>

#include "park_internal.h"

#ifdef CONFIG_RANVIER_SECOND_CORE
#include "park_bank.h"

BUILD_ASSERT(!(IN_ONE_FLASH && IN_ONE_BANK),
	     "the model store writes the bank of flash that the second core executes from: "
	     "CONFIG_RANVIER_PARK=y");
#endif

int rnv_runtime_park_store(struct rnv_flash *flash)
{
	ARG_UNUSED(flash);
	return RNV_OK;
}
