/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "app.h"

#include <zephyr/kernel.h>

#include <ranvier/port.h>
#include <ranvier/zephyr/runtime.h>

BUILD_ASSERT((int)RNV_LANE_REALTIME == (int)APP_REALTIME, "lanes of Kconfig and of the samples");
BUILD_ASSERT((int)RNV_LANE_BEST_EFFORT == (int)APP_BEST_EFFORT,
	     "CONFIG_RANVIER_LANE_NORMAL=n: the samples have two lanes");

struct rnv_sched *app_start(void)
{
	return rnv_runtime_sched();
}

int app_wait(uint32_t job, struct rnv_job_result *result)
{
	return rnv_zephyr_wait(rnv_runtime_driver(), job, K_FOREVER, result);
}

void app_sleep_until(uint64_t time_us)
{
	uint64_t now_us = rnv_now_us();

	if (time_us > now_us) {
		k_sleep(K_USEC(time_us - now_us));
	}
}

int main(void)
{
	return app_main(NULL);
}
