/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/planes/conv_tiles.h"

bool rnv_conv_stream_ok(const struct rnv_op *op, const struct rnv_tile_ops *ops, uint32_t quads,
			int32_t out_c, int32_t epilogue)
{
	const uint8_t *w = rnv_op_weights(op);
	uint32_t bytes = op->rec->weights_bytes;
	uint32_t blocks = ((uint32_t)out_c + ops->outputs - 1u) / ops->outputs;

	return (uint64_t)blocks * ops->block_bytes(quads, (enum rnv_epilogue)epilogue) == bytes &&
	       ops->stream_ok(w, w + bytes, quads, (enum rnv_epilogue)epilogue);
}

void rnv_conv_tiles_open(struct rnv_conv_tiles *tiles, const struct rnv_op *op,
			 const struct rnv_tile_ops *ops, const struct rnv_view *out, int32_t out_c,
			 int32_t epilogue)
{
	tiles->quads = tiles->parts * tiles->part_quads + ((tiles->last != 0u) ? 1u : 0u);
	tiles->ops = ops;
	tiles->epilogue = (enum rnv_epilogue)epilogue;
	tiles->w = rnv_op_weights(op);
	tiles->w_end = tiles->w + op->rec->weights_bytes;
	tiles->w_full = tiles->w_end;
	if ((uint32_t)out_c % ops->outputs != 0u) {
		tiles->w_full -= ops->block_bytes(tiles->quads, tiles->epilogue);
	}
	tiles->columns = rnv_op_scratch(op);
	tiles->slots = (int8_t *)tiles->columns + tiles->quads * ops->quad_bytes;
	tiles->out_channel = (uint32_t)out->channel;
	tiles->out_last = (uint32_t)(out_c - 1) * tiles->out_channel;
}

/* `count` tiles of `width` pixels one after the other, the first one's window at `slot`. */
static void tiles_run(const struct rnv_conv_tiles *tiles, rnv_prepare_fn *prepare,
		      rnv_gemm_fn *gemm, const int8_t *slot, int8_t *out, uint32_t width,
		      uint32_t count)
{
	const int8_t *slots_end = tiles->slots + tiles->parts * tiles->slot_bytes;
	uint32_t next = tiles->planes ? width : width * tiles->step;

	for (; count != 0u; count--) {
		const int8_t *in = slot;
		uint32_t parts = tiles->parts;
		void *columns = prepare(in, tiles->step, tiles->columns, tiles->part_quads);

		while (--parts != 0u) {
			in += tiles->slot_bytes;
			if (in >= slots_end) {
				in -= slots_end - tiles->slots;
			}
			columns = prepare(in, tiles->step, columns, tiles->part_quads);
		}
		if (tiles->last != 0u) {
			prepare(slot + tiles->last, tiles->step, columns, 1);
		}
		if (tiles->w != tiles->w_full) {
			gemm(tiles->w, tiles->columns, out, tiles->out_channel, tiles->w_full,
			     tiles->quads);
		}
		if (tiles->w_full != tiles->w_end) {
			gemm(tiles->w_full, tiles->columns, out + tiles->out_last, 0, tiles->w_end,
			     tiles->quads);
		}
		slot += next;
		out += width;
	}
}

void rnv_conv_tiles_row(const struct rnv_conv_tiles *tiles, const int8_t *slot, int8_t *out)
{
	const struct rnv_tile_ops *ops = tiles->ops;
	uint32_t full = tiles->pixels / ops->width;
	uint32_t pixels = full * ops->width;

	if (full != 0u) {
		tiles_run(tiles, tiles->planes ? ops->planes : ops->pixels,
			  ops->gemm[tiles->epilogue], slot, out, ops->width, full);
	}
	if (pixels != tiles->pixels) { /* the rest one by one, on the same stream */
		slot += tiles->planes ? pixels : pixels * tiles->step;
		tiles_run(tiles, tiles->planes ? ops->planes_one : ops->pixels_one,
			  ops->gemm_one[tiles->epilogue], slot, out + pixels, 1,
			  tiles->pixels - pixels);
	}
}
