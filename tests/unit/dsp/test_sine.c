/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The table of the portable FFT, computed again. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dsp/sine.h"

#define PI 3.14159265358979323846

static void test_sine(void **state)
{
	(void)state;
	for (uint32_t i = 0; i <= RNV_DSP_SINE_QUARTER; i++) {
		const double turn = 2 * PI * i / RNV_DSP_SINE_TURN;

		assert_int_equal(rnv_dsp_sine[i], (int)floor(0.5 + 32767 * sin(turn)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
