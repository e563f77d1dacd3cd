/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stddef.h>

#include "ranvier/npu.h"
#include "ranvier/port.h"
#include "ranvier/sched.h"
#include "ranvier/status.h"

#include "sched/npu_request.h"

int rnv_npu_init(struct rnv_npu *npu, const struct rnv_npu_driver *driver, void *device)
{
	const struct rnv_npu_caps *caps;

	if (npu == NULL || driver == NULL || driver->caps == NULL || driver->load == NULL ||
	    driver->invoke == NULL || driver->abort == NULL ||
	    (driver->suspend == NULL) != (driver->resume == NULL)) {
		return RNV_EINVAL;
	}
	caps = driver->caps(device);
	if (caps == NULL || caps->name == NULL || caps->timeout_us == 0u) {
		return RNV_EINVAL;
	}
	*npu = (struct rnv_npu){
		.driver = driver, .caps = caps, .device = device, .limit_us = RNV_NEVER};
	return RNV_OK;
}

void rnv_npu_attach(struct rnv_npu *npu, void (*wake)(void *context), void *context)
{
	uint32_t key = rnv_critical_enter();

	npu->wake = wake;
	npu->wake_context = context;
	rnv_critical_exit(key);
}

static void wake(const struct rnv_npu *npu)
{
	if (npu->wake != NULL) {
		npu->wake(npu->wake_context);
	}
}

static bool with_driver(const struct rnv_npu *npu)
{
	return npu->state == RNV_NPU_BUSY || npu->state == RNV_NPU_ABORTING;
}

static void quarantine(struct rnv_npu *npu)
{
	npu->state = RNV_NPU_QUARANTINED;
	npu->limit_us = RNV_NEVER;
	npu->info.quarantines++;
}

/* The driver has let go of its request: idle again, unless too many in a row have failed. */
static void release(struct rnv_npu *npu)
{
	npu->state = RNV_NPU_READY;
	npu->limit_us = RNV_NEVER;
	if (npu->fault_row >= RNV_NPU_MAX_FAULTS) {
		quarantine(npu);
	}
}

/* The memory of a request whose end was not confirmed is free: one more end. */
static void confirm(struct rnv_npu *npu)
{
	if (npu->unconfirmed != 0u) {
		npu->unconfirmed = 0;
		npu->ended = 1;
	}
}

/* The driver has the request, or its stop, from now on: the clock runs. */
static void set_limit(struct rnv_npu *npu, uint64_t now_us)
{
	uint32_t abort_us = npu->caps->abort_us;
	bool bounded = npu->state == RNV_NPU_ABORTING && abort_us != 0u;

	npu->limit_us = now_us + (bounded ? abort_us : npu->caps->timeout_us);
}

/*
 * True if the driver is to be asked. While the invoke of the request has not returned, the driver
 * may not have it yet: then it has no limit, and deliver() asks.
 */
static bool begin_abort(struct rnv_npu *npu, uint64_t now_us)
{
	bool delivered = npu->limit_us != RNV_NEVER;

	npu->state = RNV_NPU_ABORTING;
	npu->info.aborts++;
	if (delivered) {
		set_limit(npu, now_us);
	}
	return delivered;
}

static void ask_to_stop(const struct rnv_npu *npu, uint32_t serial)
{
	void (*const stop)(void *device, uint32_t serial) = npu->driver->abort;

	stop(npu->device, serial);
}

/* --- calls of the scheduler ------------------------------------------------------------------ */

/* Why no request is accepted, or RNV_OK. */
static int accepts(const struct rnv_npu *npu)
{
	if (npu->state == RNV_NPU_SUSPENDED || npu->state == RNV_NPU_QUARANTINED) {
		return RNV_ESTATE;
	}
	if (npu->state != RNV_NPU_READY || npu->ended != 0u || npu->changing != 0u) {
		return RNV_EBUSY;
	}
	return RNV_OK;
}

static int accepts_locked(const struct rnv_npu *npu)
{
	uint32_t key = rnv_critical_enter();
	int status = accepts(npu);

	rnv_critical_exit(key);
	return status;
}

bool rnv_npu_free(const struct rnv_npu *npu)
{
	return accepts_locked(npu) == RNV_OK;
}

bool rnv_npu_usable(const struct rnv_npu *npu)
{
	return accepts_locked(npu) != RNV_ESTATE;
}

uint32_t rnv_npu_abort_us(const struct rnv_npu *npu)
{
	return npu->caps->abort_us;
}

/* The driver refused the pending request. */
static void refuse(struct rnv_npu *npu)
{
	npu->info.requests--;
	npu->info.faults++;
	npu->fault_row++;
	release(npu);
}

