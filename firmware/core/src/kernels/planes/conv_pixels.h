/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_PLANES_CONV_PIXELS_H_
#define RNV_KERNELS_PLANES_CONV_PIXELS_H_

/**
 * @file
 * @brief CONV_PIXELS: any filter and stride over a dense NHWC image of few channels (a network's
 * first layer), for every packing.
 *
 * For each output row, what lies under the filter is copied to a *band*: the input as seen when one
 * walks *along* the row, each step with all its pixels *across*. A window is then one run of bytes
 * whatever the number of channels, so no quad is cut at the end of a window's rows.
 *
 * `transposed` is 1 where the output is stored with x and y exchanged: its rows are columns of the
 * image. Then one walks down the image, else to the right.
 *
 * | | transposed 0 | transposed 1 |
 * |---|---|---|
 * | rows of the output's view | out_h | out_w |
 * | pixels of a row | out_w | out_h |
 * | along | x: filter_w, stride_w | y: filter_h, stride_h |
 * | across | y: filter_h | x: filter_w |
 *
 * **Order of a column's values** (and of the stream's weights): `[along][across][in_c]`, so
 * `[filter_w][filter_h][in_c]`, or `[filter_h][filter_w][in_c]` where transposed; zero weights
 * fill the last quad: `quads = ceil(filter_h * filter_w * in_c / 4)`.
 *
 * **Scratch**: `quads * quad_bytes + length * across * in_c + (4 * quads - K)` bytes with
 * `K = filter_h * filter_w * in_c`, `length = (pixels of a row - 1) * stride along + filter along`,
 * `across` the filter's size across, and `quad_bytes` of the packing (dsp: 32).
 *
 * **In place** (bit 0): where an output row overwrites only input rows that no later row reads, for
 * whole ops and for slices; never where transposed.
 */

#include "kernels/kernel.h"
#include "kernels/planes/conv_window.h"
#include "kernels/planes/tile.h"
#include "kernels/planes/view.h"

/** Parameter words. */
struct rnv_conv_pixels_params {
	struct rnv_conv_window window;
	int32_t transposed;
	struct rnv_view out;
	int32_t epilogue; /**< `enum rnv_epilogue` */
};

/** Quads of a column; for sizes that are valid one by one. */
uint64_t rnv_conv_pixels_quads(const struct rnv_conv_pixels_params *p);

/** Scratch behind the columns; for sizes that are valid one by one. */
uint64_t rnv_conv_pixels_band_bytes(const struct rnv_conv_pixels_params *p);

/** True where the output may replace the input; for parameters that are valid. */
bool rnv_conv_pixels_in_place(const struct rnv_conv_pixels_params *p);

/** `check()` of the op in the packing of `ops`. */
int rnv_conv_pixels_check(const struct rnv_op *op, const struct rnv_tile_ops *ops);

/** `run()` of the op in the packing of `ops`. */
void rnv_conv_pixels_run(const struct rnv_op *op, const struct rnv_tile_ops *ops);

/** `reach()` of the op. */
void rnv_conv_pixels_reach(const struct rnv_op *op, struct rnv_reach *reach);

#endif /* RNV_KERNELS_PLANES_CONV_PIXELS_H_ */
