/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "ranvier/pingpong.h"

int rnv_pingpong_init(struct rnv_pingpong *pair, struct rnv_arena *arena,
		      enum rnv_arena_region region, size_t half_bytes)
{
	const uint32_t mask = RNV_ARENA_ALIGN - 1u;
	void *block;
	int status;

	if (pair == NULL) {
		return RNV_EINVAL;
	}
	if (half_bytes > UINT32_MAX - mask) {
		return RNV_EOVERFLOW;
	}
	half_bytes = ((uint32_t)half_bytes + mask) & ~mask;
	status = rnv_arena_alloc_array(arena, region, 2, half_bytes, &block);
	if (status != RNV_OK) {
		return status;
	}
	pair->output = block;
	pair->input = pair->output + half_bytes;
	pair->half_bytes = (uint32_t)half_bytes;
	return RNV_OK;
}

void *rnv_pingpong_input(const struct rnv_pingpong *pair)
{
	return pair != NULL ? pair->input : NULL;
}

void *rnv_pingpong_output(const struct rnv_pingpong *pair)
{
	return pair != NULL ? pair->output : NULL;
}

uint32_t rnv_pingpong_half_bytes(const struct rnv_pingpong *pair)
{
	return pair != NULL ? pair->half_bytes : 0;
}

int rnv_pingpong_swap(struct rnv_pingpong *pair)
{
	uint8_t *input;

	if (pair == NULL) {
		return RNV_EINVAL;
	}
	input = pair->input;
	pair->input = pair->output;
	pair->output = input;
	return RNV_OK;
}
