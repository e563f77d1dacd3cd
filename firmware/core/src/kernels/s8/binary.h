/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_S8_BINARY_H_
#define RNV_KERNELS_S8_BINARY_H_

/**
 * @file
 * @brief What the element-wise ops of two int8 tensors share: geometry and the loop over rows.
 *
 * The op's parameters are `fixed` words of its own and then the box that it computes (strided.h):
 * `rank` sizes of the output, `rank` strides of input 0 and `rank` strides of input 1, with
 * `rank` in 1..RNV_MAX_RANK. The output is dense.
 */

#include <stdint.h>

#include "kernels/kernel.h"

/** One row: `count` output elements from inputs with the given steps between elements. */
struct rnv_binary_row {
	const int8_t *x;
	const int8_t *y;
	int8_t *out;
	uint32_t x_step;
	uint32_t y_step;
	uint32_t count;
};

/**
 * Prove that the box fits the operands.
 *
 * @param op    op under check
 * @param fixed parameter words before the box
 * @return mask of the inputs that the output may replace in place: those read in the output's order
 * @retval RNV_EFORMAT it does not fit
 */
int rnv_binary_check(const struct rnv_op *op, uint32_t fixed);

/** Call `run_row` for every row of the output, in order. */
void rnv_binary_run(const struct rnv_op *op, uint32_t fixed,
		    void (*run_row)(const int32_t *params, const struct rnv_binary_row *row));

#endif /* RNV_KERNELS_S8_BINARY_H_ */
