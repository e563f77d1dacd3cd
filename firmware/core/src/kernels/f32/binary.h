/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_F32_BINARY_H_
#define RNV_KERNELS_F32_BINARY_H_

/**
 * @file
 * @brief What the element-wise ops of two float32 tensors share.
 *
 * Their parameters are a range and the box that they compute (s8/box.h).
 */

#include <stdint.h>

#include "kernels/f32/f32.h"

/** Words before the box. */
struct rnv_f32_binary {
	struct rnv_f32_range range;
};

/** check() of these ops. */
int rnv_f32_binary_check(const struct rnv_op *op);

/** run() of these ops: every output is `combine()` of its two inputs, clamped. */
void rnv_f32_binary_run(const struct rnv_op *op, float (*combine)(float x, float y));

#endif /* RNV_KERNELS_F32_BINARY_H_ */
