/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What the simulated accelerator promises beyond the contract, in virtual time. */

#include "model.h"

#include "npu_sim/npu_sim.h"
#include "ranvier/port.h"
#include "sched/npu_request.h"

#define LATENCY_US 100u

static uint64_t now_us;
static uint32_t kicks;
static uint32_t relaxed;
static struct image image;
static struct rnv_package pkg;
static struct rnv_npu npu;
static struct rnv_npu_sim sim;

uint32_t rnv_critical_enter(void)
{
	return 0;
}

void rnv_critical_exit(uint32_t key)
{
	(void)key;
}

uint64_t rnv_now_us(void)
{
	return now_us;
}

static struct {
	_Alignas(16) uint8_t arena[ARENA_BYTES];
	int8_t x[X_BYTES];
	int8_t y[Y_BYTES];
	void *slots[2];
	struct rnv_exec exec;
} run;

static void kicked(void *context)
{
	assert_ptr_equal(context, &run);
	kicks++;
}

/* The other context comes to the end of what it was busy with. */
static void let_run(void *context)
{
	assert_ptr_equal(context, &run);
	relaxed++;
	rnv_npu_sim_send(&sim);
	sim.sending = 0;
}

static uint32_t late(void)
{
	struct rnv_npu_info info;

	rnv_npu_info_get(&npu, &info);
	return info.late; /* events: none of these requests came through `npu` */
}

static struct rnv_npu_sim_counts counts(void)
{
	struct rnv_npu_sim_counts result;

	rnv_npu_sim_counts_get(&sim, &result);
	return result;
}

static int setup(void **state)
{
	const struct rnv_npu_sim_config config = {.timeout_us = 10000,
						  .abort_us = 500,
						  .kick = kicked,
						  .relax = let_run,
						  .context = &run};

	(void)state;
	now_us = 1000;
	kicks = 0;
	relaxed = 0;
	model_open(&image, &pkg);
	memset(&run, 0x11, sizeof(run));
	assert_int_equal(rnv_exec_init(&run.exec, &pkg, run.arena, ARENA_BYTES, run.slots, 2),
			 RNV_OK);
	assert_int_equal(rnv_exec_bind(&run.exec, T_X, run.x, X_BYTES), RNV_OK);
	assert_int_equal(rnv_exec_bind(&run.exec, T_Y, run.y, Y_BYTES), RNV_OK);
	assert_int_equal(rnv_exec_start(&run.exec, 0), RNV_OK);
	rnv_npu_sim_init(&sim, &npu, &config);
	assert_int_equal(rnv_npu_init(&npu, &rnv_npu_sim_driver, &sim), RNV_OK);
	return 0;
}

static int invoke(uint32_t serial)
{
	const struct rnv_npu_request request = {.exec = &run.exec, .serial = serial};

	return rnv_npu_sim_driver.invoke(&sim, &request);
}

static void behave(struct rnv_npu_sim_behaviour behaviour)
{
	struct rnv_npu_sim_behaviour read;

	rnv_npu_sim_set(&sim, &behaviour);
	rnv_npu_sim_get(&sim, &read);
	assert_memory_equal(&read, &behaviour, sizeof(read));
}

/* Nothing at one microsecond before `due_us`, an event then. */
static void assert_ends_at(uint64_t due_us)
{
	const uint32_t before = late();

	assert_int_equal(rnv_npu_sim_next_us(&sim), due_us);
	assert_false(rnv_npu_sim_work(&sim, due_us - 1u));
	assert_int_equal(late(), before);
	rnv_npu_sim_poll(&sim, due_us);
	assert_int_equal(late(), before + 1u);
	assert_int_equal(rnv_npu_sim_next_us(&sim), UINT64_MAX);
	rnv_npu_sim_poll(&sim, UINT64_MAX);
	assert_int_equal(late(), before + 1u);
}

