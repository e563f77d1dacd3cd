/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef NPU_SIM_NPU_SIM_H_
#define NPU_SIM_NPU_SIM_H_

/**
 * @file
 * @brief A simulated accelerator: executes steps with the CPU's kernels, in another context, later.
 *
 * The results are those of the CPU, so nothing but time and faults distinguishes the two. Faults,
 * silence and late answers are set at any time. The other context is the caller's: a thread
 * (npu_sim/npu_sim_thread.h), Zephyr (npu_sim/npu_sim_zephyr.h), or a test that calls
 * rnv_npu_sim_poll() in virtual time.
 *
 * @code
 * rnv_npu_sim_init(&sim, &npu, &config);
 * rnv_npu_init(&npu, &rnv_npu_sim_driver, &sim);
 * @endcode
 */

#include <stdbool.h>
#include <stdint.h>

#include "ranvier/exec.h"
#include "ranvier/npu.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What becomes of a request. */
enum rnv_npu_sim_outcome {
	RNV_NPU_SIM_WORKS = 0,   /**< executed, and ends with RNV_OK */
	RNV_NPU_SIM_REFUSES = 1, /**< refused by invoke */
	RNV_NPU_SIM_FAULTS = 2,  /**< ends with an error after it has spoilt the outputs */
	RNV_NPU_SIM_SILENT = 3,  /**< never ends by itself */
};

/** What becomes of an abort. */
enum rnv_npu_sim_abort {
	RNV_NPU_SIM_STOPS = 0,   /**< ends `abort_latency_us` later, without more writing */
	RNV_NPU_SIM_IGNORES = 1, /**< goes on as if there were none, and writes late */
	RNV_NPU_SIM_HANGS = 2,   /**< never ends */
};

/** How it behaves from now on. All zero: works at once, inside of invoke. */
struct rnv_npu_sim_behaviour {
	uint32_t latency_us;       /**< from invoke to the event; 0: before invoke returns */
	uint32_t abort_latency_us; /**< from an abort that stops to the event */
	uint32_t requests;      /**< `outcome` is for so many requests, later ones work; 0: all */
	uint8_t outcome;        /**< enum rnv_npu_sim_outcome, of requests that begin */
	uint8_t abort;          /**< enum rnv_npu_sim_abort */
	int32_t load_status;    /**< returned by load: RNV_OK, RNV_ENOTSUP, RNV_EIO */
	int32_t suspend_status; /**< RNV_OK, RNV_EIO */
	int32_t resume_status;  /**< RNV_OK, RNV_EIO */
	int32_t reset_status;   /**< RNV_OK, RNV_EIO */
};

/** What is constant for its life. Copied. */
struct rnv_npu_sim_config {
	uint32_t timeout_us; /**< `rnv_npu_caps.timeout_us` */
	uint32_t abort_us;   /**< `rnv_npu_caps.abort_us` */
	/** Something is to be done at another time than was known: call rnv_npu_sim_work(). From
	 * the contexts that call the driver. NULL where the caller polls. */
	void (*kick)(void *context);
	/** Let the other context run a little: reset waits for it. NULL where it cannot be busy. */
	void (*relax)(void *context);
	void *context; /**< for `kick` and `relax` */
};

/** What it has done. */
struct rnv_npu_sim_counts {
	uint32_t loaded;   /**< packages loaded */
	uint32_t invoked;  /**< requests accepted */
	uint32_t executed; /**< steps executed */
	uint32_t events;   /**< events sent */
	uint32_t aborted;  /**< aborts of a pending request */
	uint32_t resets;   /**< resets that worked */
};

/** One simulated accelerator. The caller owns it; all members are private. */
struct rnv_npu_sim {
	struct rnv_npu *npu;                    /**< @private */
	struct rnv_npu_sim_config config;       /**< @private */
	struct rnv_npu_caps caps;               /**< @private */
	struct rnv_npu_sim_behaviour behaviour; /**< @private */
	struct rnv_npu_sim_counts counts;       /**< @private */
	struct rnv_exec exec;                   /**< @private copy of the request's context */
	uint64_t due_us;                        /**< @private */
	uint32_t serial;                        /**< @private */
	int32_t status;                         /**< @private of the event to come */
	uint8_t phase;                          /**< @private */
	uint8_t outcome;                        /**< @private of the pending request */
	uint8_t sending;                        /**< @private an event is on its way */
	uint8_t suspended;                      /**< @private */
};

/** Operations of a simulated accelerator that can reset; `device` is a struct rnv_npu_sim. */
extern const struct rnv_npu_driver rnv_npu_sim_driver;

/** Operations of one that can neither reset nor suspend. */
extern const struct rnv_npu_driver rnv_npu_sim_simple_driver;

/**
 * Make a simulated accelerator, before rnv_npu_init(). Its op set is that of this build.
 *
 * @param sim    to fill
 * @param npu    receives its events
 * @param config copied
 */
void rnv_npu_sim_init(struct rnv_npu_sim *sim, struct rnv_npu *npu,
		      const struct rnv_npu_sim_config *config);

/**
 * Set its behaviour. Any thread or interrupt. Requests that are pending keep their outcome and
 * latency.
 */
void rnv_npu_sim_set(struct rnv_npu_sim *sim, const struct rnv_npu_sim_behaviour *behaviour);

/** Read its behaviour. Any thread or interrupt. */
void rnv_npu_sim_get(const struct rnv_npu_sim *sim, struct rnv_npu_sim_behaviour *behaviour);

/** Read its counters. Any thread or interrupt. */
void rnv_npu_sim_counts_get(const struct rnv_npu_sim *sim, struct rnv_npu_sim_counts *counts);

/**
 * When rnv_npu_sim_work() has something to do. Any thread or interrupt.
 *
 * @return absolute time, or UINT64_MAX
 */
uint64_t rnv_npu_sim_next_us(const struct rnv_npu_sim *sim);

/**
 * Do what is due: execute the pending step. By the other context only; takes as long as the step.
 *
 * @return true: its event is to be sent by rnv_npu_sim_send()
 */
bool rnv_npu_sim_work(struct rnv_npu_sim *sim, uint64_t now_us);

/** Send the event that rnv_npu_sim_work() has announced, unless a reset came between. Any context.
 */
void rnv_npu_sim_send(struct rnv_npu_sim *sim);

/** rnv_npu_sim_work() and, where there is one, rnv_npu_sim_send(). By the other context only. */
void rnv_npu_sim_poll(struct rnv_npu_sim *sim, uint64_t now_us);

#ifdef __cplusplus
}
#endif

#endif /* NPU_SIM_NPU_SIM_H_ */
