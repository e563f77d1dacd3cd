/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "ranvier_shapes.h"

#include "camera.h"

#include "frames.h"

#define FRAMES (sizeof(frames) / sizeof(frames[0]))

_Static_assert(sizeof(frames[0]) == CAMERA_FRAME_BYTES, "frames of another size than the model's");

static uint32_t next;

int camera_start(const char *source)
{
	(void)source;
	next = 0;
	return 0;
}

int camera_frame(const uint8_t **frame)
{
	if (next == FRAMES) {
		return 0;
	}
	*frame = frames[next++];
	return 1;
}
