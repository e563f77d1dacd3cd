/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The simulated accelerator, in a thread and a timer's interrupt, keeps the contract of drivers. */

#include <zephyr/kernel.h>
#include <zephyr/ztest.h>

#include <npu_sim/npu_sim_zephyr.h>

#include "contract/npu/contract.h"
#include "contract/npu/model.h"

#define LATENCY_US 200
#define SLOW_US    (2 * USEC_PER_SEC / CONFIG_SYS_CLOCK_TICKS_PER_SEC + 2000)

static struct image image;
static struct rnv_package package;
static struct rnv_npu npu;

static void pass(void *context, uint32_t us)
{
	ARG_UNUSED(context);
	k_sleep(K_USEC(us));
}

static bool set_mode(void *context, enum npu_contract_mode mode)
{
	struct rnv_npu_sim_behaviour behaviour = {.latency_us = LATENCY_US,
						  .abort_latency_us = LATENCY_US};

	switch (mode) {
	case NPU_CONTRACT_WORK:
		break;
	case NPU_CONTRACT_SLOW:
		behaviour.latency_us = SLOW_US / 2;
		break;
	case NPU_CONTRACT_HANG:
		behaviour.outcome = RNV_NPU_SIM_SILENT;
		behaviour.abort = RNV_NPU_SIM_HANGS;
		break;
	case NPU_CONTRACT_FAULT:
		behaviour.outcome = RNV_NPU_SIM_FAULTS;
		break;
	case NPU_CONTRACT_REFUSE:
		behaviour.outcome = RNV_NPU_SIM_REFUSES;
		break;
	default:
		return false;
	}
	rnv_npu_sim_set(context, &behaviour);
	return true;
}

ZTEST(ranvier_contract, test_npu_sim)
{
	struct rnv_npu_sim *sim = rnv_npu_sim_zephyr_start(&npu);
	const struct npu_contract_device device = {
		.driver = &rnv_npu_sim_driver,
		.device = sim,
		.npu = &npu,
		.pass = pass,
		.mode = set_mode,
		.context = sim,
		.slow_us = SLOW_US,
	};
	uint32_t checks = 0;
	const char *broken;

	model_open(&image, &package);
	broken = npu_contract_run(&device, &package, &checks);
	zassert_is_null(broken, "%s", broken);
	zassert_equal(checks, 8);
}
