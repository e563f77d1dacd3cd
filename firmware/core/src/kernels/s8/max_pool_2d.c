/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* MAX_POOL_2D: the highest value of each window. */

#include "kernels/s8/pool.h"

struct max_pool_2d_params {
	int32_t batch;
	int32_t in_h;
	int32_t in_w;
	int32_t in_c;
	int32_t out_h;
	int32_t out_w;
	int32_t filter_h;
	int32_t filter_w;
	int32_t stride_h;
	int32_t stride_w;
	int32_t pad_top;
	int32_t pad_left;
	int32_t act_min;
	int32_t act_max;
};

_Static_assert(sizeof(struct max_pool_2d_params) == sizeof(struct rnv_window) + 8u,
	       "the window's words, act_min and act_max");

static int32_t highest(const struct rnv_pool_area *area)
{
	int32_t max = INT8_MIN;

	for (int32_t y = 0; y < area->rows; y++) {
		const int8_t *in = area->first + y * area->row_step;

		for (int32_t x = 0; x < area->cols; x++) {
			max = (*in > max) ? *in : max;
			in += area->col_step;
		}
	}
	return max;
}

static void run(const struct rnv_op *op)
{
	rnv_pool_run(op, highest);
}

const struct rnv_kernel rnv_max_pool_2d_s8 = {.check = rnv_pool_check, .run = run};
