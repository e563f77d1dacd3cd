/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_VISION_ENTRIES_H_
#define RNV_KERNELS_VISION_ENTRIES_H_

/**
 * @file
 * @brief Lists of results: a count and entries (`struct rnv_detection`), the best first.
 */

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kernel.h"
#include "ranvier/result.h"

/** Most entries of a list: what is done with them takes time of the square of their number. */
#define RNV_ENTRIES_MAX 256

/** Entries of a table of scores, indexed by an int8 value's raw byte. */
#define RNV_SCORES 256u

/** True where these two operands (inputs count first) are a list of `capacity` entries. */
bool rnv_entries_are(const struct rnv_op *op, uint32_t count, uint32_t entries, int32_t capacity);

/**
 * Put an entry into a sorted list, behind those of the same score.
 *
 * @param entries  memory for `capacity` entries, `count` of which are in use
 * @param count    entries in use, at most `capacity`
 * @param capacity at least 1; the worst entry is dropped where there is no room
 * @param entry    what to put in
 * @return entries in use afterwards
 */
uint32_t rnv_entries_insert(struct rnv_detection *entries, uint32_t count, uint32_t capacity,
			    const struct rnv_detection *entry);

/** Make the entries from `count` on zero, and write the count. */
void rnv_entries_close(struct rnv_detection *entries, uint32_t count, uint32_t capacity,
		       int32_t *out_count);

#endif /* RNV_KERNELS_VISION_ENTRIES_H_ */
