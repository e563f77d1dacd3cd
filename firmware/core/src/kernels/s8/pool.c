/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/fixed_point.h"
#include "kernels/s8/plain.h"
#include "kernels/s8/pool.h"

#define PARAMS (sizeof(struct rnv_pool_params) / sizeof(int32_t))

int rnv_pool_check(const struct rnv_op *op)
{
	const struct rnv_pool_params *p = (const void *)rnv_op_params(op);
	const struct rnv_window *w = &p->window;

	if (!rnv_op_plain(op, 1, PARAMS, 0) || !rnv_window_ok(op, w, w->in_c) ||
	    !rnv_words_within(&p->act_min, 2, INT8_MIN, INT8_MAX) || p->act_min > p->act_max ||
	    w->in_h * w->in_w > RNV_POOL_AREA_MAX || !rnv_pool_overlaps(w)) {
		return RNV_EFORMAT;
	}
	return 0;
}

void rnv_pool_reach(const struct rnv_op *op, struct rnv_reach *reach)
{
	const struct rnv_pool_params *p = (const void *)rnv_op_params(op);

	rnv_window_reach(op, &p->window, 1, reach);
}

void rnv_pool_run(const struct rnv_op *op, int32_t (*reduce)(const struct rnv_pool_area *area))
{
	const struct rnv_pool_params *p = (const void *)rnv_op_params(op);
	const struct rnv_window *w = &p->window;
	const int8_t *image = rnv_op_in(op, 0);
	int8_t *out = rnv_window_out(op, w, w->in_c);
	int32_t end = (int32_t)op->row0 + rnv_window_rows(op, w);
	struct rnv_pool_area area = {.row_step = w->in_w * w->in_c, .col_step = w->in_c};

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
				*out++ = (int8_t)rnv_clamp(reduce(&area), p->act_min, p->act_max);
				area.first++;
			}
		}
	}
}
