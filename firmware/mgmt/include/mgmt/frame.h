/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef MGMT_FRAME_H_
#define MGMT_FRAME_H_

/**
 * @file
 * @brief SMP messages on a serial line, between a console's text: MCUmgr's serial framing.
 *
 * A message is a u16 length (big-endian, of what follows), the SMP message, and a CRC-16 (XMODEM,
 * big-endian) of that; in pieces of at most 93 bytes, each a line of base64 behind two start bytes:
 * 06 09 for the first one, 04 14 for the others. Everything else on the line is text.
 *
 * For servers that have no MCUmgr. No function is safe for several threads on one struct; any
 * thread.
 */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RNV_FRAME_LINE_BYTES 127 /**< Longest line, with start bytes and line feed. */

/** A receiver. The caller fills the first two members and zeroes the others, which are private. */
struct rnv_frame {
	uint8_t *message;  /**< memory for a message, its length and its CRC */
	uint32_t room;     /**< its size: of the longest message, and 4 */
	uint32_t taken;    /**< @private bytes of the message */
	uint32_t errors;   /**< frames that were dropped: damaged, too long, or out of order */
	uint8_t line[128]; /**< @private */
	uint32_t length;   /**< @private of the line; 129 and more: too long, dropped */
	uint8_t receiving; /**< @private a message has begun */
};

/** What rnv_frame_byte() found. */
enum rnv_frame_event {
	RNV_FRAME_MORE = 0,    /**< nothing yet */
	RNV_FRAME_MESSAGE = 1, /**< a message: `*bytes` at `*data`, until the next call */
	RNV_FRAME_TEXT = 2,    /**< a line of text: `*bytes` at `*data`, without its end */
};

/**
 * Take a byte of the line.
 *
 * @param frame receiver
 * @param byte  received
 * @param data  receives where the message or text is
 * @param bytes receives its length
 * @return enum rnv_frame_event
 */
uint32_t rnv_frame_byte(struct rnv_frame *frame, uint8_t byte, const uint8_t **data,
			uint32_t *bytes);

/**
 * A line of a message that is sent: the first call gives the first one.
 *
 * @param message the SMP message
 * @param bytes   its length, at most 65,533
 * @param at      in: 0 to begin; out: where the next line begins
 * @param line    receives RNV_FRAME_LINE_BYTES bytes at most
 * @return length of the line; 0: all were given
 */
uint32_t rnv_frame_line(const uint8_t *message, uint32_t bytes, uint32_t *at, uint8_t *line);

#ifdef __cplusplus
}
#endif

#endif /* MGMT_FRAME_H_ */
