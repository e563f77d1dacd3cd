/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_PLANES_CONV_TILES_H_
#define RNV_KERNELS_PLANES_CONV_TILES_H_

/**
 * @file
 * @brief What the convolutions over a window have in common: rows of output pixels, a tile at a
 * time, from windows that lie ready in scratch.
 *
 * A window is `parts` runs of bytes, one in each of as many slots of equal size; the window of the
 * next pixel of the row lies `step` bytes further in all of them. The slots are a ring: after the
 * last one follows the first.
 *
 * Or (`planes`) a window is one pixel, whose channels lie `step` bytes apart, and the next pixel is
 * beside it. Where the channels are no whole quads, the last four are a quad of their own, some of
 * which the stream's zeros leave out.
 */

#include "kernels/kernel.h"
#include "kernels/planes/tile.h"
#include "kernels/planes/view.h"

/** Windows of an op, and its weight stream. */
struct rnv_conv_tiles {
	const struct rnv_tile_ops *ops;
	enum rnv_epilogue epilogue;
	const uint8_t *w;      /**< stream */
	const uint8_t *w_full; /**< end of the blocks all of whose outputs are real */
	const uint8_t *w_end;  /**< end of the stream */
	void *columns;         /**< prepared tile */
	int8_t *slots;
	bool planes;
	uint32_t slot_bytes;
	uint32_t parts;      /**< runs of a window, and slots */
	uint32_t part_quads; /**< quads of a run */
	uint32_t quads;      /**< of a window */
	uint32_t last;       /**< bytes to the quad of the last channels; 0: there is none */
	uint32_t step;
	uint32_t pixels; /**< of a row of the output */
	uint32_t out_channel;
	uint32_t out_last; /**< bytes to the last output channel */
};

/**
 * True where the op's stream is valid and has exactly the blocks of `out_c` outputs.
 *
 * @param op       op
 * @param ops      packing
 * @param quads    quads of a column, below 2^26
 * @param out_c    output channels, 1..32767
 * @param epilogue parameter word
 */
bool rnv_conv_stream_ok(const struct rnv_op *op, const struct rnv_tile_ops *ops, uint32_t quads,
			int32_t out_c, int32_t epilogue);

/**
 * Begin to run a checked op: fill in what the op has in `tiles`, which has the windows' geometry
 * already. The columns are the first thing in scratch, the slots the second.
 */
void rnv_conv_tiles_open(struct rnv_conv_tiles *tiles, const struct rnv_op *op,
			 const struct rnv_tile_ops *ops, const struct rnv_view *out, int32_t out_c,
			 int32_t epilogue);

/** Slot `number`, counted round the ring. */
static inline int8_t *rnv_conv_slot(const struct rnv_conv_tiles *tiles, int32_t number)
{
	return tiles->slots + (uint32_t)number % tiles->parts * tiles->slot_bytes;
}

/** Compute one row of the output: all pixels, all channels. `slot` has a window's first part. */
void rnv_conv_tiles_row(const struct rnv_conv_tiles *tiles, const int8_t *slot, int8_t *out);

#endif /* RNV_KERNELS_PLANES_CONV_TILES_H_ */
