/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_F32_UNARY_H_
#define RNV_KERNELS_F32_UNARY_H_

/**
 * @file
 * @brief What the functions of each element of a float32 tensor share. All work in place.
 */

#include <stdbool.h>
#include <stdint.h>

#include "kernels/f32/f32.h"

/** Leading parameter words. */
struct rnv_f32_unary {
	int32_t elements;
};

/** True where the op has `params` words and input and output are `elements` float32. */
bool rnv_f32_unary_ok(const struct rnv_op *op, uint32_t params);

/** check() of an op without further parameters. */
int rnv_f32_unary_check(const struct rnv_op *op);

/** run() of an op without further parameters: every output is `function()` of its input. */
void rnv_f32_unary_run(const struct rnv_op *op, float (*function)(float x));

#endif /* RNV_KERNELS_F32_UNARY_H_ */
