/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stdbool.h>

#include "ranvier/arena.h"

/*
 * Invariant: persistent_end <= ephemeral_end <= scratch_start <= capacity, all multiples of 16.
 * What is free lies between ephemeral_end and scratch_start and is itself a multiple of 16, so a
 * size that fits before it is rounded up also fits after it.
 */

static uint32_t round_up(uint32_t bytes)
{
	return (bytes + (RNV_ARENA_ALIGN - 1u)) & ~(RNV_ARENA_ALIGN - 1u);
}

int rnv_arena_init(struct rnv_arena *arena, void *memory, size_t bytes)
{
	const uintptr_t address = (uintptr_t)memory;
	const uint32_t pad = (uint32_t)((0u - address) & (RNV_ARENA_ALIGN - 1u));
	uint32_t capacity = 0;

	if (arena == NULL || memory == NULL || bytes > UINTPTR_MAX - address) {
		return RNV_EINVAL;
	}
	if (bytes > UINT32_MAX) {
		return RNV_EOVERFLOW;
	}
	if (bytes > pad) {
		capacity = ((uint32_t)bytes - pad) & ~(RNV_ARENA_ALIGN - 1u);
	}
	*arena = (struct rnv_arena){
		.base = capacity > 0 ? (uint8_t *)memory + pad : memory,
		.capacity = capacity,
		.scratch_start = capacity,
		.least_free = capacity,
	};
	return capacity > 0 ? RNV_OK : RNV_ENOMEM;
}

/* A persistent block would take the place of a live ephemeral one. */
static bool is_blocked(const struct rnv_arena *arena, enum rnv_arena_region region)
{
	return region == RNV_ARENA_PERSISTENT && arena->ephemeral_end != arena->persistent_end;
}

/* Why a request was not granted; notes the capacity that it needs, kept within 32 bits. */
static int refuse(struct rnv_arena *arena, enum rnv_arena_region region, size_t bytes, void **block)
{
	uint32_t used;

	*block = NULL;
	if (arena == NULL || region > RNV_ARENA_SCRATCH || bytes == 0) {
		return RNV_EINVAL;
	}
	if (is_blocked(arena, region)) {
		return RNV_EBUSY;
	}
	used = arena->capacity - (arena->scratch_start - arena->ephemeral_end);
	if (bytes > UINT32_MAX - (RNV_ARENA_ALIGN - 1u) - used) {
		arena->needed = UINT32_MAX;
	} else {
		arena->needed = used + round_up((uint32_t)bytes);
	}
	return RNV_ENOMEM;
}

int rnv_arena_alloc(struct rnv_arena *arena, enum rnv_arena_region region, size_t bytes,
		    void **block)
{
	uint32_t free_bytes, offset, size;

	if (block == NULL) {
		return RNV_EINVAL;
	}
	if (arena == NULL || region > RNV_ARENA_SCRATCH || is_blocked(arena, region)) {
		return refuse(arena, region, bytes, block);
	}
	free_bytes = arena->scratch_start - arena->ephemeral_end;
	if (bytes - 1 >= free_bytes) { /* also true for zero bytes */
		return refuse(arena, region, bytes, block);
	}
	size = round_up((uint32_t)bytes);
	if (region == RNV_ARENA_SCRATCH) {
		offset = arena->scratch_start - size;
		arena->scratch_start = offset;
	} else {
		offset = arena->ephemeral_end;
		arena->ephemeral_end = offset + size;
		if (region == RNV_ARENA_PERSISTENT) {
			arena->persistent_end = offset + size;
		}
	}
	free_bytes -= size;
	if (free_bytes < arena->least_free) {
		arena->least_free = free_bytes;
	}
	arena->alloc_count++;
	*block = arena->base + offset;
	return RNV_OK;
}

int rnv_arena_alloc_array(struct rnv_arena *arena, enum rnv_arena_region region, size_t count,
			  size_t size, void **block)
{
	if (size != 0 && count > UINT32_MAX / size) {
		if (block != NULL) {
			*block = NULL;
		}
		return RNV_EOVERFLOW;
	}
	return rnv_arena_alloc(arena, region, count * size, block);
}

int rnv_arena_reset_ephemeral(struct rnv_arena *arena)
{
	if (arena == NULL) {
		return RNV_EINVAL;
	}
	arena->ephemeral_end = arena->persistent_end;
	return RNV_OK;
}

int rnv_arena_reset_scratch(struct rnv_arena *arena)
{
	if (arena == NULL) {
		return RNV_EINVAL;
	}
	arena->scratch_start = arena->capacity;
	return RNV_OK;
}

int rnv_arena_save(struct rnv_arena *arena, struct rnv_arena_mark *mark)
{
	if (arena == NULL || mark == NULL) {
		return RNV_EINVAL;
	}
	arena->mark_serial++;
	if (arena->mark_serial == 0) {
		arena->mark_serial = 1; /* 0 stands for "no mark" */
	}
	*mark = (struct rnv_arena_mark){
		.arena = arena,
		.persistent_end = arena->persistent_end,
		.ephemeral_end = arena->ephemeral_end,
		.scratch_start = arena->scratch_start,
		.serial = arena->mark_serial,
		.outer = arena->open_mark,
	};
	arena->open_mark = mark->serial;
	return RNV_OK;
}

int rnv_arena_restore(struct rnv_arena *arena, const struct rnv_arena_mark *mark)
{
	if (arena == NULL || mark == NULL || mark->arena != arena) {
		return RNV_EINVAL;
	}
	if (mark->serial != arena->open_mark) {
		return RNV_ESTATE;
	}
	arena->persistent_end = mark->persistent_end;
	arena->ephemeral_end = mark->ephemeral_end;
	arena->scratch_start = mark->scratch_start;
	arena->open_mark = mark->outer;
	return RNV_OK;
}

int rnv_arena_stats_get(const struct rnv_arena *arena, struct rnv_arena_stats *stats)
{
	if (arena == NULL || stats == NULL) {
		return RNV_EINVAL;
	}
	*stats = (struct rnv_arena_stats){
		.capacity_bytes = arena->capacity,
		.persistent_bytes = arena->persistent_end,
		.ephemeral_bytes = arena->ephemeral_end - arena->persistent_end,
		.scratch_bytes = arena->capacity - arena->scratch_start,
		.free_bytes = arena->scratch_start - arena->ephemeral_end,
		.high_water_bytes = arena->capacity - arena->least_free,
		.alloc_count = arena->alloc_count,
		.needed_bytes = arena->needed,
	};
	return RNV_OK;
}
