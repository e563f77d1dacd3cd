/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The accelerator's state machine: time-outs, aborts, quarantine, suspension, loading. */

#include "npu_fixture.h"

/* --- time-outs and aborts -------------------------------------------------------------------- */

static void test_time_out_confirmed(void **state)
{
	(void)state;
	assert_int_equal(request(1), RNV_OK);
	rnv_npu_expire(&d.npu, now_us + TIMEOUT_US - 1);
	assert_state(RNV_NPU_BUSY);
	now_us += TIMEOUT_US;
	rnv_npu_expire(&d.npu, now_us);
	assert_state(RNV_NPU_ABORTING);
	assert_int_equal(d.aborts, 1);
	assert_int_equal(d.aborted, d.last.serial);
	assert_int_equal(rnv_npu_next_us(&d.npu), now_us + ABORT_US);
	assert_int_equal(request(0), RNV_EBUSY);
	assert_true(rnv_npu_usable(&d.npu));
	assert_no_end();
	rnv_npu_expire(&d.npu, now_us + ABORT_US - 1);
	assert_int_equal(d.aborts, 1);
	assert_no_end();
	rnv_npu_event(&d.npu, d.last.serial, RNV_OK); /* well, but late */
	assert_state(RNV_NPU_READY);
	assert_end(RNV_ETIMEDOUT, true);
	assert_int_equal(info().timeouts, 1);
	assert_int_equal(info().aborts, 1);
	assert_int_equal(info().late, 1);
	assert_int_equal(info().completed, 0);
	assert_int_equal(info().faults, 0);
	assert_int_equal(request(1), RNV_OK); /* the next one is judged for itself */
	rnv_npu_event(&d.npu, d.last.serial, RNV_OK);
	assert_end(RNV_OK, true);
}

static void test_time_outs_in_a_row(void **state)
{
	(void)state;
	fault();
	for (int i = 0; i < 2; i++) {
		assert_state(RNV_NPU_READY);
		assert_int_equal(request(1), RNV_OK);
		now_us += TIMEOUT_US;
		rnv_npu_expire(&d.npu, now_us);
		rnv_npu_event(&d.npu, d.last.serial, RNV_EIO);
		assert_end(RNV_ETIMEDOUT, true);
	}
	assert_state(RNV_NPU_QUARANTINED);
	assert_int_equal(info().faults, 1); /* the late errors are no faults of their own */
}

static void test_unconfirmed_then_late_event(void **state)
{
	(void)state;
	lose();
	assert_false(rnv_npu_usable(&d.npu));
	assert_int_equal(rnv_npu_next_us(&d.npu), RNV_NEVER);
	assert_end(RNV_ETIMEDOUT, false);
	assert_int_equal(info().quarantines, 1);
	rnv_npu_event(&d.npu, d.last.serial - 1, RNV_OK);
	assert_no_end();
	rnv_npu_event(&d.npu, d.last.serial, RNV_OK);
	assert_end(RNV_ETIMEDOUT, true);
	assert_state(RNV_NPU_QUARANTINED); /* only recover leads out */
	rnv_npu_event(&d.npu, d.last.serial, RNV_OK);
	assert_no_end();
	assert_int_equal(info().late, 3);
	assert_int_equal(request(0), RNV_ESTATE);
}

/* Both ends before anybody asks are one. */
static void test_late_event_before_take(void **state)
{
	(void)state;
	lose();
	rnv_npu_event(&d.npu, d.last.serial, RNV_OK);
	assert_end(RNV_ETIMEDOUT, true);
}

static void test_abort(void **state)
{
	uint32_t serial = 0;

	(void)state;
	assert_int_equal(rnv_npu_request(&d.npu, &d.exec, 1, now_us, &serial), RNV_OK);
	rnv_npu_abort(&d.npu, serial + 1, now_us);
	assert_int_equal(d.aborts, 0);
	now_us += 10;
	rnv_npu_abort(&d.npu, serial, now_us);
	rnv_npu_abort(&d.npu, serial, now_us);
	assert_int_equal(d.aborts, 1);
	assert_int_equal(d.aborted, serial);
	assert_state(RNV_NPU_ABORTING);
	assert_int_equal(rnv_npu_next_us(&d.npu), now_us + ABORT_US);
	rnv_npu_event(&d.npu, serial, RNV_EIO);
	assert_end(RNV_ECANCELED, true);
	rnv_npu_abort(&d.npu, serial, now_us); /* too late */
	assert_int_equal(d.aborts, 1);
	assert_int_equal(info().aborts, 1);
	assert_int_equal(info().faults + info().late + info().timeouts, 0);
	assert_int_equal(rnv_npu_request(&d.npu, &d.exec, 1, now_us, &serial), RNV_OK);
	rnv_npu_abort(&d.npu, serial, now_us);
	rnv_npu_event(&d.npu, serial, RNV_OK); /* ended before the abort took effect */
	assert_end(RNV_OK, true);
	assert_int_equal(info().completed, 1);
}