static void test_latency(void **state)
{
	(void)state;
	behave((struct rnv_npu_sim_behaviour){.latency_us = LATENCY_US});
	assert_int_equal(rnv_npu_sim_next_us(&sim), UINT64_MAX);
	assert_int_equal(invoke(1), RNV_OK);
	assert_int_equal(kicks, 1);
	assert_int_equal(invoke(2), RNV_EIO); /* one at a time */
	assert_int_equal(run.arena[0], 0x11);
	assert_ends_at(1000 + LATENCY_US);
	assert_int_not_equal(run.arena[0], 0x11);
	assert_int_equal(counts().invoked, 1);
	assert_int_equal(counts().executed, 1);
	assert_int_equal(counts().events, 1);
	behave((struct rnv_npu_sim_behaviour){.latency_us = 0});
	assert_int_equal(invoke(3), RNV_OK);
	assert_int_equal(late(), 2); /* before it returned */
	assert_int_equal(kicks, 1);
	assert_int_equal(counts().executed, 2);
}

static void test_faults(void **state)
{
	(void)state;
	behave((struct rnv_npu_sim_behaviour){
		.latency_us = LATENCY_US, .outcome = RNV_NPU_SIM_FAULTS, .requests = 2});
	assert_int_equal(invoke(1), RNV_OK);
	assert_ends_at(1000 + LATENCY_US);
	for (int i = 0; i < 8; i++) {
		assert_int_equal(run.arena[i], 0xA5 + i); /* all of the output is spoilt */
	}
	assert_int_equal(run.arena[8], 0x11);
	assert_int_equal(counts().executed, 0);
	memset(run.arena, 0x11, sizeof(run.arena));
	image.steps[OP_CONV].flags |= RNV_STEP_SLICE;
	assert_int_equal(invoke(2), RNV_OK);
	rnv_npu_sim_poll(&sim, 1000 + LATENCY_US);
	assert_int_equal(run.arena[0], 0x11); /* but not of a slice: others' rows */
	image.steps[OP_CONV].flags = RNV_STEP_NPU;
	assert_int_equal(invoke(3), RNV_OK); /* the third one works */
	rnv_npu_sim_poll(&sim, 1000 + LATENCY_US);
	assert_int_equal(counts().executed, 1);
	behave((struct rnv_npu_sim_behaviour){.outcome = RNV_NPU_SIM_REFUSES});
	for (uint32_t i = 0; i < 5; i++) {
		assert_int_equal(invoke(i), RNV_EIO); /* all */
	}
	assert_int_equal(late(), 3);
	assert_int_equal(counts().invoked, 3);
}

static void test_aborts(void **state)
{
	(void)state;
	behave((struct rnv_npu_sim_behaviour){
		.latency_us = LATENCY_US, .abort_latency_us = 30, .outcome = RNV_NPU_SIM_FAULTS});
	assert_int_equal(invoke(1), RNV_OK);
	rnv_npu_sim_driver.abort(&sim, 2);
	assert_int_equal(counts().aborted, 0);
	assert_int_equal(kicks, 1);
	rnv_npu_sim_driver.abort(&sim, 1);
	assert_int_equal(counts().aborted, 1);
	assert_int_equal(kicks, 2);
	assert_ends_at(1030);
	behave((struct rnv_npu_sim_behaviour){.latency_us = LATENCY_US, .abort_latency_us = 30});
	assert_int_equal(invoke(1), RNV_OK);
	rnv_npu_sim_driver.abort(&sim, 1);
	assert_ends_at(1030);
	assert_int_equal(run.arena[0], 0x11); /* stopped: neither executed nor spoilt */
	behave((struct rnv_npu_sim_behaviour){.latency_us = LATENCY_US,
					      .abort = RNV_NPU_SIM_IGNORES});
	assert_int_equal(invoke(2), RNV_OK);
	rnv_npu_sim_driver.abort(&sim, 2);
	assert_ends_at(1000 + LATENCY_US);
	assert_int_not_equal(run.arena[0], 0x11); /* written late */
	behave((struct rnv_npu_sim_behaviour){.latency_us = LATENCY_US,
					      .abort = RNV_NPU_SIM_HANGS});
	assert_int_equal(invoke(3), RNV_OK);
	rnv_npu_sim_driver.abort(&sim, 3);
	assert_int_equal(rnv_npu_sim_next_us(&sim), UINT64_MAX);
	assert_int_equal(counts().executed, 1);
}

