/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_S8_CONV_2D_H_
#define RNV_KERNELS_S8_CONV_2D_H_

/**
 * @file
 * @brief Parameters, check and reach of CONV_2D, for all variants of the kernel.
 */

#include <stdbool.h>
#include <stdint.h>

#include "kernels/s8/requant.h"
#include "kernels/s8/window.h"

/** Parameter words. */
struct rnv_conv_2d_params {
	struct rnv_window window;
	int32_t dilation_h;
	int32_t dilation_w;
	int32_t groups;
	int32_t in_zp;
	struct rnv_requant requant;
};

/** True where every window is one pixel of the input: the kernel needs no scratch. */
bool rnv_conv_2d_is_direct(const struct rnv_conv_2d_params *p);

/** `check()` of the kernel; every variant has the same. */
int rnv_conv_2d_check(const struct rnv_op *op);

/** `reach()` of the kernel; every variant has the same. */
void rnv_conv_2d_reach(const struct rnv_op *op, struct rnv_reach *reach);

#endif /* RNV_KERNELS_S8_CONV_2D_H_ */
