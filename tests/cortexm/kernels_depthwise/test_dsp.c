/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* DEPTHWISE_DSP_S8 against the plain formula. */

#include "exercise.h"

#include <string.h>

#include "support.h"

#define MAX_CHANNELS 65

extern const struct rnv_kernel rnv_depthwise_dsp_s8;

static int8_t in[MAX_ELEMENTS];
static int8_t expected[MAX_ELEMENTS];
static int32_t taps[MAX_CHANNELS][3][3];
static uint32_t stream[MAX_CHANNELS][8];

/* Parameter words. */
enum {
	IN_H,
	IN_W,
	CHANNELS,
	OUT_H,
	OUT_W,
	STRIDE,
	PAD_TOP,
	PAD_LEFT,
	IN_ZP,
	IN_VIEW,
	OUT_VIEW = 12
};
#define WORDS 15

static uint32_t halves(int32_t low, int32_t high)
{
	return ((uint32_t)low & 0xFFFFu) | (uint32_t)high << 16;
}

/*
 * Weights of 8 bits scaled as the compiler does, or any of 16 bits, or the extremes; a multiplier
 * that spreads the outputs, or any.
 */
static void random_channel(int32_t c)
{
	int32_t scale = 1 << random_in(0, 8);
	int32_t kind = random_in(0, 9);
	int64_t reach = 1;

	for (int32_t i = 0; i < 9; i++) {
		int32_t w = random_in(-127, 127) * scale;

		if (kind == 0) {
			w = random_in(INT16_MIN, INT16_MAX);
		} else if (kind == 1) {
			w = once_in(2) ? INT16_MIN : INT16_MAX;
		}
		taps[c][i / 3][i % 3] = w;
		reach += ((w < 0) ? -w : w) * 64;
	}
	stream[c][0] = halves(taps[c][0][0], taps[c][0][2]);
	stream[c][1] = halves(taps[c][1][0], taps[c][1][2]);
	stream[c][2] = halves(taps[c][2][0], taps[c][2][2]);
	stream[c][3] = halves(taps[c][0][1], taps[c][1][1]);
	stream[c][4] = halves(taps[c][2][1], 0);
	stream[c][5] = (uint32_t)random_in(-100000, 100000);
	reach = ((int64_t)1 << 50) / reach;
	stream[c][6] = (uint32_t)((reach > INT32_MAX) ? INT32_MAX : reach);
	stream[c][7] = (uint32_t)random_in(-40000, 40000);
	if (once_in(8)) {
		stream[c][5] = random_word();
		stream[c][6] = random_word() >> 1;
		stream[c][7] = random_word();
	}
}

/* floor(a / 2^bits) */
static int64_t floor_shift(int64_t a, uint32_t bits)
{
	int64_t unit = (int64_t)1 << bits;

	return (a - (((a % unit) + unit) % unit)) / unit;
}

static int8_t formula(const int32_t *p, int32_t c, int32_t oy, int32_t ox)
{
	int64_t sum = (int32_t)stream[c][5];
	int64_t t;

	for (int32_t ky = 0; ky < 3; ky++) {
		for (int32_t kx = 0; kx < 3; kx++) {
			int32_t y = oy * p[STRIDE] - p[PAD_TOP] + ky;
			int32_t x = ox * p[STRIDE] - p[PAD_LEFT] + kx;
			bool inside = y >= 0 && y < p[IN_H] && x >= 0 && x < p[IN_W];

			sum += taps[c][ky][kx] *
			       (inside ? in[(c * p[IN_H] + y) * p[IN_W] + x] : p[IN_ZP]);
		}
	}
	sum = (int32_t)(uint32_t)(uint64_t)sum;
	t = floor_shift(sum * (int32_t)stream[c][6], 32) + (int32_t)stream[c][7];
	t = floor_shift((int32_t)(uint32_t)(uint64_t)t, 10);
	return (int8_t)((t < -128) ? -128 : (t > 127) ? 127 : t);
}

