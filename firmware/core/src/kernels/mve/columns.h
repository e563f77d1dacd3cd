/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_MVE_COLUMNS_H_
#define RNV_KERNELS_MVE_COLUMNS_H_

/**
 * @file
 * @brief Short columns of three neighbouring windows at once.
 */

#include <stdint.h>

/** Bytes from one column to the next: two of them are within the reach of a vector store. */
#define RNV_MVE_COLUMN_BYTES 56u

/**
 * Copy rows of three windows to three columns; up to 16 bytes behind a row's start are written.
 *
 * @param to    first column
 * @param from  first row of the first window
 * @param step  bytes from one window to the next
 * @param pitch bytes from one row of a window to the next
 * @param bytes of a row, 1..16
 * @param rows  at least 1
 */
void rnv_mve_columns_3(int8_t *to, const int8_t *from, uint32_t step, uint32_t pitch,
		       uint32_t bytes, uint32_t rows);

#endif /* RNV_KERNELS_MVE_COLUMNS_H_ */
