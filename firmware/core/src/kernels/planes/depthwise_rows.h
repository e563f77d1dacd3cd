/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_PLANES_DEPTHWISE_ROWS_H_
#define RNV_KERNELS_PLANES_DEPTHWISE_ROWS_H_

/**
 * @file
 * @brief Rows of one channel with their padding in scratch, for depthwise convolutions.
 *
 * An output is computed from scratch alone, so the inner loops know neither edges nor rings, and
 * the output may replace the input. Where scratch does not hold a whole channel it is worked off in
 * *bands* of output rows; what a band shares with the next one is moved, not copied again, as it
 * may have been overwritten.
 */

#include <stdbool.h>
#include <stdint.h>

#include "kernels/planes/view.h"

/** What to copy. Read by assembly: the first three words stay where they are. */
struct rnv_row_copy {
	uint32_t columns;    /**< bytes of a row, at least 1 */
	uint32_t rows;       /**< at least 1 */
	uint32_t from_pitch; /**< bytes from one row to the next */
	uint32_t to_pitch;
};

/** Copy rows in their order; a row must not overlap its copy. */
typedef void rnv_row_copy_fn(const int8_t *from, int8_t *to, const struct rnv_row_copy *copy);

/** rnv_row_copy_fn in portable C. */
rnv_row_copy_fn rnv_row_copy_c;

/** Rows in scratch, and where they come from. */
struct rnv_padded {
	const struct rnv_view *view; /**< of the input */
	rnv_row_copy_fn *copy;
	int8_t *scratch;
	uint32_t pitch;   /**< bytes from one row in scratch to the next */
	uint32_t left;    /**< columns of padding before the first one copied */
	uint32_t columns; /**< columns copied */
	int32_t height;   /**< rows of the input; 0 where nothing of it is needed */
	int32_t first;    /**< first column copied */
	int32_t rows;     /**< rows in scratch now */
	int8_t zero;      /**< padding */
	bool still;       /**< rows outside of the input are the same for all channels */
};

/**
 * Choose the columns: `columns` of them from column `x` of an input of `width`, which may lie
 * outside of it.
 */
void rnv_padded_columns(struct rnv_padded *p, int32_t x, int32_t columns, int32_t width);

/** Fill `rows` rows of scratch with padding. */
void rnv_padded_clear(const struct rnv_padded *p, int32_t rows);

/**
 * Bring the input's rows `y .. y + rows - 1` to scratch.
 *
 * The padding beside them is taken to be there: rnv_padded_clear().
 *
 * @param p       scratch
 * @param channel first element of the channel
 * @param y       first row, may lie outside of the input
 * @param rows    number of rows
 * @param keep    number of rows that are in scratch already: the last ones
 */
void rnv_padded_load(struct rnv_padded *p, const int8_t *channel, int32_t y, int32_t rows,
		     int32_t keep);

/**
 * True where the output of a depthwise convolution of one filter a channel may replace its input.
 *
 * Channels are worked off in their order, each one in ascending rows, and a row of output is
 * written after the input's row of the same number was read (`pad_top` is less than the window's
 * rows). Of a plane nothing but its own is written, or what lies before it, provided that no stride
 * is longer than the input's. Where slices run, rows still needed must not be reached by channels
 * further on: every element stays in its place.
 *
 * @param op     op, with `rows` set where it is sliced
 * @param in     input, and the rows of it
 * @param in_h   rows
 * @param out    output, and the rows of it
 * @param out_h  rows
 */
bool rnv_depthwise_in_place(const struct rnv_op *op, const struct rnv_view *in, int32_t in_h,
			    const struct rnv_view *out, int32_t out_h);

#endif /* RNV_KERNELS_PLANES_DEPTHWISE_ROWS_H_ */
