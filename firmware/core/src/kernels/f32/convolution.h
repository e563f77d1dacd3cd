/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_F32_CONVOLUTION_H_
#define RNV_KERNELS_F32_CONVOLUTION_H_

/**
 * @file
 * @brief What the convolutions of float32 share: all but which weights a filter has.
 */

#include <stdbool.h>
#include <stdint.h>

#include "kernels/f32/channels.h"
#include "kernels/s8/window.h"

/** Parameter words of a convolution. */
struct rnv_f32_conv_params {
	struct rnv_window window;
	int32_t dilation_h;
	int32_t dilation_w;
	int32_t split; /**< groups, or the depth multiplier */
	struct rnv_f32_channels channels;
};

/** The filters, one for each output channel: what they read, and where their weights lie. */
struct rnv_f32_filters {
	uint32_t depth;  /**< input channels that a filter reads, side by side */
	uint32_t shared; /**< output channels that read the same ones */
	uint32_t next;   /**< weights from one filter's first to the next filter's */
	uint32_t tap;    /**< weights from one position of the window to the next */
};

/** True where operands, words and scratch are a convolution's; split and stream are still open. */
bool rnv_f32_conv_ok(const struct rnv_op *op);

/** True where the weight stream is one of filters of `depth` input channels. */
bool rnv_f32_filters_ok(const struct rnv_op *op, int32_t depth);

/** reach() of convolutions. */
void rnv_f32_conv_reach(const struct rnv_op *op, struct rnv_reach *reach);

/** run() of convolutions; positions outside of the input add nothing. */
void rnv_f32_conv_run(const struct rnv_op *op, const struct rnv_f32_filters *filters);

#endif /* RNV_KERNELS_F32_CONVOLUTION_H_ */
