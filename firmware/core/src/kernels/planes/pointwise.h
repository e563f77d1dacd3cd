/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_PLANES_POINTWISE_H_
#define RNV_KERNELS_PLANES_POINTWISE_H_

/**
 * @file
 * @brief POINTWISE: a convolution of single pixels (1x1, stride 1) over views, for any packing.
 *
 * The pixels of a tile are prepared, all input channels of them, before an output is stored, so the
 * output may replace the input wherever both keep a pixel in the same place.
 */

#include "kernels/kernel.h"
#include "kernels/planes/tile.h"
#include "kernels/planes/view.h"

/** Parameter words. */
struct rnv_pointwise_params {
	int32_t in_c;
	int32_t out_c;
	int32_t height;
	int32_t width;
	struct rnv_view in;
	struct rnv_view out;
	int32_t epilogue; /**< enum rnv_epilogue */
};

/** `check()` of the kernel for a packing. */
int rnv_pointwise_check(const struct rnv_op *op, const struct rnv_tile_ops *tile);

/** `run()` of the kernel for a packing. */
void rnv_pointwise_run(const struct rnv_op *op, const struct rnv_tile_ops *tile);

/** `reach()` of the kernel. */
void rnv_pointwise_reach(const struct rnv_op *op, struct rnv_reach *reach);

#endif /* RNV_KERNELS_PLANES_POINTWISE_H_ */
