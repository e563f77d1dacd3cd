/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_S8_WINDOW_H_
#define RNV_KERNELS_S8_WINDOW_H_

/**
 * @file
 * @brief A window that slides over the rows and columns of an NHWC image.
 */

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kernel.h"

/** Leading parameter words of every op with a window. */
struct rnv_window {
	int32_t batch;    /**< images */
	int32_t in_h;     /**< rows of the input */
	int32_t in_w;     /**< columns of the input */
	int32_t in_c;     /**< channels of the input */
	int32_t out_h;    /**< rows of the output */
	int32_t out_w;    /**< columns of the output */
	int32_t filter_h; /**< rows of the window */
	int32_t filter_w; /**< columns of the window */
	int32_t stride_h; /**< rows from one output row to the next */
	int32_t stride_w; /**< columns from one output column to the next */
	int32_t pad_top;  /**< rows of the first window above the input */
	int32_t pad_left; /**< columns of the first window left of the input */
};

/**
 * Highest size, stride, dilation and padding: the coordinates that a window reaches stay within
 * int32.
 */
#define RNV_WINDOW_MAX 32767

/**
 * True where all words are in range and operand 0 and 1 are int8 images of their sizes.
 *
 * @param op     op with one input and one output
 * @param window its leading parameter words
 * @param out_c  channels of the output
 */
bool rnv_window_ok(const struct rnv_op *op, const struct rnv_window *window, int32_t out_c);

/**
 * What `reach()` of an op with a window answers: one dense image runs by rows, more do not.
 *
 * @param op         op that has passed its `check()`
 * @param window     its leading parameter words
 * @param dilation_h rows from one tap of the window to the next
 * @param[out] reach what an output row needs
 */
void rnv_window_reach(const struct rnv_op *op, const struct rnv_window *window, int32_t dilation_h,
		      struct rnv_reach *reach);

/** Output rows that an op computes from `op->row0` on, of all its images. */
static inline int32_t rnv_window_rows(const struct rnv_op *op, const struct rnv_window *window)
{
	return (op->rows != 0u) ? (int32_t)op->rows : window->batch * window->out_h;
}

/** Where the first of them lies, of `out_c` channels. */
static inline int8_t *rnv_window_out(const struct rnv_op *op, const struct rnv_window *window,
				     int32_t out_c)
{
	return (int8_t *)rnv_op_out(op, 0) + (int32_t)op->row0 * window->out_w * out_c;
}

#endif /* RNV_KERNELS_S8_WINDOW_H_ */
