/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_GOLDEN_H_
#define RANVIER_GOLDEN_H_

/**
 * @file
 * @brief A package's golden self-test for those who run its entry points by jobs, in buffers of
 * their own.
 *
 * Every entry point is run once, in their order, from zero state: rnv_golden_fill() for each of its
 * inputs, a job, rnv_golden_compare() for each of its outputs. What the steps between write is not
 * compared: rnv_exec_selftest() does that. For the functions as for those of a package: any thread
 * or interrupt.
 */

#include <stdint.h>

#include "ranvier/package.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Where a self-test is. May be copied, to fill the same inputs again. All members are private. */
struct rnv_golden_walk {
	const uint8_t *stored;   /**< @private the next input's bytes */
	const uint8_t *expected; /**< @private the next output's */
	uint32_t random; /**< @private state of the generator, which is never 0; 0: stored */
};

/**
 * Begin with the first input.
 *
 * @param walk to fill
 * @param pkg  opened package
 * @retval >=1        begun: entry points to run
 * @retval RNV_EINVAL the package carries no self-test
 */
int rnv_golden_start(struct rnv_golden_walk *walk, const struct rnv_package *pkg);

/**
 * Fill the next input.
 *
 * @param walk  walk
 * @param data  the input's memory
 * @param bytes its size
 */
void rnv_golden_fill(struct rnv_golden_walk *walk, void *data, uint32_t bytes);

/**
 * Compare the next output.
 *
 * @param walk  walk
 * @param data  the output's memory
 * @param bytes its size
 * @retval RNV_OK      it is as expected
 * @retval RNV_EBADMSG it differs
 */
int rnv_golden_compare(struct rnv_golden_walk *walk, const void *data, uint32_t bytes);

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_GOLDEN_H_ */
