/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/dsp/add_linear.h"
#include "kernels/fixed_point.h"

/* `factor x / 256`, rounded down. */
static uint32_t scaled(int32_t factor, int8_t x)
{
	return (uint32_t)(int32_t)(((int64_t)factor * x) >> 8);
}

void rnv_add_linear_c(const int32_t *f, const int8_t *x, const int8_t *y, int8_t *out,
		      uint32_t count, int32_t offset)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t sum = (uint32_t)offset + scaled(f[0], x[i]) + scaled(f[1], y[i]);

		out[i] =
			(int8_t)rnv_clamp((int32_t)sum >> RNV_ADD_LINEAR_SHIFT, INT8_MIN, INT8_MAX);
	}
}
