/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "base_oracle.h"

#include "support.h"

#define SUM_MIN (-(INT32_C(1) << 23))
#define SUM_MAX ((INT32_C(1) << 23) - 1)

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

/* floor(x / 2^bits) */
static int64_t floor_shift(int64_t x, int bits)
{
	int64_t unit = (int64_t)1 << bits;

	return (x >= 0) ? x / unit : -((-(x + 1)) / unit) - 1;
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

static int8_t clamped(int64_t value, int64_t low, int64_t high)
{
	return (int8_t)(value < low ? low : value > high ? high : value);
}

int8_t textbook_output(const struct channel *channel, int32_t sum)
{
	int64_t value = double_rounding(sum, channel->m, channel->shift);

	value = (int32_t)(uint32_t)(uint64_t)(value + channel->zero_point);
	return clamped(value, channel->act_min, channel->act_max);
}

int8_t layer_output(uint32_t o, const int8_t *x, uint32_t step)
{
	const struct channel *channel = &layer.channels[o];
	int32_t sum = channel->bias + dot(channel, x, step);
	bool second = layer.epilogue != RNV_EPILOGUE_LINEAR || sum >= 0;
	uint64_t total;

	if (layer.epilogue == RNV_EPILOGUE_TEXTBOOK) {
		return textbook_output(channel, sum);
	}
	total = (uint64_t)((int64_t)sum * channel->m) + (uint64_t)channel->k[second];
	return clamped(floor_shift((int64_t)total, 36), INT8_MIN, INT8_MAX);
}

/* So small that sums of any inputs differ by less than 2^24. */
static int32_t weight_limit(void)
{
	int32_t limit = (int32_t)((1u << 24) / (256u * layer.inputs));

	return (limit > 128) ? 128 : limit;
}

static void weights_random(struct channel *channel)
{
	int32_t limit = weight_limit();
	int32_t extremes[] = {-limit, 1 - limit, -1, 0, 1, limit - 1};
	int32_t kind = random_in(0, 3);

	for (uint32_t i = 0; i < layer.inputs; i++) {
		channel->weights[i] = (int8_t)(kind == 0 ? extremes[random_in(0, 5)]
							 : random_in(-limit, limit - 1));
	}
}

/* A bias with which all sums fit, and one is where `goal` says: lowest, highest, 0, anywhere. */
static void bias_random(struct channel *channel, const struct columns *columns)
{
	int32_t least = INT32_MAX;
	int32_t most = INT32_MIN;
	int32_t low;
	int32_t high;

	for (uint32_t p = 0; p < columns->count; p++) {
		int32_t sum = dot(channel, columns->x + p * columns->pixel, columns->step);

		least = (sum < least) ? sum : least;
		most = (sum > most) ? sum : most;
	}
	low = SUM_MIN - least;
	high = SUM_MAX - most;
	channel->bias = random_in(-(1 << 16), 1 << 16);
	switch (random_in(0, 5)) {
	case 0:
		channel->bias = low;
		break;
	case 1:
		channel->bias = high;
		break;
	case 2:
		channel->bias = -least;
		break;
	case 3:
		channel->bias = -most - 1;
		break;
	case 4:
		channel->bias = random_in(low, high);
		break;
	default:
		break;
	}
	channel->bias = (channel->bias < low) ? low : (channel->bias > high) ? high : channel->bias;
}

/* Constants with which the output for `sum` is somewhere in -128..127, often on an edge. */
static void channel_scale(struct channel *channel, int32_t sum)
{
	int64_t size = (sum < 0 ? -(int64_t)sum : sum) + 1;
	int64_t m = ((int64_t)random_in(1, 250) << 36) / size;

	channel->m = (int32_t)(m > INT32_MAX ? INT32_MAX : m);
	for (int side = 0; side < 2; side++) {
		channel->k[side] = (int64_t)random_in(-(64 << 16), 64 << 16) * (1 << 20);
		if (random_in(0, 1) == 0) {
			channel->k[side] = (int64_t)random_in(-100, 100) * ((int64_t)1 << 36) -
					   (int64_t)sum * channel->m - random_in(0, 1);
		}
	}
	channel->shift = 0;
	if (layer.epilogue == RNV_EPILOGUE_TEXTBOOK) {
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

static void channel_random(struct channel *channel, const struct columns *columns)
{
	uint32_t p = random_word() % columns->count;

	bias_random(channel, columns);
	channel_scale(channel,
		      channel->bias + dot(channel, columns->x + p * columns->pixel, columns->step));
	channel->zero_point = (int8_t)random_in(-128, 127);
	channel->act_min = (int8_t)random_in(-128, 0);
	channel->act_max = (int8_t)random_in(channel->act_min, 127);
	if (random_in(0, 7) == 0) { /* any words at all */
		channel->m = (int32_t)random_word();
		channel->shift = (int8_t)random_in(-31, 30);
		for (int side = 0; side < 2; side++) {
			channel->k[side] = (int64_t)((uint64_t)random_word() << 32 | random_word());
		}
		if (layer.epilogue == RNV_EPILOGUE_TEXTBOOK) {
			channel->m &= INT32_MAX;
		}
	}
}

void layer_random(uint32_t inputs, uint32_t outputs, enum rnv_epilogue epilogue,
		  const struct columns *columns)
{
	layer.inputs = inputs;
	layer.outputs = outputs;
	layer.epilogue = epilogue;
	for (uint32_t o = 0; o < outputs; o++) {
		weights_random(&layer.channels[o]);
		/* A pair (negative, -128) has no packed form, whichever way channels are paired. */
		for (uint32_t i = 0; o > 0u && i < inputs; i++) {
			if (layer.channels[o].weights[i] == -128 &&
			    layer.channels[o - 1u].weights[i] < 0) {
				layer.channels[o].weights[i] = -127;
			}
		}
		channel_random(&layer.channels[o], columns);
	}
}

/* Weight of a column's place `i`; a last quad that overlaps counts nothing twice. */
static int32_t weight_at(const struct channel *channel, uint32_t i, bool overlap)
{
	uint32_t whole = layer.inputs & ~3u;
	uint32_t input = (overlap && i >= whole) ? i - (4u - layer.inputs % 4u) : i;

	return (channel == NULL || input >= layer.inputs || (i >= whole && input < whole))
		       ? 0
		       : channel->weights[input];
}

static uint32_t *pack_64(uint32_t *out, uint64_t value)
{
	*out++ = (uint32_t)value;
	*out++ = (uint32_t)(value >> 32);
	return out;
}

/* Tail of a channel; any words for a missing one, whose output is overwritten. */
static uint32_t *pack_tail(const struct channel *channel, uint32_t *out)
{
	static const struct channel missing = {.m = 12345, .k = {0x123456789, 0x987654321}};

	channel = (channel == NULL) ? &missing : channel;
	*out++ = (uint32_t)channel->m;
	if (layer.epilogue == RNV_EPILOGUE_TEXTBOOK) {
		*out++ = (uint32_t)(uint8_t)channel->shift |
			 (uint32_t)(uint8_t)channel->zero_point << 8 |
			 (uint32_t)(uint8_t)channel->act_min << 16 |
			 (uint32_t)(uint8_t)channel->act_max << 24;
		return out;
	}
	for (int side = (layer.epilogue == RNV_EPILOGUE_LINEAR) ? 0 : 1; side < 2; side++) {
		/* The kernel's sums are 2^23 higher. */
		uint64_t lower = (uint64_t)((int64_t)channel->m * (1 << 23));

		out = pack_64(out, (uint64_t)channel->k[side] - lower);
	}
	return out;
}

/* A block of `count` channels, 2 or 4; NULL is a missing one. */
static uint32_t *pack_block(const struct channel *const *channels, uint32_t count, bool overlap,
			    uint32_t *out)
{
	for (uint32_t i = 0; i < count; i += 2u) {
		int64_t c0 = (channels[i] == NULL) ? 0 : channels[i]->bias + (1 << 23);
		int64_t c1 = channels[i + 1u]->bias + (1 << 23);

		out = pack_64(out, (uint64_t)(c0 + c1 * (1 << 24)));
	}
	for (uint32_t k = 0; k < ((layer.inputs + 3u) & ~3u); k++) {
		for (uint32_t i = 0; i < count; i += 2u) {
			int32_t w0 = weight_at(channels[i], k, overlap);
			int32_t w1 = weight_at(channels[i + 1u], k, overlap);

			*out++ = (uint32_t)(w0 + w1 * (1 << 24));
		}
	}
	for (uint32_t i = 0; i < count; i++) {
		out = pack_tail(channels[i], out);
	}
	return out;
}

uint32_t layer_pack(uint32_t *stream, bool overlap)
{
	uint32_t *out = stream;
	uint32_t o = 0;

	while (o < layer.outputs) {
		const struct channel *channels[4];
		uint32_t left = layer.outputs - o;
		uint32_t count = (left >= 4u) ? 4u : 2u;

		for (uint32_t i = 0; i < count; i++) {
			channels[i] = &layer.channels[o + i];
		}
		if (left == 1u) {
			channels[0] = NULL;
			channels[1] = &layer.channels[o];
		}
		out = pack_block(channels, count, overlap, out);
		o += count;
	}
	return (uint32_t)(out - stream) * 4u;
}
