/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_MVE_ADD_ROW_H_
#define RNV_KERNELS_MVE_ADD_ROW_H_

/**
 * @file
 * @brief The usual row of ADD_S8: dense inputs, shifts that are what they are for usual scales.
 */

#include <stdint.h>

/** A row; add_row.S knows every offset. Each zero is the zero point times -2^20. */
struct rnv_mve_add_row {
	const int8_t *x; /**< the input whose shift is 0 */
	const int8_t *y; /**< the other one */
	int8_t *out;
	uint32_t count;
	int32_t x_zero;
	int32_t y_zero;
	int32_t x_multiplier;
	int32_t y_multiplier;
	int32_t out_multiplier;
	int32_t out_shift; /**< negative */
	int32_t out_zp;
	int32_t y_shift; /**< negative or 0 */
	int32_t act_min;
	int32_t act_max;
};

/** Compute a row. */
void rnv_mve_add_row(const struct rnv_mve_add_row *row);

#endif /* RNV_KERNELS_MVE_ADD_ROW_H_ */
