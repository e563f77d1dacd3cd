/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_S8_FULLY_CONNECTED_H_
#define RNV_KERNELS_S8_FULLY_CONNECTED_H_

/**
 * @file
 * @brief Parameters and check of FULLY_CONNECTED, for all variants of the kernel.
 */

#include <stdint.h>

#include "kernels/s8/requant.h"

/** Parameter words. */
struct rnv_fully_connected_params {
	int32_t rows;
	int32_t in_c;
	struct rnv_requant requant;
};

/** `check()` of the kernel; every variant has the same. */
int rnv_fully_connected_check(const struct rnv_op *op);

#endif /* RNV_KERNELS_S8_FULLY_CONNECTED_H_ */
