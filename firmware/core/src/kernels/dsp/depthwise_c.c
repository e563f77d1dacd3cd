/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief The twins of depthwise_s1.S and depthwise_s2.S.
 */

#include "kernels/dsp/depthwise_tiles.h"
#include "kernels/fixed_point.h"

/* A channel's words taken apart. */
struct channel {
	int32_t taps[3][3];
	uint32_t start;
	int32_t multiplier;
	int32_t constant;
};

static int32_t low(uint32_t word)
{
	return (int16_t)(word & 0xFFFFu);
}

static int32_t high(uint32_t word)
{
	return (int16_t)(word >> 16);
}

static struct channel unpack(const uint32_t *w)
{
	return (struct channel){
		.taps = {{low(w[0]), low(w[3]), high(w[0])},
			 {low(w[1]), high(w[3]), high(w[1])},
			 {low(w[2]), low(w[4]), high(w[2])}},
		.start = w[5],
		.multiplier = (int32_t)w[6],
		.constant = (int32_t)w[7],
	};
}

static int8_t finish(const struct channel *c, uint32_t acc)
{
	int64_t product = (int64_t)(int32_t)acc * c->multiplier;
	uint32_t t = (uint32_t)(product >> 32) + (uint32_t)c->constant;

	return (int8_t)rnv_clamp((int32_t)t >> RNV_DEPTHWISE_SHIFT, INT8_MIN, INT8_MAX);
}

/* The output whose window begins at `in`. */
static int8_t output(const struct channel *c, const int8_t *in, uint32_t pitch)
{
	uint32_t acc = c->start;

	for (uint32_t ky = 0; ky < 3u; ky++) {
		for (uint32_t kx = 0; kx < 3u; kx++) {
			acc += (uint32_t)(c->taps[ky][kx] * in[ky * pitch + kx]);
		}
	}
	return finish(c, acc);
}

static void rows(const int8_t *in, int8_t *out, const uint32_t *w,
		 const struct rnv_depthwise_plan *plan, uint32_t stride)
{
	const struct channel c = unpack(w);
	uint32_t count = plan->pairs / (stride * RNV_DEPTHWISE_PITCH) + plan->odd;

	for (uint32_t y = 0; y < count; y++) {
		for (uint32_t x = 0; x < plan->start + 2u; x++) {
			out[x] = output(&c, in + stride * x, RNV_DEPTHWISE_PITCH);
		}
		in += stride * RNV_DEPTHWISE_PITCH;
		out += plan->second - 2u;
	}
}

void rnv_depthwise_s1_c(const int8_t *in, int8_t *out, const uint32_t *w,
			const struct rnv_depthwise_plan *plan)
{
	rows(in, out, w, plan, 1);
}

void rnv_depthwise_s2_c(const int8_t *in, int8_t *out, const uint32_t *w,
			const struct rnv_depthwise_plan *plan)
{
	rows(in, out, w, plan, 2);
}
