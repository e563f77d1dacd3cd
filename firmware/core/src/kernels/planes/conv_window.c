/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/planes/conv_window.h"

#define SIZES       10 /* in_h .. stride_w */
#define SIZE_MAX_15 32767

bool rnv_conv_window_ok(const struct rnv_conv_window *w)
{
	return rnv_words_within(&w->in_h, SIZES, 1, SIZE_MAX_15) &&
	       rnv_words_within(&w->pad_top, 2, 0, SIZE_MAX_15) &&
	       rnv_words_within(&w->in_zp, 1, INT8_MIN, INT8_MAX);
}

bool rnv_conv_window_in_place(const struct rnv_conv_window *w, const struct rnv_view *out,
			      int32_t in_row, int32_t unread)
{
	int32_t span = (w->out_c - 1) * out->channel + w->out_w;
	int32_t last;

	if (out->ring != w->out_h || unread < 0) {
		return false;
	}
	if (unread >= w->in_h) {
		return true;
	}
	/* Both sides grow linearly with the row, so the first and the last row decide. */
	last = rnv_conv_min((w->in_h - 1 - unread) / w->stride_h, w->out_h - 1);
	return span <= unread * in_row &&
	       last * out->row + span <= (unread + last * w->stride_h) * in_row;
}

void rnv_conv_window_reach(const struct rnv_conv_window *w, struct rnv_reach *reach)
{
	reach->in_rows = (uint32_t)w->in_h;
	reach->out_rows = (uint32_t)w->out_h;
	reach->stride = (uint16_t)w->stride_h;
	reach->before = (uint16_t)w->pad_top;
	reach->extent = (uint16_t)w->filter_h;
}
