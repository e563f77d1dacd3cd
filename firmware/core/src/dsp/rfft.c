/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stddef.h>

#include "dsp/portable.h"
#include "dsp/sine.h"

#define HALF    16383 /* 32767 / 2 and / 4: how operands of a butterfly are scaled */
#define QUARTER 8191

typedef struct rnv_dsp_complex complex16;

/* --- 16-bit arithmetic: products are rounded, sums wrap where they are stored ----------------- */

static int16_t wrap(int32_t value)
{
	return (int16_t)(uint16_t)((uint32_t)value & 0xFFFFu);
}

static int32_t rounded(int32_t product)
{
	return (product + (1 << 14)) >> 15;
}

/*
 * Parts of a product with a twiddle, of an operand that was scaled by 1/2 or less. Twiddles are at
 * most 32767, so neither sum of two products reaches 2^31, and the parts fit 16 bits.
 */
static inline int32_t mul_re(int32_t re, int32_t im, complex16 by)
{
	return rounded(re * by.re - im * by.im);
}

static inline int32_t mul_im(int32_t re, int32_t im, complex16 by)
{
	return rounded(re * by.im + im * by.re);
}

/* exp(-2j pi turn / 2048), for less than three quarters of a turn */
static complex16 twiddle(uint32_t turn)
{
	const uint32_t at = turn % RNV_DSP_SINE_QUARTER;
	const int16_t sine = rnv_dsp_sine[at];
	const int16_t cosine = rnv_dsp_sine[RNV_DSP_SINE_QUARTER - at];

	switch (turn / RNV_DSP_SINE_QUARTER) {
	case 0:
		return (complex16){cosine, wrap(-sine)};
	case 1:
		return (complex16){wrap(-sine), wrap(-cosine)};
	default:
		return (complex16){wrap(-cosine), sine};
	}
}

/* --- complex FFT ----------------------------------------------------------------------------- */

/* Radix-2 butterflies of neighbours: only the first stage has them. */
static void stage2(complex16 *x, uint32_t size)
{
	const complex16 one = twiddle(0); /* 32767/32768, and rounded */

	for (const complex16 *end = x + size; x != end; x += 2) {
		const int32_t re = rounded(x[0].re * HALF);
		const int32_t im = rounded(x[0].im * HALF);
		const int32_t other_re = rounded(x[1].re * HALF);
		const int32_t other_im = rounded(x[1].im * HALF);
		const int32_t b_re = mul_re(other_re, other_im, one);
		const int32_t b_im = mul_im(other_re, other_im, one);

		x[0] = (complex16){wrap(re + b_re), wrap(im + b_im)};
		x[1] = (complex16){wrap(re - b_re), wrap(im - b_im)};
	}
}

/* Radix-4 butterfly of elements that are `m` apart, three of them times their twiddles. */
static inline void butterfly4(complex16 *x, uint32_t m, const complex16 by[3])
{
	const int32_t a_re = rounded(x[0].re * QUARTER);
	const int32_t a_im = rounded(x[0].im * QUARTER);
	int32_t re = rounded(x[2u * m].re * QUARTER);
	int32_t im = rounded(x[2u * m].im * QUARTER);
	const int32_t c_re = mul_re(re, im, by[1]);
	const int32_t c_im = mul_im(re, im, by[1]);
	const int32_t even_re = a_re + c_re;
	const int32_t even_im = a_im + c_im;
	const int32_t apart_re = a_re - c_re;
	const int32_t apart_im = a_im - c_im;
	int32_t b_re;
	int32_t b_im;
	int32_t d_re;
	int32_t d_im;

	re = rounded(x[m].re * QUARTER);
	im = rounded(x[m].im * QUARTER);
	b_re = mul_re(re, im, by[0]);
	b_im = mul_im(re, im, by[0]);
	re = rounded(x[3u * m].re * QUARTER);
	im = rounded(x[3u * m].im * QUARTER);
	d_re = mul_re(re, im, by[2]);
	d_im = mul_im(re, im, by[2]);
	x[0] = (complex16){wrap(even_re + b_re + d_re), wrap(even_im + b_im + d_im)};
	x[2u * m] = (complex16){wrap(even_re - b_re - d_re), wrap(even_im - b_im - d_im)};
	/* The difference of b and d, times -j. */
	x[m] = (complex16){wrap(apart_re + b_im - d_im), wrap(apart_im - b_re + d_re)};
	x[3u * m] = (complex16){wrap(apart_re - b_im + d_im), wrap(apart_im + b_re - d_re)};
}

