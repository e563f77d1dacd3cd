/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "audio.h"

#include <string.h>

#include "clip.h"

static int next;

int audio_start(const char *source)
{
	(void)source;
	next = 0;
	return 0;
}

int audio_read(int16_t *samples, int count, uint64_t *arrival_us)
{
	int left = (int)(sizeof(clip) / sizeof(clip[0])) - next;

	if (count > left) {
		count = left;
	}
	memcpy(samples, clip + next, (size_t)count * sizeof(*samples));
	next += count;
	*arrival_us = audio_pace(count);
	return count;
}