static void test_abort_not_confirmed(void **state)
{
	uint32_t serial = 0;

	(void)state;
	assert_int_equal(rnv_npu_request(&d.npu, &d.exec, 1, now_us, &serial), RNV_OK);
	rnv_npu_abort(&d.npu, serial, now_us);
	rnv_npu_expire(&d.npu, now_us + ABORT_US);
	assert_state(RNV_NPU_QUARANTINED);
	assert_end(RNV_ECANCELED, false);
	assert_int_equal(info().timeouts, 0);
}

static void test_unbounded_abort_waits_for_the_time_out(void **state)
{
	(void)state;
	d.caps.abort_us = 0;
	assert_int_equal(request(0), RNV_OK);
	now_us += TIMEOUT_US;
	rnv_npu_expire(&d.npu, now_us);
	assert_int_equal(rnv_npu_next_us(&d.npu), now_us + TIMEOUT_US);
	rnv_npu_expire(&d.npu, now_us + TIMEOUT_US - 1);
	assert_state(RNV_NPU_ABORTING);
	rnv_npu_expire(&d.npu, now_us + TIMEOUT_US);
	assert_state(RNV_NPU_QUARANTINED);
}

/* --- while invoke has not returned ----------------------------------------------------------- */

/* What more urgent threads do while the caller of invoke is preempted for long. */
static void preempted_inside(struct device *device)
{
	for (int i = 0; i < 3; i++) {
		assert_int_equal(rnv_npu_next_us(&device->npu), RNV_NEVER);
		now_us += TIMEOUT_US;
		rnv_npu_expire(&device->npu, now_us);
	}
	assert_state(RNV_NPU_BUSY);
	assert_no_end();
	assert_int_equal(rnv_npu_recover(&device->npu), RNV_ESTATE);
	assert_int_equal(rnv_npu_suspend(&device->npu), RNV_EBUSY);
}

/* The time before the device has the request is not the device's. */
static void test_time_out_begins_after_invoke(void **state)
{
	(void)state;
	d.inside = preempted_inside;
	assert_int_equal(request(1), RNV_OK);
	assert_int_equal(d.aborts + info().timeouts + info().quarantines, 0);
	assert_int_equal(rnv_npu_next_us(&d.npu), now_us + TIMEOUT_US);
	rnv_npu_expire(&d.npu, now_us + TIMEOUT_US - 1);
	assert_int_equal(d.aborts, 0);
	rnv_npu_event(&d.npu, d.last.serial, RNV_OK);
	assert_end(RNV_OK, true);
	d.inside = preempted_inside;
	d.answer = RNV_EIO;
	assert_int_equal(request(1), RNV_EIO);
	assert_true(rnv_npu_free(&d.npu));
	assert_int_equal(info().faults, 1);
}

static void abort_inside(struct device *device)
{
	rnv_npu_abort(&device->npu, device->last.serial, now_us);
	rnv_npu_abort(&device->npu, device->last.serial, now_us);
	assert_state(RNV_NPU_ABORTING);
	now_us += TIMEOUT_US + ABORT_US;
	rnv_npu_expire(&device->npu, now_us);
	assert_state(RNV_NPU_ABORTING);
	assert_int_equal(rnv_npu_next_us(&device->npu), RNV_NEVER);
	assert_no_end();
	assert_int_equal(device->aborts, 0);
}

/* The driver, which may not have the request yet, is asked when it has it for certain. */
static void test_abort_inside_invoke(void **state)
{
	(void)state;
	d.inside = abort_inside;
	assert_int_equal(request(1), RNV_OK);
	assert_int_equal(d.aborts, 1);
	assert_int_equal(d.aborted, d.last.serial);
	assert_int_equal(info().aborts, 1);
	assert_int_equal(rnv_npu_next_us(&d.npu), now_us + ABORT_US);
	now_us += ABORT_US;
	rnv_npu_expire(&d.npu, now_us);
	assert_state(RNV_NPU_QUARANTINED);
	assert_end(RNV_ECANCELED, false);
	assert_int_equal(rnv_npu_recover(&d.npu), RNV_OK);
	assert_end(RNV_ECANCELED, true);
	d.aborts = 0;
	d.answer = RNV_EIO;
	d.inside = abort_inside;
	assert_int_equal(request(1), RNV_EIO);
	assert_int_equal(d.aborts, 0); /* there is nothing to stop */
	assert_no_end();
	assert_true(rnv_npu_free(&d.npu));
}

