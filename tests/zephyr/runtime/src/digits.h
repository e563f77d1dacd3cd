/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef TESTS_ZEPHYR_RUNTIME_DIGITS_H_
#define TESTS_ZEPHYR_RUNTIME_DIGITS_H_

#include <stdint.h>

#include <ranvier/sched.h>
#include <ranvier/zephyr/runtime.h>

#include "ranvier_digits.h"

/** Steps of the package, of which all but the last, the softmax, are marked for an accelerator. */
#define DIGITS_STEPS        10
#define DIGITS_MARKED_STEPS 9

/** Input of all jobs, and the output of a lane's last one. */
extern int8_t digits_input[RANVIER_DIGITS_INPUT_0_BYTES];
extern int8_t digits_outputs[RNV_LANE_COUNT][RANVIER_DIGITS_OUTPUT_0_BYTES];

/** Open the model for all lanes; `step_cost_us` may be NULL. Returns the handle. */
uint32_t digits_open(const uint32_t *step_cost_us);

/** Cancel what it has and close it. */
void digits_close(uint32_t model);

/** A job of the lane's output buffer without deadline, flags and callback. */
void digits_request(uint32_t model, uint32_t lane, struct rnv_job_request *request);

/** Submit, wait, and return the result. */
struct rnv_job_result digits_run(const struct rnv_job_request *request);

#endif /* TESTS_ZEPHYR_RUNTIME_DIGITS_H_ */
