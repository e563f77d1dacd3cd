/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_DSP_SUM_H_
#define RNV_KERNELS_DSP_SUM_H_

/**
 * @file
 * @brief The inner loop of AVERAGE_POOL_2D_S8.
 */

#include <stdint.h>

#include "kernels/dsp/select.h"

/** Sum of `count` adjacent values at any alignment. */
typedef int32_t rnv_sum_fn(const int8_t *in, uint32_t count);

rnv_sum_fn rnv_sum_c;

#if RNV_DSP_ASM
rnv_sum_fn rnv_sum_asm;
#endif

#endif /* RNV_KERNELS_DSP_SUM_H_ */
