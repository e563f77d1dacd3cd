/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* No second core executes from flash that the store writes. */

#include <zephyr/sys/util.h>

#include <ranvier/status.h>

#include "park_internal.h"

int rnv_runtime_park_store(struct rnv_flash *flash)
{
	ARG_UNUSED(flash);
	return RNV_OK;
}
