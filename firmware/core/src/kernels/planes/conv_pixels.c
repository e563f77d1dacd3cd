/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/planes/conv_pixels.h"

#include "kernels/planes/conv_tiles.h"
#include "kernels/planes/pieces.h"

#define PARAMS (sizeof(struct rnv_conv_pixels_params) / sizeof(int32_t))

/* The window as one walks along an output row, and the row itself. */
struct walk {
	int32_t pixels;
	int32_t filter_along;
	int32_t filter_across;
	int32_t stride_along;
};

static struct walk walk_of(const struct rnv_conv_pixels_params *p)
{
	const struct rnv_conv_window *w = &p->window;

	return (p->transposed != 0)
		       ? (struct walk){w->out_h, w->filter_h, w->filter_w, w->stride_h}
		       : (struct walk){w->out_w, w->filter_w, w->filter_h, w->stride_w};
}

/* Steps of the band. */
static int32_t length_of(const struct walk *walk)
{
	return (walk->pixels - 1) * walk->stride_along + walk->filter_along;
}

bool rnv_conv_pixels_in_place(const struct rnv_conv_pixels_params *p)
{
	const struct rnv_conv_window *w = &p->window;

	return p->transposed == 0 &&
	       rnv_conv_window_in_place(w, &p->out, w->in_w * w->in_c, w->stride_h - w->pad_top);
}

uint64_t rnv_conv_pixels_quads(const struct rnv_conv_pixels_params *p)
{
	const struct rnv_conv_window *w = &p->window;

	return ((uint64_t)(w->filter_h * w->filter_w) * (uint32_t)w->in_c + 3u) / 4u;
}

uint64_t rnv_conv_pixels_band_bytes(const struct rnv_conv_pixels_params *p)
{
	const struct rnv_conv_window *w = &p->window;
	struct walk walk = walk_of(p);
	uint32_t step = (uint32_t)(walk.filter_across * w->in_c);
	uint32_t values = (uint32_t)walk.filter_along * step; /* its two lowest bits */

	return (uint64_t)length_of(&walk) * step + (0u - values) % 4u;
}

int rnv_conv_pixels_check(const struct rnv_op *op, const struct rnv_tile_ops *ops)
{
	const struct rnv_conv_pixels_params *p = (const void *)rnv_op_params(op);
	const struct rnv_conv_window *w = &p->window;
	int32_t rows = (p->transposed != 0) ? w->out_w : w->out_h;
	int32_t columns = (p->transposed != 0) ? w->out_h : w->out_w;
	uint64_t quads;

	if (!rnv_op_has(op, 1, 1, PARAMS) || !rnv_conv_window_ok(w) ||
	    !rnv_words_within(&p->transposed, 1, 0, 1) ||
	    !rnv_words_within(&p->epilogue, 1, 0, RNV_EPILOGUES - 1) ||
	    rnv_op_in_rec(op, 0)->layout != RNV_LAYOUT_DENSE ||
	    !rnv_op_is_int8(op, 0, &w->in_h, 3) ||
	    !rnv_view_ok(&p->out, rnv_op_out_rec(op, 0), w->out_c, rows, columns, 0)) {
		return RNV_EFORMAT;
	}
	quads = rnv_conv_pixels_quads(p);
	if (op->rec->scratch_bytes != quads * ops->quad_bytes + rnv_conv_pixels_band_bytes(p) ||
	    !rnv_conv_stream_ok(op, ops, (uint32_t)quads, w->out_c, p->epilogue)) {
		return RNV_EFORMAT;
	}
	return rnv_conv_pixels_in_place(p) ? 1 : 0;
}

