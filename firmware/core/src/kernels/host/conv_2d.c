/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief CONV_2D for computers: four output pixels together, their columns widened to 16 bits, so
 * that each weight is loaded once for four sums.
 *
 * Columns that are too long for the block on the stack go the portable way.
 */

#include "kernels/s8/conv_2d.h"

#include <string.h>

#include "kernels/fixed_point.h"
#include "kernels/host/wide.h"

/* Output channels whose sums are formed before they are scaled. */
#define BLOCK 64u

struct conv_2d_run {
	const struct rnv_conv_2d_params *params;
	const int8_t *in;
	int8_t *out;
	int8_t *scratch;
	uint32_t group_depth;
	uint32_t group_out;
	uint32_t depth;
	uint32_t pixel0; /* the pixels to compute */
	uint32_t pixel_end;
	struct rnv_channels channels;
};

/* Copy `taps` neighbours in a row of pixels from column `x` on, `depth` channels of each. */
static int8_t *copy_taps(const struct rnv_conv_2d_params *p, const int8_t *row, int32_t x,
			 int32_t taps, uint32_t depth, int8_t *column)
{
	int32_t left = rnv_clamp(-x, 0, taps);
	int32_t right = rnv_clamp(p->window.in_w - x, 0, taps);
	uint32_t inside = (uint32_t)(right - left) * depth;

	memset(column, p->in_zp, (uint32_t)left * depth);
	column += (uint32_t)left * depth;
	if (inside != 0u) {
		memcpy(column, row + (x + left) * p->window.in_c, inside);
	}
	memset(column + inside, p->in_zp, (uint32_t)(taps - right) * depth);
	return column + inside + (uint32_t)(taps - right) * depth;
}

/* Copy the window at (y0, x0) of `image`, the first `depth` channels of its pixels. */
static void gather(const struct rnv_conv_2d_params *p, const int8_t *image, int32_t y0, int32_t x0,
		   uint32_t depth, int8_t *column)
{
	const struct rnv_window *w = &p->window;
	/* Whole pixels side by side are one piece of memory. */
	int32_t taps = (p->dilation_w == 1 && p->groups == 1) ? w->filter_w : 1;

	for (int32_t ky = 0; ky < w->filter_h; ky++) {
		int32_t y = y0 + ky * p->dilation_h;

		if (y < 0 || y >= w->in_h) {
			memset(column, p->in_zp, (uint32_t)w->filter_w * depth);
			column += (uint32_t)w->filter_w * depth;
			continue;
		}
		for (int32_t kx = 0; kx < w->filter_w; kx += taps) {
			column = copy_taps(p, image + y * w->in_w * w->in_c,
					   x0 + kx * p->dilation_w, taps, depth, column);
		}
	}
}

/* The inputs of output pixel `pixel` in `group`, one after the other. */
static const int8_t *column_at(const struct conv_2d_run *r, uint32_t pixel, uint32_t group)
{
	const struct rnv_window *w = &r->params->window;
	uint32_t row = pixel / (uint32_t)w->out_w;
	int32_t image = (int32_t)(row / (uint32_t)w->out_h);
	int32_t y = (int32_t)(row % (uint32_t)w->out_h) * w->stride_h - w->pad_top;
	int32_t x = (int32_t)(pixel % (uint32_t)w->out_w) * w->stride_w - w->pad_left;
	const int8_t *in = r->in + image * (w->in_h * w->in_w * w->in_c) + group * r->group_depth;

	if (r->scratch == NULL) {
		return in + (y * w->in_w + x) * w->in_c;
	}
	gather(r->params, in, y, x, r->group_depth, r->scratch);
	return r->scratch;
}

