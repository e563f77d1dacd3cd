/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/planes/pointwise.h"

#include "kernels/planes/conv_tiles.h"

#define PARAMS (sizeof(struct rnv_pointwise_params) / sizeof(int32_t))

static bool in_place(const struct rnv_pointwise_params *p)
{
	return p->in.channel == p->out.channel && p->in.row == p->out.row &&
	       p->in.ring == p->out.ring;
}

int rnv_pointwise_check(const struct rnv_op *op, const struct rnv_tile_ops *tile)
{
	const struct rnv_pointwise_params *p = (const void *)rnv_op_params(op);
	uint32_t quads;

	if (!rnv_op_has(op, 1, 1, PARAMS) ||
	    !rnv_view_ok(&p->in, rnv_op_in_rec(op, 0), p->in_c, p->height, p->width, 0) ||
	    !rnv_view_ok(&p->out, rnv_op_out_rec(op, 0), p->out_c, p->height, p->width, 0) ||
	    p->in_c < 4 || !rnv_words_within(&p->epilogue, 1, 0, RNV_EPILOGUES - 1)) {
		return RNV_EFORMAT;
	}
	quads = ((uint32_t)p->in_c + 3u) / 4u;
	if (op->rec->scratch_bytes != quads * tile->quad_bytes ||
	    !rnv_conv_stream_ok(op, tile, quads, p->out_c, p->epilogue)) {
		return RNV_EFORMAT;
	}
	return in_place(p) ? 1 : 0;
}

/* Rows from `y` on that lie one after the other in a view, at most `rows`. */
static int32_t rows_together(const struct rnv_view *view, int32_t y, int32_t width, int32_t rows)
{
	return (view->row == width) ? rnv_rows_until_wrap(view, y, rows) : 1;
}

void rnv_pointwise_run(const struct rnv_op *op, const struct rnv_tile_ops *tile)
{
	const struct rnv_pointwise_params *p = (const void *)rnv_op_params(op);
	const int8_t *in = rnv_op_in(op, 0);
	int8_t *out = rnv_op_out(op, 0);
	int32_t y = (int32_t)op->row0;
	int32_t end = (op->rows == 0u) ? p->height : (int32_t)(op->row0 + op->rows);
	struct rnv_conv_tiles tiles = {
		.planes = true,
		.parts = 1,
		.part_quads = (uint32_t)p->in_c / 4u,
		.last = (p->in_c % 4 != 0) ? (uint32_t)((p->in_c - 4) * p->in.channel) : 0u,
		.step = (uint32_t)p->in.channel,
	};

	rnv_conv_tiles_open(&tiles, op, tile, &p->out, p->out_c, p->epilogue);
	for (int32_t rows; y < end; y += rows) {
		rows = rows_together(&p->in, y, p->width, end - y);
		rows = rows_together(&p->out, y, p->width, rows);
		tiles.pixels = (uint32_t)(rows * p->width);
		rnv_conv_tiles_row(&tiles, rnv_view_row(&p->in, in, y),
				   out + y % p->out.ring * p->out.row);
	}
}

void rnv_pointwise_reach(const struct rnv_op *op, struct rnv_reach *reach)
{
	const struct rnv_pointwise_params *p = (const void *)rnv_op_params(op);

	reach->in_rows = (uint32_t)p->height;
	reach->out_rows = (uint32_t)p->height;
	reach->stride = 1;
	reach->before = 0;
	reach->extent = 1;
}
