/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_S8_MEAN_H_
#define RNV_KERNELS_S8_MEAN_H_

/**
 * @file
 * @brief Parameters and check of MEAN over any set of axes, for all variants of the kernel.
 *
 * The compiler has merged neighbouring axes, so that the input is
 * [keep0][reduce0][keep1][reduce1][keep2][reduce2] (each may be 1) and the output
 * [keep0][keep1][keep2]; multiplier and shift include the division by the number of values, and
 * `offset` is that number times the input's negated zero point.
 */

#include <stdint.h>

#include "kernels/kernel.h"

/** Parameter words. */
struct rnv_mean_params {
	int32_t keep0;
	int32_t reduce0;
	int32_t keep1;
	int32_t reduce1;
	int32_t keep2;
	int32_t reduce2;
	int32_t offset;
	int32_t multiplier;
	int32_t shift;
	int32_t out_zp;
};

/** check() of the kernel. */
int rnv_mean_check(const struct rnv_op *op);

#endif /* RNV_KERNELS_S8_MEAN_H_ */
