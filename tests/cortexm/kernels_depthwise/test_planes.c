/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* DEPTHWISE_PLANES_S8 against the plain formula, with the reference's requantisation. */

#include "exercise.h"

#include <string.h>

#include "support.h"

#define MAX_OUT_C 65
#define MAX_TAPS  25

extern const struct rnv_kernel rnv_depthwise_planes_s8;

/* Parameter words. */
enum {
	IN_H,
	IN_W,
	IN_C,
	OUT_H,
	OUT_W,
	FILTER_H,
	FILTER_W,
	STRIDE_H,
	STRIDE_W,
	DILATION_H,
	DILATION_W,
	DEPTH_MULTIPLIER,
	PAD_TOP,
	PAD_LEFT,
	IN_ZP,
	IN_VIEW,
	OUT_VIEW = 18,
	OUT_C = 21,
	CHANNELS_Q,
	OUT_ZP,
	ACT_MIN,
	ACT_MAX,
	WORDS
};

static int8_t in[MAX_ELEMENTS];
static int8_t expected[MAX_ELEMENTS];
static int32_t bias[MAX_OUT_C];
static int32_t multiplier[MAX_OUT_C];
static int8_t shift[MAX_OUT_C];
static int8_t weights[MAX_OUT_C][MAX_TAPS];
static _Alignas(16) uint8_t stream[MAX_OUT_C * (MAX_TAPS + 9) + 4];

/* gemmlowp's SaturatingRoundingDoublingHighMul and RoundingDivideByPOT, as they are written. */
static int32_t reference_requantize(int32_t x, int32_t m, int32_t s)
{
	int64_t product = (int64_t)(int32_t)((uint32_t)x << ((s > 0) ? s : 0)) * m;
	int64_t nudge = (product >= 0) ? 1 << 30 : 1 - (1 << 30);
	int32_t high = (int32_t)((product + nudge) / ((int64_t)1 << 31));
	int32_t right = (s < 0) ? -s : 0;
	int32_t mask = (int32_t)(((int64_t)1 << right) - 1);
	int32_t threshold = (mask >> 1) + ((high < 0) ? 1 : 0);

	return (high >> right) + (((high & mask) > threshold) ? 1 : 0);
}

static int8_t formula(const int32_t *p, int32_t o, int32_t oy, int32_t ox)
{
	int32_t c = o / p[DEPTH_MULTIPLIER];
	int32_t q = (p[CHANNELS_Q] == 1) ? 0 : o;
	int64_t sum = bias[o];

	for (int32_t i = 0; i < p[FILTER_H] * p[FILTER_W]; i++) {
		int32_t y = oy * p[STRIDE_H] - p[PAD_TOP] + i / p[FILTER_W] * p[DILATION_H];
		int32_t x = ox * p[STRIDE_W] - p[PAD_LEFT] + i % p[FILTER_W] * p[DILATION_W];
		bool inside = y >= 0 && y < p[IN_H] && x >= 0 && x < p[IN_W];

		sum += weights[o][i] * (inside ? in[(c * p[IN_H] + y) * p[IN_W] + x] : p[IN_ZP]);
	}
	sum = reference_requantize((int32_t)(uint32_t)(uint64_t)sum, multiplier[q], shift[q]);
	sum = (int32_t)((uint32_t)sum + (uint32_t)p[OUT_ZP]);
	return (int8_t)((sum < p[ACT_MIN]) ? p[ACT_MIN] : (sum > p[ACT_MAX]) ? p[ACT_MAX] : sum);
}

static int32_t random_outputs(int32_t size, int32_t stride, int32_t window)
{
	int32_t same = (size + stride - 1) / stride;
	int32_t valid = (size < window) ? 1 : (size - window) / stride + 1;

	return once_in(4) ? valid : once_in(4) ? random_in(1, same + 2) : same;
}

static void random_params(int32_t *p)
{
	bool usual = !once_in(3); /* 3x3 */

	p[IN_H] = random_in(1, 14);
	p[IN_W] = random_in(1, once_in(4) ? 70 : 20);
	p[FILTER_H] = usual ? 3 : random_in(1, 5);
	p[FILTER_W] = usual ? 3 : random_in(1, 5);
	p[STRIDE_H] = random_in(1, 3);
	p[STRIDE_W] = once_in(4) ? random_in(1, 3) : random_in(1, 2);
	p[DILATION_H] = usual ? 1 : random_in(1, 3);
	p[DILATION_W] = usual ? 1 : random_in(1, 3);
	p[DEPTH_MULTIPLIER] = once_in(3) ? random_in(1, 4) : 1;
	p[PAD_TOP] = random_in(0, once_in(8) ? 9 : 2);
	p[PAD_LEFT] = random_in(0, once_in(8) ? 9 : 2);
	p[IN_ZP] = random_in(-128, 127);
	p[OUT_H] = random_outputs(p[IN_H], p[STRIDE_H], (p[FILTER_H] - 1) * p[DILATION_H] + 1);
	p[OUT_W] = random_outputs(p[IN_W], p[STRIDE_W], (p[FILTER_W] - 1) * p[DILATION_W] + 1);
	do {
		p[IN_C] = once_in(3) ? random_in(1, MAX_OUT_C) : random_in(1, 5);
		p[OUT_C] = p[IN_C] * p[DEPTH_MULTIPLIER];
	} while (p[OUT_C] > MAX_OUT_C || p[OUT_C] * (p[IN_H] + 6) * (p[IN_W] + 6) > MAX_ELEMENTS);
	p[CHANNELS_Q] = once_in(3) ? 1 : p[OUT_C];
	p[OUT_ZP] = random_in(-128, 127);
	p[ACT_MIN] = once_in(2) ? -128 : random_in(-128, 127);
	p[ACT_MAX] = once_in(2) ? 127 : random_in(p[ACT_MIN], 127);
}

