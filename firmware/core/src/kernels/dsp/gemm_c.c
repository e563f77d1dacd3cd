/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief Portable twins of gemm.S and gemm_one.S.
 */

#include "kernels/dsp/gemm.h"

#include "kernels/fixed_point.h"

/* acc + a.low * b.low + a.high * b.high, halves int16 (the instruction of that name). */
static inline uint32_t smlad(uint32_t a, uint32_t b, uint32_t acc)
{
	return acc + (uint32_t)((int16_t)a * (int16_t)b) +
	       (uint32_t)((int16_t)(a >> 16) * (int16_t)(b >> 16));
}

/* Bytes 0 and 2, each sign-extended to a half. */
static inline uint32_t sxtb16(uint32_t a)
{
	return (uint32_t)(uint16_t)(int8_t)a | (uint32_t)(uint16_t)(int8_t)(a >> 16) << 16;
}

/* base + floor(a m / 2^32), wrapping. */
static inline int32_t smmla(int32_t a, int32_t m, int32_t base)
{
	return (int32_t)((uint32_t)base + (uint32_t)(((int64_t)a * m) >> 32));
}

/* Sums of one pair, [column][2]; returns the tail of the block. */
static inline const uint32_t *pair(const uint32_t *w, const uint32_t *columns, uint32_t quads,
				   uint32_t width, int32_t *sums)
{
	uint32_t acc[RNV_DSP_OUTPUTS * RNV_DSP_COLUMNS];

	for (uint32_t i = 0; i < RNV_DSP_OUTPUTS * width; i++) {
		acc[i] = w[i % RNV_DSP_OUTPUTS];
	}
	for (w += RNV_DSP_OUTPUTS; quads != 0u; quads--) {
		for (uint32_t p = 0; p < width; p++) {
			for (uint32_t o = 0; o < RNV_DSP_OUTPUTS; o++) {
				uint32_t *sum = &acc[RNV_DSP_OUTPUTS * p + o];

				*sum = smlad(w[o], columns[p], *sum);
				*sum = smlad(sxtb16(w[o]), columns[width + p], *sum);
			}
		}
		w += RNV_DSP_OUTPUTS;
		columns += 2u * width;
	}
	for (uint32_t i = 0; i < RNV_DSP_OUTPUTS * width; i++) {
		sums[i] = (int32_t)acc[i];
	}
	return w;
}

/* Outputs of one pair by multiply-add-saturate; `words` of tail for each channel. */
static inline void scale(const int32_t *sums, const int32_t *tail, uint32_t words, uint32_t width,
			 int8_t *out, uint32_t channel)
{
	for (uint32_t i = 0; i < RNV_DSP_OUTPUTS * width; i++) {
		const int32_t *own = tail + (i % RNV_DSP_OUTPUTS) * words;
		int32_t t = smmla(sums[i], own[0], own[1]);

		if (words == 4u && sums[i] < 0) {
			t = (int32_t)((uint32_t)t + (uint32_t)own[2]);
		}
		out[(i % RNV_DSP_OUTPUTS) * channel + i / RNV_DSP_OUTPUTS] =
			(int8_t)rnv_clamp(t >> 12, INT8_MIN, INT8_MAX);
	}
}

static inline void gemm(const uint32_t *w, const uint32_t *columns, int8_t *out, uint32_t channel,
			const uint32_t *w_end, uint32_t quads, uint32_t width,
			enum rnv_epilogue epilogue)
{
	int32_t sums[RNV_DSP_OUTPUTS * RNV_DSP_COLUMNS];

	while (w != w_end) {
		const int32_t *tail = (const int32_t *)pair(w, columns, quads, width, sums);

		if (epilogue == RNV_EPILOGUE_RELU) {
			scale(sums, tail, 2, width, out, channel);
		} else if (epilogue == RNV_EPILOGUE_LINEAR) {
			scale(sums, tail, 4, width, out, channel);
		} else {
			rnv_dsp_textbook(sums, tail, out, channel, width, RNV_DSP_OUTPUTS);
		}
		w = (const uint32_t *)tail + ((epilogue == RNV_EPILOGUE_LINEAR) ? 8 : 4);
		out += RNV_DSP_OUTPUTS * channel;
	}
}

void rnv_dsp_gemm_relu_c(const void *w, const void *columns, int8_t *out, uint32_t channel,
			 const void *w_end, uint32_t quads)
{
	gemm(w, columns, out, channel, w_end, quads, RNV_DSP_COLUMNS, RNV_EPILOGUE_RELU);
}

void rnv_dsp_gemm_linear_c(const void *w, const void *columns, int8_t *out, uint32_t channel,
			   const void *w_end, uint32_t quads)
{
	gemm(w, columns, out, channel, w_end, quads, RNV_DSP_COLUMNS, RNV_EPILOGUE_LINEAR);
}

void rnv_dsp_gemm_textbook_c(const void *w, const void *columns, int8_t *out, uint32_t channel,
			     const void *w_end, uint32_t quads)
{
	gemm(w, columns, out, channel, w_end, quads, RNV_DSP_COLUMNS, RNV_EPILOGUE_TEXTBOOK);
}

void rnv_dsp_gemm_one_relu_c(const void *w, const void *columns, int8_t *out, uint32_t channel,
			     const void *w_end, uint32_t quads)
{
	gemm(w, columns, out, channel, w_end, quads, 1, RNV_EPILOGUE_RELU);
}

void rnv_dsp_gemm_one_linear_c(const void *w, const void *columns, int8_t *out, uint32_t channel,
			       const void *w_end, uint32_t quads)
{
	gemm(w, columns, out, channel, w_end, quads, 1, RNV_EPILOGUE_LINEAR);
}

void rnv_dsp_gemm_one_textbook_c(const void *w, const void *columns, int8_t *out, uint32_t channel,
				 const void *w_end, uint32_t quads)
{
	gemm(w, columns, out, channel, w_end, quads, 1, RNV_EPILOGUE_TEXTBOOK);
}
