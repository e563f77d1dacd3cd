/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief AVERAGE_POOL_2D: the mean of the part of each window that lies inside the input.
 *
 * Adjacent values are summed a word at a time where the instruction set can. Images of one channel
 * with one window are how planes are pooled: each image is one run of values.
 */

#include "kernels/dsp/sum.h"
#include "kernels/fixed_point.h"
#include "kernels/s8/pool.h"

/* `sum / count` rounded to nearest, ties away from zero. */
static int32_t rounded(int32_t sum, int32_t count)
{
	return (sum + ((sum > 0) ? count / 2 : -(count / 2))) / count;
}

static int32_t mean(const struct rnv_pool_area *area)
{
	int32_t sum = 0;

	for (int32_t y = 0; y < area->rows; y++) {
		const int8_t *in = area->first + y * area->row_step;

		if (area->col_step == 1) {
			sum += RNV_DSP_PICK(rnv_sum)(in, (uint32_t)area->cols);
			continue;
		}
		for (int32_t x = 0; x < area->cols; x++) {
			sum += *in;
			in += area->col_step;
		}
	}
	return rounded(sum, area->rows * area->cols);
}

/* True where every image is one channel and lies in its only window. */
static bool is_whole(const struct rnv_window *w)
{
	return w->in_c == 1 && w->out_h == 1 && w->out_w == 1 &&
	       w->filter_h - w->pad_top >= w->in_h && w->filter_w - w->pad_left >= w->in_w;
}

static void run(const struct rnv_op *op)
{
	const struct rnv_pool_params *p = (const void *)rnv_op_params(op);
	const struct rnv_window *w = &p->window;
	const int8_t *in = rnv_op_in(op, 0);
	int8_t *out = rnv_op_out(op, 0);
	const int8_t *end = out + w->batch;
	int32_t count = w->in_h * w->in_w;

	if (!is_whole(w)) {
		rnv_pool_run(op, mean);
		return;
	}
	while (out != end) {
		int32_t sum = RNV_DSP_PICK(rnv_sum)(in, (uint32_t)count);

		*out++ = (int8_t)rnv_clamp(rounded(sum, count), p->act_min, p->act_max);
		in += count;
	}
}

const struct rnv_kernel rnv_average_pool_2d_s8 = {
	.check = rnv_pool_check,
	.run = run,
	.reach = rnv_pool_reach,
};
