/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_PATCH_H_
#define RANVIER_PATCH_H_

/**
 * @file
 * @brief The decoder of compressed packages and of packages told by their difference to another.
 *
 * The stream is that of SPEC.md 4.6. It is taken, and what it stands for is given, in pieces of any
 * size. The decoder keeps no window: it reads back what it has given, and the base, through
 * `struct rnv_patch_source`.
 *
 * A stream is not trusted: whatever it holds, nothing outside of what was given and of the base is
 * read, nothing outside of the caller's buffer is written, and every call ends. That a stream
 * decodes says nothing of the package: that is verified as any other one.
 *
 * No function is safe for several threads at a time on one decoder.
 */

#include <stdint.h>

#include "ranvier/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RNV_PATCH_MAGIC        0x50564E52 /**< First word of a stream: the bytes "RNVP". */
#define RNV_PATCH_FORMAT       1          /**< Format that this decoder takes. */
#define RNV_PATCH_HEADER_BYTES 20         /**< Fixed header of a stream. */

/** Where a decoder reads, and what it expects. Copied. Functions return RNV_OK or a code. */
struct rnv_patch_source {
	/**
	 * Read bytes of the package that earlier calls of rnv_patch_decode() gave.
	 *
	 * @retval RNV_OK read
	 * @retval others ends the decoding with that code
	 */
	int (*output)(void *context, uint32_t offset, void *to, uint32_t bytes);
	/** Read bytes of the base, likewise. May be NULL where `base_bytes` is 0. */
	int (*base)(void *context, uint32_t offset, void *to, uint32_t bytes);
	void *context;       /**< first argument of both */
	uint32_t bytes;      /**< of the package that is expected */
	uint32_t base_bytes; /**< of the base; 0: none */
	uint32_t base_crc32; /**< CRC-32 in its trailer; 0 without one */
};

/** A decoder; all members are private. Caller's memory. */
struct rnv_patch {
	uint8_t held;                   /**< @private bytes in `cache` */
	uint8_t state;                  /**< @private what comes next */
	uint8_t kind;                   /**< @private of the run */
	uint8_t bits;                   /**< @private of the number that is being decoded */
	uint8_t changed;                /**< @private the last byte differed from the base's */
	struct rnv_patch_source source; /**< @private */
	uint32_t done;                  /**< @private bytes of the package given */
	uint32_t range;                 /**< @private of the range decoder */
	uint32_t code;                  /**< @private of the range decoder */
	uint32_t node;                  /**< @private in the tree that is being walked */
	uint32_t value;                 /**< @private number that was decoded */
	uint32_t left;                  /**< @private bytes of the run */
	uint32_t distance;              /**< @private of the last match */
	uint32_t shift;                 /**< @private base's position less the package's */
	uint32_t cached;                /**< @private base's position of `cache` */
	int32_t status;                 /**< @private */
	uint8_t cache[32];              /**< @private header, then bytes of the base */
	uint16_t chances[976];          /**< @private probabilities of a 0, of 2048 */
};

/**
 * Begin a stream.
 *
 * @param patch  to fill
 * @param source copied
 */
void rnv_patch_init(struct rnv_patch *patch, const struct rnv_patch_source *source);

/**
 * Take a piece of the stream, and give what it stands for. Suspends anywhere, for want of input or
 * of room.
 *
 * @param patch    decoder
 * @param in       the stream's next bytes
 * @param in_bytes how many; 0: go on with what was taken
 * @param used     receives how many of them were taken
 * @param out      receives the package's next bytes; `source.output` has to have them by the next
 *                 call
 * @param room     of `out`, in bytes
 * @param given    receives how many they are
 * @retval RNV_OK      all was taken (`*used` is `in_bytes`), or there is no more room (`*given` is
 *                     `room`)
 * @retval 1           the package is complete; likewise in every further call without input
 * @retval RNV_EFORMAT not such a stream, damaged, of a package of another length, or there is input
 *                     after its end; likewise in every further call
 * @retval RNV_ESTALE  made for another base
 * @retval others      of `source`
 */
int rnv_patch_decode(struct rnv_patch *patch, const void *in, uint32_t in_bytes, uint32_t *used,
		     void *out, uint32_t room, uint32_t *given);

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_PATCH_H_ */