/*
 * Give a request to the driver. Its event, and more requests and their invokes, may come before
 * this one's invoke has returned: what is found then is only this request's if the serial is.
 */
static int deliver(struct rnv_npu *npu, const struct rnv_npu_request *request)
{
	int status = npu->driver->invoke(npu->device, request);
	uint64_t now_us = rnv_now_us();
	uint32_t key = rnv_critical_enter();
	bool pending = npu->serial == request->serial && with_driver(npu);
	bool refused = pending && status != RNV_OK;
	bool stop = pending && npu->state == RNV_NPU_ABORTING;

	npu->invokes--;
	if (refused) {
		refuse(npu);
	} else if (pending) {
		set_limit(npu, now_us);
	}
	rnv_critical_exit(key);
	if (refused) {
		wake(npu);
	} else if (stop) {
		ask_to_stop(npu, request->serial);
	}
	return refused ? RNV_EIO : RNV_OK;
}

int rnv_npu_request(struct rnv_npu *npu, const struct rnv_exec *exec, uint16_t lane,
		    uint64_t now_us, uint32_t *serial)
{
	struct rnv_npu_request request = {.exec = exec, .step = rnv_exec_next(exec), .lane = lane};
	uint32_t key = rnv_critical_enter();
	int status = accepts(npu);

	if (status == RNV_OK) {
		npu->state = RNV_NPU_BUSY; /* without a limit, until invoke has returned */
		npu->invokes++;
		npu->serial++;
		npu->lane = lane;
		npu->timed_out = 0;
		npu->started_us = now_us;
		npu->info.requests++;
		request.serial = npu->serial;
		*serial = npu->serial;
	}
	rnv_critical_exit(key);
	return (status == RNV_OK) ? deliver(npu, &request) : status;
}

void rnv_npu_abort(struct rnv_npu *npu, uint32_t serial, uint64_t now_us)
{
	uint32_t key = rnv_critical_enter();
	bool pending = npu->state == RNV_NPU_BUSY && npu->serial == serial;
	bool stop = pending && begin_abort(npu, now_us);

	rnv_critical_exit(key);
	if (stop) {
		ask_to_stop(npu, serial);
	}
}

void rnv_npu_expire(struct rnv_npu *npu, uint64_t now_us)
{
	uint32_t key = rnv_critical_enter();
	uint32_t serial = npu->serial;
	bool due = with_driver(npu) && now_us >= npu->limit_us;
	bool abort = due && npu->state == RNV_NPU_BUSY;

	if (abort) {
		npu->timed_out = 1;
		npu->fault_row++;
		npu->info.timeouts++;
		(void)begin_abort(npu, now_us);
	} else if (due) {
		npu->status = (npu->timed_out != 0u) ? RNV_ETIMEDOUT : RNV_ECANCELED;
		npu->unconfirmed = 1;
		npu->ended = 1;
		quarantine(npu);
	}
	rnv_critical_exit(key);
	if (abort) {
		ask_to_stop(npu, serial);
	}
}

uint64_t rnv_npu_next_us(const struct rnv_npu *npu)
{
	uint32_t key = rnv_critical_enter();
	uint64_t limit_us = npu->limit_us;

	rnv_critical_exit(key);
	return limit_us;
}

bool rnv_npu_take(struct rnv_npu *npu, struct rnv_npu_end *end)
{
	uint32_t key = rnv_critical_enter();
	bool ended = npu->ended != 0u;

	if (ended) {
		end->serial = npu->serial;
		end->status = npu->status;
		end->lane = npu->lane;
		end->confirmed = npu->unconfirmed == 0u;
		npu->ended = 0;
	}
	rnv_critical_exit(key);
	return ended;
}

/* --- the driver's event ---------------------------------------------------------------------- */

/* The pending request has ended: what that means. */
static void judge(struct rnv_npu *npu, int status, uint64_t now_us)
{
	uint64_t took_us = now_us - npu->started_us;

	if (npu->timed_out != 0u) {
		npu->info.late++;
		npu->status = RNV_ETIMEDOUT;
	} else if (status == RNV_OK) {
		npu->info.completed++;
		if (took_us > npu->info.longest_us) {
			npu->info.longest_us =
				(took_us < UINT32_MAX) ? (uint32_t)took_us : UINT32_MAX;
		}
		npu->fault_row = 0;
		npu->status = RNV_OK;
	} else if (npu->state == RNV_NPU_ABORTING) {
		npu->status = RNV_ECANCELED;
	} else {
		npu->info.faults++;
		npu->fault_row++;
		npu->status = RNV_EIO;
	}
}

