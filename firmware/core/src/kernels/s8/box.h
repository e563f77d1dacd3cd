/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_S8_BOX_H_
#define RNV_KERNELS_S8_BOX_H_

/**
 * @file
 * @brief The box that an element-wise op of two tensors of any type computes.
 *
 * It follows `fixed` words of the op's own (strided.h): `rank` sizes of the output, `rank` strides
 * of input 0 and `rank` strides of input 1, with `rank` in 1..RNV_MAX_RANK. The output is dense.
 */

#include <stdint.h>

#include "kernels/kernel.h"

/** A box, taken apart. */
struct rnv_box {
	const int32_t *sizes;
	uint32_t rank;
	uint32_t rows;    /**< rows of the output */
	uint32_t count;   /**< elements of a row */
	uint32_t step[2]; /**< elements from one element of a row to the next, of each input */
};

/**
 * Prove that the box behind `fixed` words fits the operands, all of one type.
 *
 * @return mask of the inputs that the output may replace in place, those read in its order
 * @retval RNV_EFORMAT it does not fit, or the op has other operands or words
 */
int rnv_box_check(const struct rnv_op *op, uint32_t fixed, uint8_t type);

/** Take the box of a checked op apart. */
struct rnv_box rnv_box_open(const struct rnv_op *op, uint32_t fixed);

/** Index of the first element of input 0 or 1 that row `row` reads. */
uint32_t rnv_box_row(const struct rnv_box *box, uint32_t input, uint32_t row);

#endif /* RNV_KERNELS_S8_BOX_H_ */
