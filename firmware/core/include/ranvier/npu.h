/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_NPU_H_
#define RANVIER_NPU_H_

/**
 * @file
 * @brief The accelerator seam: what a driver supplies, and the state machine that guards it.
 *
 * A driver goes down by calls (`struct rnv_npu_driver`) and up by one function, rnv_npu_event().
 * Above it, `struct rnv_npu` serves one request at a time, remembers whose it is, and bounds what a
 * driver that does not answer holds: the memory of one job, which is its part of the lane's arena,
 * its buffers, and its model's persistent state.
 *
 * - READY: idle, accepts a request. Left by a request and by suspend.
 * - BUSY: a request is with the driver. Left by its event, by an abort and by the time-out.
 * - ABORTING: an abort was asked for and is not confirmed. Left by the event and by the time-out.
 * - SUSPENDED: powered down by the application. Left by resume.
 * - QUARANTINED: a stop was not confirmed in time, or RNV_NPU_MAX_FAULTS requests in a row failed
 *   (refused, ended with an error, or out of time). Left by rnv_npu_recover() alone: a late event
 *   only confirms the stop.
 *
 * A request out of time is aborted. The confirmation of an abort is out of time after `abort_us`
 * or, where that is not bounded, after `timeout_us` once more. Both times begin when invoke() has
 * returned, since until then the driver may not have the request: its caller may be preempted just
 * before. So a driver whose invoke() does not return is not found out.
 *
 * The scheduler is the only caller of request, abort and take; applications call init, suspend,
 * resume, recover, info; drivers call rnv_npu_event(). All functions but init are safe from any
 * thread and, where said, interrupt. modules/npu_sim is a driver to begin from, and
 * tests/contract/npu is what a driver has to pass.
 */

#include <stdint.h>

#include "ranvier/exec.h"
#include "ranvier/package.h"
#include "ranvier/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Consecutive faults after which an accelerator is quarantined. */
#define RNV_NPU_MAX_FAULTS 3

/**
 * One step for the accelerator. The request and `*exec` are valid until invoke() returns (a driver
 * that needs them longer copies both structs); what they point to (the package, the arena, the
 * array of externals, the buffers) stays as it is until the driver sends the event.
 */
struct rnv_npu_request {
	const struct rnv_exec *exec; /**< Context; its next step is `step`. Only to be read. */
	uint32_t serial;             /**< To be given back to rnv_npu_event(). */
	uint16_t step;               /**< Step number in the package. */
	uint16_t lane;               /**< Lane of the job, 0 is the most urgent. */
};

/** What a driver can do; constant for its life. */
struct rnv_npu_caps {
	const char *name;    /**< Static text for logs, e.g. "sim". */
	uint8_t opset[32];   /**< Op codes that it executes, as in `rnv_header.opset`. */
	uint32_t abort_us;   /**< Longest time from abort() to its event; 0: not bounded. */
	uint32_t timeout_us; /**< Longest time that a sane request takes, from invoke to event;
				  counted from the return of invoke. */
};

/**
 * Operations of a driver: constant, shared by all its devices.
 *
 * None is called in a critical section. load, suspend, resume and reset exclude each other and
 * invoke; abort comes when the invoke of its request has returned, and the next invoke as soon as
 * the event was sent, even if the previous invoke or an abort has not returned yet in another
 * thread.
 */
struct rnv_npu_driver {
	/** @brief Capabilities. MUST return the same pointer at every call. */
	const struct rnv_npu_caps *(*caps)(void *device);

	/**
	 * @brief Prepare for a package's marked steps (firmware, weights). May take long; called
	 * from the thread that opens the model, never with a request pending. Replaces what was
	 * loaded for the same `pkg` before; `pkg` is used until its model is closed or swapped.
	 *
	 * @retval RNV_OK      the marked steps can be executed
	 * @retval RNV_ENOTSUP they cannot: the package runs on the CPU
	 * @retval RNV_EIO     the device does not answer
	 */
	int (*load)(void *device, const struct rnv_package *pkg);

	/**
	 * @brief Start a request and return at once.
	 *
	 * MUST write exactly what the CPU kernel of that step writes: the outputs of its op, and
	 * its scratch as it likes; nothing else. MUST call rnv_npu_event() exactly once for it,
	 * from any context (also before invoke() returns), after its last access to memory. Where
	 * the event reports an error the outputs may hold anything.
	 *
	 * @retval RNV_OK  accepted
	 * @retval RNV_EIO refused; there will be no event and memory is untouched
	 */
	int (*invoke)(void *device, const struct rnv_npu_request *request);

	/**
	 * @brief Ask the driver to stop request `serial`. MUST return at once, MUST do nothing
	 * where that request is not pending (any more); the confirmation is the request's event
	 * (with any status). Callable from any thread.
	 */
	void (*abort)(void *device, uint32_t serial);

	/**
	 * @brief Power down; called in READY only. May block.
	 * @retval RNV_OK  suspended
	 * @retval RNV_EIO the device refuses
	 */
	int (*suspend)(void *device);

	/**
	 * @brief Power up after suspend().
	 * @retval RNV_OK  ready, everything loaded is still loaded or was loaded again
	 * @retval RNV_EIO the device does not answer
	 */
	int (*resume)(void *device);

