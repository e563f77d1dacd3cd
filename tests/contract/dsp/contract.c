/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "ranvier/package.h"

#include "contract.h"
#include "vectors.h"

#define GUARD  8
#define POISON 0x3A5C

#define MUST(condition, text)                                                                      \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			return text;                                                               \
		}                                                                                  \
	} while (0)

#define CHECK(call)                                                                                \
	do {                                                                                       \
		const char *broken = (call);                                                       \
                                                                                                   \
		if (broken != NULL) {                                                              \
			return broken;                                                             \
		}                                                                                  \
	} while (0)

static struct {
	const struct rnv_dsp_api *api;
	void *context;
	int16_t in[RNV_DSP_FFT_MAX];
	int16_t before[RNV_DSP_FFT_MAX];
	/* parts, between guards */
	int16_t out[GUARD + RNV_DSP_FFT_MAX + 2 + GUARD];
	int16_t expected[RNV_DSP_FFT_MAX + 2];
} s;

void dsp_contract_samples(int16_t *samples, uint32_t count, uint32_t seed, uint32_t shift)
{
	for (uint32_t i = 0; i < count; i++) {
		seed ^= seed << 13;
		seed ^= seed >> 17;
		seed ^= seed << 5;
		samples[i] = (int16_t)((int32_t)(int16_t)(uint16_t)(seed >> 16) / (1 << shift));
	}
}

static void poison(void)
{
	for (size_t i = 0; i < sizeof(s.out) / sizeof(s.out[0]); i++) {
		s.out[i] = POISON;
	}
}

/* Whether only `count` parts from the first one on were written. */
static bool only_written(uint32_t count)
{
	for (size_t i = 0; i < sizeof(s.out) / sizeof(s.out[0]); i++) {
		if ((i < GUARD || i >= GUARD + count) && s.out[i] != POISON) {
			return false;
		}
	}
	return true;
}

static bool near(const int16_t *values, uint32_t count, int tolerance)
{
	for (uint32_t i = 0; i < count; i++) {
		if (abs(values[i] - s.expected[i]) > tolerance) {
			return false;
		}
	}
	return true;
}

static const char *check_caps(void)
{
	const struct rnv_dsp_caps *caps = s.api->caps(s.context);
	const struct rnv_dsp_caps copy = *caps;

	MUST(s.api->caps(s.context) == caps && s.api->caps(s.context) == caps,
	     "caps: the same pointer");
	MUST(memcmp(&copy, caps, sizeof(copy)) == 0, "caps: constant");
	MUST(caps->name != NULL, "caps: a name");
	MUST(caps->exact == 0u || (caps->fft_tolerance == 0u && caps->matmul_tolerance == 0u),
	     "caps: exact has no tolerance");
	return NULL;
}

/* --- rfft ------------------------------------------------------------------------------------ */

static const char *check_fft_vector(const struct dsp_vector *vector)
{
	const struct rnv_dsp_caps *caps = s.api->caps(s.context);
	const uint32_t parts = vector->points + 2u;
	struct rnv_dsp_complex *out = (struct rnv_dsp_complex *)(void *)(s.out + GUARD);

	dsp_contract_samples(s.in, vector->points, vector->seed, vector->shift);
	memcpy(s.before, s.in, sizeof(s.in));
	poison();
	MUST(s.api->rfft(s.context, s.in, out, vector->points) == RNV_OK, "rfft: every size");
	MUST(memcmp(s.before, s.in, sizeof(s.in)) == 0, "rfft: only reads its input");
	MUST(only_written(parts), "rfft: writes nothing else");
	if (caps->exact != 0u) {
		MUST(rnv_crc32(0, s.out + GUARD, 2u * parts) == vector->crc,
		     "rfft: bit-equal to the reference");
	} else {
		(void)rnv_dsp_portable()->rfft(NULL, s.in, (struct rnv_dsp_complex *)s.expected,
					       vector->points);
		MUST(vector->shift == 0u || near(s.out + GUARD, parts, caps->fft_tolerance),
		     "rfft: within its tolerance");
	}
	return NULL;
}

static const char *check_fft(void)
{
	for (size_t i = 0; i < sizeof(dsp_vectors) / sizeof(dsp_vectors[0]); i++) {
		CHECK(check_fft_vector(&dsp_vectors[i]));
	}
	return NULL;
}

static const char *check_fft_refusals(void)
{
	static const uint32_t sizes[] = {0, 1, 16, 31, 33, 48, 96, 2047, 2049, 4096, 0x80000000u};
	struct rnv_dsp_complex *out = (struct rnv_dsp_complex *)(void *)(s.out + GUARD);

	poison();
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		MUST(s.api->rfft(s.context, s.in, out, sizes[i]) == RNV_EINVAL,
		     "rfft: refuses other sizes");
	}
	MUST(s.api->rfft(s.context, NULL, out, 32) == RNV_EINVAL, "rfft: refuses NULL");
	MUST(s.api->rfft(s.context, s.in, NULL, 32) == RNV_EINVAL, "rfft: refuses NULL");
	MUST(only_written(0), "rfft: writes nothing when it refuses");
	return NULL;
}

/* --- matmul ---------------------------------------------------------------------------------- */

