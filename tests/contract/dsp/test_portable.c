/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The suite against the portable implementation, which is also compared with double arithmetic; and
 * against implementations that break one MUST each: the suite has to name it.
 */

#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contract.h"

#define PI 3.14159265358979323846

static void test_portable(void **state)
{
	uint32_t checks;

	(void)state;
	assert_null(dsp_contract_run(rnv_dsp_portable(), NULL, &checks));
	assert_int_equal(checks, 7);
}

/* --- accuracy: the sum that the header defines, in double ------------------------------------ */

/* A part differs from the exact value by at most 8 and a thousandth of its bin's magnitude. */
static void assert_accurate(const int16_t *in, uint32_t points)
{
	static struct rnv_dsp_complex out[RNV_DSP_FFT_MAX / 2 + 1];

	assert_int_equal(rnv_dsp_portable()->rfft(NULL, in, out, points), RNV_OK);
	for (uint32_t k = 0; k <= points / 2u; k++) {
		double re = 0;
		double im = 0;

		for (uint32_t i = 0; i < points; i++) {
			const double turn = 2 * PI * (k * i % points) / points;

			re += in[i] * cos(turn) / points;
			im -= in[i] * sin(turn) / points;
		}
		assert_true(fabs(out[k].re - re) <= 8 + hypot(re, im) / 1000);
		assert_true(fabs(out[k].im - im) <= 8 + hypot(re, im) / 1000);
	}
}

static void test_accuracy(void **state)
{
	static int16_t in[RNV_DSP_FFT_MAX];

	(void)state;
	for (uint32_t points = RNV_DSP_FFT_MIN; points <= RNV_DSP_FFT_MAX; points *= 2u) {
		dsp_contract_samples(in, points, points, 1);
		assert_accurate(in, points);
		for (uint32_t i = 0; i < points; i++) { /* the largest bins: a square wave */
			in[i] = (int16_t)((i * 7u / points % 2u != 0u) ? -RNV_DSP_FFT_SAFE
								       : RNV_DSP_FFT_SAFE);
		}
		assert_accurate(in, points);
		for (uint32_t i = 0; i < points; i++) { /* a sine between two bins */
			in[i] = (int16_t)(RNV_DSP_FFT_SAFE * sin(2 * PI * 5.4 * i / points));
		}
		assert_accurate(in, points);
	}
}

/* --- implementations that break a MUST ------------------------------------------------------- */

enum breach {
	NONE,
	CAPS_MOVE,
	EXACT_WITH_TOLERANCE,
	FFT_OFF_BY_ONE,
	FFT_TOLERANT, /* off by one within a tolerance of one: no breach */
	FFT_BEYOND_TOLERANCE,
	FFT_WRITES_BEYOND,
	FFT_WRITES_INPUT,
	FFT_TAKES_48,
	FFT_WRITES_WHEN_REFUSED,
	MATMUL_TRUNCATES,
	MATMUL_WRAPS,
	MATMUL_32_BIT,
	MATMUL_TRANSPOSED,
	MATMUL_BEYOND_TOLERANCE,
	MATMUL_WRITES_BEYOND,
	MATMUL_TAKES_32,
	BREACH_COUNT,
};

static const char *const expected[BREACH_COUNT] = {
	[CAPS_MOVE] = "caps: the same pointer",
	[EXACT_WITH_TOLERANCE] = "caps: exact has no tolerance",
	[FFT_OFF_BY_ONE] = "rfft: bit-equal to the reference",
	[FFT_BEYOND_TOLERANCE] = "rfft: within its tolerance",
	[FFT_WRITES_BEYOND] = "rfft: writes nothing else",
	[FFT_WRITES_INPUT] = "rfft: only reads its input",
	[FFT_TAKES_48] = "rfft: refuses other sizes",
	[FFT_WRITES_WHEN_REFUSED] = "rfft: writes nothing when it refuses",
	[MATMUL_TRUNCATES] = "matmul: exact",
	[MATMUL_WRAPS] = "matmul: exact",
	[MATMUL_32_BIT] = "matmul: exact",
	[MATMUL_TRANSPOSED] = "matmul: exact",
	[MATMUL_BEYOND_TOLERANCE] = "matmul: within its tolerance",
	[MATMUL_WRITES_BEYOND] = "matmul: writes nothing else",
	[MATMUL_TAKES_32] = "matmul: refuses",
};

static struct rnv_dsp_caps toy[2];
static int asked;