	/**
	 * @brief Reset the device so that no earlier request accesses memory any more. May be NULL
	 * where a device cannot do so. MUST NOT send the event of an earlier request afterwards.
	 * @retval RNV_OK  stopped for certain and usable again
	 * @retval RNV_EIO the device does not answer
	 */
	int (*reset)(void *device);
};

/** State of an accelerator. */
enum rnv_npu_state {
	RNV_NPU_READY = 0,
	RNV_NPU_BUSY = 1,
	RNV_NPU_ABORTING = 2,
	RNV_NPU_SUSPENDED = 3,
	RNV_NPU_QUARANTINED = 4,
};

/** Counters since rnv_npu_init(). */
struct rnv_npu_info {
	uint32_t state;       /**< enum rnv_npu_state */
	uint32_t requests;    /**< accepted by the driver */
	uint32_t completed;   /**< ended with RNV_OK, in time */
	uint32_t faults;      /**< refused by invoke, or ended with an error without an abort */
	uint32_t timeouts;    /**< not ended in `timeout_us` */
	uint32_t aborts;      /**< aborts asked for, time-outs included */
	uint32_t late;        /**< events after a time-out or for no pending request */
	uint32_t quarantines; /**< times that it was quarantined */
	uint32_t longest_us;  /**< longest completed request */
};

/** One accelerator. The caller owns it; all members are private. */
struct rnv_npu {
	const struct rnv_npu_driver *driver; /**< @private */
	const struct rnv_npu_caps *caps;     /**< @private */
	void *device;                        /**< @private */
	void (*wake)(void *context);         /**< @private set by the scheduler */
	void *wake_context;                  /**< @private */
	uint64_t started_us;                 /**< @private of the last request */
	uint64_t limit_us;                   /**< @private time-out of the present state */
	uint32_t serial;                     /**< @private of the last request */
	int32_t status;                      /**< @private of the ended request */
	uint16_t lane;                       /**< @private of the last request */
	uint8_t state;                       /**< @private enum rnv_npu_state */
	uint8_t ended;                       /**< @private an end waits to be taken */
	uint8_t timed_out;                   /**< @private the request is out of time */
	uint8_t changing;                    /**< @private a thread is in load ... reset */
	uint8_t fault_row;                   /**< @private consecutive faults */
	uint8_t unconfirmed;                 /**< @private memory may still be accessed */
	uint8_t invokes;                     /**< @private threads in the driver's invoke */
	struct rnv_npu_info info;            /**< @private */
};

/**
 * Make an accelerator of a driver and its device. Calls caps() only.
 *
 * @param npu    accelerator to fill; READY afterwards
 * @param driver operations; `suspend` and `resume` may be NULL together, `reset` may be NULL
 * @param device the driver's own pointer
 * @retval RNV_OK     ready
 * @retval RNV_EINVAL NULL, a missing operation, or capabilities without a name or a time-out
 */
int rnv_npu_init(struct rnv_npu *npu, const struct rnv_npu_driver *driver, void *device);

/**
 * Power down. Any thread.
 *
 * @retval RNV_OK     suspended: steps for it run on the CPU until it is resumed
 * @retval RNV_EBUSY  a request is pending, its invoke() has not returned, or a package is being
 *                    loaded
 * @retval RNV_ESTATE already suspended, or quarantined
 * @retval RNV_ENOTSUP the driver cannot
 * @retval RNV_EIO    the driver refused; still READY
 */
int rnv_npu_suspend(struct rnv_npu *npu);

/**
 * Power up. Any thread.
 *
 * @retval RNV_OK     READY
 * @retval RNV_EBUSY  another thread is still suspending or resuming it
 * @retval RNV_ESTATE not suspended
 * @retval RNV_EIO    the driver refused; still SUSPENDED
 */
int rnv_npu_resume(struct rnv_npu *npu);

/**
 * Reset a quarantined accelerator and make it READY. Any thread; may block as the driver's reset().
 *
 * Memory that an unconfirmed request held is free afterwards; its job ends then.
 *
 * @retval RNV_OK      READY
 * @retval RNV_EBUSY   another thread is still recovering it, or in the driver's invoke()
 * @retval RNV_ESTATE  not quarantined
 * @retval RNV_ENOTSUP the driver cannot reset, and the last stop is not confirmed
 * @retval RNV_EIO     the reset failed; still QUARANTINED
 */
int rnv_npu_recover(struct rnv_npu *npu);

/** Read the counters. Any thread or interrupt. */
void rnv_npu_info_get(const struct rnv_npu *npu, struct rnv_npu_info *info);

/**
 * A request has ended: called by drivers, once for each accepted request. Any thread or interrupt.
 *
 * Only notes the end and wakes the scheduler. An event with another serial than the pending one is
 * counted as late and changes nothing else; so is a second one for the same request.
 *
 * @param npu    accelerator
 * @param serial `rnv_npu_request.serial`
 * @param status RNV_OK, or a negative code: the outputs are then undefined
 */
void rnv_npu_event(struct rnv_npu *npu, uint32_t serial, int status);

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_NPU_H_ */