/* The band of output row `row`: all of the image's rows under the filter, side by side. */
static void band_right(const struct rnv_conv_pixels_params *p, const int8_t *image, int32_t row,
		       int32_t length, int8_t *band)
{
	const struct rnv_conv_window *w = &p->window;
	uint32_t pixel = (uint32_t)w->in_c;
	uint32_t step = pixel * (uint32_t)w->filter_h;
	int32_t y = row * w->stride_h - w->pad_top;
	int32_t width = rnv_conv_min(w->in_w, length - w->pad_left);
	uint32_t stride = pixel * (uint32_t)w->in_w;

	if (width <= 0) {
		return;
	}
	band += (uint32_t)w->pad_left * step;
	if (w->filter_h == 3 && pixel == 3u && y >= 0 && y + 3 <= w->in_h) {
		rnv_pieces_rgb(band, image + (uint32_t)y * stride, stride, (uint32_t)width);
		return;
	}
	for (int32_t end = y + w->filter_h; y < end; y++) {
		if (y >= 0 && y < w->in_h) {
			rnv_pieces_copy(band, step, image + (uint32_t)y * stride, pixel, pixel,
					(uint32_t)width);
		} else {
			rnv_pieces_fill(band, step, w->in_zp, pixel, (uint32_t)width);
		}
		band += pixel;
	}
}

/* The band of output row `row` where that is a column of the image. */
static void band_down(const struct rnv_conv_pixels_params *p, const int8_t *image, int32_t row,
		      int32_t length, int8_t *band)
{
	const struct rnv_conv_window *w = &p->window;
	uint32_t pixel = (uint32_t)w->in_c;
	uint32_t step = pixel * (uint32_t)w->filter_w;
	int32_t x = row * w->stride_w - w->pad_left;
	int32_t first = (x < 0) ? 0 : x;
	int32_t end = rnv_conv_min(x + w->filter_w, w->in_w);
	int32_t height = rnv_conv_min(w->in_h, length - w->pad_top);

	if (end - first != w->filter_w) { /* what the band before has there is not padding */
		rnv_fill(band, w->in_zp, (uint32_t)length * step);
	}
	if (end > first && height > 0) {
		rnv_pieces_copy(band + (uint32_t)w->pad_top * step + (uint32_t)(first - x) * pixel,
				step, image + (uint32_t)first * pixel, pixel * (uint32_t)w->in_w,
				(uint32_t)(end - first) * pixel, (uint32_t)height);
	}
}

void rnv_conv_pixels_run(const struct rnv_op *op, const struct rnv_tile_ops *ops)
{
	const struct rnv_conv_pixels_params *p = (const void *)rnv_op_params(op);
	const struct rnv_conv_window *w = &p->window;
	const int8_t *image = rnv_op_in(op, 0);
	int8_t *out = rnv_op_out(op, 0);
	struct walk walk = walk_of(p);
	int32_t length = length_of(&walk);
	int32_t rows = (p->transposed != 0) ? w->out_w : w->out_h;
	int32_t row = (int32_t)op->row0;
	int32_t end = (op->rows == 0u) ? rows : (int32_t)(op->row0 + op->rows);
	uint32_t step = (uint32_t)(walk.filter_across * w->in_c);
	struct rnv_conv_tiles tiles = {
		.parts = 1,
		.part_quads = ((uint32_t)walk.filter_along * step + 3u) / 4u,
		.step = (uint32_t)walk.stride_along * step,
		.pixels = (uint32_t)walk.pixels,
	};

	rnv_conv_tiles_open(&tiles, op, ops, &p->out, w->out_c, p->epilogue);
	/* With what fills up the last window's quad: a stream may have any weights there. */
	rnv_fill(tiles.slots, w->in_zp, (uint32_t)rnv_conv_pixels_band_bytes(p));
	for (; row < end; row++) {
		if (p->transposed != 0) {
			band_down(p, image, row, length, tiles.slots);
		} else {
			band_right(p, image, row, length, tiles.slots);
		}
		rnv_conv_tiles_row(&tiles, tiles.slots, out + (row % p->out.ring) * p->out.row);
	}
}

void rnv_conv_pixels_reach(const struct rnv_op *op, struct rnv_reach *reach)
{
	const struct rnv_conv_pixels_params *p = (const void *)rnv_op_params(op);
	const struct rnv_conv_window *w = &p->window;

	rnv_conv_window_reach(w, reach);
	if (p->transposed != 0) { /* an output row reads some columns of every input row */
		reach->out_rows = (uint32_t)w->out_w;
		reach->stride = 0;
		reach->before = 0;
		reach->extent = (uint16_t)w->in_h;
	}
}
