/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* AVERAGE_POOL_2D: the mean of the part of each window that lies inside the input. */

#include "kernels/s8/pool.h"

struct average_pool_2d_params {
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

_Static_assert(sizeof(struct average_pool_2d_params) == sizeof(struct rnv_window) + 8u,
	       "the window's words, act_min and act_max");

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
