/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef CAMERA_H_
#define CAMERA_H_

/**
 * @file
 * @brief Where frames come from: files (camera_file.c), frames that are linked in
 * (camera_frames.c), or a camera (camera_video.c); the build chooses.
 */

#include <stdint.h>

/** Bytes of a frame: as the stage `image` of shapes.toml takes it. */
#define CAMERA_FRAME_BYTES RANVIER_SHAPES_INPUT_0_BYTES

/**
 * Begin.
 *
 * @param source what the build takes: a file's name, else ignored
 * @return 0, or a negative number; what failed was printed
 */
int camera_start(const char *source);

/**
 * The next frame, which stays as it is until the next call. A camera's caller waits for it.
 *
 * @param frame receives its address
 * @return 1: a frame; 0: there is none any more; negative: an error, which was printed
 */
int camera_frame(const uint8_t **frame);

#endif /* CAMERA_H_ */
