/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_ZEPHYR_PARK_H_
#define RANVIER_ZEPHYR_PARK_H_

/**
 * @file
 * @brief Hold the second core still while the flash that it executes from is written; with
 * CONFIG_RANVIER_PARK.
 *
 * A client answers as long as it is served: while the second core runs and
 * rnv_runtime_service_start() has not been called, or rnv_runtime_service_stop() has, each park is
 * late, and nothing is written.
 *
 * The model store does so by itself. Other writers of that bank put rnv_runtime_park_begin() and
 * rnv_runtime_park_end() around each erase or program call, and nothing else: the scheduler is
 * locked in between.
 */

#include <ranvier/park.h>

#ifdef __cplusplus
extern "C" {
#endif

/** rnv_park_begin(); waits for other parks. From a thread. */
int rnv_runtime_park_begin(void);

/** rnv_park_end(). From the thread that began. */
int rnv_runtime_park_end(void);

/** How many parks there were; wrap at 2^32. */
struct rnv_runtime_parks {
	uint32_t parks; /**< answered */
	uint32_t late;  /**< not answered in time: nothing was written */
	uint32_t left;  /**< that the client left before the end */
};

/** Read the counters. From a thread. */
void rnv_runtime_parks_get(struct rnv_runtime_parks *parks);

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_ZEPHYR_PARK_H_ */
