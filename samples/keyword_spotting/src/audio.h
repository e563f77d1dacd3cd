/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef AUDIO_H_
#define AUDIO_H_

/**
 * @file
 * @brief Where the sound comes from: a clip that is linked in (audio_clip.c), a WAV file
 * (audio_wav.c) or a microphone (audio_dmic.c); the build chooses.
 */

#include <stdint.h>

/** Samples a second, int16, one channel. */
#define AUDIO_RATE 16000

/**
 * Begin.
 *
 * @param source what the build takes: a file's name, else ignored
 * @return 0, or a negative number; what failed was printed
 */
int audio_start(const char *source);

/**
 * The next samples, once they were heard: files are as slow as a microphone (audio_pace.c).
 *
 * @param samples    filled
 * @param count      how many
 * @param arrival_us receives since when they are all there, as rnv_now_us()
 * @return `count`; less at the end; negative: an error, which was printed
 */
int audio_read(int16_t *samples, int count, uint64_t *arrival_us);

/**
 * For sources that have the sound already: wait until `count` samples more would have been heard.
 *
 * @return when that is, as rnv_now_us()
 */
uint64_t audio_pace(int count);

#endif /* AUDIO_H_ */
