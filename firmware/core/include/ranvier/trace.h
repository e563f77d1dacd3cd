/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_TRACE_H_
#define RANVIER_TRACE_H_

/**
 * @file
 * @brief Events of a scheduler, as its `trace` hook gets them.
 */

#include <stdint.h>

#include "ranvier/job.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Kinds of rnv_trace_event. */
enum rnv_trace {
	RNV_TRACE_SUBMIT = 1,     /**< job is about to be queued */
	RNV_TRACE_START = 2,      /**< job owns its lane; its first step follows */
	RNV_TRACE_STEP_BEGIN = 3, /**< CPU begins `step` */
	RNV_TRACE_STEP_END = 4,   /**< CPU has ended `step` */
	RNV_TRACE_NPU_BEGIN = 5,  /**< `step` was given to the accelerator */
	RNV_TRACE_NPU_END = 6,    /**< it has ended; `status` */
	RNV_TRACE_PREEMPT = 7,    /**< a more urgent lane takes over */
	RNV_TRACE_RESUME = 8,     /**< goes on after that */
	RNV_TRACE_DONE = 9,       /**< job complete; `result` */
	RNV_TRACE_REFUSED = 10,   /**< it was not: by then full or drained; SUBMIT is void */
};

/** Something happened; time is the observer's business. */
struct rnv_trace_event {
	const struct rnv_job_result *result; /**< RNV_TRACE_DONE: how it ended; else NULL */
	uint32_t job;                        /**< handle */
	int32_t status;                      /**< RNV_TRACE_NPU_END: enum rnv_status; else 0 */
	uint16_t model;                      /**< number of the model's slot */
	uint16_t step;                       /**< step number */
	uint8_t kind;                        /**< enum rnv_trace */
	uint8_t lane;                        /**< lane number */
};

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_TRACE_H_ */
