/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef POSIX_FLASH_H_
#define POSIX_FLASH_H_

/**
 * @file
 * @brief A model of NOR flash with error correction, in memory or in a file, that can be hurt.
 *
 * Behaves as flash does, not as memory does: a unit is programmed once between two erases, a power
 * loss leaves what was under way torn in one of several ways, and what was torn may read otherwise
 * each time, or fail later. A script says where that happens; everything random comes from a seed.
 *
 * All that the flash is made of (content, the state of every unit, wear, random numbers) lies in
 * one block of memory, so that a file of it is the flash, and a copy of it a snapshot. The script
 * is not part of it.
 *
 * @code
 *   struct rnv_posix_flash flash;
 *   struct rnv_flash seam;
 *   int status = rnv_posix_flash_open(&flash, &geometry, "flash.bin", 1);
 *
 *   if (status == 0) {
 *           rnv_posix_flash_seam(&flash, &seam);
 *   }
 * @endcode
 *
 * No function is safe for several threads or for signal handlers. A process that is killed in the
 * middle of an erase or program leaves the units concerned unreadable, as a power loss may.
 */

#include <stdint.h>

#include "ranvier/flash.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RNV_POSIX_FLASH_FAULTS 8          /**< Scripted faults at a time. */
#define RNV_POSIX_FLASH_ANY    0xFFFFFFFF /**< rnv_posix_flash_fault.unit: drawn at random. */

/** State of a unit. */
enum rnv_posix_flash_unit {
	RNV_POSIX_FLASH_ERASED = 0,     /**< may be programmed */
	RNV_POSIX_FLASH_PROGRAMMED = 1, /**< reads as programmed */
	RNV_POSIX_FLASH_BAD = 2,        /**< cannot be read; mapped access would fault */
	RNV_POSIX_FLASH_UNSTABLE = 3,   /**< reads otherwise each time, or cannot be read */
	RNV_POSIX_FLASH_MARGINAL = 4,   /**< reads right, and read() returns 1 */
	RNV_POSIX_FLASH_FADING = 5,     /**< reads as erased until the power-on after next */
	RNV_POSIX_FLASH_WEAK = 6,       /**< reads as erased until the next power-on */
	RNV_POSIX_FLASH_HOLLOW = 7,     /**< programmed while weak: reads right until power-on */
};

/** What a power loss leaves of the operation under way. */
enum rnv_posix_flash_tear {
	/** Nothing has happened yet. */
	RNV_POSIX_FLASH_TEAR_OLD = 0,
	/** All of it has happened, only nobody heard. */
	RNV_POSIX_FLASH_TEAR_NEW = 1,
	/** A random subset of the bits has changed, and reads so. An erase: in every unit. */
	RNV_POSIX_FLASH_TEAR_BITS = 2,
	/** Cannot be read. An erase: no unit of the sector can. */
	RNV_POSIX_FLASH_TEAR_BAD = 3,
	/** Each read may differ. An erase: of every unit. */
	RNV_POSIX_FLASH_TEAR_UNSTABLE = 4,
	/** Each unit concerned for itself: one of the above. */
	RNV_POSIX_FLASH_TEAR_MIXED = 5,
	/** Reads as erased, but is not: decays at the power-on after the next one. */
	RNV_POSIX_FLASH_TEAR_WEAK = 6,
};

/** What a scripted fault does. */
enum rnv_posix_flash_fault_kind {
	RNV_POSIX_FLASH_CUT = 1,  /**< the power goes; `tear` is left */
	RNV_POSIX_FLASH_FAIL = 2, /**< the operation reports RNV_EIO; `tear` is left */
	RNV_POSIX_FLASH_LIE = 3,  /**< the operation reports success and does nothing */
};

/** A scripted fault: happens once, at an erase or program. */
struct rnv_posix_flash_fault {
	uint32_t op; /**< number of the operation (erase or program call) since power-on, from 0 */
	uint32_t kind; /**< enum rnv_posix_flash_fault_kind */
	uint32_t tear; /**< enum rnv_posix_flash_tear */
	/**
	 * Which unit of a program call is torn: those before it are complete, those after it
	 * untouched. RNV_POSIX_FLASH_ANY: one at random. Beyond the last: the last. Without effect
	 * where the tear is OLD, NEW or MIXED, and for an erase.
	 */
	uint32_t unit;
};

/** What has happened; counted from the making of the flash. */
struct rnv_posix_flash_stats {
	uint64_t programs;     /**< program calls */
	uint64_t units;        /**< units in them */
	uint64_t erases;       /**< erase calls */
	uint64_t reads;        /**< read calls */
	uint64_t reprogrammed; /**< units that were programmed though they were not erased */
	uint64_t misused; /**< calls out of range, of other than whole units, or beyond a sector */
	uint64_t cuts;    /**< power losses */
};

/** A flash. Memory is the caller's or a mapped file; all members are private but the first three.
 */
struct rnv_posix_flash {
	/** Called when a scripted power loss has happened; may leave by longjmp(), or end the
	 * process. NULL: nothing; the operation returns RNV_EIO. Set by the caller. */
	void (*cut)(void *context);
	void *cut_context; /**< for `cut` */
	/** Not 0: what is erased and not programmed cannot be read, as on some devices. Set by the
	 * caller. */
	uint32_t erased_faults;

