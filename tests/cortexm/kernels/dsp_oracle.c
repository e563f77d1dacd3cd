/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "dsp_oracle.h"

#include <string.h>

#include "support.h"

struct layer layer;

/* Sum of products, exact. */
static int32_t dot(const struct channel *channel, const int8_t *x, uint32_t step)
{
	int32_t sum = 0;

	for (uint32_t i = 0; i < layer.inputs; i++) {
		sum += channel->weights[i] * x[i * step];
	}
	return sum;
}

static int32_t accumulator(const struct channel *channel, const int8_t *x, uint32_t step)
{
	return (int32_t)((uint32_t)channel->base + 256u * (uint32_t)dot(channel, x, step));
}

/* floor(x / 2^bits) */
static int64_t floor_shift(int64_t x, int bits)
{
	int64_t unit = (int64_t)1 << bits;

	return (x >= 0) ? x / unit : -((-x + unit - 1) / unit);
}

/* gemmlowp's two roundings as its source has them: nudge and truncation, then threshold. */
static int32_t double_rounding(int32_t a, int32_t multiplier, int shift)
{
	int32_t x = (int32_t)((uint32_t)a << (shift > 0 ? shift : 0));
	int64_t product = (int64_t)x * multiplier;
	int64_t nudge = (product >= 0) ? (int64_t)1 << 30 : 1 - ((int64_t)1 << 30);
	int32_t high = (int32_t)((product + nudge) / ((int64_t)1 << 31));
	int32_t right = (shift > 0) ? 0 : -shift;
	int64_t unit = (int64_t)1 << right;
	int64_t quotient = floor_shift(high, right);
	int64_t remainder = high - quotient * unit;

	return (int32_t)(quotient + (2 * remainder > unit - (high < 0 ? 0 : 1)));
}

int8_t layer_output(uint32_t o, const int8_t *x, uint32_t step)
{
	const struct channel *channel = &layer.channels[o];
	int32_t acc = accumulator(channel, x, step);
	int64_t low = INT8_MIN;
	int64_t high = INT8_MAX;
	int64_t value;

	if (layer.epilogue == RNV_EPILOGUE_TEXTBOOK) {
		value = double_rounding((int32_t)floor_shift(acc, 8), channel->m, channel->shift);
		value = (int32_t)(uint32_t)(uint64_t)(value + channel->zero_point);
		low = channel->act_min;
		high = channel->act_max;
	} else {
		value = floor_shift((int64_t)acc * channel->m, 32) + channel->k;
		if (layer.epilogue == RNV_EPILOGUE_LINEAR && acc < 0) {
			value += channel->v;
		}
		value = floor_shift((int32_t)(uint32_t)(uint64_t)value, 12);
	}
	return (int8_t)(value < low ? low : value > high ? high : value);
}

static int8_t weight(int32_t kind)
{
	static const int8_t extremes[] = {-128, -127, -1, 0, 1, 127};

	return (int8_t)(kind == 0 ? extremes[random_in(0, 5)] : random_in(-128, 127));
}

/* Constants with which a sum like `acc` is somewhere in -128..127, mostly. */
static void channel_scale(struct channel *channel, int32_t acc)
{
	int64_t size = (acc < 0 ? -(int64_t)acc : acc) + 1;
	int64_t m = ((int64_t)random_in(1, 250) << 44) / size;

	channel->m = (int32_t)(m > INT32_MAX ? INT32_MAX : m);
	channel->k = random_in(-(64 << 12), 64 << 12);
	channel->v = -(1 << random_in(0, 14));
	channel->shift = 0;
	if (layer.epilogue == RNV_EPILOGUE_TEXTBOOK) {
		size = (size >> 8) + 1;
		channel->m = random_in(1 << 30, INT32_MAX);
		while (channel->shift > -31 && (size >> -channel->shift) > 200) {
			channel->shift--;
		}
		while (channel->shift >= 0 && channel->shift < 30 &&
		       (size << channel->shift) < 60) {
			channel->shift++;
		}
	}
}

