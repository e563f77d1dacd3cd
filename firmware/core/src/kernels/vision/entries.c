/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <string.h>

#include "kernels/vision/entries.h"

bool rnv_entries_are(const struct rnv_op *op, uint32_t count, uint32_t entries, int32_t capacity)
{
	return rnv_tensor_is(rnv_op_in_rec(op, count), RNV_TYPE_INT32, 1) &&
	       rnv_tensor_is(rnv_op_in_rec(op, entries), RNV_TYPE_INT16,
			     (uint32_t)capacity * RNV_DETECTION_WORDS);
}

uint32_t rnv_entries_insert(struct rnv_detection *entries, uint32_t count, uint32_t capacity,
			    const struct rnv_detection *entry)
{
	uint32_t at;

	if (count == capacity) {
		if (entries[count - 1u].score >= entry->score) {
			return count;
		}
		count--;
	}
	for (at = count; at > 0u && entries[at - 1u].score < entry->score; at--) {
		entries[at] = entries[at - 1u];
	}
	entries[at] = *entry;
	return count + 1u;
}

void rnv_entries_close(struct rnv_detection *entries, uint32_t count, uint32_t capacity,
		       int32_t *out_count)
{
	memset(entries + count, 0, (capacity - count) * sizeof(*entries));
	*out_count = (int32_t)count;
}
