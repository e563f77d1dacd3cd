/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/planes/view.h"

#define SIZE_MAX_15 32767

/*
 * The view is exactly where the record says that the image lies. The proof of which rows are there
 * (model/rows.c) counts rows of tensors, so all kernels must agree on where these lie. A record
 * without a shape is a scalar: one byte leaves nothing to agree on.
 */
static bool lies_as(const struct rnv_view *view, const struct rnv_tensor_rec *rec, int32_t channels,
		    int32_t height, int32_t width)
{
	bool transposed = rec->layout == RNV_LAYOUT_PLANES_TRANSPOSED;
	bool planes = view->row == width && view->channel == view->ring * width;
	bool rows = view->channel == width && view->row == channels * width;

	if (rec->rank == 0u) {
		return true;
	}
	if (view->ring != ((rec->ring_rows != 0u) ? rec->ring_rows : height)) {
		return false;
	}
	if (rec->layout == RNV_LAYOUT_DENSE) { /* in every layout the same */
		return (planes || rows) && (channels == 1 || (height == 1 && width == 1)) &&
		       (uint32_t)(channels * height * width) == rec->bytes;
	}
	return ((rec->layout == RNV_LAYOUT_ROWS) ? rows : planes) &&
	       rec->dims[transposed ? 2 : 1] == (uint32_t)height &&
	       rec->dims[transposed ? 1 : 2] == (uint32_t)width &&
	       rec->dims[3] == (uint32_t)channels;
}

bool rnv_view_ok(const struct rnv_view *view, const struct rnv_tensor_rec *rec, int32_t channels,
		 int32_t height, int32_t width, uint32_t slack)
{
	int64_t plane; /* of the ring, in one channel */
	int64_t row;   /* of all channels */

	if (rec->type != RNV_TYPE_INT8 || channels < 1 || channels > SIZE_MAX_15 || height < 1 ||
	    height > SIZE_MAX_15 || width < 1 || width > SIZE_MAX_15 || view->ring < 1 ||
	    view->ring > height || view->row < width || view->channel < width) {
		return false;
	}
	plane = (int64_t)(view->ring - 1) * view->row + width;
	row = (int64_t)(channels - 1) * view->channel + width;
	if (view->channel < plane && view->row < row) {
		return false;
	}
	return plane - width + row + slack <= rec->bytes &&
	       lies_as(view, rec, channels, height, width);
}
