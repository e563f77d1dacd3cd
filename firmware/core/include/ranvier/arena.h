/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_ARENA_H_
#define RANVIER_ARENA_H_

/**
 * @file
 * @brief An arena in the caller's memory, for applications and for graphs built on a device.
 *
 * @code
 *   base                                                                    capacity
 *   | persistent -> | ephemeral ->          (free)               <- scratch |
 * @endcode
 *
 * - *Persistent* blocks grow from the base and live until the arena is initialised again or a mark
 *   from before them is restored.
 * - *Ephemeral* blocks follow the persistent ones and are all freed at once by a reset.
 * - *Scratch* blocks grow down from the top and are all freed at once by a reset of their own.
 *
 * The ephemeral region begins where the persistent one ends. A persistent allocation is therefore
 * refused with `RNV_EBUSY` while an ephemeral block is live: first make what persists, or reset.
 *
 * Every block's address is a multiple of 16 whatever the alignment of the caller's memory, and
 * every size is rounded up to a multiple of 16. Each function takes constant time. Nothing is
 * written to the caller's memory; blocks hold what was there before.
 *
 * An arena has no lock and no global: the functions may be called from any thread or interrupt as
 * long as the caller serialises the calls on one arena. Package execution never allocates.
 */

#include <stddef.h>
#include <stdint.h>

#include "ranvier/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Alignment in bytes of every block and of the arena's base; sizes are rounded up to it. */
#define RNV_ARENA_ALIGN 16

/** Bytes to add to a needed capacity so that caller's memory at any address provides it. */
#define RNV_ARENA_SLACK 15

/** Where a block comes from. */
enum rnv_arena_region {
	RNV_ARENA_PERSISTENT = 0, /**< Grows from the base; refused while ephemeral blocks live. */
	RNV_ARENA_EPHEMERAL = 1,  /**< Follows the persistent region; freed by a reset. */
	RNV_ARENA_SCRATCH = 2,    /**< Grows down from the top; freed by a reset of its own. */
};

/**
 * @brief An arena; the caller owns it and the memory behind it.
 *
 * All members are private: read them through rnv_arena_stats_get(). An arena may be moved or copied
 * only while no mark is open, and only one of the copies may be used further.
 */
struct rnv_arena {
	uint8_t *base;           /**< @private First aligned byte of the caller's memory. */
	uint32_t capacity;       /**< @private Usable bytes from base; a multiple of 16. */
	uint32_t persistent_end; /**< @private Offset behind the last persistent block. */
	uint32_t ephemeral_end;  /**< @private Offset behind the last ephemeral block. */
	uint32_t scratch_start;  /**< @private Offset of the lowest scratch block. */
	uint32_t least_free;     /**< @private Fewest bytes that were ever free. */
	uint32_t alloc_count;    /**< @private Successful allocations. */
	uint32_t needed;         /**< @private Capacity that the last refused request needs. */
	uint32_t open_mark;      /**< @private Serial of the innermost open mark; 0 for none. */
	uint32_t mark_serial;    /**< @private Serial of the mark that was saved last. */
};

/**
 * @brief A saved state of one arena; filled by rnv_arena_save(). All members are private.
 */
struct rnv_arena_mark {
	const struct rnv_arena *arena; /**< @private The arena that it belongs to. */
	uint32_t persistent_end;       /**< @private Saved offset. */
	uint32_t ephemeral_end;        /**< @private Saved offset. */
	uint32_t scratch_start;        /**< @private Saved offset. */
	uint32_t serial;               /**< @private This mark. */
	uint32_t outer;                /**< @private The mark around this one; 0 for none. */
};

/** What an arena holds; all sizes in bytes. */
struct rnv_arena_stats {
	uint32_t capacity_bytes;   /**< Usable bytes after alignment of the base. */
	uint32_t persistent_bytes; /**< In use by the persistent region. */
	uint32_t ephemeral_bytes;  /**< In use by the ephemeral region. */
	uint32_t scratch_bytes;    /**< In use by the scratch pool. */
	uint32_t free_bytes;       /**< Largest block that can be allocated now. */
	uint32_t high_water_bytes; /**< Most ever in use at once: the capacity that suffices. */
	uint32_t alloc_count;      /**< Successful allocations since the initialisation. */
	/**
	 * Capacity that the last request refused with RNV_ENOMEM needs beside what was live then;
	 * 0 if none was refused, UINT32_MAX where 32 bits cannot hold it. Caller's memory of this
	 * size plus RNV_ARENA_SLACK suffices at any address.
	 */
	uint32_t needed_bytes;
};