/* Output size: padded all around, not at all, or anything in between and a little more. */
static int32_t random_outputs(int32_t size, int32_t stride, int32_t pad)
{
	int32_t same = (size + stride - 1) / stride;
	int32_t valid = (size + pad < 3) ? 1 : (size + pad - 3) / stride + 1;

	switch (random_in(0, 3)) {
	case 0:
		return valid;
	case 1:
		return random_in(1, same + 2);
	default:
		return same;
	}
}

static void random_params(int32_t *p)
{
	int32_t width = once_in(4) ? 70 : once_in(8) ? 140 : 28;

	p[IN_H] = random_in(1, 20);
	p[IN_W] = random_in(1, width);
	p[STRIDE] = random_in(1, 2);
	p[PAD_TOP] = random_in(0, 2);
	p[PAD_LEFT] = random_in(0, 2);
	if (once_in(10)) { /* the special case, and its neighbours */
		p[IN_H] = 3;
		p[IN_W] = 3;
		p[PAD_TOP] = 1;
		p[PAD_LEFT] = 1;
	}
	p[OUT_H] = random_outputs(p[IN_H], p[STRIDE], p[PAD_TOP]);
	p[OUT_W] = random_outputs(p[IN_W], p[STRIDE], p[PAD_LEFT]);
	p[IN_ZP] = random_in(-128, 127);
	do {
		p[CHANNELS] = once_in(3) ? random_in(1, MAX_CHANNELS) : random_in(1, 5);
	} while (p[CHANNELS] * (p[IN_H] + 3) * (p[IN_W] + 3) > MAX_ELEMENTS);
}

static void refusals(struct subject *s)
{
	/* Sizes above what the tensors hold are refused as such; their upper limit is that one. */
	const int32_t limits[][2] = {
		[IN_H] = {1, 32767},  [IN_W] = {1, 32767},  [CHANNELS] = {1, 32767},
		[OUT_H] = {1, 32767}, [OUT_W] = {1, 32767}, [STRIDE] = {1, 2},
		[PAD_TOP] = {0, 2},   [PAD_LEFT] = {0, 2},  [IN_ZP] = {-128, 127},
	};

	expect_refusals(s, limits, IN_VIEW);
}

void test_dsp(int32_t rounds)
{
	for (int32_t round = 0; round < rounds; round++) {
		struct subject s = {.kernel = &rnv_depthwise_dsp_s8,
				    .param_words = WORDS,
				    .in_view = IN_VIEW,
				    .out_view = OUT_VIEW,
				    .weights = stream,
				    .extent = 3,
				    .line = 64,
				    .more = 64,
				    .in = in,
				    .expected = expected};
		int32_t *p = s.params;
		int8_t *e = expected;

		begin("DEPTHWISE_DSP_S8", round);
		random_params(p);
		s.in_c = s.out_c = p[CHANNELS];
		s.in_h = p[IN_H];
		s.in_w = p[IN_W];
		s.out_h = p[OUT_H];
		s.out_w = p[OUT_W];
		s.stride = p[STRIDE];
		s.before = p[PAD_TOP];
		s.in_place_w = (p[STRIDE] == 1) ? 62 : 30;
		s.slack = (uint32_t)p[OUT_W] % 2u;
		s.weights_bytes = (uint32_t)p[CHANNELS] * 32u;
		for (int32_t i = 0; i < p[CHANNELS] * p[IN_H] * p[IN_W]; i++) {
			in[i] = (int8_t)(once_in(3) ? (once_in(2) ? -128 : 127)
						    : random_in(-128, 127));
		}
		for (int32_t c = 0; c < p[CHANNELS]; c++) {
			random_channel(c);
			for (int32_t i = 0; i < p[OUT_H] * p[OUT_W]; i++) {
				*e++ = formula(p, c, i / p[OUT_W], i % p[OUT_W]);
			}
		}
		exercise(&s);
		if (round % 16 == 0) {
			refusals(&s);
		}
	}
}
