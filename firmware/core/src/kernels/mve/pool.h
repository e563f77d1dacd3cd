/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_MVE_POOL_H_
#define RNV_KERNELS_MVE_POOL_H_

/**
 * @file
 * @brief Pooling of four channels at a time.
 */

#include "kernels/mve/vector.h"
#include "kernels/s8/pool.h"

/**
 * run() of pooling ops: every output is `reduce()` of its area, clamped. `area->first` is the value
 * of the first of four channels; those that are not `active` are not read.
 */
void rnv_mve_pool_run(const struct rnv_op *op,
		      int32x4_t (*reduce)(const struct rnv_pool_area *area, mve_pred16_t active));

#endif /* RNV_KERNELS_MVE_POOL_H_ */
