/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/dsp/sum.h"

int32_t rnv_sum_c(const int8_t *in, uint32_t count)
{
	const int8_t *end = in + count;
	int32_t sum = 0;

	while (in != end) {
		sum += *in++;
	}
	return sum;
}
