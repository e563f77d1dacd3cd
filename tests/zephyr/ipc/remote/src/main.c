/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Does what the tests on the first core ask for. */

#include <zephyr/kernel.h>
#include <zephyr/sys/barrier.h>

#include <ranvier/status.h>
#include <ranvier/zephyr/client.h>

#include "control.h"
#include "requests.h"

void __real_rnv_zephyr_doorbell_ring(void *context);
void __wrap_rnv_zephyr_doorbell_ring(void *context);

static bool mute;

void __wrap_rnv_zephyr_doorbell_ring(void *context)
{
	if (!mute) {
		__real_rnv_zephyr_doorbell_ring(context);
	}
}

static void hang(void)
{
	const uint32_t count = requests_begin();
	const unsigned int key = irq_lock();

	while (CONTROL->let_go != CONTROL->number) {
		/* as a program that has gone wrong */
	}
	irq_unlock(key);
	requests_end(count);
}

static void ask_status(void)
{
	struct rnv_client_result result = {0};

	(void)rnv_zephyr_client_wait_bonded(K_FOREVER);
	CONTROL->status = (uint32_t)rnv_zephyr_client_status(&result);
	for (uint32_t i = 0; i < ARRAY_SIZE(result.args); i++) {
		CONTROL->args[i] = result.args[i];
	}
}

static void obey(uint32_t command, uint32_t argument)
{
	switch (command) {
	case CONTROL_RUN:
		requests_run(argument);
		break;
	case CONTROL_ABANDON:
		(void)requests_begin();
		CONTROL->status = (uint32_t)rnv_zephyr_client_start();
		break;
	case CONTROL_HANG:
		hang();
		break;
	case CONTROL_MUTE:
		mute = argument != 0u;
		break;
	case CONTROL_STATUS:
		ask_status();
		break;
	default:
		CONTROL->status = (uint32_t)RNV_EINVAL;
		break;
	}
}

int main(void)
{
	uint32_t done = 0;

	CONTROL->status = (uint32_t)rnv_zephyr_client_start();
	for (;;) {
		uint32_t parks;
		uint32_t left;

		rnv_zephyr_client_parks(&parks, &left);
		CONTROL->parks = parks;
		CONTROL->left = left;
		if (CONTROL->number == done) {
			k_msleep(1);
			continue;
		}
		barrier_dmem_fence_full();
		CONTROL->status = 0;
		CONTROL->right = 0;
		CONTROL->wrong = 0;
		CONTROL->stale = 0;
		obey(CONTROL->command, CONTROL->argument);
		barrier_dmem_fence_full();
		done = CONTROL->number;
		CONTROL->done = done;
	}
}
