/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/s8/dot.h"

/* Each input is loaded once for all four channels. */
void rnv_dot_4(const int8_t *x, const int8_t *w, uint32_t depth, uint32_t *acc)
{
	const int8_t *w0 = w;
	const int8_t *w1 = w0 + depth;
	const int8_t *w2 = w1 + depth;
	const int8_t *w3 = w2 + depth;
	const int8_t *end = w1;
	uint32_t acc0 = acc[0];
	uint32_t acc1 = acc[1];
	uint32_t acc2 = acc[2];
	uint32_t acc3 = acc[3];

	do {
		int32_t value = *x++;

		acc0 += (uint32_t)(value * *w0++);
		acc1 += (uint32_t)(value * *w1++);
		acc2 += (uint32_t)(value * *w2++);
		acc3 += (uint32_t)(value * *w3++);
	} while (w0 != end);
	acc[0] = acc0;
	acc[1] = acc1;
	acc[2] = acc2;
	acc[3] = acc3;
}

/* Four sums are loaded before the first is stored, which saves address arithmetic and stalls. */
void rnv_multiply_add(const int8_t *x, const int8_t *w, uint32_t count, uint32_t *acc)
{
	const int8_t *end = x + count;
	const int8_t *fours = x + (count & ~3u);

	while (x != fours) {
		uint32_t acc0 = acc[0] + (uint32_t)(x[0] * w[0]);
		uint32_t acc1 = acc[1] + (uint32_t)(x[1] * w[1]);
		uint32_t acc2 = acc[2] + (uint32_t)(x[2] * w[2]);
		uint32_t acc3 = acc[3] + (uint32_t)(x[3] * w[3]);

		acc[0] = acc0;
		acc[1] = acc1;
		acc[2] = acc2;
		acc[3] = acc3;
		acc += 4;
		x += 4;
		w += 4;
	}
	while (x != end) {
		*acc++ += (uint32_t)(*x++ * *w++);
	}
}
