/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef TESTS_UNIT_SCHED_ACCELERATE_FIXTURE_H_
#define TESTS_UNIT_SCHED_ACCELERATE_FIXTURE_H_

/* sched_fixture.h with an accelerator whose driver does just what a test says. */

#include "sched_fixture.h"

#define TIMEOUT_US 1000u

static struct device {
	struct rnv_npu npu;
	struct rnv_npu_caps caps;
	struct rnv_exec exec;
	uint32_t serial;
	uint32_t lane;
	uint32_t invokes;
	uint32_t aborts;
	bool pending;
	bool refuses;
	bool confirms; /* an abort, at once */
	bool at_once;  /* every request completes inside of invoke() */
} d;

static const struct rnv_npu_caps *stub_caps(void *device)
{
	return &((struct device *)device)->caps;
}

static int stub_load(void *device, const struct rnv_package *pkg)
{
	(void)device;
	(void)pkg;
	assert_int_equal(depth, 0);
	return RNV_OK;
}

static void finish_request(int status)
{
	assert_true(d.pending);
	d.pending = false;
	if (status == RNV_OK) {
		(void)rnv_exec_step(&d.exec);
	}
	rnv_npu_event(&d.npu, d.serial, status);
}

static int stub_invoke(void *device, const struct rnv_npu_request *request)
{
	(void)device;
	assert_int_equal(depth, 0);
	assert_false(d.pending);
	if (d.refuses) {
		return RNV_EIO;
	}
	d.exec = *request->exec;
	d.serial = request->serial;
	d.lane = request->lane;
	d.pending = true;
	d.invokes++;
	if (d.at_once) {
		finish_request(RNV_OK);
	}
	return RNV_OK;
}

static void stub_abort(void *device, uint32_t serial)
{
	(void)device;
	d.aborts++;
	if (d.confirms && d.pending && serial == d.serial) {
		finish_request(RNV_ECANCELED);
	}
}

static int stub_reset(void *device)
{
	(void)device;
	d.pending = false;
	return RNV_OK;
}

static const struct rnv_npu_driver driver = {.caps = stub_caps,
					     .load = stub_load,
					     .invoke = stub_invoke,
					     .abort = stub_abort,
					     .reset = stub_reset};

static int setup(void **state)
{
	(void)state;
	bench_init();
	memset(&d, 0, sizeof(d));
	d.caps.name = "stub";
	d.caps.timeout_us = TIMEOUT_US;
	memset(d.caps.opset, 0xFF, sizeof(d.caps.opset));
	d.confirms = true;
	assert_int_equal(rnv_npu_init(&d.npu, &driver, &d), RNV_OK);
	b.config.npu = &d.npu;
	bench_start();
	for (int i = 0; i < MODELS; i++) {
		b.images[i].steps[OP_CONV].flags |= RNV_STEP_NPU;
		b.images[i].steps[OP_FC].flags |= RNV_STEP_NPU;
	}
	open_model(0, 0x7);
	assert_int_equal(info_of(0).npu, 1);
	return 0;
}

static uint32_t submit_with(uint32_t lane, uint32_t flags, uintptr_t context)
{
	struct rnv_job_request request = request_of(0, lane, RNV_NEVER, context);
	uint32_t job;

	request.flags = (uint8_t)flags;
	assert_int_equal(rnv_job_submit(&b.sched, &request, &job), RNV_OK);
	return job;
}

static inline struct rnv_npu_info npu_info(void)
{
	struct rnv_npu_info info;

	rnv_npu_info_get(&d.npu, &info);
	return info;
}

/* Let time pass, and the driver do what is due. */
static inline void pass(uint64_t us)
{
	now_us += us;
	rnv_sched_run(&b.sched);
}

#endif /* TESTS_UNIT_SCHED_ACCELERATE_FIXTURE_H_ */
