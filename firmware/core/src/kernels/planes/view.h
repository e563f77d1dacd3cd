/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_PLANES_VIEW_H_
#define RNV_KERNELS_PLANES_VIEW_H_

/**
 * @file
 * @brief Where the elements of an image lie whose pixels of one channel and row are adjacent.
 *
 * Element (c, y, x) lies at `c * channel + (y % ring) * row + x`. Two families:
 *
 * - planes, one channel after the other: `row = width`, `channel = ring * width`;
 * - rows, all channels of a row together: `channel = width`, `row = channels * width`.
 *
 * `ring` is the number of rows held; `height` of the image unless the tensor is a ring.
 */

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kernel.h"

/** Parameter words that describe where an image lies. */
struct rnv_view {
	int32_t channel; /**< elements from one channel to the next */
	int32_t row;     /**< elements from one row to the next */
	int32_t ring;    /**< rows held */
};

/**
 * True where the image lies as the tensor's record says, in its layout and ring; where no two of
 * its elements share a place, and all lie within the tensor's bytes.
 *
 * Sizes are 1..32767 and `ring` is 1..height afterwards.
 *
 * @param view     parameter words
 * @param rec      int8 tensor
 * @param channels, height, width of the image, in 1..32767
 * @param slack    bytes after the last element that the kernel touches as well
 */
bool rnv_view_ok(const struct rnv_view *view, const struct rnv_tensor_rec *rec, int32_t channels,
		 int32_t height, int32_t width, uint32_t slack);

/** Row `y` of channel 0. */
static inline const int8_t *rnv_view_row(const struct rnv_view *view, const int8_t *data, int32_t y)
{
	return data + (y % view->ring) * view->row;
}

/** Rows of `view` from `y` on, at most `rows`, before the ring begins anew. */
static inline int32_t rnv_rows_until_wrap(const struct rnv_view *view, int32_t y, int32_t rows)
{
	int32_t until_wrap = view->ring - y % view->ring;

	return (until_wrap < rows) ? until_wrap : rows;
}

#endif /* RNV_KERNELS_PLANES_VIEW_H_ */
