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
 * The op's parameters are `fixed` words of its own and then the box that it computes (box.h).
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

/** Words of ADD_S8 before the box. */
struct rnv_add_params {
	int32_t zero_point_0;
	int32_t zero_point_1;
	int32_t zero_point_out;
	int32_t act_min;
	int32_t act_max;
	int32_t multiplier_0;
	int32_t multiplier_1;
	int32_t multiplier_out;
	int32_t shift_0;
	int32_t shift_1;
	int32_t shift_out;
};

/** Words of MUL_S8 before the box. */
struct rnv_mul_params {
	int32_t zero_point_0;
	int32_t zero_point_1;
	int32_t zero_point_out;
	int32_t act_min;
	int32_t act_max;
	int32_t multiplier;
	int32_t shift;
};

#define RNV_ADD_WORDS (sizeof(struct rnv_add_params) / sizeof(int32_t))
#define RNV_MUL_WORDS (sizeof(struct rnv_mul_params) / sizeof(int32_t))

/** check() of ADD_S8, and of MUL_S8; all variants of the kernels have the same. */
int rnv_add_check(const struct rnv_op *op);
int rnv_mul_check(const struct rnv_op *op);

/** Call `run_row` for every row of the output, in order. */
void rnv_binary_run(const struct rnv_op *op, uint32_t fixed,
		    void (*run_row)(const int32_t *params, const struct rnv_binary_row *row));

#endif /* RNV_KERNELS_S8_BINARY_H_ */
