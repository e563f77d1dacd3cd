/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_F32_POOL_H_
#define RNV_KERNELS_F32_POOL_H_

/**
 * @file
 * @brief What pooling ops of float32 share: the windows, clipped to the input.
 *
 * Parameters are those of the int8 ops (`struct rnv_pool_params`); the range is binary32 bits.
 */

#include <stdint.h>

#include "kernels/s8/pool.h"

/** The part of a window that lies inside the input; never empty. */
struct rnv_f32_area {
	const float *first; /**< its upper left value */
	int32_t rows;
	int32_t cols;
	int32_t row_step; /**< values from one row to the next */
	int32_t col_step; /**< values from one column to the next */
};

/** check() of pooling ops. */
int rnv_f32_pool_check(const struct rnv_op *op);

/** run() of pooling ops: every output is `reduce()` of its area, clamped. */
void rnv_f32_pool_run(const struct rnv_op *op, float (*reduce)(const struct rnv_f32_area *area));

#endif /* RNV_KERNELS_F32_POOL_H_ */
