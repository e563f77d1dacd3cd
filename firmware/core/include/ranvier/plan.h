/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_PLAN_H_
#define RANVIER_PLAN_H_

/**
 * @file
 * @brief A first-fit memory planner for graphs that are built on a device.
 *
 * Packages arrive planned by the host; this is for an application that puts a graph together
 * itself, skip connections included. A buffer is no more than a size and the range of steps in
 * which it is live, so any directed acyclic graph in a fixed order of execution can be planned.
 *
 * The rule, the same as `first_fit` of the host's planner.py, which gives equal offsets:
 *
 * 1. Sizes are rounded up to a multiple of 16.
 * 2. Buffers are placed from the largest unrounded size to the smallest; equal ones in array order.
 * 3. Each is placed at the lowest multiple of 16 where it overlaps no placed buffer that is live in
 *    any step of its own range (both ends inclusive).
 * 4. A buffer of zero bytes occupies nothing and is given offset 0.
 *
 * "Greedy by size" of Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net
 * Inference" (2020), with first fit in place of best fit.
 *
 * Time is O(count^2). The planner keeps nothing between calls: calls on different arrays may run at
 * the same time, from any thread or interrupt.
 */

#include <stddef.h>
#include <stdint.h>

#include "ranvier/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Every offset is a multiple of this; the base that the caller adds should be one, too. */
#define RNV_PLAN_ALIGN 16

/** Most buffers in one plan. */
#define RNV_PLAN_MAX_BUFFERS 65535

/** Bytes of workspace for each buffer, so that an array can be sized at build time. */
#define RNV_PLAN_WORKSPACE_BYTES_PER_BUFFER 2

/** One buffer to place. */
struct rnv_plan_buffer {
	uint32_t bytes;  /**< In: size; 0 is allowed. */
	uint32_t first;  /**< In: first step in which it is live. */
	uint32_t last;   /**< In: last step in which it is live, inclusive; at least `first`. */
	uint32_t offset; /**< Out: bytes from the base; a multiple of 16. */
};

/** What a plan comes to. */
struct rnv_plan_result {
	uint32_t peak_bytes; /**< Memory that the plan needs; a multiple of 16. */
	/**
	 * Largest sum over all steps of the rounded sizes that are live in it: no plan with offsets
	 * of this alignment needs less. Equal to the peak where the plan is optimal for certain.
	 */
	uint32_t lower_bound_bytes;
};

/**
 * @brief Workspace that rnv_plan_first_fit() needs, in bytes.
 *
 * @param count Number of buffers, at most RNV_PLAN_MAX_BUFFERS.
 */
size_t rnv_plan_workspace_bytes(uint32_t count);

/**
 * @brief Give every buffer an offset such that no two that are live in one step overlap.
 *
 * @param buffers Caller's array of `count` buffers; only `offset` is written. On RNV_EOVERFLOW the
 *        offsets are unspecified, on other errors untouched. May be NULL where `count` is 0.
 * @param count Number of buffers, at most RNV_PLAN_MAX_BUFFERS.
 * @param workspace Caller's memory, aligned to 2 bytes, for this call only; may be NULL where
 *        `count` is 0.
 * @param workspace_bytes Its size, at least rnv_plan_workspace_bytes(count).
 * @param result Receives peak and lower bound; untouched on any error.
 * @retval RNV_OK All offsets are set.
 * @retval RNV_ENOMEM The workspace is too small.
 * @retval RNV_EALIGN The workspace is at an odd address.
 * @retval RNV_EOVERFLOW The plan would need 4 GiB or more.
 * @retval RNV_EINVAL A null pointer, too many buffers, or one whose `last` is before its `first`.
 */
int rnv_plan_first_fit(struct rnv_plan_buffer *buffers, uint32_t count, void *workspace,
		       size_t workspace_bytes, struct rnv_plan_result *result);

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_PLAN_H_ */
