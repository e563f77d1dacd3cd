/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/host/wide.h"

#include <string.h>

void rnv_widen(const int8_t *restrict x, uint32_t depth, int16_t *restrict wide)
{
	for (uint32_t i = 0; i < depth; i++) {
		wide[i] = x[i];
	}
	memset(wide + depth, 0, (rnv_wide_depth(depth) - depth) * sizeof(*wide));
}

void rnv_wide_dot_columns(const int16_t *restrict columns, const int8_t *restrict w,
			  uint32_t padded, int32_t *restrict sums)
{
	uint32_t count = padded & ~(RNV_WIDE_STEP - 1u); /* tells the compiler */
	const int16_t *x0 = columns;
	const int16_t *x1 = x0 + count;
	const int16_t *x2 = x1 + count;
	const int16_t *x3 = x2 + count;
	int32_t sum0 = 0;
	int32_t sum1 = 0;
	int32_t sum2 = 0;
	int32_t sum3 = 0;

	for (uint32_t i = 0; i < count; i++) {
		int16_t weight = w[i];

		sum0 += x0[i] * weight;
		sum1 += x1[i] * weight;
		sum2 += x2[i] * weight;
		sum3 += x3[i] * weight;
	}
	sums[0] = sum0;
	sums[1] = sum1;
	sums[2] = sum2;
	sums[3] = sum3;
}

void rnv_wide_dot_4(const int16_t *restrict x, const int8_t *restrict w, uint32_t depth,
		    int32_t *restrict sums)
{
	const int8_t *w1 = w + depth;
	const int8_t *w2 = w1 + depth;
	const int8_t *w3 = w2 + depth;
	int32_t sum0 = 0;
	int32_t sum1 = 0;
	int32_t sum2 = 0;
	int32_t sum3 = 0;

	for (uint32_t i = 0; i < depth; i++) {
		int16_t value = x[i];

		sum0 += value * w[i];
		sum1 += value * w1[i];
		sum2 += value * w2[i];
		sum3 += value * w3[i];
	}
	sums[0] = sum0;
	sums[1] = sum1;
	sums[2] = sum2;
	sums[3] = sum3;
}

/* Two int8 multiply to at most 2^14: the product is formed in 16 bits, eight at a time. */
void rnv_wide_multiply_add(const int8_t *restrict x, const int8_t *restrict w, uint32_t count,
			   uint32_t *restrict acc)
{
	for (uint32_t i = 0; i < count; i++) {
		int32_t product = (int16_t)(x[i] * w[i]);

		acc[i] = acc[i] + (uint32_t)product;
	}
}
