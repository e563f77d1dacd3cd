/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The MCXN947: the second core is a secure privileged bus master, as its devicetree assumes. */

#include <zephyr/sys/barrier.h>
#include <zephyr/sys/util.h>

#include <soc.h>

#include "flash_internal.h"
#include "second_core.h"

#define SECURE_PRIVILEGED 3u
#define UNLOCKED          2u                  /* of the pattern that repeats the levels inverted */
#define WRITE_KEY         (0xC0C4u << 16)     /* without it CPUCTRL is not written */
#define SECURE_ALIAS      ((uint32_t)BIT(28)) /* CPBOOT has the other one */

void rnv_zephyr_second_core_release(uint32_t vectors)
{
	uint32_t control;

	AHBSC->MASTER_SEC_LEVEL |= AHBSC_MASTER_SEC_LEVEL_CPU1(SECURE_PRIVILEGED);
	AHBSC->MASTER_SEC_ANTI_POL_REG =
		(~AHBSC->MASTER_SEC_LEVEL &
		 ~AHBSC_MASTER_SEC_ANTI_POL_REG_MASTER_SEC_LEVEL_ANTIPOL_LOCK_MASK) |
		AHBSC_MASTER_SEC_ANTI_POL_REG_MASTER_SEC_LEVEL_ANTIPOL_LOCK(UNLOCKED);
	SYSCON->CPBOOT = (vectors & ~SECURE_ALIAS) & SYSCON_CPBOOT_CPBOOT_MASK;
	barrier_dsync_fence_full();
	control = SYSCON->CPUCTRL | WRITE_KEY | SYSCON_CPUCTRL_CPU1CLKEN_MASK;
	SYSCON->CPUCTRL = control | SYSCON_CPUCTRL_CPU1RSTEN_MASK;
	SYSCON->CPUCTRL = control & ~SYSCON_CPUCTRL_CPU1RSTEN_MASK;
}

/* Flash that is erased or torn answers with a bus fault. */
int rnv_zephyr_second_core_read(const uint8_t *from, void *to, uint32_t bytes)
{
	return rnv_zephyr_flash_read(NULL, 0, from, to, bytes);
}
