/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The SSE-200 subsystem (AN521): the second core waits after reset until CPUWAIT lets it go. */

#include <string.h>

#include <zephyr/arch/cpu.h>
#include <zephyr/sys/barrier.h>
#include <zephyr/sys/util.h>

#include <ranvier/status.h>

#include "second_core.h"

#define SYSTEM_CONTROL 0x50021000u /* secure */
#define INITSVTOR1     (SYSTEM_CONTROL + 0x114u)
#define CPUWAIT        (SYSTEM_CONTROL + 0x118u)
#define CPUWAIT_CPU1   1u

void rnv_zephyr_second_core_release(uint32_t vectors)
{
	barrier_dsync_fence_full();
	sys_write32(vectors, INITSVTOR1);
	sys_clear_bit(CPUWAIT, CPUWAIT_CPU1);
}

int rnv_zephyr_second_core_read(const uint8_t *from, void *to, uint32_t bytes)
{
	(void)memcpy(to, from, bytes);
	return RNV_OK;
}
