/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stddef.h>

#include "dsp/portable.h"

static int16_t saturated(int64_t value)
{
	if (value > INT16_MAX) {
		return INT16_MAX;
	}
	return (int16_t)((value < INT16_MIN) ? INT16_MIN : value);
}

/* Products are below 2^30 and at most 65,535 of them are added: 46 bits. */
int rnv_dsp_matmul(void *context, const struct rnv_dsp_matmul *product)
{
	const struct rnv_dsp_matmul *p = product;
	int64_t half;

	(void)context;
	if (p == NULL || p->a == NULL || p->b == NULL || p->out == NULL || p->rows == 0u ||
	    p->depth == 0u || p->columns == 0u || p->shift > 31u) {
		return RNV_EINVAL;
	}
	half = (p->shift != 0u) ? (int64_t)1 << (p->shift - 1u) : 0;
	for (size_t row = 0; row < p->rows; row++) {
		const int16_t *a = p->a + row * p->depth;

		for (size_t column = 0; column < p->columns; column++) {
			const int16_t *b = p->b + column;
			int64_t sum = half;

			for (size_t i = 0; i < p->depth; i++) {
				sum += (int32_t)a[i] * b[i * p->columns];
			}
			p->out[row * p->columns + column] = saturated(sum >> p->shift);
		}
	}
	return RNV_OK;
}
