/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The devicetree has no attribute for memory that this core neither writes nor executes: flash may
 * be executed. So the regions that it has made for the second core's memory are narrowed here.
 */

#include <stdbool.h>

#include <zephyr/devicetree.h>
#include <zephyr/init.h>
#include <zephyr/sys/util.h>

#include <cmsis_core.h>

#define REMOTE_IMAGE DT_REG_ADDR(DT_NODELABEL(ranvier_remote_image))
#define REMOTE_RAM   DT_REG_ADDR(DT_NODELABEL(ranvier_remote_ram))

static bool is_of_second_core(uint32_t base)
{
	return base == REMOTE_IMAGE || base == REMOTE_RAM;
}

static int narrow(void)
{
	const uint32_t count = (MPU->TYPE & MPU_TYPE_DREGION_Msk) >> MPU_TYPE_DREGION_Pos;

	for (uint32_t number = 0; number < count; number++) {
		MPU->RNR = number;
		if ((MPU->RLAR & MPU_RLAR_EN_Msk) != 0u &&
		    is_of_second_core(MPU->RBAR & MPU_RBAR_BASE_Msk)) {
			MPU->RBAR |= MPU_RBAR_XN_Msk;
		}
	}
	__DSB();
	__ISB();
	return 0;
}

SYS_INIT(narrow, PRE_KERNEL_1, CONFIG_KERNEL_INIT_PRIORITY_DEFAULT);
