/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The accelerator's state machine: requests, events, faults in a row. */

#include "npu_fixture.h"

/* --- requests -------------------------------------------------------------------------------- */

static void test_init_arguments(void **state)
{
	struct rnv_npu_driver broken;
	struct rnv_npu npu;

	(void)state;
	assert_int_equal(rnv_npu_init(NULL, &full, &d), RNV_EINVAL);
	assert_int_equal(rnv_npu_init(&npu, NULL, &d), RNV_EINVAL);
#define WITHOUT(slot)                                                                              \
	broken = full;                                                                             \
	broken.slot = NULL;                                                                        \
	assert_int_equal(rnv_npu_init(&npu, &broken, &d), RNV_EINVAL)
	WITHOUT(caps);
	WITHOUT(load);
	WITHOUT(invoke);
	WITHOUT(abort);
	WITHOUT(suspend);
	WITHOUT(resume);
	broken = full;
	broken.reset = NULL;
	assert_int_equal(rnv_npu_init(&npu, &broken, &d), RNV_OK);
	assert_int_equal(rnv_npu_init(&npu, &simple, &d), RNV_OK);
	d.caps.timeout_us = 0;
	assert_int_equal(rnv_npu_init(&npu, &full, &d), RNV_EINVAL);
	d.caps.timeout_us = 1;
	d.caps.name = NULL;
	assert_int_equal(rnv_npu_init(&npu, &full, &d), RNV_EINVAL);
}

static void test_request_and_event(void **state)
{
	uint32_t serial = 0;

	(void)state;
	assert_true(rnv_npu_free(&d.npu));
	assert_int_equal(rnv_npu_next_us(&d.npu), RNV_NEVER);
	assert_int_equal(rnv_npu_abort_us(&d.npu), ABORT_US);
	assert_no_end();
	assert_int_equal(rnv_npu_request(&d.npu, &d.exec, 3, now_us, &serial), RNV_OK);
	assert_ptr_equal(d.last.exec, &d.exec);
	assert_int_equal(d.last.step, 2);
	assert_int_equal(d.last.lane, 3);
	assert_int_equal(d.last.serial, serial);
	assert_state(RNV_NPU_BUSY);
	assert_false(rnv_npu_free(&d.npu));
	assert_true(rnv_npu_usable(&d.npu));
	assert_int_equal(rnv_npu_next_us(&d.npu), 5000 + TIMEOUT_US);
	assert_int_equal(request(0), RNV_EBUSY);
	assert_int_equal(d.invokes, 1);
	now_us += 123;
	rnv_npu_event(&d.npu, serial, RNV_OK);
	assert_int_equal(d.wakes, 1);
	assert_state(RNV_NPU_READY);
	assert_false(rnv_npu_free(&d.npu)); /* until the end is taken */
	assert_int_equal(request(0), RNV_EBUSY);
	assert_int_equal(rnv_npu_next_us(&d.npu), RNV_NEVER);
	assert_end(RNV_OK, true);
	assert_true(rnv_npu_free(&d.npu));
	assert_int_equal(info().requests, 1);
	assert_int_equal(info().completed, 1);
	assert_int_equal(info().longest_us, 123);
	assert_int_equal(info().faults + info().late + info().aborts + info().timeouts, 0);
}

static void send_inside(struct device *device)
{
	rnv_npu_event(&device->npu, device->last.serial, RNV_OK);
}

static void take_and_request_inside(struct device *device)
{
	struct rnv_npu_end end;
	uint32_t serial;

	rnv_npu_event(&device->npu, device->last.serial, RNV_OK);
	assert_true(rnv_npu_take(&device->npu, &end));
	assert_int_equal(end.lane, 4);
	assert_int_equal(rnv_npu_request(&device->npu, &device->exec, 0, now_us, &serial), RNV_OK);
}

/* An interrupt before invoke returns; and another thread that already sends the next request. */
static void test_event_inside_invoke(void **state)
{
	(void)state;
	d.inside = send_inside;
	assert_int_equal(request(2), RNV_OK);
	assert_end(RNV_OK, true);
	d.inside = take_and_request_inside;
	assert_int_equal(request(4), RNV_OK);
	assert_state(RNV_NPU_BUSY); /* with lane 0's */
	rnv_npu_event(&d.npu, d.last.serial, RNV_OK);
	assert_end(RNV_OK, true);
	assert_int_equal(d.last.lane, 0);
	assert_int_equal(info().completed, 3);
}

