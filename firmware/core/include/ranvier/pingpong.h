/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_PINGPONG_H_
#define RANVIER_PINGPONG_H_

/**
 * @file
 * @brief A pair of equal buffers that change roles: one layer's output is the next one's input.
 *
 * Enough for a plain chain of layers. A graph with skip connections is planned by ranvier/plan.h.
 *
 * A pair has no lock and no global: the functions may be called from any thread or interrupt as
 * long as the caller serialises the calls on one pair (and, for the initialisation, on its arena).
 */

#include <stddef.h>
#include <stdint.h>

#include "ranvier/arena.h"
#include "ranvier/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @brief The pair; the caller owns it. All members are private. */
struct rnv_pingpong {
	uint8_t *input;      /**< @private The half in the input role. */
	uint8_t *output;     /**< @private The half in the output role. */
	uint32_t half_bytes; /**< @private Size of each half; a multiple of 16. */
};

/**
 * @brief Allocate both halves of a pair from an arena, or neither.
 *
 * The pair lives as long as a block of its region does. The half in the output role is at the lower
 * address first.
 *
 * @param pair Pair to initialise; untouched on any error.
 * @param arena Arena that provides the memory; as untouched on an error as by rnv_arena_alloc().
 * @param region Region of the arena.
 * @param half_bytes Bytes that each half must hold: the largest input or output of any layer. Not
 *        zero; rounded up to a multiple of 16.
 * @retval RNV_OK Both halves are ready, their addresses multiples of 16.
 * @retval RNV_ENOMEM The arena is too small; rnv_arena_stats_get() reports the needed capacity.
 * @retval RNV_EOVERFLOW Two halves of this size do not fit in 32 bits.
 * @retval RNV_EBUSY A persistent pair was asked for while an ephemeral block is live.
 * @retval RNV_EINVAL A null pointer, an unknown region or zero bytes.
 */
int rnv_pingpong_init(struct rnv_pingpong *pair, struct rnv_arena *arena,
		      enum rnv_arena_region region, size_t half_bytes);

/** @brief The half that the current layer reads; NULL for a null pair. */
void *rnv_pingpong_input(const struct rnv_pingpong *pair);

/** @brief The half that the current layer writes; NULL for a null pair. */
void *rnv_pingpong_output(const struct rnv_pingpong *pair);

/** @brief Bytes of each half, rounded up to a multiple of 16; 0 for a null pair. */
uint32_t rnv_pingpong_half_bytes(const struct rnv_pingpong *pair);

/**
 * @brief Exchange the roles: the output of this layer becomes the input of the next.
 *
 * @retval RNV_OK The roles are exchanged; no data has moved.
 * @retval RNV_EINVAL A null pointer.
 */
int rnv_pingpong_swap(struct rnv_pingpong *pair);

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_PINGPONG_H_ */
