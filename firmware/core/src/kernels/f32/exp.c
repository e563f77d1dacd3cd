/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stdint.h>

#include "kernels/f32/exp.h"
#include "kernels/f32/f32.h"

#define LOG2_E 1.44269504f

/* log(2) in two parts: multiples up to 2^9 of the first one are exact. */
#define LOG_2_HIGH 0.69317626953125f
#define LOG_2_LOW  -2.9088971e-05f

/* Beyond these the result is infinite, or zero. */
#define HIGHEST 89.0f
#define LOWEST  -104.0f

/* 2^n for n in -126 .. 127. */
static float power_of_2(int32_t n)
{
	return rnv_f32((n + 127) << 23);
}

/* x + x^2 q(x), with q of degree 4 fitted to (e^x - 1 - x) / x^2 for the least largest error. */
float rnv_f32_exp_minus_1(float x)
{
	float q = 0.0013814321f;

	q = q * x + 0.0083688516f;
	q = q * x + 0.0416684f;
	q = q * x + 0.1666652f;
	q = q * x + 0.49999994f;
	return x + x * x * q;
}

/* e^x = 2^n e^r with r = x - n log(2). 2^n in two factors, since n alone may leave the range. */
float rnv_f32_exp(float x)
{
	float steps;
	int32_t n;

	x = rnv_f32_clamp(x, LOWEST, HIGHEST);
	if (x != x) {
		return x;
	}
	steps = x * LOG2_E;
	n = (int32_t)(steps + ((steps < 0.0f) ? -0.5f : 0.5f));
	x = x - (float)n * LOG_2_HIGH;
	x = x - (float)n * LOG_2_LOW;
	return (1.0f + rnv_f32_exp_minus_1(x)) * power_of_2(n / 2) * power_of_2(n - n / 2);
}