/* The stream of requant.h; returns its bytes. */
static uint32_t random_stream(const int32_t *p)
{
	uint32_t n = (uint32_t)p[OUT_C];
	uint32_t q = (uint32_t)p[CHANNELS_Q];
	uint32_t size = (uint32_t)(p[FILTER_H] * p[FILTER_W]);
	uint8_t *to = stream;

	memset(stream, 0, sizeof(stream));
	for (uint32_t o = 0; o < n; o++) {
		bool extreme = once_in(8);

		bias[o] = extreme ? (int32_t)random_word() : random_in(-20000, 20000);
		multiplier[o] = random_in(extreme ? 0 : 1 << 30, INT32_MAX);
		shift[o] = (int8_t)(extreme ? random_in(-31, 30) : random_in(-10, -3));
		for (uint32_t i = 0; i < size; i++) {
			weights[o][i] = (int8_t)(once_in(8) ? -128 : random_in(-128, 127));
		}
	}
	memcpy(to, bias, 4u * n);
	to += 4u * n;
	memcpy(to, multiplier, 4u * q);
	to += 4u * q;
	memcpy(to, shift, q);
	to += (q + 3u) & ~3u;
	for (uint32_t o = 0; o < n; o++) {
		memcpy(to, weights[o], size);
		to += size;
	}
	return (uint32_t)(to - stream);
}

static void describe(struct subject *s)
{
	const int32_t *p = s->params;

	s->in_c = p[IN_C];
	s->in_h = p[IN_H];
	s->in_w = p[IN_W];
	s->out_c = p[OUT_C];
	s->out_h = p[OUT_H];
	s->out_w = p[OUT_W];
	s->stride = p[STRIDE_H];
	s->before = p[PAD_TOP];
	s->in_place_w = 32767;
	s->extent = (p[FILTER_H] - 1) * p[DILATION_H] + 1;
	s->line = (uint32_t)((p[OUT_W] - 1) * p[STRIDE_W] + (p[FILTER_W] - 1) * p[DILATION_W] + 1);
}

static void refusals(struct subject *s)
{
	const int32_t limits[][2] = {
		[IN_H] = {1, 32767},       [IN_W] = {1, 32767},
		[IN_C] = {1, 32767},       [OUT_H] = {1, 32767},
		[OUT_W] = {1, 32767},      [FILTER_H] = {1, 32767},
		[FILTER_W] = {1, 32767},   [STRIDE_H] = {1, 32767},
		[STRIDE_W] = {1, 32767},   [DILATION_H] = {1, 32767},
		[DILATION_W] = {1, 32767}, [DEPTH_MULTIPLIER] = {1, 32767},
		[PAD_TOP] = {0, 32767},    [PAD_LEFT] = {0, 32767},
		[IN_ZP] = {-128, 127},
	};

	expect_refusals(s, limits, IN_VIEW);
}

void test_planes(int32_t rounds)
{
	for (int32_t round = 0; round < rounds; round++) {
		struct subject s = {.kernel = &rnv_depthwise_planes_s8,
				    .param_words = WORDS,
				    .in_view = IN_VIEW,
				    .out_view = OUT_VIEW,
				    .weights = stream,
				    .more = 8,
				    .in = in,
				    .expected = expected};
		const int32_t *p = s.params;
		int8_t *e = expected;

		begin("DEPTHWISE_PLANES_S8", round);
		random_params(s.params);
		describe(&s);
		s.weights_bytes = random_stream(p);
		for (int32_t i = 0; i < p[IN_C] * p[IN_H] * p[IN_W]; i++) {
			in[i] = (int8_t)(once_in(4) ? -128 : random_in(-128, 127));
		}
		for (int32_t o = 0; o < p[OUT_C]; o++) {
			for (int32_t i = 0; i < p[OUT_H] * p[OUT_W]; i++) {
				*e++ = formula(p, o, i / p[OUT_W], i % p[OUT_W]);
			}
		}
		exercise(&s);
		if (round % 16 == 0) {
			refusals(&s);
		}
	}
}
