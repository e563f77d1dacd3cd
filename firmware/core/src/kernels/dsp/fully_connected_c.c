/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The primitives of fully_connected.h in portable C. */

#include <string.h>

#include "kernels/dsp/fully_connected.h"
#include "kernels/fixed_point.h"

/* Low and high half of a word, with their signs. */
static int32_t low_half(uint32_t word)
{
	return (int16_t)(word & 0xFFFFu);
}

static int32_t high_half(uint32_t word)
{
	return (int16_t)(word >> 16);
}

/* One quad of one output: what SMLAD, SXTB16 and SMLAD do. */
static uint32_t multiply_quad(uint32_t weights, uint32_t y, uint32_t z)
{
	int32_t with_y = low_half(weights) * low_half(y) + high_half(weights) * high_half(y);
	int32_t w0 = (int8_t)(weights & 0xFFu);
	int32_t w2 = (int8_t)((weights >> 16) & 0xFFu);

	return (uint32_t)with_y + (uint32_t)(w0 * low_half(z) + w2 * high_half(z));
}

/* One output of RELU or LINEAR. */
static int8_t scaled(int32_t sum, const int32_t *tail, uint32_t epilogue)
{
	uint32_t t = (uint32_t)(((int64_t)sum * tail[0]) >> 32) + (uint32_t)tail[1];
	int shift = RNV_FC_RELU_SHIFT;

	if (epilogue == RNV_EPILOGUE_LINEAR) {
		t += (sum < 0) ? (uint32_t)tail[2] : 0u;
		shift = RNV_FC_LINEAR_SHIFT;
	}
	return (int8_t)rnv_clamp((int32_t)t >> shift, INT8_MIN, INT8_MAX);
}

/* Outputs of a block from its sums. */
static void finish(const uint32_t *acc, const uint32_t *tail, uint32_t epilogue, int8_t *out)
{
	const int32_t *sums = (const int32_t *)acc;
	const int32_t *words = (const int32_t *)tail;

	if (epilogue == RNV_EPILOGUE_TEXTBOOK) {
		rnv_dsp_textbook(sums, words, out, 1, 1, RNV_FC_OUTPUTS);
		return;
	}
	for (uint32_t i = 0; i < RNV_FC_OUTPUTS; i++) {
		out[i] = scaled(sums[i], words, epilogue);
		words += (epilogue == RNV_EPILOGUE_LINEAR) ? 4 : 2;
	}
}

void rnv_fc_column_c(const void *w, const void *column, int8_t *out, const void *w_end,
		     uint32_t quads, uint32_t epilogue)
{
	const uint32_t *words = w;
	const uint32_t *x = column;
	uint32_t tail_words = (epilogue == RNV_EPILOGUE_LINEAR) ? 4u : 2u;

	do {
		uint32_t acc[RNV_FC_OUTPUTS];

		memcpy(acc, words, sizeof(acc));
		words += RNV_FC_OUTPUTS;
		for (uint32_t q = 0; q < quads; q++) {
			for (uint32_t i = 0; i < RNV_FC_OUTPUTS; i++) {
				acc[i] += multiply_quad(words[i], x[2u * q], x[2u * q + 1u]);
			}
			words += RNV_FC_OUTPUTS;
		}
		finish(acc, words, epilogue, out);
		words += RNV_FC_OUTPUTS * tail_words;
		out += RNV_FC_OUTPUTS;
	} while (words != w_end);
}

/* The same sum without columns: 256 times the dot product, and the constant that c makes up for. */
static uint32_t multiply_inputs(uint32_t weights, const int8_t *x)
{
	int32_t w0 = (int8_t)(weights & 0xFFu);
	int32_t w1 = (low_half(weights) - w0) / 256;
	int32_t w2 = (int8_t)((weights >> 16) & 0xFFu);
	int32_t w3 = (high_half(weights) - w2) / 256;
	int32_t dot = w0 * x[0] + w1 * x[1] + w2 * x[2] + w3 * x[3];

	return 256u * (uint32_t)dot + (uint32_t)(127 * (w0 + w2));
}

void rnv_fc_direct_c(const void *w, const void *column, int8_t *out, const void *w_end,
		     uint32_t quads, uint32_t epilogue)
{
	const uint32_t *words = w;
	const int8_t *x = column;
	uint32_t tail_words = (epilogue == RNV_EPILOGUE_LINEAR) ? 4u : 2u;

	do {
		uint32_t acc[RNV_FC_OUTPUTS];
		const uint32_t *block = words + RNV_FC_OUTPUTS;
		const uint32_t *tail = block + RNV_FC_OUTPUTS * quads;

		for (uint32_t i = 0; i < RNV_FC_OUTPUTS; i++) {
			acc[i] = words[i];
			for (uint32_t q = 0; q < quads; q++) {
				acc[i] +=
					multiply_inputs(block[RNV_FC_OUTPUTS * q + i], x + 4u * q);
			}
		}
		finish(acc, tail, epilogue, out);
		out += RNV_FC_OUTPUTS;
		words = tail + tail_words * RNV_FC_OUTPUTS;
	} while (words != w_end);
}
