/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_S8_STRIDED_H_
#define RNV_KERNELS_S8_STRIDED_H_

/**
 * @file
 * @brief Boxes of elements in memory: `rank` sizes, outermost first, and a stride for each.
 *
 * Element (i0, i1, ...) of a box lies at `first + i0 * strides[0] + i1 * strides[1] + ...`. A row
 * is all elements of the last dimension. Strides of 0 repeat elements (broadcasting).
 */

#include <stdbool.h>
#include <stdint.h>

/**
 * Index behind the last element of a box, which no index of the box reaches.
 *
 * @param sizes   `rank` positive words
 * @param strides `rank` words that are not negative
 * @param rank    number of dimensions
 * @param first   index of the first element, not negative
 * @return the index, or 0 where it exceeds 2^31 - 1
 */
uint32_t rnv_strided_end(const int32_t *sizes, const int32_t *strides, uint32_t rank,
			 int32_t first);

/** True where the box is dense: the elements follow one another without gap or repetition. */
bool rnv_strided_dense(const int32_t *sizes, const int32_t *strides, uint32_t rank);

/** Index of the first element of row `row` of a box whose first element has the index 0. */
uint32_t rnv_strided_row(const int32_t *sizes, const int32_t *strides, uint32_t rank, uint32_t row);

#endif /* RNV_KERNELS_S8_STRIDED_H_ */
