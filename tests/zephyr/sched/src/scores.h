/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef TESTS_ZEPHYR_SCHED_SCORES_H_
#define TESTS_ZEPHYR_SCHED_SCORES_H_

/*
 * What tflite-micro computes of the inputs that bench.c generates from seeds 1 to 4;
 * tests/arch/test_zephyr_module.py compares.
 */

#include <stdint.h>

static const int8_t expected_scores[4][10] = {
	{-125, -22, -115, -120, -102, -118, -125, -108, -76, -112},
	{-125, 1, -120, -118, -113, -118, -126, -108, -88, -108},
	{-125, -17, -115, -120, -101, -120, -125, -107, -85, -111},
	{-125, -22, -118, -120, -102, -118, -124, -108, -76, -112},
};

#endif /* TESTS_ZEPHYR_SCHED_SCORES_H_ */
