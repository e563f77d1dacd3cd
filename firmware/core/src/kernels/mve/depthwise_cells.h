/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_MVE_DEPTHWISE_CELLS_H_
#define RNV_KERNELS_MVE_DEPTHWISE_CELLS_H_

/**
 * @file
 * @brief Depthwise convolutions with windows of up to 3x3, by cells.h.
 */

#include <stdbool.h>

#include "kernels/s8/depthwise_conv_2d.h"

/** True where rnv_mve_depthwise_cells() computes such an op. */
bool rnv_mve_depthwise_in_cells(const struct rnv_depthwise_conv_2d_params *p);

/** `run()` of such an op. */
void rnv_mve_depthwise_cells(const struct rnv_op *op);

#endif /* RNV_KERNELS_MVE_DEPTHWISE_CELLS_H_ */