/**
 * @brief Make an arena in the caller's memory.
 *
 * The base is aligned up inside the memory and the end down; rnv_arena_stats_get() tells the
 * capacity that remains. Every earlier mark and block of the arena ends here.
 *
 * @param arena Arena to initialise, of any content.
 * @param memory Caller's memory of any alignment, owned by the arena until its last use.
 * @param bytes Size of the memory.
 * @retval RNV_OK The arena is ready and empty.
 * @retval RNV_ENOMEM No aligned 16 bytes lie inside. The arena is valid with a capacity of 0: each
 *         allocation fails with RNV_ENOMEM and reports what it needs.
 * @retval RNV_EOVERFLOW `bytes` does not fit in 32 bits. The arena is untouched.
 * @retval RNV_EINVAL A null pointer, or memory that wraps around the end of the address space. The
 *         arena is untouched.
 */
int rnv_arena_init(struct rnv_arena *arena, void *memory, size_t bytes);

/**
 * @brief Allocate one block.
 *
 * A refused request leaves the arena as it was, except for the needed size that it reports.
 *
 * @param arena Arena.
 * @param region Where the block comes from and hence how long it lives.
 * @param bytes Size; not zero.
 * @param block Receives the address of the block, a multiple of 16; NULL on any error.
 * @retval RNV_OK The block is the caller's until its region is reset or an earlier mark restored.
 * @retval RNV_ENOMEM Too little is free; rnv_arena_stats_get() reports the needed capacity.
 * @retval RNV_EBUSY A persistent block was asked for while an ephemeral block is live.
 * @retval RNV_EINVAL A null pointer, an unknown region or zero bytes.
 */
int rnv_arena_alloc(struct rnv_arena *arena, enum rnv_arena_region region, size_t bytes,
		    void **block);

/**
 * @brief Allocate one block of `count` elements of `size` bytes; the product is checked.
 *
 * @param arena Arena.
 * @param region Where the block comes from and hence how long it lives.
 * @param count Number of elements; not zero.
 * @param size Bytes of an element; not zero.
 * @param block Receives the address of the first element, a multiple of 16; NULL on any error.
 * @retval RNV_OK As for rnv_arena_alloc().
 * @retval RNV_EOVERFLOW `count * size` does not fit in 32 bits, on a device or a host.
 * @retval RNV_ENOMEM As for rnv_arena_alloc().
 * @retval RNV_EBUSY As for rnv_arena_alloc().
 * @retval RNV_EINVAL As for rnv_arena_alloc(); also a count or size of zero.
 */
int rnv_arena_alloc_array(struct rnv_arena *arena, enum rnv_arena_region region, size_t count,
			  size_t size, void **block);

/**
 * @brief Free every ephemeral block.
 *
 * @retval RNV_OK Persistent allocation is possible again.
 * @retval RNV_EINVAL A null pointer.
 */
int rnv_arena_reset_ephemeral(struct rnv_arena *arena);

/**
 * @brief Free every scratch block.
 *
 * @retval RNV_OK The scratch pool is empty.
 * @retval RNV_EINVAL A null pointer.
 */
int rnv_arena_reset_scratch(struct rnv_arena *arena);

/**
 * @brief Save the extent of all three regions and open a mark.
 *
 * Marks nest: the one that was opened last is restored first.
 *
 * @param arena Arena.
 * @param mark Receives the mark; the caller keeps it as long as it may be restored.
 * @retval RNV_OK The mark is open.
 * @retval RNV_EINVAL A null pointer.
 */
int rnv_arena_save(struct rnv_arena *arena, struct rnv_arena_mark *mark);

/**
 * @brief Return to the extents of an open mark and close it.
 *
 * This frees every block, also the persistent ones, that was allocated since rnv_arena_save().
 * High-water mark and count stay. To keep what was allocated, do not restore: an open mark costs
 * nothing, but the marks around it can then not be restored either.
 *
 * @param arena Arena.
 * @param mark The innermost open mark of this arena.
 * @retval RNV_OK The extents are those at the save.
 * @retval RNV_ESTATE The mark is not the innermost open one (already restored, or marks that were
 *         saved later are still open). The arena is untouched.
 * @retval RNV_EINVAL A null pointer, or the mark of another arena. The arena is untouched.
 */
int rnv_arena_restore(struct rnv_arena *arena, const struct rnv_arena_mark *mark);

/**
 * @brief Report the sizes and counts of an arena.
 *
 * @param arena Arena; only read.
 * @param stats Receives the report.
 * @retval RNV_OK The report is filled.
 * @retval RNV_EINVAL A null pointer.
 */
int rnv_arena_stats_get(const struct rnv_arena *arena, struct rnv_arena_stats *stats);

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_ARENA_H_ */
