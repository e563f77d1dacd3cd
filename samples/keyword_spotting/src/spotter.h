/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef SPOTTER_H_
#define SPOTTER_H_

/**
 * @file
 * @brief Keyword spotting as jobs: `push` takes a hop of sound, `infer` says what was heard.
 *
 * Both have deadlines and run in the realtime lane. Of one thread.
 */

#include <stdint.h>

#include "app.h"
#include "latency.h"

/** How a stream went. */
struct spotter_result {
	struct latency push;
	struct latency infer;
	uint32_t events; /**< keywords heard */
};

/**
 * Open the model.
 *
 * @return RNV_OK, or what failed, which was printed
 */
int spotter_open(void);

/**
 * Listen to the end of the sound; each keyword is printed. No job is under way afterwards.
 *
 * @param meanwhile called before every hop, NULL: nothing; what is not RNV_OK ends the listening
 * @param result    filled, also after a failure
 * @return RNV_OK; what `meanwhile` returned; or what failed, which was printed
 */
int spotter_listen(int (*meanwhile)(void), struct spotter_result *result);

#endif /* SPOTTER_H_ */