	struct rnv_flash_geometry geometry;     /**< @private */
	void *block;                            /**< @private */
	uint64_t block_bytes;                   /**< @private */
	struct rnv_posix_flash_stats *stats;    /**< @private in the block, as all that follow */
	uint64_t *random;                       /**< @private */
	uint32_t *wear;                         /**< @private one for each sector */
	uint8_t *units;                         /**< @private enum rnv_posix_flash_unit of each */
	uint8_t *content;                       /**< @private */
	uint32_t ops;                           /**< @private since power-on */
	uint32_t fault_count;                   /**< @private */
	uint32_t off;                           /**< @private no power */
	int32_t file;                           /**< @private -1: none */
	struct rnv_posix_flash_fault faults[8]; /**< @private RNV_POSIX_FLASH_FAULTS */
};

/**
 * Memory that a flash needs.
 *
 * @return size in bytes; 0 where the geometry breaks a rule of `ranvier/flash.h`
 */
uint64_t rnv_posix_flash_bytes(const struct rnv_flash_geometry *geometry);

/**
 * Make a flash in memory, erased, powered.
 *
 * @param flash    to fill
 * @param geometry copied
 * @param memory   the block: 16-byte aligned, the caller's; a copy of it is a snapshot
 * @param bytes    of `memory`
 * @param seed     of what is random
 * @retval RNV_OK     made
 * @retval RNV_EINVAL NULL, or a geometry that breaks a rule
 * @retval RNV_EALIGN `memory` is not aligned
 * @retval RNV_ENOMEM `memory` is too small: see rnv_posix_flash_bytes()
 */
int rnv_posix_flash_init(struct rnv_posix_flash *flash, const struct rnv_flash_geometry *geometry,
			 void *memory, uint64_t bytes, uint64_t seed);

/**
 * Power a flash that is kept in a file; make the file, erased, where it is missing or empty. The
 * file is mapped, so every change is in it at once, and locked.
 *
 * @param flash    to fill; for rnv_posix_flash_close()
 * @param geometry copied
 * @param path     file, zero-terminated
 * @param seed     of what is random, for a new file; an old one goes on where it was
 * @retval RNV_OK      open
 * @retval RNV_EINVAL  NULL, or a geometry that breaks a rule
 * @retval RNV_EFORMAT the file is no flash of this release
 * @retval RNV_EBADMSG the file is a flash of another geometry
 * @retval RNV_EBUSY   somebody else has it open
 * @return another negated errno of open(), fstat(), ftruncate(), mmap() or flock()
 */
int rnv_posix_flash_open(struct rnv_posix_flash *flash, const struct rnv_flash_geometry *geometry,
			 const char *path, uint64_t seed);

/** Give up the file; one that was made in memory is only forgotten. */
void rnv_posix_flash_close(struct rnv_posix_flash *flash);

/**
 * The flash as the core sees it.
 *
 * @param flash must stay where it is
 * @param seam  to fill. Its functions return RNV_EIO while the power is off, and RNV_EINVAL for
 *              what breaks the contract (counted as misused)
 */
void rnv_posix_flash_seam(struct rnv_posix_flash *flash, struct rnv_flash *seam);

/** Power off and on: what is weak decays a step, operations count from 0, the script is empty. */
void rnv_posix_flash_power_on(struct rnv_posix_flash *flash);

/**
 * Add to the script.
 *
 * @param flash flash
 * @param fault copied
 * @retval RNV_OK     added
 * @retval RNV_EINVAL no such kind or tear
 * @retval RNV_ENOSPC the script is full
 */
int rnv_posix_flash_script(struct rnv_posix_flash *flash,
			   const struct rnv_posix_flash_fault *fault);

/** Erase and program calls since power-on. */
uint32_t rnv_posix_flash_ops(const struct rnv_posix_flash *flash);

/**
 * Give the random numbers another seed.
 *
 * @param flash flash
 * @param seed  any
 */
void rnv_posix_flash_seed(struct rnv_posix_flash *flash, uint64_t seed);

/**
 * Put the units of a range into a state, whatever they were: BAD, UNSTABLE or MARGINAL to hurt
 * them, for example. Content stays.
 *
 * @param flash  flash
 * @param offset first byte
 * @param bytes  how many; every unit that it touches
 * @param state  enum rnv_posix_flash_unit
 * @retval RNV_OK     done
 * @retval RNV_EINVAL beyond the region, or no such state
 */
int rnv_posix_flash_mark(struct rnv_posix_flash *flash, uint32_t offset, uint32_t bytes,
			 uint32_t state);

/**
 * Flip bits of a byte; nothing notices.
 *
 * @param flash  flash
 * @param offset byte
 * @param mask   bits, 1..255
 * @retval RNV_OK     flipped
 * @retval RNV_EINVAL beyond the region
 */
int rnv_posix_flash_flip(struct rnv_posix_flash *flash, uint32_t offset, uint32_t mask);

/**
 * State of the unit at an offset.
 *
 * @return enum rnv_posix_flash_unit, or RNV_EINVAL beyond the region
 */
int rnv_posix_flash_unit_state(const struct rnv_posix_flash *flash, uint32_t offset);

/**
 * How many units of a range would fault, or change, when read as memory: bad and unstable ones, and
 * erased ones where `erased_faults` is set.
 *
 * @return count; 0 for a range beyond the region
 */
uint32_t rnv_posix_flash_bad(const struct rnv_posix_flash *flash, uint32_t offset, uint32_t bytes);

/**
 * Times that a sector was erased, torn erases included.
 *
 * @return count; 0 where there is no such sector
 */
uint32_t rnv_posix_flash_wear(const struct rnv_posix_flash *flash, uint32_t sector);

/** Counters. */
void rnv_posix_flash_stats_get(const struct rnv_posix_flash *flash,
			       struct rnv_posix_flash_stats *stats);

#ifdef __cplusplus
}
#endif

#endif /* POSIX_FLASH_H_ */
