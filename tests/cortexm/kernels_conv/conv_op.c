/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "conv_op.h"

#include <string.h>

#include "../kernels/support.h"

#define MOST_OUT_C   64
#define MOST_DEPTH   2048 /* weights of a channel, quads filled */
#define STREAM_BYTES (96 * 1024)

extern const struct rnv_kernel rnv_conv_planes_dsp_s8;
extern const struct rnv_kernel rnv_conv_pixels_dsp_s8;

/* A channel's part of the stream: `a` is 256 times the sum, plus `delta`. */
struct channel {
	int32_t delta;
	int32_t multiplier;
	int32_t addend;     /* K, or the bytes f of the textbook epilogue */
	int32_t correction; /* V */
};

static struct channel channels[MOST_OUT_C];
static int8_t weights[MOST_OUT_C][MOST_DEPTH]; /* in the order of the stream */
static _Alignas(16) uint8_t stream[STREAM_BYTES];
static uint32_t stream_bytes;
static const uint16_t operands[2] = {0, 1};

int32_t out_rows(const struct conv *c)
{
	return c->transposed ? c->w.out_w : c->w.out_h;
}

int32_t out_columns(const struct conv *c)
{
	return c->transposed ? c->w.out_h : c->w.out_w;
}

static int32_t pixel_of(const struct conv *c)
{
	return c->pixels ? c->w.in_c : (c->w.in_c + 3) / 4 * 4;
}

static uint32_t quads_of(const struct conv *c)
{
	return (uint32_t)(c->w.filter_h * c->w.filter_w * pixel_of(c) + 3) / 4u;
}

/* Place of a weight in its channel's stream. */
static uint32_t place_of(const struct conv *c, int32_t ky, int32_t kx, int32_t i)
{
	int32_t tap =
		(c->pixels && !c->transposed) ? kx * c->w.filter_h + ky : ky * c->w.filter_w + kx;

	return (uint32_t)(tap * pixel_of(c) + i);
}

static void random_channel(const struct conv *c, uint32_t o)
{
	struct channel *channel = &channels[o];

	memset(weights[o], 0, 4u * quads_of(c));
	for (int32_t ky = 0; ky < c->w.filter_h; ky++) {
		for (int32_t kx = 0; kx < c->w.filter_w; kx++) {
			for (int32_t i = 0; i < c->w.in_c; i++) {
				uint32_t place = place_of(c, ky, kx, i);

				/* The second of two packed ones must not be -128. */
				weights[o][place] =
					(int8_t)random_in(place % 2u == 0u ? -128 : -127, 127);
			}
		}
	}
	channel->delta = 256 * random_in(-20000, 20000) + random_in(-128, 127);
	channel->multiplier = (int32_t)(random_word() >> random_in(3, 10));
	channel->addend = random_in(-(1 << 19), 1 << 19);
	channel->correction = random_in(-4096, 0);
	if (c->epilogue == RNV_EPILOGUE_TEXTBOOK) {
		int32_t low = random_in(-128, 0);

		channel->multiplier = (int32_t)(random_word() >> 1);
		channel->addend = (int32_t)((uint32_t)(uint8_t)random_in(-12, 0) |
					    (uint32_t)(uint8_t)random_in(-128, 127) << 8 |
					    (uint32_t)(uint8_t)low << 16 |
					    (uint32_t)(uint8_t)random_in(0, 127) << 24);
	}
}

static uint8_t *put_word(uint8_t *at, uint32_t word)
{
	memcpy(at, &word, 4);
	return at + 4;
}

static uint32_t weight_word(const int8_t *w)
{
	uint32_t low = (uint32_t)(w[0] + 256 * w[1]) & 0xFFFFu;
	uint32_t high = (uint32_t)(w[2] + 256 * w[3]) & 0xFFFFu;

	return low | high << 16;
}

static uint32_t start_value(const struct conv *c, uint32_t o)
{
	int32_t even = 0;

	for (uint32_t k = 0; k < 4u * quads_of(c); k += 2u) {
		even += weights[o][k];
	}
	return (uint32_t)(channels[o].delta - 127 * even);
}

/* The block of the outputs `first` and `second`. */
static uint8_t *put_block(const struct conv *c, uint32_t first, uint32_t second, uint8_t *at)
{
	const uint32_t pair[2] = {first, second};

	for (uint32_t i = 0; i < 2; i++) {
		at = put_word(at, start_value(c, pair[i]));
	}
	for (uint32_t quad = 0; quad < quads_of(c); quad++) {
		for (uint32_t i = 0; i < 2; i++) {
			at = put_word(at, weight_word(&weights[pair[i]][4u * quad]));
		}
	}
	for (uint32_t i = 0; i < 2; i++) {
		at = put_word(at, (uint32_t)channels[pair[i]].multiplier);
		at = put_word(at, (uint32_t)channels[pair[i]].addend);
		if (c->epilogue == RNV_EPILOGUE_LINEAR) {
			at = put_word(at, (uint32_t)channels[pair[i]].correction);
			at = put_word(at, 0);
		}
	}
	return at;
}

