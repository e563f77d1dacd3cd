/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/planes/conv_planes.h"

#include "kernels/planes/conv_tiles.h"
#include "kernels/planes/pieces.h"

#define PARAMS (sizeof(struct rnv_conv_planes_params) / sizeof(int32_t))

/* Bytes of a pixel in the ring. */
static uint32_t pixel_bytes(const struct rnv_conv_window *w)
{
	return ((uint32_t)w->in_c + 3u) & ~UINT32_C(3);
}

/* Bytes of a row in the ring; 64 bits before the check. */
static uint64_t slot_bytes(const struct rnv_conv_window *w)
{
	uint32_t width = (uint32_t)((w->out_w - 1) * w->stride_w + w->filter_w);

	return (uint64_t)width * pixel_bytes(w);
}

bool rnv_conv_planes_in_place(const struct rnv_conv_planes_params *p)
{
	const struct rnv_conv_window *w = &p->window;
	int32_t height = (w->in_h > w->out_h) ? w->in_h : w->out_h;
	/* The first row that is not in the ring when output row 0 is written, and is needed. */
	int32_t unread = ((w->filter_h > w->stride_h) ? w->filter_h : w->stride_h) - w->pad_top;

	if (p->in.ring != w->in_h) {
		return false;
	}
	/* Planes of the same geometry: row y only overwrites row y, which is in the ring. */
	if (p->out.ring == w->out_h && p->in.channel == p->out.channel && p->in.row == p->out.row &&
	    p->in.row <= p->in.channel / height && unread >= 1) {
		return true;
	}
	return rnv_conv_window_in_place(w, &p->out, p->in.row, unread);
}

int rnv_conv_planes_check(const struct rnv_op *op, const struct rnv_tile_ops *ops)
{
	const struct rnv_conv_planes_params *p = (const void *)rnv_op_params(op);
	const struct rnv_conv_window *w = &p->window;
	uint64_t quads;

	if (!rnv_op_has(op, 1, 1, PARAMS) || !rnv_conv_window_ok(w) ||
	    !rnv_words_within(&p->epilogue, 1, 0, RNV_EPILOGUES - 1) ||
	    !rnv_view_ok(&p->in, rnv_op_in_rec(op, 0), w->in_c, w->in_h, w->in_w, 0) ||
	    !rnv_view_ok(&p->out, rnv_op_out_rec(op, 0), w->out_c, w->out_h, w->out_w, 0)) {
		return RNV_EFORMAT;
	}
	quads = (uint64_t)(w->filter_h * w->filter_w) * (pixel_bytes(w) / 4u);
	if (op->rec->scratch_bytes !=
		    quads * ops->quad_bytes + (uint32_t)w->filter_h * slot_bytes(w) ||
	    !rnv_conv_stream_ok(op, ops, (uint32_t)quads, w->out_c, p->epilogue)) {
		return RNV_EFORMAT;
	}
	return rnv_conv_planes_in_place(p) ? 1 : 0;
}

/* Bring input row `y`, which may lie outside of the image, to its slot. */
static void copy_row(const struct rnv_conv_planes_params *p, const int8_t *image, int32_t y,
		     int8_t *slot, rnv_interleave_fn *four)
{
	const struct rnv_conv_window *w = &p->window;
	uint32_t pixel = pixel_bytes(w);
	int32_t padded_w = (w->out_w - 1) * w->stride_w + w->filter_w;
	int32_t width = rnv_conv_min(w->in_w, padded_w - w->pad_left);

	if (y >= w->in_h) {
		rnv_fill(slot, w->in_zp, (uint32_t)padded_w * pixel);
	} else if (y >= 0 && width > 0) { /* what is left of, right of and above is padding */
		rnv_interleave(slot + (uint32_t)w->pad_left * pixel, pixel,
			       rnv_view_row(&p->in, image, y), (uint32_t)p->in.channel,
			       (uint32_t)w->in_c, (uint32_t)width, four);
	}
}

void rnv_conv_planes_run(const struct rnv_op *op, const struct rnv_tile_ops *ops,
			 rnv_interleave_fn *four)
{
	const struct rnv_conv_planes_params *p = (const void *)rnv_op_params(op);
	const struct rnv_conv_window *w = &p->window;
	const int8_t *image = rnv_op_in(op, 0);
	int8_t *out = rnv_op_out(op, 0);
	uint32_t pixel = pixel_bytes(w);
	int32_t row = (int32_t)op->row0;
	int32_t end = (op->rows == 0u) ? w->out_h : (int32_t)(op->row0 + op->rows);
	int32_t y0 = row * w->stride_h - w->pad_top; /* first input row of the ring */
	int32_t next = y0;                           /* first input row not in the ring yet */
	struct rnv_conv_tiles tiles = {
		.slot_bytes = (uint32_t)slot_bytes(w),
		.parts = (uint32_t)w->filter_h,
		.part_quads = (uint32_t)w->filter_w * pixel / 4u,
		.step = (uint32_t)w->stride_w * pixel,
		.pixels = (uint32_t)w->out_w,
	};

	rnv_conv_tiles_open(&tiles, op, ops, &p->out, w->out_c, p->epilogue);
	rnv_fill(tiles.slots, w->in_zp, tiles.parts * tiles.slot_bytes);
	for (; row < end; row++) {
		int32_t y = row * w->stride_h - w->pad_top;

		for (next = (next < y) ? y : next; next < y + w->filter_h; next++) {
			copy_row(p, image, next, rnv_conv_slot(&tiles, next - y0), four);
		}
		rnv_conv_tiles_row(&tiles, rnv_conv_slot(&tiles, y - y0),
				   out + (row % p->out.ring) * p->out.row);
	}
}

void rnv_conv_planes_reach(const struct rnv_op *op, struct rnv_reach *reach)
{
	const struct rnv_conv_planes_params *p = (const void *)rnv_op_params(op);

	rnv_conv_window_reach(&p->window, reach);
}
