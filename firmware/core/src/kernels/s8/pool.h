/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_S8_POOL_H_
#define RNV_KERNELS_S8_POOL_H_

/**
 * @file
 * @brief What pooling ops share: the windows, clipped to the input.
 */

#include <stdint.h>

#include "kernels/s8/window.h"

/** Parameter words of a pooling op. */
struct rnv_pool_params {
	struct rnv_window window;
	int32_t act_min; /**< lowest output */
	int32_t act_max; /**< highest output */
};

/** The part of a window that lies inside the input; never empty. */
struct rnv_pool_area {
	const int8_t *first; /**< its upper left value */
	int32_t rows;
	int32_t cols;
	int32_t row_step; /**< values from one row to the next */
	int32_t col_step; /**< values from one column to the next */
};

/** Most values of an image plane: their sum and the rounding of their mean stay within int32. */
#define RNV_POOL_AREA_MAX 0x800000

/** Clip the window `*start .. *start + size - 1` to `0 .. limit - 1`; its new size. */
static inline int32_t rnv_pool_clip(int32_t *start, int32_t size, int32_t limit)
{
	int32_t end = *start + size;

	*start = (*start < 0) ? 0 : *start;
	return ((end < limit) ? end : limit) - *start;
}

/** True where the first and the last window overlap the input, and so every one between them. */
static inline bool rnv_pool_overlaps(const struct rnv_window *w)
{
	return w->pad_top < w->filter_h && w->pad_left < w->filter_w &&
	       (w->out_h - 1) * w->stride_h - w->pad_top < w->in_h &&
	       (w->out_w - 1) * w->stride_w - w->pad_left < w->in_w;
}

/** check() of pooling ops. */
int rnv_pool_check(const struct rnv_op *op);

/** reach() of pooling ops. */
void rnv_pool_reach(const struct rnv_op *op, struct rnv_reach *reach);

/** run() of pooling ops: every output is `reduce()` of its area, clamped. */
void rnv_pool_run(const struct rnv_op *op, int32_t (*reduce)(const struct rnv_pool_area *area));

#endif /* RNV_KERNELS_S8_POOL_H_ */