void random_stream(const struct conv *c)
{
	uint32_t out_c = (uint32_t)c->w.out_c;
	uint8_t *at = stream;

	for (uint32_t o = 0; o <= out_c; o++) { /* one more for the place before an odd last one */
		random_channel(c, o);
	}
	for (uint32_t o = 0; o + 1u < out_c; o += 2u) {
		at = put_block(c, o, o + 1u, at);
	}
	if (out_c % 2u != 0u) {
		at = put_block(c, out_c, out_c - 1u, at);
	}
	stream_bytes = (uint32_t)(at - stream);
}

static int64_t floor_shift(int64_t value, int32_t bits)
{
	int64_t unit = (int64_t)1 << bits;

	return (value >= 0) ? value / unit : -((-value + unit - 1) / unit);
}

static int32_t clamped(int64_t value, int32_t low, int32_t high)
{
	return (int32_t)((value < low) ? low : (value > high) ? high : value);
}

/* SPEC.md, section 3: multiply in Q31 rounding to nearest, then shift, ties away from zero. */
static int32_t textbook(int64_t a, const struct channel *channel)
{
	uint32_t f = (uint32_t)channel->addend;
	int32_t right = -(int8_t)f;
	int64_t value = floor_shift(a * channel->multiplier + (1 << 30), 31);

	if (right > 0) {
		int64_t half = (int64_t)1 << (right - 1);

		value = (value >= 0) ? floor_shift(value + half, right)
				     : -floor_shift(-value + half, right);
	}
	return clamped(value + (int8_t)(f >> 8), (int8_t)(f >> 16), (int8_t)(f >> 24));
}

/* The output of channel `o` for a sum of products. */
static int8_t output_of(const struct conv *c, uint32_t o, int32_t sum)
{
	const struct channel *channel = &channels[o];
	int64_t a = 256 * (int64_t)sum + channel->delta;
	int64_t t;

	if (c->epilogue == RNV_EPILOGUE_TEXTBOOK) {
		return (int8_t)textbook(floor_shift(a, 8), channel);
	}
	t = floor_shift(a * channel->multiplier, 32) + channel->addend;
	if (c->epilogue == RNV_EPILOGUE_LINEAR && a < 0) {
		t += channel->correction;
	}
	return (int8_t)clamped(floor_shift(t, 12), -128, 127);
}

int8_t expected_at(const struct conv *c, const int8_t *image, int32_t row, int32_t column,
		   uint32_t o)
{
	const struct rnv_conv_window *w = &c->w;
	int32_t y = (c->transposed ? column : row) * w->stride_h - w->pad_top;
	int32_t x = (c->transposed ? row : column) * w->stride_w - w->pad_left;
	int32_t sum = 0;

	for (int32_t ky = 0; ky < w->filter_h; ky++) {
		for (int32_t kx = 0; kx < w->filter_w; kx++) {
			const int8_t *weight = &weights[o][place_of(c, ky, kx, 0)];
			int32_t iy = y + ky;
			int32_t ix = x + kx;
			bool inside = iy >= 0 && iy < w->in_h && ix >= 0 && ix < w->in_w;

			for (int32_t i = 0; i < w->in_c; i++) {
				int32_t at = (iy * w->in_w + ix) * w->in_c + i;

				sum += (inside ? image[at] : w->in_zp) * weight[i];
			}
		}
	}
	return output_of(c, o, sum);
}

static uint32_t scratch_of(const struct conv *c)
{
	int32_t pixels = c->transposed ? c->w.out_h : c->w.out_w;
	int32_t along = c->transposed ? c->w.filter_h : c->w.filter_w;
	int32_t stride = c->transposed ? c->w.stride_h : c->w.stride_w;
	int32_t across = c->w.filter_h * c->w.filter_w / along;
	int32_t length = (pixels - 1) * stride + along;
	int32_t values = c->w.filter_h * c->w.filter_w * pixel_of(c);

	return (uint32_t)(32 * (int32_t)quads_of(c) + length * across * pixel_of(c) +
			  4 * (int32_t)quads_of(c) - values);
}

void bench_init(struct bench *b, const struct conv *c, uint8_t *arena)
{
	int32_t *at = b->params;

	memset(b, 0, sizeof(*b));
	memcpy(at, &c->w, sizeof(c->w));
	at += sizeof(c->w) / sizeof(*at);
	if (c->pixels) {
		*at++ = c->transposed;
	} else {
		memcpy(at, &c->in, sizeof(c->in));
		at += 3;
	}
	memcpy(at, &c->out, sizeof(c->out));
	at += 3;
	*at++ = c->epilogue;
	b->kernel = c->pixels ? &rnv_conv_pixels_dsp_s8 : &rnv_conv_planes_dsp_s8;
	b->pkg.tensors = b->tensors;
	b->pkg.operands = operands;
	b->pkg.params = b->params;
	b->pkg.weights = stream;
	b->exec.pkg = &b->pkg;
	b->exec.arena = arena;
	b->op.pkg = &b->pkg;
	b->op.rec = &b->rec;
	b->op.exec = &b->exec;
	b->rec.input_count = 1;
	b->rec.output_count = 1;
	b->rec.params_bytes = (uint16_t)((at - b->params) * 4);
	b->rec.weights_bytes = stream_bytes;
	b->rec.scratch_bytes = scratch_of(c);
	for (uint32_t i = 0; i < 2; i++) {
		b->tensors[i].type = RNV_TYPE_INT8;
		b->tensors[i].storage = RNV_STORAGE_ARENA;
	}
}
