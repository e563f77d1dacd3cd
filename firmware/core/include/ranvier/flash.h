/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_FLASH_H_
#define RANVIER_FLASH_H_

/**
 * @file
 * @brief The flash seam: one region of NOR flash, of equal sectors, that can be executed in place.
 *
 * The region belongs to one store (`ranvier/store.h`), which is the only caller and serialises its
 * calls. tests/contract/flash is what an implementation has to pass.
 */

#include <stdint.h>

#include "ranvier/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RNV_FLASH_MAX_UNIT 128 /**< Largest program unit, in bytes. */

/** What the region is made of; constant. */
struct rnv_flash_geometry {
	uint32_t bytes;        /**< of the region; whole sectors, at most 2^31 */
	uint32_t sector_bytes; /**< erased at once; a power of two, a multiple of `unit_bytes` */
	uint32_t unit_bytes;   /**< programmed at once: a power of two, 1..RNV_FLASH_MAX_UNIT */
	uint32_t erased;       /**< value of an erased byte: 0xFF, or 0x00 */
	uint32_t max_op_us; /**< longest erase() or program() of one sector or unit; 0: unknown */
};

/**
 * The region. The caller fills it; constant while in use. Offsets are from the region's start.
 * Functions return RNV_OK or a negative code.
 */
struct rnv_flash {
	void *context;                      /**< first argument of every function */
	struct rnv_flash_geometry geometry; /**< see there */
	/**
	 * Read bytes that may have been torn by a power loss, or never been programmed.
	 *
	 * MUST NOT fault, whatever the flash holds. MUST read the flash itself, not a cache that a
	 * program or erase has not reached.
	 *
	 * @retval RNV_OK      read
	 * @retval 1           read, but marginal: the hardware had to correct some of it
	 * @retval RNV_EBADMSG a unit cannot be read (ECC); the buffer's content is undefined
	 * @retval RNV_EIO     the device does not work
	 */
	int (*read)(void *context, uint32_t offset, void *to, uint32_t bytes);
	/**
	 * Program whole units of one sector, which were erased and not programmed since.
	 *
	 * MUST NOT program, read back and erase, or cache, anything else: a power loss may leave
	 * the units named undefined, and nothing else. MUST be complete when it returns. `offset`
	 * and `bytes` are multiples of the unit; `from` has any alignment and is in RAM.
	 *
	 * @retval RNV_OK     programmed, as far as the device tells: the caller reads back
	 * @retval RNV_EINVAL not whole units of one sector of the region; nothing was changed
	 * @retval RNV_EIO    the device reports a failure
	 */
	int (*program)(void *context, uint32_t offset, const void *from, uint32_t bytes);
	/**
	 * Erase one sector. MUST be complete when it returns, and touch no other sector.
	 *
	 * @param offset the sector's first byte
	 * @retval RNV_OK     erased, as far as the device tells
	 * @retval RNV_EINVAL no sector begins there; nothing was changed
	 * @retval RNV_EIO    the device reports a failure
	 */
	int (*erase)(void *context, uint32_t offset);
	/**
	 * Where a part of the region can be read, and executed from, as memory: 16-byte aligned
	 * where `offset` is. Reading it may fault where units are damaged: use it for what read()
	 * has read without complaint. The content follows erase() and program().
	 *
	 * @return address, or NULL where the region is not mapped
	 */
	const void *(*map)(void *context, uint32_t offset, uint32_t bytes);
};

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_FLASH_H_ */
