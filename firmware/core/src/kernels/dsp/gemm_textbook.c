/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief The epilogue for channels for which no multiply-add-saturate is proven, and what there is
 * to check of a stream.
 */

#include "kernels/dsp/gemm.h"
#include "kernels/fixed_point.h"

/* Tail of one output. */
struct textbook {
	int32_t multiplier;
	int8_t shift;
	int8_t out_zp;
	int8_t act_min;
	int8_t act_max;
};

void rnv_dsp_textbook(const int32_t *sums, const int32_t *tail, int8_t *out, uint32_t channel,
		      uint32_t columns, uint32_t outputs)
{
	const struct textbook *t = (const void *)tail;

	for (uint32_t i = 0; i < outputs; i++) {
		for (uint32_t p = 0; p < columns; p++) {
			int32_t value =
				rnv_requantize(sums[outputs * p + i] >> 8, t->multiplier, t->shift);

			value = (int32_t)((uint32_t)value + (uint32_t)t->out_zp);
			out[p] = (int8_t)rnv_clamp(value, t->act_min, t->act_max);
		}
		out += channel;
		t++;
	}
}

uint32_t rnv_dsp_block_bytes(uint32_t outputs, uint32_t quads, uint32_t epilogue)
{
	return outputs * (4u * quads + ((epilogue == RNV_EPILOGUE_LINEAR) ? 20u : 12u));
}

bool rnv_dsp_stream_ok(const uint8_t *w, const uint8_t *w_end, uint32_t outputs, uint32_t quads,
		       uint32_t epilogue)
{
	uint32_t bytes = rnv_dsp_block_bytes(outputs, quads, epilogue);

	while (epilogue == RNV_EPILOGUE_TEXTBOOK && w != w_end) {
		const struct textbook *t;

		w += bytes;
		t = (const void *)w;
		for (uint32_t i = outputs; i != 0u; i--) {
			t--;
			if (t->multiplier < 0 || t->shift < -31 || t->shift > 30 ||
			    t->act_min > t->act_max) {
				return false;
			}
		}
	}
	return true;
}