static void channel_random(struct channel *channel, const int8_t *x, uint32_t step)
{
	int32_t kind = random_in(0, 3);

	for (uint32_t i = 0; i < layer.inputs; i++) {
		channel->weights[i] = weight(kind);
	}
	for (uint32_t i = 0; i + 1u < layer.inputs; i++) {
		/* Wherever a quad may start: a pair (negative, -128) has no packed form. */
		if (channel->weights[i] < 0 && channel->weights[i + 1u] == -128) {
			channel->weights[i + 1u] = -127;
		}
	}
	channel->base = random_in(-(1 << 24), 1 << 24);
	if (random_in(0, 3) == 0) { /* the sum for x: 0, or near the largest or smallest number */
		static const uint32_t targets[] = {0, 0x7FFFFFFFu, 0x80000000u};
		uint32_t target = targets[random_in(0, 2)];

		target ^= (random_word() % 2u != 0u) ? random_word() % 4096u : 0u;
		channel->base = (int32_t)(target - 256u * (uint32_t)dot(channel, x, step));
	}
	channel_scale(channel, accumulator(channel, x, step));
	if (random_in(0, 1) == 0) { /* the output for x: on an edge, where the last bit matters */
		int64_t scaled =
			floor_shift((int64_t)accumulator(channel, x, step) * channel->m, 32);

		channel->v |= random_in(-1, 0);
		scaled += (accumulator(channel, x, step) < 0) ? channel->v : 0;
		channel->k = (int32_t)(random_in(-100, 100) * 4096 - scaled - random_in(0, 1));
	}
	channel->zero_point = (int8_t)random_in(-128, 127);
	channel->act_min = (int8_t)random_in(-128, 0);
	channel->act_max = (int8_t)random_in(channel->act_min, 127);
	if (random_in(0, 7) == 0) { /* any words at all */
		channel->m = (int32_t)random_word();
		channel->k = (int32_t)random_word();
		channel->v = (int32_t)random_word();
		channel->shift = (int8_t)random_in(-31, 30);
		if (layer.epilogue == RNV_EPILOGUE_TEXTBOOK) {
			channel->m &= INT32_MAX;
		}
	}
}

void layer_random(uint32_t inputs, uint32_t outputs, enum rnv_epilogue epilogue, const int8_t *x,
		  uint32_t step)
{
	layer.inputs = inputs;
	layer.outputs = outputs;
	layer.epilogue = epilogue;
	for (uint32_t o = 0; o < outputs; o++) {
		channel_random(&layer.channels[o], x, step);
	}
}

/* Four weights from input `first` on, those before input `from` as 0. */
static void quad(const struct channel *channel, uint32_t first, uint32_t from, int32_t *w)
{
	for (uint32_t i = 0; i < 4u; i++) {
		w[i] = (first + i < from) ? 0 : channel->weights[first + i];
	}
}

/* Weights and start value of one channel at every second word from `out` on. */
static uint32_t *pack_weights(const struct channel *channel, uint32_t *out)
{
	uint32_t *start = out;
	uint32_t c = (uint32_t)channel->base;

	for (uint32_t i = 0; i < layer.inputs; i += 4u) {
		uint32_t first = (i + 4u > layer.inputs) ? layer.inputs - 4u : i;
		int32_t w[4];

		quad(channel, first, i, w);
		out += 2;
		*out = ((uint32_t)(w[0] + 256 * w[1]) & 0xFFFFu) | (uint32_t)(w[2] + 256 * w[3])
									   << 16;
		c -= 127u * (uint32_t)(w[0] + w[2]);
	}
	*start = c;
	return out + 2;
}

static uint32_t *pack_tail(const struct channel *channel, uint32_t *out)
{
	*out++ = (uint32_t)channel->m;
	if (layer.epilogue == RNV_EPILOGUE_TEXTBOOK) {
		*out++ = (uint32_t)(uint8_t)channel->shift |
			 (uint32_t)(uint8_t)channel->zero_point << 8 |
			 (uint32_t)(uint8_t)channel->act_min << 16 |
			 (uint32_t)(uint8_t)channel->act_max << 24;
		return out;
	}
	*out++ = (uint32_t)channel->k;
	if (layer.epilogue == RNV_EPILOGUE_LINEAR) {
		*out++ = (uint32_t)channel->v;
		*out++ = 0;
	}
	return out;
}

uint32_t layer_pack(uint32_t *stream)
{
	uint32_t *out = stream;

	for (uint32_t o = 0; o < layer.outputs; o += 2u) {
		const struct channel *first = &layer.channels[o];
		const struct channel *second = first + 1;

		if (o + 1u == layer.outputs) {
			second = first;
			first = &layer.channels[0]; /* its outputs are overwritten */
		}
		pack_weights(first, out);
		out = pack_weights(second, out + 1) - 1;
		out = pack_tail(first, out);
		out = pack_tail(second, out);
	}
	return (uint32_t)(out - stream) * 4u;
}
