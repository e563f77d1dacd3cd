/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief AVERAGE_POOL_2D: the mean of the part of each window that lies inside the input.
 */

#include "kernels/s8/pool.h"

/* Mean rounded to nearest, ties away from zero. */
static int32_t mean(const struct rnv_pool_area *area)
{
	int32_t count = area->rows * area->cols;
	int32_t sum = 0;

	for (int32_t y = 0; y < area->rows; y++) {
		const int8_t *in = area->first + y * area->row_step;

		for (int32_t x = 0; x < area->cols; x++) {
			sum += *in;
			in += area->col_step;
		}
	}
	return (sum + ((sum > 0) ? count / 2 : -(count / 2))) / count;
}

static void run(const struct rnv_op *op)
{
	rnv_pool_run(op, mean);
}

const struct rnv_kernel rnv_average_pool_2d_s8 = {.check = rnv_pool_check, .run = run};
