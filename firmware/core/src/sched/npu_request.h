/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_SCHED_NPU_REQUEST_H_
#define RANVIER_SCHED_NPU_REQUEST_H_

/*
 * What the scheduler alone asks of an accelerator. One request at a time; each accepted one gives
 * one end, taken by rnv_npu_take(), and a second one where the first was not confirmed.
 *
 * Every function takes constant time, in one or two critical sections of its own; the driver is
 * called outside of them, so none of the functions that call it (said below) may be called inside
 * of one. `npu` may be used by several threads at once.
 */

#include <stdbool.h>
#include <stdint.h>

#include "ranvier/exec.h"
#include "ranvier/npu.h"
#include "ranvier/package.h"

/* How a request ended. */
struct rnv_npu_end {
	uint32_t serial; /* of the request */
	/*
	 * RNV_OK: the outputs are written, also where an abort came too late.
	 * RNV_EIO: the driver reported a fault. RNV_ETIMEDOUT: it did not end in time, even if it
	 * ended well later. RNV_ECANCELED: it was aborted. The outputs are undefined, the inputs
	 * are what they were unless the step works in place.
	 */
	int32_t status;
	uint16_t lane; /* of the request */
	/*
	 * False: the stop is not confirmed, the accelerator is quarantined, and the memory of the
	 * request may be written at any time. One more end of the same serial, with the same status
	 * and `confirmed`, follows when that is over: by a late event, or by rnv_npu_recover().
	 */
	bool confirmed;
};

/*
 * `wake` is called after each event, and whenever a request that got RNV_EBUSY may be tried again
 * or must look elsewhere (refused, loaded, suspended, resumed, recovered). From any context that
 * the driver or the application calls in, never in a critical section. NULL: none.
 */
void rnv_npu_attach(struct rnv_npu *npu, void (*wake)(void *context), void *context);

/*
 * Load a package: RNV_OK if its marked steps can run here. Calls the driver, from a thread; until
 * it is done requests get RNV_EBUSY.
 *
 * RNV_ENOTSUP: no step is marked, an op is not in the driver's set, or the driver says so
 * RNV_EIO:     the device does not answer
 * RNV_EBUSY:   a request is pending or its invoke has not returned, or another thread loads,
 *              suspends, resumes or recovers
 * RNV_ESTATE:  suspended or quarantined
 */
int rnv_npu_load(struct rnv_npu *npu, const struct rnv_package *pkg);

/* Whether a request would be accepted now: READY, nothing to take, nobody loads. */
bool rnv_npu_free(const struct rnv_npu *npu);

/* Whether waiting for it makes sense: false where it is suspended or quarantined. */
bool rnv_npu_usable(const struct rnv_npu *npu);

/* Longest time from an abort to its confirmation, in microseconds; 0: not bounded. Constant. */
uint32_t rnv_npu_abort_us(const struct rnv_npu *npu);

/*
 * Give it the next step of `exec`. The step is not executed by the caller: after its end the caller
 * moves `exec` on. Calls the driver; its event, and so rnv_npu_take() by another thread, may come
 * before this returns, so `serial` is written before the driver is called (and only if it is).
 *
 * RNV_OK:     accepted: an end follows
 * RNV_EBUSY:  not free; wait for `wake`, or use the CPU
 * RNV_ESTATE: suspended or quarantined: use the CPU, or fail
 * RNV_EIO:    the driver refused; memory is untouched, no end follows
 */
int rnv_npu_request(struct rnv_npu *npu, const struct rnv_exec *exec, uint16_t lane,
		    uint64_t now_us, uint32_t *serial);

/*
 * Ask for the end of request `serial`. Calls the driver, or leaves that to the rnv_npu_request()
 * that another thread is in. Nothing happens where it has ended or was aborted before. Its end
 * follows: by the driver, by rnv_npu_expire(), or as RNV_EIO of that rnv_npu_request().
 */
void rnv_npu_abort(struct rnv_npu *npu, uint32_t serial, uint64_t now_us);

/*
 * What is due at `now_us`: a request out of time is aborted (calls the driver), an abort out of
 * time makes the accelerator QUARANTINED and the end ready to be taken, not confirmed. Nothing is
 * due before rnv_npu_request() has returned; its caller looks at rnv_npu_next_us() then.
 */
void rnv_npu_expire(struct rnv_npu *npu, uint64_t now_us);

/* When rnv_npu_expire() must be called at the latest, or RNV_NEVER. */
uint64_t rnv_npu_next_us(const struct rnv_npu *npu);

/* Take an end: true if there was one. Any thread may take any lane's. */
bool rnv_npu_take(struct rnv_npu *npu, struct rnv_npu_end *end);

#endif /* RANVIER_SCHED_NPU_REQUEST_H_ */
