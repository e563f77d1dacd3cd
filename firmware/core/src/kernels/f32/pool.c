/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/f32/f32.h"
#include "kernels/f32/pool.h"
#include "kernels/s8/plain.h"

#define PARAMS (sizeof(struct rnv_pool_params) / sizeof(int32_t))

int rnv_f32_pool_check(const struct rnv_op *op)
{
	const struct rnv_pool_params *p = (const void *)rnv_op_params(op);
	const struct rnv_f32_range range = {.act_min = p->act_min, .act_max = p->act_max};

	if (!rnv_op_plain(op, 1, PARAMS, 0) || !rnv_f32_window_ok(op, &p->window, p->window.in_c) ||
	    !rnv_f32_range_ok(&range) || !rnv_pool_overlaps(&p->window)) {
		return RNV_EFORMAT;
	}
	return 0;
}

void rnv_f32_pool_run(const struct rnv_op *op, float (*reduce)(const struct rnv_f32_area *area))
{
	const struct rnv_pool_params *p = (const void *)rnv_op_params(op);
	const struct rnv_window *w = &p->window;
	const float low = rnv_f32(p->act_min);
	const float high = rnv_f32(p->act_max);
	const float *image = rnv_op_in(op, 0);
	float *out = rnv_op_out(op, 0);
	int32_t end = (int32_t)op->row0 + rnv_window_rows(op, w);
	struct rnv_f32_area area = {.row_step = w->in_w * w->in_c, .col_step = w->in_c};

	out += (int32_t)op->row0 * w->out_w * w->in_c;
	for (int32_t row = (int32_t)op->row0; row < end; row++) {
		int32_t y = (row % w->out_h) * w->stride_h - w->pad_top;

		if (row != 0 && row % w->out_h == 0) {
			image += w->in_h * area.row_step;
		}
		area.rows = rnv_pool_clip(&y, w->filter_h, w->in_h);
		for (int32_t ox = 0; ox < w->out_w; ox++) {
			int32_t x = ox * w->stride_w - w->pad_left;

			area.cols = rnv_pool_clip(&x, w->filter_w, w->in_w);
			area.first = image + y * area.row_step + x * area.col_step;
			for (int32_t channel = 0; channel < w->in_c; channel++) {
				*out++ = rnv_f32_clamp(reduce(&area), low, high);
				area.first++;
			}
		}
	}
}