static const char *run_matmul(const struct rnv_dsp_matmul *product)
{
	const struct rnv_dsp_caps *caps = s.api->caps(s.context);
	const uint32_t count = (uint32_t)product->rows * product->columns;

	memcpy(s.before, s.in, sizeof(s.in));
	poison();
	MUST(s.api->matmul(s.context, product) == RNV_OK, "matmul: every size and shift");
	MUST(memcmp(s.before, s.in, sizeof(s.in)) == 0, "matmul: only reads its inputs");
	MUST(only_written(count), "matmul: writes nothing else");
	MUST(near(s.out + GUARD, count, caps->matmul_tolerance),
	     (caps->exact != 0u) ? "matmul: exact" : "matmul: within its tolerance");
	return NULL;
}

/* One product each, rounded by hand: a * b / 2^shift, to the nearest, half up. */
static const char *check_matmul_rounding(void)
{
	static const struct {
		int16_t a;
		int16_t b;
		uint8_t shift;
		int16_t out;
	} cases[] = {
		{1, 16383, 15, 0},
		{1, 16384, 15, 1},
		{-1, 16384, 15, 0},
		{-1, 16385, 15, -1},
		{3, 16384, 15, 2},
		{-3, 16384, 15, -1},
		{32767, 32767, 15, 32766},
		{-32768, 1, 15, -1},
		{-32768, -32768, 15, 32767},
		{-32768, 32767, 0, -32768},
		{-32768, -1, 0, 32767},
		{181, 181, 0, 32761},
		{32767, 32767, 30, 1},
		{-32768, -32768, 31, 1},
		{-32768, 32767, 31, 0},
		{5, 1, 1, 3},
		{-5, 1, 1, -2},
	};
	struct rnv_dsp_matmul product = {.a = s.in,
					 .b = s.in + 1,
					 .out = s.out + GUARD,
					 .rows = 1,
					 .depth = 1,
					 .columns = 1};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		s.in[0] = cases[i].a;
		s.in[1] = cases[i].b;
		s.expected[0] = cases[i].out;
		product.shift = cases[i].shift;
		CHECK(run_matmul(&product));
	}
	return NULL;
}

/* Sums beyond 32 bits: 1,000 products of extremes cancel but for one. */
static const char *check_matmul_sums(void)
{
	const struct rnv_dsp_matmul product = {.a = s.in,
					       .b = s.in + 1001,
					       .out = s.out + GUARD,
					       .rows = 1,
					       .depth = 1001,
					       .columns = 1,
					       .shift = 15};

	for (int i = 0; i < 1000; i++) {
		s.in[i] = -32768;
		s.in[1001 + i] = (i < 500) ? -32768 : 32767;
	}
	s.in[1000] = 100;
	s.in[2001] = -16384;
	/* 500 (2^30 - 32768 * 32767) - 100 * 2^14 = 500 * 2^15 - 50 * 2^15 */
	s.expected[0] = 450;
	CHECK(run_matmul(&product));
	for (int i = 0; i < 1000; i++) {
		s.in[1001 + i] = -32768;
	}
	s.expected[0] = 32767; /* about 2^40, saturated */
	return run_matmul(&product);
}

/* Rows, columns and depth all different: the sums by the definition. */
static const char *check_matmul_layout(void)
{
	enum {
		ROWS = 5,
		DEPTH = 7,
		COLUMNS = 3
	};
	const int16_t *a = s.in;
	const int16_t *b = s.in + ROWS * DEPTH;
	const struct rnv_dsp_matmul product = {a, b, s.out + GUARD, ROWS, DEPTH, COLUMNS, 0};

	dsp_contract_samples(s.in, ROWS * DEPTH + DEPTH * COLUMNS, 77, 9);
	for (int r = 0; r < ROWS; r++) {
		for (int c = 0; c < COLUMNS; c++) {
			int sum = 0;

			for (int i = 0; i < DEPTH; i++) {
				sum += a[r * DEPTH + i] * b[i * COLUMNS + c];
			}
			s.expected[r * COLUMNS + c] = (int16_t)sum; /* at most 7 * 64 * 64 */
		}
	}
	return run_matmul(&product);
}

static const char *check_matmul_refusals(void)
{
	static int16_t a[1] = {1};
	const struct rnv_dsp_matmul good = {a, a, s.out + GUARD, 1, 1, 1, 15};
	struct rnv_dsp_matmul bad[7];

	for (int i = 0; i < 7; i++) {
		bad[i] = good;
	}
	bad[0].a = NULL;
	bad[1].b = NULL;
	bad[2].out = NULL;
	bad[3].rows = 0;
	bad[4].depth = 0;
	bad[5].columns = 0;
	bad[6].shift = 32;
	poison();
	for (int i = 0; i < 7; i++) {
		MUST(s.api->matmul(s.context, &bad[i]) == RNV_EINVAL, "matmul: refuses");
	}
	MUST(s.api->matmul(s.context, NULL) == RNV_EINVAL, "matmul: refuses");
	MUST(only_written(0), "matmul: writes nothing when it refuses");
	return NULL;
}

const char *dsp_contract_run(const struct rnv_dsp_api *api, void *context, uint32_t *checks)
{
	static const char *(*const all[])(void) = {
		check_caps,        check_fft,           check_fft_refusals,   check_matmul_rounding,
		check_matmul_sums, check_matmul_layout, check_matmul_refusals};

	memset(&s, 0, sizeof(s));
	s.api = api;
	s.context = context;
	*checks = 0;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		CHECK(all[i]());
		(*checks)++;
	}
	return NULL;
}