static void test_late_and_foreign_events(void **state)
{
	(void)state;
	rnv_npu_event(&d.npu, 0, RNV_OK); /* before any request */
	assert_int_equal(info().late, 1);
	assert_no_end();
	assert_int_equal(request(0), RNV_OK);
	rnv_npu_event(&d.npu, d.last.serial - 1, RNV_OK);
	rnv_npu_event(&d.npu, d.last.serial + 1, RNV_EIO);
	assert_int_equal(info().late, 3);
	assert_no_end();
	assert_state(RNV_NPU_BUSY);
	rnv_npu_event(&d.npu, d.last.serial, RNV_OK);
	rnv_npu_event(&d.npu, d.last.serial, RNV_EIO); /* twice: the first one counts */
	assert_int_equal(info().late, 4);
	assert_end(RNV_OK, true);
	rnv_npu_event(&d.npu, d.last.serial, RNV_OK);
	assert_no_end();
	assert_int_equal(info().completed, 1);
	assert_int_equal(info().faults, 0);
}

static void test_serial_wraps(void **state)
{
	uint32_t before;

	(void)state;
	d.npu.serial = UINT32_MAX - 1;
	for (uint32_t i = 0; i < 3; i++) {
		before = d.npu.serial;
		assert_int_equal(request(0), RNV_OK);
		assert_int_equal(d.last.serial, (uint32_t)(UINT32_MAX + i));
		rnv_npu_event(&d.npu, before, RNV_EIO);
		assert_no_end();
		rnv_npu_event(&d.npu, d.last.serial, RNV_OK);
		assert_end(RNV_OK, true);
	}
}

/* --- faults ---------------------------------------------------------------------------------- */

static void test_refused(void **state)
{
	uint32_t serial = 0;

	(void)state;
	d.answer = RNV_EIO;
	assert_int_equal(rnv_npu_request(&d.npu, &d.exec, 0, now_us, &serial), RNV_EIO);
	assert_int_equal(d.wakes, 1); /* others may have found it busy */
	assert_no_end();
	assert_state(RNV_NPU_READY);
	assert_true(rnv_npu_free(&d.npu));
	assert_int_equal(info().requests, 0);
	assert_int_equal(info().faults, 1);
	d.inside = send_inside; /* refused, but an event was sent, as it must not: that counts */
	assert_int_equal(request(0), RNV_OK);
	assert_end(RNV_OK, true);
}

static void test_three_faults_in_a_row(void **state)
{
	(void)state;
	fault();
	fault();
	assert_int_equal(request(0), RNV_OK);
	rnv_npu_event(&d.npu, d.last.serial, RNV_OK); /* the row is broken */
	assert_end(RNV_OK, true);
	fault();
	d.answer = RNV_EIO;
	assert_int_equal(request(0), RNV_EIO); /* a refusal counts too */
	d.answer = RNV_OK;
	assert_state(RNV_NPU_READY);
	fault();
	assert_state(RNV_NPU_QUARANTINED);
	assert_int_equal(info().quarantines, 1);
	assert_int_equal(info().faults, 5);
	assert_int_equal(request(0), RNV_ESTATE);
	assert_false(rnv_npu_free(&d.npu));
	assert_false(rnv_npu_usable(&d.npu));
	assert_int_equal(rnv_npu_next_us(&d.npu), RNV_NEVER);
	assert_int_equal(rnv_npu_recover(&d.npu), RNV_OK);
	assert_int_equal(d.resets, 1);
	assert_state(RNV_NPU_READY);
	fault();
	fault();
	assert_state(RNV_NPU_READY); /* counted afresh */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_init_arguments, setup_each),
		cmocka_unit_test_setup(test_request_and_event, setup_each),
		cmocka_unit_test_setup(test_event_inside_invoke, setup_each),
		cmocka_unit_test_setup(test_late_and_foreign_events, setup_each),
		cmocka_unit_test_setup(test_serial_wraps, setup_each),
		cmocka_unit_test_setup(test_refused, setup_each),
		cmocka_unit_test_setup(test_three_faults_in_a_row, setup_each),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
