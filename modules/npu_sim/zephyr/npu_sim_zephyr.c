/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <zephyr/kernel.h>
#include <zephyr/sys/__assert.h>

#include "npu_sim/npu_sim_zephyr.h"
#include "ranvier/port.h"
#include "ranvier/status.h"

static struct rnv_npu_sim sim;
static struct k_thread thread;
static K_THREAD_STACK_DEFINE(stack, CONFIG_RANVIER_NPU_SIM_STACK_SIZE);
static K_SEM_DEFINE(changed, 0, 1);

static void send(struct k_timer *timer)
{
	ARG_UNUSED(timer);
	rnv_npu_sim_send(&sim);
}

static K_TIMER_DEFINE(interrupt, send, NULL);

static void kick(void *context)
{
	ARG_UNUSED(context);
	k_sem_give(&changed);
}

static void relax(void *context)
{
	ARG_UNUSED(context);
	k_sleep(K_TICKS(1));
}

static void run(void *p1, void *p2, void *p3)
{
	ARG_UNUSED(p1);
	ARG_UNUSED(p2);
	ARG_UNUSED(p3);
	for (;;) {
		uint64_t now_us = rnv_now_us();
		uint64_t due_us = rnv_npu_sim_next_us(&sim);

		if (due_us == UINT64_MAX) {
			k_sem_take(&changed, K_FOREVER);
		} else if (due_us > now_us) {
			k_sem_take(&changed, K_USEC(due_us - now_us));
		} else if (rnv_npu_sim_work(&sim, now_us)) {
			k_timer_start(&interrupt, K_NO_WAIT, K_NO_WAIT);
		}
	}
}

struct rnv_npu_sim *rnv_npu_sim_zephyr_start(struct rnv_npu *npu)
{
	static const struct rnv_npu_sim_config config = {
		.timeout_us = CONFIG_RANVIER_NPU_SIM_TIMEOUT_US,
		.abort_us = CONFIG_RANVIER_NPU_SIM_ABORT_US,
		.kick = kick,
		.relax = relax,
	};
	const struct rnv_npu_sim_behaviour behaviour = {
		.latency_us = CONFIG_RANVIER_NPU_SIM_LATENCY_US,
	};
	int status;

	rnv_npu_sim_init(&sim, npu, &config);
	rnv_npu_sim_set(&sim, &behaviour);
	status = rnv_npu_init(npu, &rnv_npu_sim_driver, &sim);
	__ASSERT(status == RNV_OK, "the driver is complete");
	ARG_UNUSED(status);
	k_thread_create(&thread, stack, K_THREAD_STACK_SIZEOF(stack), run, NULL, NULL, NULL,
			CONFIG_RANVIER_NPU_SIM_PRIORITY, 0, K_NO_WAIT);
	k_thread_name_set(&thread, "ranvier_npu_sim");
	return &sim;
}
