/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef TESTS_UNIT_SCHED_NPU_FIXTURE_H_
#define TESTS_UNIT_SCHED_NPU_FIXTURE_H_

/* An accelerator over a driver that does just what a test says, in virtual time. */

#include "../model/package_fixture.h"

#include "ranvier/npu.h"
#include "ranvier/port.h"
#include "ranvier/sched.h"
#include "sched/npu_request.h"

#define TIMEOUT_US 1000u
#define ABORT_US   50u

/* --- the port: virtual time; a driver or a wake is never called in a critical section -------- */

static uint64_t now_us;
static uint32_t depth;

uint32_t rnv_critical_enter(void)
{
	return depth++;
}

void rnv_critical_exit(uint32_t key)
{
	depth--;
	assert_int_equal(depth, key);
}

uint64_t rnv_now_us(void)
{
	return now_us;
}

/* --- the driver ------------------------------------------------------------------------------ */

struct device {
	struct rnv_npu npu;
	struct rnv_npu_caps caps;
	struct rnv_exec exec;
	struct rnv_npu_request last;
	uint32_t invokes;
	uint32_t aborts;
	uint32_t aborted; /* serial */
	uint32_t resets;
	uint32_t wakes;
	int answer; /* of the next call */
	void (*inside)(struct device *device);
};

static struct image image;
static struct rnv_package pkg;
static struct device d;

static inline void enter(void)
{
	assert_int_equal(depth, 0);
	if (d.inside != NULL) {
		void (*inside)(struct device *device) = d.inside;

		d.inside = NULL;
		inside(&d);
	}
}

static inline const struct rnv_npu_caps *stub_caps(void *device)
{
	return &((struct device *)device)->caps;
}

static inline int stub_load(void *device, const struct rnv_package *package)
{
	(void)device;
	assert_ptr_equal(package, &pkg);
	enter();
	return d.answer;
}

static inline int stub_invoke(void *device, const struct rnv_npu_request *request)
{
	(void)device;
	d.last = *request;
	d.invokes++;
	enter();
	return d.answer;
}

static inline void stub_abort(void *device, uint32_t serial)
{
	(void)device;
	d.aborts++;
	d.aborted = serial;
	enter();
}

static inline int stub_answer(void *device)
{
	(void)device;
	enter();
	return d.answer;
}

static inline int stub_reset(void *device)
{
	d.resets++;
	return stub_answer(device);
}

static const struct rnv_npu_driver full = {stub_caps,   stub_load,   stub_invoke, stub_abort,
					   stub_answer, stub_answer, stub_reset};
static const struct rnv_npu_driver simple = {
	.caps = stub_caps, .load = stub_load, .invoke = stub_invoke, .abort = stub_abort};

static inline void woken(void *context)
{
	assert_ptr_equal(context, &d);
	assert_int_equal(depth, 0);
	d.wakes++;
}

static inline void begin(const struct rnv_npu_driver *driver)
{
	memset(&d, 0, sizeof(d));
	now_us = 5000;
	d.caps.name = "stub";
	d.caps.timeout_us = TIMEOUT_US;
	d.caps.abort_us = ABORT_US;
	d.exec.pkg = &pkg;
	d.exec.step = 2;
	assert_int_equal(rnv_npu_init(&d.npu, driver, &d), RNV_OK);
	rnv_npu_attach(&d.npu, woken, &d);
}

static inline int setup(void **state)
{
	(void)state;
	image_open(&image, &pkg);
	begin(&full);
	return 0;
}

/* --- helpers --------------------------------------------------------------------------------- */

static inline int request(uint16_t lane)
{
	uint32_t serial;

	return rnv_npu_request(&d.npu, &d.exec, lane, now_us, &serial);
}

static inline struct rnv_npu_info info(void)
{
	struct rnv_npu_info result;

	rnv_npu_info_get(&d.npu, &result);
	return result;
}

static inline void assert_state(enum rnv_npu_state state)
{
	assert_int_equal(info().state, state);
}

static inline void assert_no_end(void)
{
	struct rnv_npu_end end;

	assert_false(rnv_npu_take(&d.npu, &end));
}

static inline void assert_end(int status, bool confirmed)
{
	struct rnv_npu_end end = {.lane = 77};

	assert_true(rnv_npu_take(&d.npu, &end));
	assert_int_equal(end.status, status);
	assert_int_equal(end.confirmed, confirmed);
	assert_int_equal(end.serial, d.last.serial);
	assert_int_equal(end.lane, d.last.lane);
	assert_no_end();
}

/* Out of time, and not confirmed. */
static inline void lose(void)
{
	assert_int_equal(request(1), RNV_OK);
	now_us += TIMEOUT_US;
	rnv_npu_expire(&d.npu, now_us);
	assert_state(RNV_NPU_ABORTING);
	now_us += ABORT_US;
	rnv_npu_expire(&d.npu, now_us);
	assert_state(RNV_NPU_QUARANTINED);
}

static inline void fault(void)
{
	assert_int_equal(request(0), RNV_OK);
	rnv_npu_event(&d.npu, d.last.serial, RNV_EIO);
	assert_end(RNV_EIO, true);
}

static inline int setup_each(void **state)
{
	(void)state;
	begin(&full);
	return 0;
}

#endif /* TESTS_UNIT_SCHED_NPU_FIXTURE_H_ */
