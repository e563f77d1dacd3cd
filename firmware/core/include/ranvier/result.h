/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_RESULT_H_
#define RANVIER_RESULT_H_

/**
 * @file
 * @brief What post-processing puts out: a list of at most so many entries.
 *
 * A list is two outputs of a package: a count (int32) and the entries (int16, six for each entry),
 * the best first. The count is never more than the entries that the output has; entries from the
 * count on are zero. An application looks at the second output as an array of this struct.
 */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The largest score, which stands for 1. Scores are in steps of 1/32768 (Q15). */
#define RNV_SCORE_MAX 0x7FFF

/** int16 values of an entry. */
#define RNV_DETECTION_WORDS 6

/**
 * One entry: a class that was recognised, and where.
 *
 * The box covers the rows `y0 .. y1 - 1` and columns `x0 .. x1 - 1`, in pixels of the picture for
 * which the package was compiled, and lies inside of it. It is zero where classes have no place.
 */
struct rnv_detection {
	int16_t class_index; /**< number of the class, and of its label */
	int16_t score;       /**< 0 .. RNV_SCORE_MAX (Q15) */
	int16_t y0;          /**< upper edge */
	int16_t x0;          /**< left edge */
	int16_t y1;          /**< lower edge */
	int16_t x1;          /**< right edge */
};

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_RESULT_H_ */
