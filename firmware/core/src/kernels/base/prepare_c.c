/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief Portable twins of prepare.S.
 */

#include "kernels/base/prepare.h"

#include "kernels/base/gemm.h"

/* Value k of column p is at `in + p * pixel + k * value`. */
static inline void *prepare(const int8_t *in, uint32_t pixel, uint32_t value, int32_t *out,
			    uint32_t quads, uint32_t columns)
{
	for (uint32_t k = 0; k < 4u * quads; k++) {
		for (uint32_t p = 0; p < columns; p++) {
			*out++ = in[p * pixel];
		}
		in += value;
	}
	return out;
}

void *rnv_base_planes_c(const int8_t *in, uint32_t step, void *columns, uint32_t quads)
{
	return prepare(in, 1, step, columns, quads, RNV_BASE_COLUMNS);
}

void *rnv_base_pixels_c(const int8_t *in, uint32_t step, void *columns, uint32_t quads)
{
	return prepare(in, step, 1, columns, quads, RNV_BASE_COLUMNS);
}

void *rnv_base_planes_one_c(const int8_t *in, uint32_t step, void *columns, uint32_t quads)
{
	return prepare(in, 1, step, columns, quads, 1);
}

void *rnv_base_pixels_one_c(const int8_t *in, uint32_t step, void *columns, uint32_t quads)
{
	return prepare(in, step, 1, columns, quads, 1);
}