/* Butterflies of groups of 4 m elements: all that have the same twiddles after each other. */
static void stage4(complex16 *x, uint32_t size, uint32_t m)
{
	const uint32_t step = RNV_DSP_SINE_TURN / 4u / m;
	const complex16 *end = x + size;

	for (uint32_t k = 0; k < m; k++) {
		const complex16 by[3] = {twiddle(k * step), twiddle(2u * k * step),
					 twiddle(3u * k * step)};

		for (complex16 *group = x + k; group < end; group += 4u * m) {
			butterfly4(group, m, by);
		}
	}
}

/*
 * Where the next element of the first stage comes from, after the one from `from`: a counter whose
 * digits are reversed. They have two bits, but the first one, of `bits`, has one where `size` is no
 * power of 4.
 */
static uint32_t next_source(uint32_t from, uint32_t size, uint32_t bits)
{
	do {
		const uint32_t highest = size - (size >> bits);

		size >>= bits;
		if ((from & highest) != highest) {
			return from + size;
		}
		from -= highest;
		bits = 2;
	} while (size != 1u);
	return from;
}

/* Pairs of samples in the order of the first stage. */
static void gather(const int16_t *in, complex16 *x, uint32_t size, uint32_t bits)
{
	uint32_t from = 0;

	for (const complex16 *end = x + size; x != end; x++) {
		*x = (complex16){in[2u * from], in[2u * from + 1u]};
		from = next_source(from, size, bits);
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
	const int32_t mean_re = rounded(x[0].re * HALF);
	const int32_t mean_im = rounded(x[0].im * HALF);
	const uint32_t step = RNV_DSP_SINE_TURN / 2u / size;

	x[0] = (complex16){wrap(mean_re + mean_im), 0};
	x[size] = (complex16){wrap(mean_re - mean_im), 0};
	for (uint32_t k = 1; k <= size / 2u; k++) {
		complex16 *here = x + k;
		complex16 *mirror = x + size - k;
		const int32_t one_re = rounded(here->re * HALF);
		const int32_t one_im = rounded(here->im * HALF);
		const int32_t other_re = rounded(mirror->re * HALF);
		const int32_t other_im = rounded(wrap(-mirror->im) * HALF);
		const int32_t apart_re = wrap(one_re - other_re);
		const int32_t apart_im = wrap(one_im - other_im);
		/* exp(-j pi (k / size + 1/2)) */
		const complex16 by = {wrap(-rnv_dsp_sine[k * step]),
				      wrap(-rnv_dsp_sine[RNV_DSP_SINE_QUARTER - k * step])};
		const int32_t even_re = wrap(one_re + other_re);
		const int32_t even_im = wrap(one_im + other_im);
		const int32_t odd_re = wrap(mul_re(apart_re, apart_im, by));
		const int32_t odd_im = wrap(mul_im(apart_re, apart_im, by));

		*here = (complex16){half_sum(even_re, odd_re), half_sum(even_im, odd_im)};
		*mirror = (complex16){half_sum(even_re, -odd_re), half_sum(odd_im, -even_im)};
	}
}

int rnv_dsp_rfft(void *context, const int16_t *in, struct rnv_dsp_complex *out, uint32_t points)
{
	const uint32_t size = points / 2u;
	const uint32_t bits = ((size & 0x55555555u) == 0u) ? 1u : 2u; /* of the first radix */

	(void)context;
	if (in == NULL || out == NULL || points < RNV_DSP_FFT_MIN || points > RNV_DSP_FFT_MAX ||
	    (points & (points - 1u)) != 0u) {
		return RNV_EINVAL;
	}
	gather(in, out, size, bits);
	if (bits == 1u) {
		stage2(out, size);
	}
	for (uint32_t m = (bits == 1u) ? 2u : 1u; m < size; m *= 4u) {
		stage4(out, size, m);
	}
	separate(out, size);
	return RNV_OK;
}
