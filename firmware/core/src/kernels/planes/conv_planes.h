/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_PLANES_CONV_PLANES_H_
#define RNV_KERNELS_PLANES_CONV_PLANES_H_

/**
 * @file
 * @brief CONV_PLANES: any filter and stride over an image in planes or rows, for every packing.
 *
 * The rows under the filter are kept in a ring of scratch, with their padding and with all channels
 * of a pixel together, so that a row of the window is one run of bytes. Each input row is copied
 * there once in a run.
 *
 * **Order of a column's values** (and of the stream's weights): `[filter_h][filter_w][pixel]` with
 * `pixel = 4 * ceil(in_c / 4)`; weights of the channels past `in_c` are 0. So
 * `quads = filter_h * filter_w * pixel / 4`.
 *
 * **Scratch**: `quads * quad_bytes + filter_h * padded_w * pixel` bytes with
 * `padded_w = (out_w - 1) * stride_w + filter_w`, and `quad_bytes` of the packing (dsp: 32).
 *
 * **In place** (bit 0): where an output row overwrites only input rows that are in the ring by then
 * (conv_window.h). That is for whole ops: a slice copies the rows that it shares with the slice
 * before it once more, so an op that runs by slices must not be in place unless
 * `filter_h <= stride_h`.
 */

#include "kernels/kernel.h"
#include "kernels/planes/conv_window.h"
#include "kernels/planes/interleave.h"
#include "kernels/planes/tile.h"
#include "kernels/planes/view.h"

/** Parameter words. */
struct rnv_conv_planes_params {
	struct rnv_conv_window window;
	struct rnv_view in;
	struct rnv_view out;
	int32_t epilogue; /**< `enum rnv_epilogue` */
};

/** True where the output may replace the input; for parameters that are valid. */
bool rnv_conv_planes_in_place(const struct rnv_conv_planes_params *p);

/** `check()` of the op in the packing of `ops`. */
int rnv_conv_planes_check(const struct rnv_op *op, const struct rnv_tile_ops *ops);

/** `run()` of the op in the packing of `ops`; `four` copies rows to the ring. */
void rnv_conv_planes_run(const struct rnv_op *op, const struct rnv_tile_ops *ops,
			 rnv_interleave_fn *four);

/** `reach()` of the op. */
void rnv_conv_planes_reach(const struct rnv_op *op, struct rnv_reach *reach);

#endif /* RNV_KERNELS_PLANES_CONV_PLANES_H_ */
