/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief The epilogue for channels for which no multiply-add-saturate is proven.
 */

#include "kernels/base/gemm.h"
#include "kernels/fixed_point.h"

/* Tail of a channel. */
struct textbook {
	int32_t multiplier;
	int8_t shift;
	int8_t zero_point;
	int8_t lowest;
	int8_t highest;
};

static inline void textbook(const uint32_t *sums, const struct textbook *tail, int8_t *out,
			    uint32_t channel, uint32_t width)
{
	for (uint32_t i = 0; i < RNV_BASE_OUTPUTS; i++, tail++) {
		/* All that rnv_requantize() is defined for; what is in range stays as it is. */
		int32_t multiplier = tail->multiplier & INT32_MAX;
		int32_t shift = rnv_clamp(tail->shift, -31, 30);

		for (uint32_t p = 0; p < width; p++) {
			uint32_t sum =
				sums[RNV_BASE_OUTPUTS * p + i] - (UINT32_C(1) << RNV_BASE_SIGN);
			int32_t value = rnv_requantize((int32_t)sum, multiplier, shift);

			value = (int32_t)((uint32_t)value + (uint32_t)tail->zero_point);
			out[p] = (int8_t)rnv_clamp(value, tail->lowest, tail->highest);
		}
		out += channel;
	}
}

void rnv_base_textbook(const uint32_t *sums, const int32_t *tail, int8_t *out, uint32_t channel)
{
	textbook(sums, (const void *)tail, out, channel, RNV_BASE_COLUMNS);
}

void rnv_base_textbook_one(const uint32_t *sums, const int32_t *tail, int8_t *out, uint32_t channel)
{
	textbook(sums, (const void *)tail, out, channel, 1);
}
