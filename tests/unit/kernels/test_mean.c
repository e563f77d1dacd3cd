/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What MEAN refuses when a package is opened. */

#include "kernel_fixture.h"

extern const struct rnv_kernel rnv_mean_s8;

enum {
	KEEP0,
	REDUCE0,
	KEEP1,
	REDUCE1,
	KEEP2,
	REDUCE2,
	OFFSET,
	MULTIPLIER,
	SHIFT,
	OUT_ZP,
	WORDS
};

static void test_parameters(void **state)
{
	static const int32_t words[WORDS] = {
		[KEEP0] = 2,   [REDUCE0] = 3,   [KEEP1] = 4,          [REDUCE1] = 5,
		[KEEP2] = 6,   [REDUCE2] = 7,   [OFFSET] = INT32_MIN, [MULTIPLIER] = INT32_MAX,
		[SHIFT] = -31, [OUT_ZP] = -128,
	};
	static const struct spoil spoils[] = {
		{"nothing kept", KEEP0, 0},
		{"negative", KEEP0, -2},
		{"another size", KEEP0, 3},
		{"nothing reduced", REDUCE0, 0},
		{"another size", REDUCE0, 2},
		{"nothing kept", KEEP1, 0},
		{"a product beyond 2^31", KEEP1, INT32_MAX},
		{"nothing reduced", REDUCE1, 0},
		{"a product beyond 2^31", REDUCE1, INT32_MAX},
		{"nothing kept", KEEP2, 0},
		{"nothing reduced", REDUCE2, 0},
		{"negative", REDUCE2, INT32_MIN},
		{"negative multiplier", MULTIPLIER, -1},
		{"a shift to the right by 32", SHIFT, -32},
		{"a shift to the left by 31", SHIFT, 31},
		{"output zero point below int8", OUT_ZP, -129},
		{"output zero point above int8", OUT_ZP, 128},
	};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	fixture_operand(&f, RNV_TYPE_INT8, 2 * 3 * 4 * 5 * 6 * 7, 0);
	fixture_operand(&f, RNV_TYPE_INT8, 2 * 4 * 6, 1);
	fixture_params(&f, words, WORDS);
	must_refuse_all(&rnv_mean_s8, &f, 0, spoils, sizeof(spoils) / sizeof(spoils[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_parameters)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
