/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The suite against the simulated accelerator in a thread of its own, with the POSIX port. */

#define _POSIX_C_SOURCE 200809L

#include "model.h"

#include <time.h>

#include "contract.h"
#include "npu_sim/npu_sim_thread.h"
#include "ranvier/port.h"

#define LATENCY_US 20u
#define SLOW_US    3000u
#define LONG_US    2000000u /* for what must happen, however busy the machine is */

static struct image image;
static struct rnv_package pkg;
static struct rnv_npu npu;
static struct rnv_npu_sim_thread thread;

static void thread_pass(void *context, uint32_t us)
{
	const struct timespec time = {.tv_nsec = (long)us * 1000};

	(void)context;
	(void)nanosleep(&time, NULL);
}

static bool thread_mode(void *context, enum npu_contract_mode mode)
{
	struct rnv_npu_sim_behaviour behaviour = {.latency_us = LATENCY_US,
						  .abort_latency_us = LATENCY_US};

	(void)context;
	if (mode == NPU_CONTRACT_SLOW) {
		behaviour.latency_us = SLOW_US;
	} else if (mode == NPU_CONTRACT_HANG) {
		behaviour.outcome = RNV_NPU_SIM_SILENT;
		behaviour.abort = RNV_NPU_SIM_HANGS;
	} else if (mode == NPU_CONTRACT_FAULT) {
		behaviour.outcome = RNV_NPU_SIM_FAULTS;
	} else if (mode == NPU_CONTRACT_REFUSE) {
		behaviour.outcome = RNV_NPU_SIM_REFUSES;
	}
	rnv_npu_sim_set(&thread.sim, &behaviour);
	return true;
}

static void test_thread(void **state)
{
	struct npu_contract_device device = {&rnv_npu_sim_driver, &thread.sim, &npu,   thread_pass,
					     thread_mode,         NULL,        SLOW_US};
	uint32_t checks;

	(void)state;
	model_open(&image, &pkg);
	assert_int_equal(rnv_npu_sim_thread_start(&thread, &npu, LONG_US, LONG_US), RNV_OK);
	assert_null(npu_contract_run(&device, &pkg, &checks));
	assert_int_equal(checks, 8);
	rnv_npu_sim_thread_stop(&thread);
}

/* Resets against a thread that is just executing or sending. */
static void test_resets(void **state)
{
	static _Alignas(16) uint8_t arena[ARENA_BYTES];
	int8_t x[X_BYTES] = {1, 2, 3};
	int8_t y[Y_BYTES];
	void *slots[2];
	struct rnv_exec exec;

	(void)state;
	model_open(&image, &pkg);
	assert_int_equal(rnv_exec_init(&exec, &pkg, arena, ARENA_BYTES, slots, 2), RNV_OK);
	assert_int_equal(rnv_exec_bind(&exec, T_X, x, X_BYTES), RNV_OK);
	assert_int_equal(rnv_exec_bind(&exec, T_Y, y, Y_BYTES), RNV_OK);
	assert_int_equal(rnv_exec_start(&exec, 0), RNV_OK);
	assert_int_equal(rnv_npu_sim_thread_start(&thread, &npu, LONG_US, LONG_US), RNV_OK);
	for (uint32_t i = 0; i < 500; i++) {
		const struct rnv_npu_request request = {.exec = &exec, .serial = i};
		const struct rnv_npu_sim_behaviour behaviour = {.latency_us = 1u + i % 30u};
		struct rnv_npu_sim_counts before;
		struct rnv_npu_sim_counts after;

		rnv_npu_sim_set(&thread.sim, &behaviour);
		assert_int_equal(rnv_npu_init(&npu, &rnv_npu_sim_driver, &thread.sim), RNV_OK);
		assert_int_equal(rnv_npu_sim_driver.invoke(&thread.sim, &request), RNV_OK);
		thread_pass(NULL, i % 60u);
		assert_int_equal(rnv_npu_sim_driver.reset(&thread.sim), RNV_OK);
		rnv_npu_sim_counts_get(&thread.sim, &before);
		memset(arena, 0x3C,
		       sizeof(arena)); /* ours again: a race is found by ThreadSanitizer */
		thread_pass(NULL, 50);
		assert_int_equal(arena[0], 0x3C);
		rnv_npu_sim_counts_get(&thread.sim, &after);
		assert_memory_equal(&before, &after, sizeof(before));
	}
	rnv_npu_sim_thread_stop(&thread);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_thread),
		cmocka_unit_test(test_resets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
