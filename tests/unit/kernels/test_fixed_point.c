/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The fixed-point arithmetic against the definitions of its source, which go by signs: over all
 * pairs of extremes and many random numbers, and every shift.
 */

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kernels/fixed_point.h"

#define RANDOM_NUMBERS 200000
#define COUNT(array)   (sizeof(array) / sizeof((array)[0]))

static const int32_t extremes[] = {
	0,           1,
	-1,          2,
	-2,          3,
	-3,          0x3FFFFFFF,
	0x40000000,  0x40000001,
	-0x3FFFFFFF, -0x40000000,
	-0x40000001, 0x55555555,
	-0x55555555, INT32_MAX - 1,
	INT32_MAX,   INT32_MIN + 1,
	INT32_MIN,
};

static uint64_t random_state = 88172645463325252u;

static uint32_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 32);
}

/* Numbers of every magnitude. */
static int32_t random_number(void)
{
	return (int32_t)next_random() >> (next_random() % 32u);
}

/* SaturatingRoundingDoublingHighMul: a nudge by the product's sign, then a truncating division. */
static int32_t high_mul_by_signs(int32_t a, int32_t b)
{
	int64_t product = (int64_t)a * b;
	int64_t nudge = (product >= 0) ? (1 << 30) : 1 - (1 << 30);

	if (a == INT32_MIN && b == INT32_MIN) {
		return INT32_MAX;
	}
	return (int32_t)((product + nudge) / ((int64_t)1 << 31));
}

/* Nearest, ties away from zero: the magnitude is rounded half up. */
static int32_t shift_round_by_signs(int32_t x, uint32_t right)
{
	int64_t magnitude = (x < 0) ? -(int64_t)x : x;
	int64_t half = (right == 0u) ? 0 : (int64_t)1 << (right - 1u);
	int64_t rounded = (magnitude + half) >> right;

	return (int32_t)((x < 0) ? -rounded : rounded);
}

static int32_t requantize_by_signs(int32_t x, int32_t multiplier, int32_t shift)
{
	uint32_t left = (shift > 0) ? (uint32_t)shift : 0u;
	uint32_t right = (shift > 0) ? 0u : (uint32_t)-shift;
	int32_t shifted = (int32_t)((uint32_t)x << left);

	return shift_round_by_signs(high_mul_by_signs(shifted, multiplier), right);
}

static void check_pair(int32_t a, int32_t b)
{
	assert_int_equal(rnv_high_mul(a, b), high_mul_by_signs(a, b));
	for (uint32_t right = 0; right <= 31u; right++) {
		assert_int_equal(rnv_shift_round(a, right), shift_round_by_signs(a, right));
	}
	if (b >= 0) {
		for (int32_t shift = -31; shift <= 30; shift++) {
			assert_int_equal(rnv_requantize(a, b, shift),
					 requantize_by_signs(a, b, shift));
		}
	}
}

static void test_extremes(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(extremes); i++) {
		for (size_t j = 0; j < COUNT(extremes); j++) {
			check_pair(extremes[i], extremes[j]);
		}
	}
}

static void test_random_numbers(void **state)
{
	(void)state;
	for (int i = 0; i < RANDOM_NUMBERS; i++) {
		check_pair(random_number(), random_number());
	}
}

/* A tie of the first rounding has a product of odd multiples of 2^30; of the second, 2^(right-1).
 */
static void test_ties(void **state)
{
	(void)state;
	for (int i = 0; i < RANDOM_NUMBERS; i++) {
		int32_t odd = random_number() | 1;

		assert_int_equal(rnv_high_mul(odd, 1 << 30), high_mul_by_signs(odd, 1 << 30));
		for (uint32_t right = 1; right <= 31u; right++) {
			int32_t tie = (int32_t)(((uint32_t)odd << right) | (1u << (right - 1u)));

			assert_int_equal(rnv_shift_round(tie, right),
					 shift_round_by_signs(tie, right));
			assert_int_equal(rnv_requantize(tie, INT32_MAX, -(int32_t)right),
					 requantize_by_signs(tie, INT32_MAX, -(int32_t)right));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_random_numbers),
		cmocka_unit_test(test_ties),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
