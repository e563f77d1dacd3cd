/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief Portable twins of prepare.S.
 */

#include "kernels/dsp/prepare.h"

#include "kernels/dsp/gemm.h"

/* Two int16 halves as one word. */
static inline uint32_t halves(int32_t low, int32_t high)
{
	return (uint32_t)(uint16_t)low | (uint32_t)(uint16_t)high << 16;
}

/*
 * Prepare `quads` quads of `columns` columns. Value i of column p of a quad is at
 * `p * pixel + i * value`; the next quad is four values further.
 */
static inline void *prepare(const int8_t *in, uint32_t pixel, uint32_t value, uint32_t *out,
			    uint32_t quads, uint32_t columns)
{
	for (uint32_t quad = 0; quad < quads; quad++) {
		for (uint32_t p = 0; p < columns; p++) {
			const int8_t *x = in + p * pixel;
			int32_t x0 = x[0];
			int32_t x1 = x[value];
			int32_t x2 = x[2u * value];
			int32_t x3 = x[3u * value];

			out[p] = halves(x1, x3);
			out[columns + p] = halves(256 * x0 + 127 - x1, 256 * x2 + 127 - x3);
		}
		in += 4u * value;
		out += 2u * columns;
	}
	return out;
}

void *rnv_dsp_planes_c(const int8_t *in, uint32_t step, void *columns, uint32_t quads)
{
	return prepare(in, 1, step, columns, quads, RNV_DSP_COLUMNS);
}

void *rnv_dsp_pixels_c(const int8_t *in, uint32_t step, void *columns, uint32_t quads)
{
	return prepare(in, step, 1, columns, quads, RNV_DSP_COLUMNS);
}

void *rnv_dsp_planes_one_c(const int8_t *in, uint32_t step, void *columns, uint32_t quads)
{
	return prepare(in, 1, step, columns, quads, 1);
}

void *rnv_dsp_pixels_one_c(const int8_t *in, uint32_t step, void *columns, uint32_t quads)
{
	return prepare(in, step, 1, columns, quads, 1);
}
