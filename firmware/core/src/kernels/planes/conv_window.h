/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_PLANES_CONV_WINDOW_H_
#define RNV_KERNELS_PLANES_CONV_WINDOW_H_

/**
 * @file
 * @brief A window that slides over one image, and what may be overwritten meanwhile.
 */

#include <stdbool.h>
#include <stdint.h>

#include "kernels/planes/view.h"

/** Leading parameter words of the convolutions over windows. */
struct rnv_conv_window {
	int32_t in_h;
	int32_t in_w;
	int32_t in_c;
	int32_t out_h;
	int32_t out_w;
	int32_t out_c;
	int32_t filter_h;
	int32_t filter_w;
	int32_t stride_h;
	int32_t stride_w;
	int32_t pad_top;  /**< rows of the first window above the image */
	int32_t pad_left; /**< columns of the first window left of the image */
	int32_t in_zp;    /**< what lies outside of the image */
};

/** True where all words are in range: sizes 1..32767, padding 0..32767, `in_zp` an int8. */
bool rnv_conv_window_ok(const struct rnv_conv_window *w);

/**
 * True where output rows, written one after the other, overwrite no input row that is still to be
 * read; both images start at the same address.
 *
 * Judges by the extents of rows, so it may be false where the elements do not meet.
 *
 * @param w      window
 * @param out    the output's view
 * @param in_row bytes from one input row to the next, all rows of the input being held
 * @param unread first input row to be read after output row 0 is written; `stride_h` more for the
 *               next one, and so on
 */
bool rnv_conv_window_in_place(const struct rnv_conv_window *w, const struct rnv_view *out,
			      int32_t in_row, int32_t unread);

/** `reach()` of output rows that are rows of the image. */
void rnv_conv_window_reach(const struct rnv_conv_window *w, struct rnv_reach *reach);

/** The lower one. */
static inline int32_t rnv_conv_min(int32_t a, int32_t b)
{
	return (a < b) ? a : b;
}

#endif /* RNV_KERNELS_PLANES_CONV_WINDOW_H_ */