static const struct rnv_dsp_caps *toy_caps(void *context)
{
	asked++;
	return &toy[(*(const enum breach *)context == CAPS_MOVE) ? asked % 2 : 0];
}

static int toy_rfft(void *context, const int16_t *in, struct rnv_dsp_complex *out, uint32_t points)
{
	const enum breach breach = *(const enum breach *)context;
	const int status = rnv_dsp_portable()->rfft(NULL, in, out, points);

	if (status != RNV_OK) {
		if (breach == FFT_WRITES_WHEN_REFUSED && out != NULL) {
			out[0].re = 0;
		}
		return (breach == FFT_TAKES_48 && points == 48u) ? RNV_OK : status;
	}
	if (breach == FFT_OFF_BY_ONE || breach == FFT_TOLERANT) {
		out[points / 2u].re++;
	} else if (breach == FFT_BEYOND_TOLERANCE) {
		out[points / 2u].re = (int16_t)(out[points / 2u].re + 2);
	} else if (breach == FFT_WRITES_BEYOND) {
		out[points / 2u + 1u].re = 0;
	} else if (breach == FFT_WRITES_INPUT) {
		((int16_t *)(uintptr_t)in)[points - 1u] ^= 1;
	}
	return status;
}

static int16_t finished(enum breach breach, int64_t sum, uint32_t shift)
{
	if (breach == MATMUL_32_BIT) {
		sum = (int32_t)(uint32_t)sum;
	}
	if (breach == MATMUL_TRUNCATES || shift == 0u) {
		sum >>= shift;
	} else {
		sum = (sum + ((int64_t)1 << (shift - 1u))) >> shift;
	}
	if (breach != MATMUL_WRAPS) {
		sum = (sum > INT16_MAX) ? INT16_MAX : (sum < INT16_MIN) ? INT16_MIN : sum;
	}
	return (int16_t)sum;
}

static int toy_matmul(void *context, const struct rnv_dsp_matmul *p)
{
	const enum breach breach = *(const enum breach *)context;
	int16_t scratch[16];
	struct rnv_dsp_matmul valid = {.out = scratch};

	if (p != NULL) {
		valid = *p;
		valid.out = (p->out != NULL) ? scratch : NULL;
	}
	if (breach == MATMUL_TAKES_32 && p != NULL && p->shift == 32u) {
		return RNV_OK;
	}
	if (rnv_dsp_portable()->matmul(NULL, &valid) != RNV_OK) {
		return RNV_EINVAL;
	}
	for (uint32_t r = 0; r < p->rows; r++) {
		for (uint32_t c = 0; c < p->columns; c++) {
			int64_t sum = 0;

			for (uint32_t i = 0; i < p->depth; i++) {
				const uint32_t at = (breach == MATMUL_TRANSPOSED)
							    ? c * p->depth + i
							    : i * p->columns + c;

				sum += (int32_t)p->a[r * p->depth + i] * p->b[at];
			}
			p->out[r * p->columns + c] = finished(breach, sum, p->shift);
		}
	}
	p->out[0] = (int16_t)(p->out[0] - ((breach == MATMUL_BEYOND_TOLERANCE) ? 2 : 0));
	if (breach == MATMUL_WRITES_BEYOND) {
		p->out[-1] = 0;
	}
	return RNV_OK;
}

static void test_each_must_can_be_broken(void **state)
{
	static const struct rnv_dsp_api api = {toy_caps, toy_rfft, toy_matmul};

	(void)state;
	for (enum breach breach = NONE; breach < BREACH_COUNT; breach++) {
		const bool tolerant = breach == FFT_TOLERANT || breach == FFT_BEYOND_TOLERANCE ||
				      breach == MATMUL_BEYOND_TOLERANCE;
		const struct rnv_dsp_caps caps = {
			.name = "toy",
			.exact = tolerant ? 0 : 1,
			.fft_tolerance = (tolerant || breach == EXACT_WITH_TOLERANCE) ? 1 : 0,
			.matmul_tolerance = tolerant ? 1 : 0};
		const char *broken;
		uint32_t checks;

		toy[0] = caps;
		toy[1] = caps;
		broken = dsp_contract_run(&api, &breach, &checks);
		if (expected[breach] == NULL) {
			assert_null(broken);
		} else {
			assert_non_null(broken);
			assert_string_equal(broken, expected[breach]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_portable),
		cmocka_unit_test(test_accuracy),
		cmocka_unit_test(test_each_must_can_be_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
