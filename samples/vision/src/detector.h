/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef DETECTOR_H_
#define DETECTOR_H_

/**
 * @file
 * @brief Objects on frames, as jobs of the best-effort lane: one frame at a time. Of one thread.
 */

#include <stdint.h>

#include "app.h"
#include "latency.h"

/**
 * Open the model.
 *
 * @return RNV_OK, or what failed, which was printed
 */
int detector_open(void);

/**
 * Begin a frame, if none is under way.
 *
 * @param frame RANVIER_SHAPES_INPUT_0_BYTES, unchanged until the frame is done
 * @return RNV_OK: begun; RNV_EBUSY: another one is under way; else what failed, which was printed
 */
int detector_begin(const uint8_t *frame);

/**
 * End the frame that is under way, and print what is on it.
 *
 * @param wait    1: wait until it is done; 0: only if it is
 * @param latency counts it
 * @return 1: done; 0: none is under way, or it is not done; negative: it failed, which was printed
 */
int detector_end(int wait, struct latency *latency);

#endif /* DETECTOR_H_ */
