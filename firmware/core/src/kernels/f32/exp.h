/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_F32_EXP_H_
#define RNV_KERNELS_F32_EXP_H_

/**
 * @file
 * @brief The exponential function in single precision, the same bits on every machine.
 *
 * Of additions and multiplications alone, so that no mathematics library is linked, which would
 * differ between a desk and a device, and on devices takes a double-precision one with it.
 */

/** Highest |x| of rnv_f32_exp_minus_1(), a little above half of log(2). */
#define RNV_F32_EXP_RADIUS 0.3466f

/** e^x within one unit in the last place; 0, infinity and NaN as the function has them. */
float rnv_f32_exp(float x);

/** e^x - 1 for |x| up to RNV_F32_EXP_RADIUS, with a relative error below 1e-7. */
float rnv_f32_exp_minus_1(float x);

#endif /* RNV_KERNELS_F32_EXP_H_ */