void rnv_npu_event(struct rnv_npu *npu, uint32_t serial, int status)
{
	uint64_t now_us = rnv_now_us();
	uint32_t key = rnv_critical_enter();
	bool mine = serial == npu->serial;

	if (mine && with_driver(npu)) {
		judge(npu, status, now_us);
		release(npu);
		npu->ended = 1;
	} else {
		npu->info.late++;
		if (mine) {
			confirm(npu);
		}
	}
	rnv_critical_exit(key);
	wake(npu);
}

/* --- calls of the application ---------------------------------------------------------------- */

/* Begin what needs the device for itself, in state `from`; the others wait or see `during`. */
static int begin_change(struct rnv_npu *npu, uint8_t from, uint8_t during)
{
	uint32_t key = rnv_critical_enter();
	int status = RNV_OK;

	if (npu->changing != 0u || (from == RNV_NPU_READY && with_driver(npu))) {
		status = RNV_EBUSY;
	} else if (npu->state != from) {
		status = RNV_ESTATE;
	} else if (npu->invokes != 0u) { /* of requests that have ended */
		status = RNV_EBUSY;
	} else {
		npu->changing = 1;
		npu->state = during;
	}
	rnv_critical_exit(key);
	return status;
}

static void end_change(struct rnv_npu *npu, uint8_t state)
{
	uint32_t key = rnv_critical_enter();

	npu->changing = 0;
	npu->state = state;
	rnv_critical_exit(key);
	wake(npu);
}

/* Whether the driver's set has the op of every marked step, and one is marked. */
static bool has_ops(const struct rnv_npu *npu, const struct rnv_package *pkg)
{
	bool marked = false;

	for (uint32_t i = 0; i < pkg->step_count; i++) {
		const uint32_t code = pkg->ops[pkg->steps[i].op].code;

		if ((pkg->steps[i].flags & RNV_STEP_NPU) != 0u) {
			if ((npu->caps->opset[code / 8u] & (1u << (code % 8u))) == 0u) {
				return false;
			}
			marked = true;
		}
	}
	return marked;
}

int rnv_npu_load(struct rnv_npu *npu, const struct rnv_package *pkg)
{
	int status = has_ops(npu, pkg) ? RNV_OK : RNV_ENOTSUP;

	if (status == RNV_OK) {
		status = begin_change(npu, RNV_NPU_READY, RNV_NPU_READY);
	}
	if (status == RNV_OK) {
		status = npu->driver->load(npu->device, pkg);
		if (status != RNV_OK && status != RNV_ENOTSUP) {
			status = RNV_EIO;
		}
		end_change(npu, RNV_NPU_READY);
	}
	return status;
}

int rnv_npu_suspend(struct rnv_npu *npu)
{
	int status;

	if (npu->driver->suspend == NULL) {
		return RNV_ENOTSUP;
	}
	status = begin_change(npu, RNV_NPU_READY, RNV_NPU_SUSPENDED);
	if (status == RNV_OK) {
		status = (npu->driver->suspend(npu->device) == RNV_OK) ? RNV_OK : RNV_EIO;
		end_change(npu, (status == RNV_OK) ? RNV_NPU_SUSPENDED : RNV_NPU_READY);
	}
	return status;
}

int rnv_npu_resume(struct rnv_npu *npu)
{
	int status = begin_change(npu, RNV_NPU_SUSPENDED, RNV_NPU_SUSPENDED);

	if (status == RNV_OK) {
		status = (npu->driver->resume(npu->device) == RNV_OK) ? RNV_OK : RNV_EIO;
		end_change(npu, (status == RNV_OK) ? RNV_NPU_READY : RNV_NPU_SUSPENDED);
	}
	return status;
}

int rnv_npu_recover(struct rnv_npu *npu)
{
	const bool can_reset = npu->driver->reset != NULL;
	int status = begin_change(npu, RNV_NPU_QUARANTINED, RNV_NPU_QUARANTINED);
	uint32_t key;

	if (status != RNV_OK) {
		return status;
	}
	if (can_reset && npu->driver->reset(npu->device) != RNV_OK) {
		status = RNV_EIO;
	}
	key = rnv_critical_enter();
	if (!can_reset && npu->unconfirmed != 0u) {
		status = RNV_ENOTSUP;
	}
	npu->changing = 0;
	if (status == RNV_OK) {
		confirm(npu);
		npu->state = RNV_NPU_READY;
		npu->fault_row = 0;
	}
	rnv_critical_exit(key);
	wake(npu);
	return status;
}

void rnv_npu_info_get(const struct rnv_npu *npu, struct rnv_npu_info *info)
{
	uint32_t key = rnv_critical_enter();

	*info = npu->info;
	info->state = npu->state;
	rnv_critical_exit(key);
}
