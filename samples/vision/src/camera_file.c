/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* A file of raw frames, one after the other, in the format of the model's stage `image`. */

#include "ranvier_shapes.h"

#include "camera.h"

#include <stdio.h>

static FILE *file;

int camera_start(const char *source)
{
	if (source == NULL) {
		printf("name a file of frames, made by\n"
		       "ranvier frames PICTURE.png ... --format rgb565 -o FILE\n");
		return -1;
	}
	file = fopen(source, "rb");
	if (file == NULL) {
		perror(source);
		return -1;
	}
	return 0;
}

int camera_frame(const uint8_t **frame)
{
	static uint8_t buffer[CAMERA_FRAME_BYTES];
	static int frames;
	size_t bytes = fread(buffer, 1, sizeof(buffer), file);

	*frame = buffer;
	if (bytes == 0U && frames != 0) {
		return 0;
	}
	if (bytes != sizeof(buffer)) {
		printf("frame %d has %u of %u bytes: not whole frames of 160x120 pixels, rgb565\n",
		       frames + 1, (unsigned int)bytes, (unsigned int)sizeof(buffer));
		return -1;
	}
	frames++;
	return 1;
}
