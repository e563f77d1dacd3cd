/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * libFuzzer target: serial frames. The input is fed as it is to a receiver with little room, whose
 * messages and text have to be where they may be, and is sent as a message, which has to arrive as
 * it was; what of a message arrives must be the same in whatever text it lies.
 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mgmt/frame.h"

#define MOST 4096u

static void demand(int right)
{
	if (!right) {
		abort();
	}
}

/* Feed bytes; returns how many messages came, the last one in `last`, which has `MOST` bytes. */
static uint32_t feed(struct rnv_frame *frame, const uint8_t *data, size_t size, uint8_t *last,
		     uint32_t *length)
{
	uint32_t count = 0;

	for (size_t i = 0; i < size; i++) {
		const uint8_t *found = NULL;
		uint32_t bytes = 0;
		uint32_t event = rnv_frame_byte(frame, data[i], &found, &bytes);

		if (event == RNV_FRAME_MESSAGE) {
			demand(bytes + 4u <= frame->room && found == frame->message + 2);
			memcpy(last, found, bytes);
			*length = bytes;
			count++;
		} else if (event == RNV_FRAME_TEXT) {
			demand(bytes != 0u && bytes <= sizeof(frame->line));
			demand(memchr(found, '\n', bytes) == NULL);
		} else {
			demand(event == RNV_FRAME_MORE);
		}
	}
	return count;
}

static void send_and_receive(const uint8_t *message, uint32_t bytes, const uint8_t *text,
			     uint32_t text_bytes)
{
	struct rnv_frame frame = {.message = malloc(bytes + 4u), .room = bytes + 4u};
	uint8_t line[RNV_FRAME_LINE_BYTES];
	uint8_t got[MOST];
	uint32_t length = 0;
	uint32_t count = 0;
	uint32_t at = 0;
	uint32_t used;

	(void)feed(&frame, text, text_bytes, got, &length);
	count = feed(&frame, (const uint8_t *)"\n", 1, got, &length);
	count = 0;
	while ((used = rnv_frame_line(message, bytes, &at, line)) != 0u) {
		demand(used <= sizeof(line) && line[used - 1u] == '\n');
		count += feed(&frame, line, used, got, &length);
	}
	demand(count == 1u && length == bytes && memcmp(got, message, bytes) == 0);
	free(frame.message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rnv_frame frame = {.room = 300};
	uint8_t last[MOST];
	uint32_t length = 0;

	if (size == 0u || size > MOST) {
		return 0;
	}
	frame.message = malloc(frame.room);
	(void)feed(&frame, data, size, last, &length);
	free(frame.message);
	send_and_receive(data, (uint32_t)size, NULL, 0);
	send_and_receive(data, (uint32_t)(size / 2u), data + size / 2u,
			 (uint32_t)(size - size / 2u));
	return 0;
}