static void abort_and_end_inside(struct device *device)
{
	abort_inside(device);
	rnv_npu_event(&device->npu, device->last.serial, RNV_EIO);
}

static void test_abort_and_end_inside_invoke(void **state)
{
	(void)state;
	d.inside = abort_and_end_inside;
	assert_int_equal(request(1), RNV_OK);
	assert_int_equal(d.aborts, 0);
	assert_int_equal(rnv_npu_next_us(&d.npu), RNV_NEVER);
	assert_end(RNV_ECANCELED, true);
	assert_true(rnv_npu_free(&d.npu));
}

/* The request has ended, its invoke has not returned: nobody else may have the device. */
static void fault_and_change_inside(struct device *device)
{
	struct rnv_npu *npu = &device->npu;

	rnv_npu_event(npu, device->last.serial, RNV_EIO);
	assert_end(RNV_EIO, true);
	if (info().state == RNV_NPU_QUARANTINED) {
		assert_int_equal(rnv_npu_recover(npu), RNV_EBUSY);
		assert_int_equal(device->resets, 0);
		assert_state(RNV_NPU_QUARANTINED);
	} else {
		assert_int_equal(rnv_npu_suspend(npu), RNV_EBUSY);
		assert_int_equal(rnv_npu_load(npu, &pkg), RNV_EBUSY);
		assert_true(rnv_npu_free(npu));
	}
}

static void test_ended_inside_invoke_excludes_others(void **state)
{
	(void)state;
	image.steps[OP_FC].flags = RNV_STEP_NPU;
	d.caps.opset[0] = 1u << 3;
	for (int i = 0; i < RNV_NPU_MAX_FAULTS; i++) {
		d.inside = fault_and_change_inside;
		assert_int_equal(request(1), RNV_OK);
		assert_int_equal(rnv_npu_next_us(&d.npu), RNV_NEVER);
	}
	assert_state(RNV_NPU_QUARANTINED);
	assert_int_equal(rnv_npu_recover(&d.npu), RNV_OK);
	assert_int_equal(rnv_npu_load(&d.npu, &pkg), RNV_OK);
	assert_int_equal(rnv_npu_suspend(&d.npu), RNV_OK);
	image.steps[OP_FC].flags = 0;
}

/* The next request is out of time and lost while the one before has not returned. */
static void next_is_lost_inside(struct device *device)
{
	rnv_npu_event(&device->npu, device->last.serial, RNV_OK);
	assert_end(RNV_OK, true);
	lose();
	assert_int_equal(rnv_npu_recover(&device->npu), RNV_EBUSY);
	assert_end(RNV_ETIMEDOUT, false);
}

static void next_is_pending_inside(struct device *device)
{
	rnv_npu_event(&device->npu, device->last.serial, RNV_OK);
	assert_end(RNV_OK, true);
	assert_int_equal(request(0), RNV_OK);
	now_us += 10;
}

/* An invoke that returns changes nothing of a later request. */
static void test_next_request_inside_invoke(void **state)
{
	uint64_t limit_us = now_us + TIMEOUT_US;

	(void)state;
	d.inside = next_is_pending_inside;
	assert_int_equal(request(2), RNV_OK);
	assert_state(RNV_NPU_BUSY);
	assert_int_equal(rnv_npu_next_us(&d.npu), limit_us);
	rnv_npu_event(&d.npu, d.last.serial, RNV_OK);
	assert_end(RNV_OK, true);
	d.inside = next_is_lost_inside;
	assert_int_equal(request(2), RNV_OK);
	assert_state(RNV_NPU_QUARANTINED);
	assert_int_equal(rnv_npu_next_us(&d.npu), RNV_NEVER);
	assert_no_end();
	assert_int_equal(rnv_npu_recover(&d.npu), RNV_OK);
	assert_end(RNV_ETIMEDOUT, true);
}

/* --- recover, suspend, resume, load ---------------------------------------------------------- */

