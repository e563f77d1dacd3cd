/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stdbool.h>
#include <string.h>

#include "mgmt/frame.h"

#define PIECE_BYTES 93u /* of a line, before base64 */
#define EXTRA_BYTES 4u  /* length and CRC */

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static uint16_t crc16(uint16_t crc, const uint8_t *data, uint32_t bytes)
{
	for (; bytes != 0u; bytes--, data++) {
		crc = (uint16_t)(crc ^ (uint16_t)(*data << 8));
		for (uint32_t bit = 0; bit < 8u; bit++) {
			crc = (uint16_t)(((crc & 0x8000u) != 0u) ? (crc << 1) ^ 0x1021 : crc << 1);
		}
	}
	return crc;
}

/* Value of a base64 digit, or 64. */
static uint32_t digit(uint8_t letter)
{
	const char *at = (letter != 0u) ? strchr(alphabet, letter) : NULL;

	return (at != NULL) ? (uint32_t)(at - alphabet) : 64u;
}

/* Append what a line of base64 holds to the message. False: it is none, or there is no room. */
static bool decode(struct rnv_frame *frame, const uint8_t *text, uint32_t length)
{
	if (length == 0u || length % 4u != 0u) {
		return false;
	}
	for (uint32_t i = 0; i < length; i += 4u) {
		bool last = i + 4u == length;
		uint32_t fill = 0;
		uint32_t value = 0;

		while (last && fill < 2u && text[i + 3u - fill] == '=') {
			fill++;
		}
		for (uint32_t k = 0; k < 4u; k++) {
			uint32_t d = (k < 4u - fill) ? digit(text[i + k]) : 0u;

			if (d == 64u) {
				return false;
			}
			value = value << 6 | d;
		}
		for (uint32_t k = 0; k < 3u - fill; k++) {
			if (frame->taken == frame->room) {
				return false;
			}
			frame->message[frame->taken++] = (uint8_t)(value >> (16u - 8u * k));
		}
	}
	return true;
}

/* A line with start bytes is complete. */
static uint32_t end_line(struct rnv_frame *frame, const uint8_t **data, uint32_t *bytes)
{
	bool first = frame->line[0] == 0x06u;
	uint32_t need;

	if (first) {
		frame->errors += frame->receiving; /* the one before has no end */
		frame->taken = 0;
		frame->receiving = 1;
	}
	if (frame->receiving == 0u || !decode(frame, frame->line + 2, frame->length - 2u) ||
	    frame->taken < EXTRA_BYTES) {
		frame->receiving = 0;
		frame->errors++;
		return RNV_FRAME_MORE;
	}
	need = 2u + ((uint32_t)frame->message[0] << 8 | frame->message[1]);
	if (frame->taken < need && need <= frame->room) {
		return RNV_FRAME_MORE;
	}
	frame->receiving = 0;
	if (frame->taken != need || need < EXTRA_BYTES ||
	    crc16(0, frame->message + 2, need - 2u) != 0u) {
		frame->errors++;
		return RNV_FRAME_MORE;
	}
	*data = frame->message + 2;
	*bytes = need - EXTRA_BYTES;
	return RNV_FRAME_MESSAGE;
}

uint32_t rnv_frame_byte(struct rnv_frame *frame, uint8_t byte, const uint8_t **data,
			uint32_t *bytes)
{
	uint32_t event = RNV_FRAME_MORE;

	if (byte != '\n' && byte != '\r') {
		/* A start in the middle of a line: what was before had no end. */
		if (byte == 0x06u || byte == 0x04u) {
			frame->length = 0;
		}
		if (frame->length < sizeof(frame->line)) {
			frame->line[frame->length] = byte;
		}
		frame->length += (frame->length <= sizeof(frame->line)) ? 1u : 0u;
		return RNV_FRAME_MORE;
	}
	if (frame->length > sizeof(frame->line)) {
		frame->errors++;
	} else if (frame->length >= 2u && ((frame->line[0] == 0x06u && frame->line[1] == 0x09u) ||
					   (frame->line[0] == 0x04u && frame->line[1] == 0x14u))) {
		event = end_line(frame, data, bytes);
	} else if (frame->length != 0u) {
		*data = frame->line;
		*bytes = frame->length;
		event = RNV_FRAME_TEXT;
	}
	frame->length = 0;
	return event;
}

/* Byte `at` of length, message and CRC. */
static uint8_t body_byte(const uint8_t *message, uint32_t bytes, uint16_t crc, uint32_t at)
{
	if (at < 2u) {
		return (uint8_t)((bytes + 2u) >> (8u - 8u * at));
	}
	at -= 2u;
	return (uint8_t)((at < bytes) ? message[at] : crc >> (8u - 8u * (at - bytes)));
}

uint32_t rnv_frame_line(const uint8_t *message, uint32_t bytes, uint32_t *at, uint8_t *line)
{
	uint32_t end = bytes + EXTRA_BYTES;
	uint16_t crc = 0;
	uint32_t length = 2;

	if (*at >= end) {
		return 0;
	}
	line[0] = (*at == 0u) ? 0x06 : 0x04;
	line[1] = (*at == 0u) ? 0x09 : 0x14;
	if (end - *at > PIECE_BYTES) {
		end = *at + PIECE_BYTES;
	}
	if (end > bytes + 2u) { /* the CRC, or its first byte, is in this piece */
		crc = crc16(0, message, bytes);
	}
	while (*at < end) {
		uint32_t count = (end - *at < 3u) ? end - *at : 3u;
		uint32_t value = 0;

		for (uint32_t k = 0; k < 3u; k++) {
			value = value << 8 |
				((k < count) ? body_byte(message, bytes, crc, *at + k) : 0u);
		}
		for (uint32_t k = 0; k < 4u; k++) {
			line[length++] = (k <= count)
						 ? (uint8_t)alphabet[value >> (18u - 6u * k) & 63u]
						 : '=';
		}
		*at += count;
	}
	line[length++] = '\n';
	return length;
}
