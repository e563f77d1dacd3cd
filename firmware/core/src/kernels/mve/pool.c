/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/mve/pool.h"

void rnv_mve_pool_run(const struct rnv_op *op,
		      int32x4_t (*reduce)(const struct rnv_pool_area *area, mve_pred16_t active))
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
			for (int32_t left = w->in_c; left > 0; left -= 4) {
				mve_pred16_t active = vctp32q((uint32_t)left);
				int32x4_t value = reduce(&area, active);

				value = rnv_mve_clamp(value, vdupq_n_s32(p->act_min),
						      vdupq_n_s32(p->act_max));
				vstrbq_p_s32(out, value, active);
				area.first += 4;
				out += (left < 4) ? left : 4;
			}
		}
	}
}