static void test_recover(void **state)
{
	(void)state;
	assert_int_equal(rnv_npu_recover(&d.npu), RNV_ESTATE);
	lose();
	assert_end(RNV_ETIMEDOUT, false);
	d.answer = RNV_EIO;
	assert_int_equal(rnv_npu_recover(&d.npu), RNV_EIO);
	assert_state(RNV_NPU_QUARANTINED);
	assert_no_end();
	d.answer = RNV_OK;
	d.wakes = 0;
	assert_int_equal(rnv_npu_recover(&d.npu), RNV_OK);
	assert_int_equal(d.wakes, 1);
	assert_state(RNV_NPU_READY);
	assert_false(rnv_npu_free(&d.npu)); /* the zombie first */
	assert_end(RNV_ETIMEDOUT, true);
	assert_true(rnv_npu_free(&d.npu));
	rnv_npu_event(&d.npu, d.last.serial, RNV_OK); /* after a reset, as it must not */
	assert_no_end();
	assert_int_equal(rnv_npu_recover(&d.npu), RNV_ESTATE);
}

static void test_recover_without_reset(void **state)
{
	(void)state;
	begin(&simple);
	lose();
	assert_end(RNV_ETIMEDOUT, false);
	assert_int_equal(rnv_npu_recover(&d.npu), RNV_ENOTSUP);
	assert_state(RNV_NPU_QUARANTINED);
	rnv_npu_event(&d.npu, d.last.serial, RNV_EIO);
	assert_int_equal(rnv_npu_recover(&d.npu), RNV_OK);
	assert_end(RNV_ETIMEDOUT, true);
	assert_true(rnv_npu_free(&d.npu));
	assert_int_equal(rnv_npu_suspend(&d.npu), RNV_ENOTSUP);
	assert_int_equal(rnv_npu_resume(&d.npu), RNV_ESTATE);
}

static void others_inside(struct device *device)
{
	struct rnv_npu *npu = &device->npu;

	device->answer = RNV_OK;
	assert_int_equal(rnv_npu_suspend(npu), RNV_EBUSY);
	assert_int_equal(rnv_npu_resume(npu), RNV_EBUSY);
	assert_int_equal(rnv_npu_recover(npu), RNV_EBUSY);
	assert_int_equal(rnv_npu_load(npu, &pkg), RNV_EBUSY);
	assert_false(rnv_npu_free(npu));
	assert_true(request(0) == RNV_EBUSY || request(0) == RNV_ESTATE);
}

static void suspended_inside(struct device *device)
{
	assert_int_equal(request(0), RNV_ESTATE);
	assert_false(rnv_npu_usable(&device->npu));
	assert_state(RNV_NPU_SUSPENDED);
}

static void test_suspend_and_resume(void **state)
{
	(void)state;
	image.steps[OP_FC].flags = RNV_STEP_NPU;
	d.caps.opset[0] = 1u << 3;
	assert_int_equal(rnv_npu_resume(&d.npu), RNV_ESTATE);
	d.answer = RNV_EIO;
	assert_int_equal(rnv_npu_suspend(&d.npu), RNV_EIO);
	assert_state(RNV_NPU_READY);
	d.answer = RNV_OK;
	d.inside = others_inside;
	assert_int_equal(rnv_npu_suspend(&d.npu), RNV_OK);
	assert_state(RNV_NPU_SUSPENDED);
	assert_int_equal(rnv_npu_suspend(&d.npu), RNV_ESTATE);
	assert_int_equal(rnv_npu_recover(&d.npu), RNV_ESTATE);
	assert_int_equal(rnv_npu_load(&d.npu, &pkg), RNV_ESTATE);
	assert_int_equal(request(0), RNV_ESTATE);
	assert_false(rnv_npu_usable(&d.npu));
	d.answer = RNV_EIO;
	assert_int_equal(rnv_npu_resume(&d.npu), RNV_EIO);
	assert_state(RNV_NPU_SUSPENDED);
	d.inside = others_inside;
	d.answer = RNV_OK;
	assert_int_equal(rnv_npu_resume(&d.npu), RNV_OK);
	assert_true(rnv_npu_free(&d.npu));
	d.inside = suspended_inside; /* from the begin of the call on */
	assert_int_equal(rnv_npu_suspend(&d.npu), RNV_OK);
	assert_int_equal(rnv_npu_resume(&d.npu), RNV_OK);
	assert_int_equal(d.invokes, 0);
}

