/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * SOFTMAX_S8 against gemmlowp's fixed-point algorithm as the reference writes it, with tables of
 * exponentials and with tables of anything.
 */

#include <string.h>

#include "harness.h"

extern const struct rnv_kernel rnv_softmax_s8;

/* SaturatingRoundingDoublingHighMul and RoundingDivideByPOT. */
static int32_t doubling_high_mul(int32_t a, int32_t b)
{
	int64_t product = (int64_t)a * b;
	int64_t nudge = (product >= 0) ? (1 << 30) : 1 - (1 << 30);

	if (a == INT32_MIN && b == INT32_MIN) {
		return INT32_MAX;
	}
	return (int32_t)((product + nudge) / ((int64_t)1 << 31));
}

static int32_t divide_by_pot(int32_t x, uint32_t exponent)
{
	int64_t half = (int64_t)1 << (exponent - 1u);
	int64_t magnitude = (x < 0) ? -(int64_t)x : x;
	int64_t rounded = (magnitude + half) / (2 * half);

	return (int32_t)((x < 0) ? -rounded : rounded);
}

/* one_over_one_plus_x_for_x_in_0_1 of x in Q0.31. */
static int32_t one_over_one_plus(int32_t x)
{
	int64_t sum = (int64_t)x + INT32_MAX;
	int32_t half = (int32_t)((sum + 1) / 2); /* RoundingHalfSum of x and 1 */
	int32_t y = 1515870810 + doubling_high_mul(half, -1010580540);

	for (int i = 0; i < 3; i++) {
		int32_t error = (1 << 29) - doubling_high_mul(half, y);

		y += (int32_t)((uint32_t)doubling_high_mul(y, error) << 2);
	}
	return (int32_t)clamped(2 * (int64_t)y, INT32_MIN, INT32_MAX);
}

static void wanted_row(const int32_t *table, const int8_t *in, int8_t *out, uint32_t depth)
{
	int32_t max = -128;
	int32_t sum = 0;
	int32_t headroom = 0;
	int32_t scale;

	for (uint32_t i = 0; i < depth; i++) {
		max = (in[i] > max) ? in[i] : max;
	}
	for (uint32_t i = 0; i < depth; i++) {
		sum += divide_by_pot(table[max - in[i]], 12);
	}
	while (((uint32_t)sum << headroom) < 0x80000000u) {
		headroom++;
	}
	scale = one_over_one_plus((int32_t)(((uint32_t)sum << headroom) - 0x80000000u));
	for (uint32_t i = 0; i < depth; i++) {
		int32_t right = 12 - headroom + 31 - 8;
		int32_t y = doubling_high_mul(scale, table[max - in[i]]);

		y = (right > 31) ? 0 : divide_by_pot(y, (uint32_t)right);
		out[i] = (int8_t)clamped((int64_t)y - 128, -128, 127);
	}
}

/* exp() of minus the index, about: each entry is a fixed part of the one before. */
static void make_table(int32_t *table)
{
	int32_t factor = random_in(1 << 29, INT32_MAX);
	bool any = random_word() % 4u == 0u;

	table[0] = INT32_MAX;
	for (uint32_t i = 1; i < 256u; i++) {
		table[i] = any ? random_in(0, INT32_MAX)
			       : (int32_t)(((int64_t)table[i - 1u] * factor) >> 31);
	}
}

void test_softmax(uint32_t cases)
{
	static int32_t table[256] __attribute__((aligned(16)));

	for (uint32_t i = 0; i < cases; i++) {
		int32_t params[2] = {random_in(1, 4), random_in(1, 20)};
		uint32_t depth;
		uint32_t bytes;
		struct test_op t;
		int8_t *in;
		int8_t *out;
		int8_t *wanted;

		begin_case("softmax", i);
		if (random_word() % 16u == 0u) {
			params[1] = random_in(400, 600); /* where equal inputs leave nothing */
		}
		depth = (uint32_t)params[1];
		bytes = (uint32_t)params[0] * depth;
		in = guarded(bytes, random_word() % 4u);
		out = guarded(bytes, random_word() % 4u);
		wanted = guarded(bytes, 0);
		make_table(table);
		random_values(in, bytes, -128, 127);
		for (uint32_t row = 0; row < bytes; row += depth) {
			wanted_row(table, in + row, wanted + row, depth);
		}
		op_init(&t, params, 2, table, 1024, 0);
		op_operand(&t, in, bytes, false);
		op_operand(&t, out, bytes, true);
		op_check(&t, &rnv_softmax_s8, 1);
		rnv_softmax_s8.run(&t.op);
		expect_bytes(out, wanted, bytes, "probabilities");
		t.data[1] = in;
		rnv_softmax_s8.run(&t.op);
		expect_bytes(in, wanted, bytes, "probabilities in place");
		end_case();
	}
}