/* Sums of `count` channels from `first` on for every column. */
static void sum_block(const struct conv_2d_run *r, const int16_t *columns, uint32_t first,
		      uint32_t count, uint32_t acc[RNV_WIDE_COLUMNS][BLOCK])
{
	uint32_t padded = rnv_wide_depth(r->depth);
	const int8_t *w = r->channels.weights + first * r->depth;
	const int8_t *end = r->channels.weights + (uint32_t)r->params->requant.out_c * r->depth;
	int8_t last[RNV_WIDE_INPUTS / RNV_WIDE_COLUMNS];
	int32_t sums[RNV_WIDE_COLUMNS];

	for (uint32_t i = 0; i < count; i++) {
		uint32_t bias = (uint32_t)r->channels.bias[first + i];
		const int8_t *readable = w;

		if ((uint32_t)(end - w) < padded) { /* what follows the last weights is not ours */
			memset(last, 0, padded);
			memcpy(last, w, r->depth);
			readable = last;
		}
		rnv_wide_dot_columns(columns, readable, padded, sums);
		for (uint32_t column = 0; column < RNV_WIDE_COLUMNS; column++) {
			acc[column][i] = bias + (uint32_t)sums[column];
		}
		w += r->depth;
	}
}

/* All outputs of a group for the pixels from `pixel` on, `pixels` of them. */
static void run_columns(const struct conv_2d_run *r, const int16_t *columns, uint32_t pixel,
			uint32_t pixels, uint32_t group)
{
	uint32_t out_c = (uint32_t)r->params->requant.out_c;
	uint32_t end = (group + 1u) * r->group_out;
	uint32_t acc[RNV_WIDE_COLUMNS][BLOCK];

	for (uint32_t first = group * r->group_out; first < end; first += BLOCK) {
		uint32_t count = (end - first < BLOCK) ? end - first : BLOCK;

		sum_block(r, columns, first, count, acc);
		for (uint32_t i = 0; i < pixels; i++) {
			rnv_channels_outputs(&r->channels, first, count, acc[i],
					     r->out + (pixel + i) * out_c + first);
		}
	}
}

static void run_group(const struct conv_2d_run *r, uint32_t group)
{
	uint32_t padded = rnv_wide_depth(r->depth);
	int16_t columns[RNV_WIDE_INPUTS];

	for (uint32_t pixel = r->pixel0; pixel < r->pixel_end; pixel += RNV_WIDE_COLUMNS) {
		uint32_t left = r->pixel_end - pixel;
		uint32_t count = (left < RNV_WIDE_COLUMNS) ? left : RNV_WIDE_COLUMNS;

		for (uint32_t i = 0; i < RNV_WIDE_COLUMNS; i++) {
			/* Any pixel stands in for one that is missing. */
			uint32_t at = pixel + ((i < count) ? i : 0u);

			rnv_widen(column_at(r, at, group), r->depth, columns + i * padded);
		}
		run_columns(r, columns, pixel, count, group);
	}
}

/* Columns of any length, one by one. */
static void run_long(const struct conv_2d_run *r, uint32_t group)
{
	uint32_t first = group * r->group_out;
	uint32_t out_c = (uint32_t)r->params->requant.out_c;
	int8_t *out = r->out + r->pixel0 * out_c + first;

	for (uint32_t pixel = r->pixel0; pixel < r->pixel_end; pixel++) {
		rnv_channels_dot(&r->channels, first, r->group_out, column_at(r, pixel, group),
				 r->depth, out);
		out += out_c;
	}
}

static void run(const struct rnv_op *op)
{
	const struct rnv_conv_2d_params *p = (const void *)rnv_op_params(op);
	const struct rnv_window *w = &p->window;
	struct conv_2d_run r = {
		.params = p,
		.in = rnv_op_in(op, 0),
		.out = rnv_op_out(op, 0),
		.scratch = rnv_conv_2d_is_direct(p) ? NULL : rnv_op_scratch(op),
		.group_depth = (uint32_t)(w->in_c / p->groups),
		.group_out = (uint32_t)(p->requant.out_c / p->groups),
	};

	r.depth = (uint32_t)(w->filter_h * w->filter_w) * r.group_depth;
	r.pixel0 = op->row0 * (uint32_t)w->out_w;
	r.pixel_end = r.pixel0 + (uint32_t)(rnv_window_rows(op, w) * w->out_w);
	rnv_channels_open(&r.channels, op, &p->requant);
	for (uint32_t group = 0; group < (uint32_t)p->groups; group++) {
		if (r.depth > RNV_WIDE_INPUTS / RNV_WIDE_COLUMNS) {
			run_long(&r, group);
		} else {
			run_group(&r, group);
		}
	}
}

const struct rnv_kernel rnv_conv_2d_s8 = {
	.check = rnv_conv_2d_check,
	.run = run,
	.reach = rnv_conv_2d_reach,
};