static void test_suspend_while_busy(void **state)
{
	uint32_t serial = 0;

	(void)state;
	assert_int_equal(rnv_npu_request(&d.npu, &d.exec, 1, now_us, &serial), RNV_OK);
	assert_int_equal(rnv_npu_suspend(&d.npu), RNV_EBUSY);
	rnv_npu_abort(&d.npu, serial, now_us);
	assert_int_equal(rnv_npu_suspend(&d.npu), RNV_EBUSY);
	assert_state(RNV_NPU_ABORTING);
	rnv_npu_event(&d.npu, serial, RNV_EIO);
	assert_int_equal(rnv_npu_suspend(&d.npu), RNV_OK); /* the end waits, the device is idle */
	assert_end(RNV_ECANCELED, true);
	assert_state(RNV_NPU_SUSPENDED);
	assert_int_equal(rnv_npu_resume(&d.npu), RNV_OK);
	lose();
	assert_int_equal(rnv_npu_suspend(&d.npu), RNV_ESTATE);
	assert_int_equal(rnv_npu_resume(&d.npu), RNV_ESTATE);
}

static void test_load(void **state)
{
	(void)state;
	image.steps[OP_FC].flags = 0;
	memset(d.caps.opset, 0xFF, sizeof(d.caps.opset));
	d.inside = others_inside;                                  /* not called */
	assert_int_equal(rnv_npu_load(&d.npu, &pkg), RNV_ENOTSUP); /* nothing marked */
	image.steps[OP_FC].flags = RNV_STEP_NPU;
	d.caps.opset[0] = (uint8_t) ~(1u << 3);
	assert_int_equal(rnv_npu_load(&d.npu, &pkg), RNV_ENOTSUP); /* FULLY_CONNECTED is code 3 */
	memset(d.caps.opset, 0, sizeof(d.caps.opset));
	d.caps.opset[0] = 1u << 3;
	assert_ptr_equal(d.inside, others_inside);
	d.wakes = 0;
	assert_int_equal(rnv_npu_load(&d.npu, &pkg), RNV_OK);
	assert_int_equal(d.wakes, 1);
	image.steps[OP_FC].flags = 0;
	image.steps[OP_CONV].flags = RNV_STEP_NPU; /* code 1, the first step */
	assert_int_equal(rnv_npu_load(&d.npu, &pkg), RNV_ENOTSUP);
	d.caps.opset[0] = 1u << 1;
	assert_int_equal(rnv_npu_load(&d.npu, &pkg), RNV_OK);
	d.answer = RNV_ENOTSUP;
	assert_int_equal(rnv_npu_load(&d.npu, &pkg), RNV_ENOTSUP);
	d.answer = -1;
	assert_int_equal(rnv_npu_load(&d.npu, &pkg), RNV_EIO);
	d.answer = RNV_OK;
	assert_int_equal(request(0), RNV_OK);
	assert_int_equal(rnv_npu_load(&d.npu, &pkg), RNV_EBUSY);
	image.steps[OP_CONV].flags = 0;
}

static void test_recover_excludes_others(void **state)
{
	(void)state;
	image.steps[OP_FC].flags = RNV_STEP_NPU;
	d.caps.opset[0] = 1u << 3;
	lose();
	d.inside = others_inside;
	assert_int_equal(rnv_npu_recover(&d.npu), RNV_OK);
	assert_end(RNV_ETIMEDOUT, true);
	image.steps[OP_FC].flags = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_time_out_confirmed, setup_each),
		cmocka_unit_test_setup(test_time_outs_in_a_row, setup_each),
		cmocka_unit_test_setup(test_unconfirmed_then_late_event, setup_each),
		cmocka_unit_test_setup(test_late_event_before_take, setup_each),
		cmocka_unit_test_setup(test_abort, setup_each),
		cmocka_unit_test_setup(test_abort_not_confirmed, setup_each),
		cmocka_unit_test_setup(test_unbounded_abort_waits_for_the_time_out, setup_each),
		cmocka_unit_test_setup(test_time_out_begins_after_invoke, setup_each),
		cmocka_unit_test_setup(test_abort_inside_invoke, setup_each),
		cmocka_unit_test_setup(test_abort_and_end_inside_invoke, setup_each),
		cmocka_unit_test_setup(test_ended_inside_invoke_excludes_others, setup_each),
		cmocka_unit_test_setup(test_next_request_inside_invoke, setup_each),
		cmocka_unit_test_setup(test_recover, setup_each),
		cmocka_unit_test_setup(test_recover_without_reset, setup_each),
		cmocka_unit_test_setup(test_suspend_and_resume, setup_each),
		cmocka_unit_test_setup(test_suspend_while_busy, setup_each),
		cmocka_unit_test_setup(test_load, setup_each),
		cmocka_unit_test_setup(test_recover_excludes_others, setup_each),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