static void test_silence_and_reset(void **state)
{
	(void)state;
	behave((struct rnv_npu_sim_behaviour){
		.latency_us = 1, .outcome = RNV_NPU_SIM_SILENT, .reset_status = RNV_EIO});
	assert_int_equal(invoke(1), RNV_OK);
	assert_int_equal(rnv_npu_sim_next_us(&sim), UINT64_MAX);
	assert_int_equal(rnv_npu_sim_driver.reset(&sim), RNV_EIO);
	assert_int_equal(invoke(2), RNV_EIO);
	behave((struct rnv_npu_sim_behaviour){.latency_us = LATENCY_US});
	assert_int_equal(rnv_npu_sim_driver.reset(&sim), RNV_OK);
	assert_int_equal(counts().resets, 1);
	assert_int_equal(invoke(2), RNV_OK);
	assert_true(rnv_npu_sim_work(&sim, 5000));
	assert_int_equal(rnv_npu_sim_driver.reset(&sim), RNV_OK); /* between work and event */
	rnv_npu_sim_send(&sim);
	assert_int_equal(late(), 0);
	assert_int_equal(relaxed, 0);
	sim.sending = 1; /* another context is just inside of rnv_npu_event() */
	assert_int_equal(rnv_npu_sim_driver.reset(&sim), RNV_OK);
	assert_int_equal(relaxed, 1);
	assert_int_equal(counts().resets, 3);
}

static void woken(void *context)
{
	assert_ptr_equal(context, &run);
	assert_int_equal(sim.sending, 1);    /* a reset would wait */
	assert_int_equal(invoke(2), RNV_OK); /* and the next request is welcome */
}

static void test_inside_the_event(void **state)
{
	(void)state;
	rnv_npu_attach(&npu, woken, &run);
	behave((struct rnv_npu_sim_behaviour){.latency_us = LATENCY_US});
	assert_int_equal(invoke(1), RNV_OK);
	rnv_npu_sim_poll(&sim, 5000);
	assert_int_equal(sim.sending, 0);
	assert_int_equal(rnv_npu_sim_next_us(&sim), 1000 + LATENCY_US);
}

static void test_statuses(void **state)
{
	const struct rnv_npu_driver *driver = &rnv_npu_sim_driver;

	(void)state;
	behave((struct rnv_npu_sim_behaviour){.load_status = RNV_ENOTSUP,
					      .suspend_status = RNV_EIO});
	assert_int_equal(driver->load(&sim, &pkg), RNV_ENOTSUP);
	assert_int_equal(counts().loaded, 0);
	assert_int_equal(driver->suspend(&sim), RNV_EIO);
	assert_int_equal(invoke(1), RNV_OK); /* still awake */
	behave((struct rnv_npu_sim_behaviour){.resume_status = RNV_EIO});
	assert_int_equal(driver->load(&sim, &pkg), RNV_OK);
	assert_int_equal(counts().loaded, 1);
	assert_int_equal(driver->suspend(&sim), RNV_OK);
	assert_int_equal(invoke(2), RNV_EIO);
	assert_int_equal(driver->resume(&sim), RNV_EIO);
	assert_int_equal(invoke(3), RNV_EIO);
	behave((struct rnv_npu_sim_behaviour){.latency_us = 0});
	assert_int_equal(driver->resume(&sim), RNV_OK);
	assert_int_equal(invoke(4), RNV_OK);
	assert_int_equal(driver->caps(&sim)->timeout_us, 10000);
	assert_int_equal(driver->caps(&sim)->abort_us, 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_latency, setup),
		cmocka_unit_test_setup(test_faults, setup),
		cmocka_unit_test_setup(test_aborts, setup),
		cmocka_unit_test_setup(test_silence_and_reset, setup),
		cmocka_unit_test_setup(test_inside_the_event, setup),
		cmocka_unit_test_setup(test_statuses, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
