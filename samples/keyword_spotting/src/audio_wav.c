/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "audio.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static FILE *file;
static uint32_t left; /* samples */

static uint32_t number(const uint8_t *bytes, int count)
{
	uint32_t value = 0;

	for (int i = count - 1; i >= 0; i--) {
		value = value << 8 | bytes[i];
	}
	return value;
}

static int failed(const char *why)
{
	printf("%s; convert it: sox IN.wav -r 16000 -c 1 -b 16 OUT.wav\n", why);
	return -1;
}

static int truncated(void)
{
	printf("the file is truncated; record or copy it again\n");
	return -1;
}

/* Whether the file has so many bytes more; true where it cannot tell, as a pipe. */
static bool has_bytes(uint32_t bytes)
{
	long here = ftell(file);
	long end;

	if (here < 0 || fseek(file, 0, SEEK_END) != 0) {
		return true;
	}
	end = ftell(file);
	return fseek(file, here, SEEK_SET) == 0 && (int64_t)end - here >= (int64_t)bytes;
}

/* The format chunk, without what may follow its first 16 bytes: plain, mono, 16 kHz, 16 bits. */
static bool is_plain(const uint8_t *format)
{
	return number(format, 2) == 1U && number(format + 2, 2) == 1U &&
	       number(format + 4, 4) == AUDIO_RATE && number(format + 14, 2) == 16U;
}

/* Find the samples: chunk by chunk. */
static int find_samples(void)
{
	uint8_t head[8];
	bool plain = false;

	while (fread(head, sizeof(head), 1, file) == 1U) {
		uint32_t bytes = number(head + 4, 4);
		uint8_t format[16];

		if (memcmp(head, "data", 4) == 0) {
			left = bytes / sizeof(int16_t);
			if (left == 0U) {
				break;
			}
			if (!plain) {
				return failed("not plain samples at 16 kHz, mono, 16 bits");
			}
			return has_bytes(bytes) ? 0 : truncated();
		}
		if (memcmp(head, "fmt ", 4) == 0 && bytes >= sizeof(format)) {
			if (fread(format, sizeof(format), 1, file) != 1U) {
				break;
			}
			plain = is_plain(format);
			bytes -= (uint32_t)sizeof(format);
		}
		if (fseek(file, (long)bytes + (long)(bytes & 1U), SEEK_CUR) != 0) {
			break;
		}
	}
	return failed("no samples in that file");
}

int audio_start(const char *source)
{
	uint8_t head[12];

	file = fopen(source, "rb");
	if (file == NULL) {
		perror(source);
		return -1;
	}
	if (fread(head, sizeof(head), 1, file) != 1U || memcmp(head, "RIFF", 4) != 0 ||
	    memcmp(head + 8, "WAVE", 4) != 0) {
		return failed("no WAV file");
	}
	return find_samples();
}

int audio_read(int16_t *samples, int count, uint64_t *arrival_us)
{
	uint8_t bytes[2];
	int done = 0;

	while (done < count && left != 0U && fread(bytes, sizeof(bytes), 1, file) == 1U) {
		samples[done++] = (int16_t)number(bytes, 2);
		left--;
	}
	if (done < count && left != 0U) {
		return truncated();
	}
	*arrival_us = audio_pace(done);
	return done;
}
