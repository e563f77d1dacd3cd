/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_DSP_ADD_LINEAR_H_
#define RNV_KERNELS_DSP_ADD_LINEAR_H_

/**
 * @file
 * @brief The inner loop of the linear form of ADD_TABLES_S8.
 */

#include <stdint.h>

#include "kernels/dsp/select.h"

/** Shift of the linear form: leaves 11 bits for the sum before it saturates. */
#define RNV_ADD_LINEAR_SHIFT 21

/**
 * out[i] = sat8((offset + ((f[0] x[i]) >> 8) + ((f[1] y[i]) >> 8)) >> 21); products are exact, sums
 * wrap. Any alignment; `out` may be `x` or `y`.
 *
 * @param f      two factors, at least 0
 * @param count  elements
 */
typedef void rnv_add_linear_fn(const int32_t *f, const int8_t *x, const int8_t *y, int8_t *out,
			       uint32_t count, int32_t offset);

rnv_add_linear_fn rnv_add_linear_c;

#if RNV_DSP_ASM
rnv_add_linear_fn rnv_add_linear_asm;
#endif

#endif /* RNV_KERNELS_DSP_ADD_LINEAR_H_ */
