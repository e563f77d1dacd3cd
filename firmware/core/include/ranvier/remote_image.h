/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_REMOTE_IMAGE_H_
#define RANVIER_REMOTE_IMAGE_H_

/**
 * @file
 * @brief Is there an image that a second core can be started with?
 *
 * Releasing a core into blank or damaged flash can take the whole chip down, so the image is
 * checked first: a header in front of it, written when it was built, and every byte behind that.
 * The header's bytes are in SPEC.md section 7.
 */

#include <stdint.h>

#include "ranvier/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RNV_REMOTE_MAGIC   0x49435652 /**< "RVCI" */
#define RNV_REMOTE_VERSION 1          /**< Of the header. */
/** From the header to the vector table: the alignment that up to 240 interrupts need. */
#define RNV_REMOTE_HEADER  1024

/** In front of the image, 32 bytes; the rest up to RNV_REMOTE_HEADER is not looked at. */
struct rnv_remote_header {
	uint32_t magic;        /**< RNV_REMOTE_MAGIC */
	uint16_t version;      /**< RNV_REMOTE_VERSION */
	uint16_t header_bytes; /**< RNV_REMOTE_HEADER */
	uint32_t image_bytes;  /**< from the vector table on */
	uint32_t image_crc32;  /**< of these */
	uint32_t address;      /**< where the second core sees the vector table */
	uint32_t build;        /**< any number that tells images apart */
	uint32_t reserved;     /**< 0 */
	uint32_t header_crc32; /**< of the 28 bytes before */
};

/** What the second core can execute from and write to, in its own addresses. */
struct rnv_remote_memory {
	uint32_t code;       /**< first byte of the image's place: that of the header */
	uint32_t code_bytes; /**< of the place */
	uint32_t ram;        /**< first byte of its RAM */
	uint32_t ram_bytes;  /**< of the RAM */
	/** Read the place, from its first byte on. MUST NOT fault, as rnv_flash.read. */
	int (*read)(void *context, uint32_t offset, void *to, uint32_t bytes);
	void *context; /**< for `read` */
};

/**
 * Check an image. From a thread: reads all of it, 128 bytes at a time.
 *
 * The vector table is plausible where the initial stack pointer is in the RAM and a multiple of 8,
 * and the reset vector is a Thumb address inside the image.
 *
 * @param memory where to look
 * @param header receives the header, also of an image that is refused; zeros where it cannot be
 *               read; may be NULL
 * @retval RNV_OK      the core may be started at `header->address`
 * @retval RNV_EINVAL  NULL, or a place or RAM that ends above 2^32
 * @retval RNV_ENOENT  no image: another magic, e.g. blank flash
 * @retval RNV_ENOTSUP a header of another version
 * @retval RNV_EBADMSG damaged: a CRC is wrong, or the flash cannot be read
 * @retval RNV_EFORMAT not for this place: address, length or vector table
 * @retval RNV_EIO     the flash does not work
 */
int rnv_remote_image_check(const struct rnv_remote_memory *memory,
			   struct rnv_remote_header *header);

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_REMOTE_IMAGE_H_ */
