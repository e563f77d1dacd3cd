/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "ranvier/plan.h"

#define ALIGN_MASK (RNV_PLAN_ALIGN - 1u)

static uint32_t round_up(uint32_t bytes)
{
	return (bytes + ALIGN_MASK) & ~ALIGN_MASK;
}

size_t rnv_plan_workspace_bytes(uint32_t count)
{
	return (size_t)count * RNV_PLAN_WORKSPACE_BYTES_PER_BUFFER;
}

/*
 * Fills order with the indices of the buffers, largest first, by a stable insertion sort. Checks on
 * the way that each range is one, and at the end that each size can be rounded up.
 */
static int sort_by_size(const struct rnv_plan_buffer *buffers, uint32_t count, uint16_t *order)
{
	uint32_t i, j;

	for (i = 0; i < count; i++) {
		const uint32_t bytes = buffers[i].bytes;

		if (buffers[i].last < buffers[i].first) {
			return RNV_EINVAL;
		}
		for (j = i; j > 0 && buffers[order[j - 1]].bytes < bytes; j--) {
			order[j] = order[j - 1];
		}
		order[j] = (uint16_t)i;
	}
	if (count > 0 && buffers[order[0]].bytes > UINT32_MAX - ALIGN_MASK) {
		return RNV_EOVERFLOW;
	}
	return RNV_OK;
}

/*
 * Places buffer order[placed]. The `placed` ones before it are ordered by offset, and so are
 * `placed + 1` afterwards. Returns the end of the placed buffer, or 0 if it passes 32 bits.
 */
static uint32_t place(struct rnv_plan_buffer *buffers, uint16_t *order, uint32_t placed)
{
	const uint16_t index = order[placed];
	struct rnv_plan_buffer *const buffer = &buffers[index];
	const uint32_t size = round_up(buffer->bytes);
	uint32_t offset = 0;
	uint32_t i;

	for (i = 0; i < placed; i++) {
		const struct rnv_plan_buffer *other = &buffers[order[i]];
		uint32_t end;

		if (other->last < buffer->first || other->first > buffer->last) {
			continue;
		}
		if (other->offset >= offset && other->offset - offset >= size) {
			break;
		}
		end = other->offset + round_up(other->bytes);
		if (end > offset) {
			offset = end;
		}
	}
	if (offset > UINT32_MAX - size) {
		return 0;
	}
	buffer->offset = offset;
	for (i = placed; i > 0 && buffers[order[i - 1]].offset > offset; i--) {
		order[i] = order[i - 1];
	}
	order[i] = index;
	return offset + size;
}

/*
 * Largest sum of live sizes. A sum can only grow where a buffer becomes live, so only those steps
 * are looked at. No sum exceeds the peak of a valid plan: nothing overflows, and one that equals it
 * is the largest.
 */
static uint32_t lower_bound(const struct rnv_plan_buffer *buffers, uint32_t count, uint32_t peak)
{
	uint32_t bound = 0;
	uint32_t i, j;

	for (i = 0; i < count && bound < peak; i++) {
		const uint32_t step = buffers[i].first;
		uint32_t live = 0;

		for (j = 0; j < count; j++) {
			if (buffers[j].first <= step && step <= buffers[j].last) {
				live += round_up(buffers[j].bytes);
			}
		}
		if (live > bound) {
			bound = live;
		}
	}
	return bound;
}

int rnv_plan_first_fit(struct rnv_plan_buffer *buffers, uint32_t count, void *workspace,
		       size_t workspace_bytes, struct rnv_plan_result *result)
{
	uint16_t *const order = workspace;
	uint32_t peak = 0;
	uint32_t i;
	int status;

	if (result == NULL || count > RNV_PLAN_MAX_BUFFERS ||
	    (count > 0 && (buffers == NULL || workspace == NULL))) {
		return RNV_EINVAL;
	}
	if (((uintptr_t)workspace & 1u) != 0) {
		return RNV_EALIGN;
	}
	if (workspace_bytes < rnv_plan_workspace_bytes(count)) {
		return RNV_ENOMEM;
	}
	status = sort_by_size(buffers, count, order);
	if (status != RNV_OK) {
		return status;
	}
	for (i = 0; i < count && buffers[order[i]].bytes > 0; i++) {
		const uint32_t end = place(buffers, order, i);

		if (end == 0) {
			return RNV_EOVERFLOW;
		}
		if (end > peak) {
			peak = end;
		}
	}
	for (; i < count; i++) {
		buffers[order[i]].offset = 0;
	}
	result->peak_bytes = peak;
	result->lower_bound_bytes = lower_bound(buffers, count, peak);
	return RNV_OK;
}
