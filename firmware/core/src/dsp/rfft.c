/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stdbool.h>
#include <stddef.h>

#include "dsp/portable.h"
#include "dsp/sine.h"

#define HALF    16383 /* 32767 / 2 and / 4: how operands of a butterfly are scaled */
#define QUARTER 8191

typedef struct rnv_dsp_complex complex16;

/* --- 16-bit arithmetic: sums wrap, products are rounded -------------------------------------- */

static int16_t wrap(int32_t value)
{
	return (int16_t)(uint16_t)((uint32_t)value & 0xFFFFu);
}

static int16_t rounded(int32_t product)
{
	return wrap((product + (1 << 14)) >> 15);
}

static complex16 scale(complex16 a, int32_t factor)
{
	return (complex16){rounded(a.re * factor), rounded(a.im * factor)};
}

static complex16 add(complex16 a, complex16 b)
{
	return (complex16){wrap(a.re + b.re), wrap(a.im + b.im)};
}

static complex16 sub(complex16 a, complex16 b)
{
	return (complex16){wrap(a.re - b.re), wrap(a.im - b.im)};
}

/* Twiddles are at most 32767, so neither sum of two products reaches 2^31. */
static complex16 mul(complex16 a, complex16 b)
{
	return (complex16){rounded(a.re * b.re - a.im * b.im), rounded(a.re * b.im + a.im * b.re)};
}

static int16_t sine(uint32_t turn)
{
	const uint32_t at = turn % RNV_DSP_SINE_QUARTER;

	switch (turn % RNV_DSP_SINE_TURN / RNV_DSP_SINE_QUARTER) {
	case 0:
		return rnv_dsp_sine[at];
	case 1:
		return rnv_dsp_sine[RNV_DSP_SINE_QUARTER - at];
	case 2:
		return wrap(-rnv_dsp_sine[at]);
	default:
		return wrap(-rnv_dsp_sine[RNV_DSP_SINE_QUARTER - at]);
	}
}

/* exp(-2j pi turn / 2048) */
static complex16 twiddle(uint32_t turn)
{
	return (complex16){sine(turn + RNV_DSP_SINE_QUARTER), wrap(-sine(turn))};
}

/* --- complex FFT ----------------------------------------------------------------------------- */

/* Radix-2 butterfly of neighbours: only the first stage has it. */
static void group2(complex16 *x)
{
	const complex16 a = scale(x[0], HALF);
	const complex16 b = mul(scale(x[1], HALF), twiddle(0)); /* 32767/32768, and rounded */

	x[0] = add(a, b);
	x[1] = sub(a, b);
}

/* Radix-4 butterflies of one group: element k with k + m, k + 2 m, k + 3 m. */
static void group4(complex16 *x, uint32_t m, uint32_t step)
{
	for (uint32_t k = 0; k < m; k++) {
		const complex16 a = scale(x[k], QUARTER);
		const complex16 b = mul(scale(x[k + m], QUARTER), twiddle(k * step));
		const complex16 c = mul(scale(x[k + 2u * m], QUARTER), twiddle(2u * k * step));
		const complex16 d = mul(scale(x[k + 3u * m], QUARTER), twiddle(3u * k * step));
		const complex16 even = add(a, c);
		const complex16 odd = add(b, d);
		const complex16 difference = sub(a, c);
		const complex16 turned = {sub(b, d).im, wrap(-sub(b, d).re)}; /* times -j */

		x[k] = add(even, odd);
		x[k + m] = add(difference, turned);
		x[k + 2u * m] = sub(even, odd);
		x[k + 3u * m] = sub(difference, turned);
	}
}

/*
 * Where the element at `place` of the first stage comes from: its digits, reversed. The digits are
 * base 4 from the top, the last one base 2 where `size` is no power of 4.
 */
static uint32_t source(uint32_t place, uint32_t size)
{
	uint32_t from = 0;
	uint32_t weight = 1;

	while (size > 1u) {
		const uint32_t radix = (size >= 4u) ? 4u : 2u;

		size /= radix;
		from += place / size * weight;
		place %= size;
		weight *= radix;
	}
	return from;
}

/* Stages over groups that grow: 2 first where `size` is no power of 4, then 4 by 4. */
static void stages(complex16 *x, uint32_t size)
{
	uint32_t m = 1;

	while (m < size) {
		const bool two = m == 1u && (size & 0x55555555u) == 0u;
		const uint32_t span = two ? 2u : 4u * m;

		for (uint32_t first = 0; first < size; first += span) {
			if (two) {
				group2(x + first);
			} else {
				group4(x + first, m, RNV_DSP_SINE_TURN / span);
			}
		}
		m = span;
	}
}

/* --- real FFT -------------------------------------------------------------------------------- */

static int16_t half_sum(int32_t a, int32_t b)
{
	return wrap((a + b) >> 1);
}

/* From the spectrum of pairs of samples to that of the samples, in place. */
static void separate(complex16 *x, uint32_t size)
{
	const complex16 mean = scale(x[0], HALF);

	x[0] = (complex16){wrap(mean.re + mean.im), 0};
	x[size] = (complex16){wrap(mean.re - mean.im), 0};
	for (uint32_t k = 1; k <= size / 2u; k++) {
		const complex16 mirrored = {x[size - k].re, wrap(-x[size - k].im)};
		const complex16 one = scale(x[k], HALF);
		const complex16 other = scale(mirrored, HALF);
		const complex16 even = add(one, other);
		/* exp(-j pi (k / size + 1/2)) */
		const complex16 odd =
			mul(sub(one, other),
			    twiddle(k * (RNV_DSP_SINE_TURN / 2u / size) + RNV_DSP_SINE_QUARTER));

		x[k] = (complex16){half_sum(even.re, odd.re), half_sum(even.im, odd.im)};
		x[size - k] = (complex16){half_sum(even.re, -odd.re), half_sum(odd.im, -even.im)};
	}
}

int rnv_dsp_rfft(void *context, const int16_t *in, struct rnv_dsp_complex *out, uint32_t points)
{
	const uint32_t size = points / 2u;

	(void)context;
	if (in == NULL || out == NULL || points < RNV_DSP_FFT_MIN || points > RNV_DSP_FFT_MAX ||
	    (points & (points - 1u)) != 0u) {
		return RNV_EINVAL;
	}
	for (uint32_t i = 0; i < size; i++) {
		const uint32_t from = source(i, size);

		out[i] = (complex16){in[2u * from], in[2u * from + 1u]};
	}
	stages(out, size);
	separate(out, size);
	return RNV_OK;
}
