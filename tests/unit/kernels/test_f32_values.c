/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The float32 exponential against the C library's in double, and what NaN and infinities give. */

#include <math.h>

#include "kernel_run.h"

#include "kernels/f32/exp.h"
#include "kernels/f32/f32.h"

extern const struct rnv_kernel rnv_max_pool_2d_f32;
extern const struct rnv_kernel rnv_softmax_f32;
extern const struct rnv_kernel rnv_clamp_f32;
extern const struct rnv_kernel rnv_hard_swish_f32;
extern const struct rnv_kernel rnv_logistic_f32;
extern const struct rnv_kernel rnv_tanh_f32;

#define VALUES 8

static uint32_t bits_of(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* Every 1021st float of both signs; the error is compared with one unit in the last place. */
static void test_exp(void **state)
{
	(void)state;
	for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 1021) {
		float x = rnv_f32((int32_t)(uint32_t)bits);
		float y = rnv_f32_exp(x);
		double exact = exp((double)x);
		float nearest = (float)exact;

		if (isnan(x)) {
			assert_true(isnan(y));
		} else if (isinf(nearest) || isinf(y)) {
			assert_true(exact > 3.4028e38);
		} else {
			double unit = (double)(nextafterf(nearest, INFINITY) - nearest);

			assert_true(fabs((double)y - exact) <= unit);
		}
	}
	assert_true(bits_of(rnv_f32_exp(0.0f)) == bits_of(1.0f));
	assert_true(isinf(rnv_f32_exp(INFINITY)));
	assert_true(bits_of(rnv_f32_exp(-INFINITY)) == 0u);
}

static void test_exp_minus_1(void **state)
{
	(void)state;
	for (int i = -RAND_MAX / 4096; i < RAND_MAX / 4096; i++) {
		float x = RNV_F32_EXP_RADIUS * (float)i / (float)(RAND_MAX / 4096);
		double exact = expm1((double)x);

		assert_true(fabs((double)rnv_f32_exp_minus_1(x) - exact) <= 1e-7 * fabs(exact));
	}
}

/* Outputs of an op on VALUES elements in place. */
static void run_op(const struct rnv_kernel *kernel, const int32_t *words, uint32_t count,
		   float *values)
{
	struct rnv_exec exec = {0};
	void *externals[] = {values, values};
	struct fixture f;

	fixture_init(&f);
	fixture_operand(&f, RNV_TYPE_FLOAT32, VALUES, 0);
	fixture_operand(&f, RNV_TYPE_FLOAT32, VALUES, 1);
	fixture_params(&f, words, count);
	for (uint16_t i = 0; i < 2; i++) {
		f.tensors[i].storage = RNV_STORAGE_EXTERNAL;
		f.tensors[i].offset = i;
	}
	assert_int_equal(kernel->check(&f.op), 1);
	exec.pkg = &f.pkg;
	exec.externals = externals;
	f.op.exec = &exec;
	kernel->run(&f.op);
}

static const float special[VALUES] = {NAN, INFINITY, -INFINITY, 0.0f, 3e38f, -3e38f, 1e-40f, -1.0f};

/* NaN stays NaN; everything else is what the function's limits are. */
static void test_functions_of_special_values(void **state)
{
	static const struct {
		const struct rnv_kernel *kernel;
		float expected[VALUES];
	} cases[] = {
		{&rnv_logistic_f32, {NAN, 1, 0, 0.5f, 1, 0, 0.5f, 0.26894142f}},
		{&rnv_tanh_f32, {NAN, 1, -1, 0, 1, -1, 1e-40f, -0.76159416f}},
		{&rnv_hard_swish_f32,
		 {NAN, INFINITY, NAN, 0, INFINITY, -0.0f, 5e-41f, -0.33333333f}},
	};
	static const int32_t words[] = {VALUES};

	(void)state;
	for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		float values[VALUES];

		memcpy(values, special, sizeof(values));
		run_op(cases[i].kernel, words, 1, values);
		for (uint32_t k = 0; k < VALUES; k++) {
			float want = cases[i].expected[k];

			assert_true(isnan(want) ? isnan(values[k])
						: (values[k] == want ||
						   fabsf(values[k] - want) <= 1e-7f * fabsf(want)));
		}
	}
}

static void test_a_clamp_keeps_nan(void **state)
{
	const int32_t words[] = {VALUES, (int32_t)bits_of(-1.0f), (int32_t)bits_of(6.0f)};
	static const float expected[VALUES] = {0, 6, -1, 0, 6, -1, 1e-40f, -1};
	float values[VALUES];

	(void)state;
	memcpy(values, special, sizeof(values));
	run_op(&rnv_clamp_f32, words, 3, values);
	assert_true(isnan(values[0]));
	assert_memory_equal(values + 1, expected + 1, sizeof(values) - sizeof(float));
}

/* A row with NaN or infinity is NaN in all of its sums, and no other row is. */
static void test_softmax_of_special_values(void **state)
{
	const int32_t words[] = {4, 2, (int32_t)bits_of(1.0f)};
	float values[VALUES] = {NAN, 1, INFINITY, 0, -INFINITY, -INFINITY, -INFINITY, 5};

	(void)state;
	run_op(&rnv_softmax_f32, words, 3, values);
	for (uint32_t i = 0; i < 2; i++) {
		assert_true(isnan(values[i]));
	}
	assert_true(isnan(values[2]));
	assert_true(isnan(values[4]));
	assert_true(isnan(values[5]));
	assert_true(bits_of(values[6]) == 0u);
	assert_true(bits_of(values[7]) == bits_of(1.0f));
}

/* NaN is passed over; a window of nothing else has the lowest number. */
static void test_a_maximum_of_nan(void **state)
{
	const int32_t words[] = {
		1,
		1,
		8,
		1,
		1,
		4,
		1,
		2,
		1,
		2,
		0,
		0,
		(int32_t)bits_of(-INFINITY),
		(int32_t)bits_of(INFINITY),
	};
	static const float in[8] = {NAN, 2, 3, NAN, NAN, NAN, -INFINITY, -3e38f};
	static const float out[4] = {2, 3, RNV_F32_LOWEST, -3e38f};
	const void *inputs[] = {in};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	fixture_operand(&f, RNV_TYPE_FLOAT32, 8, 0);
	fixture_operand(&f, RNV_TYPE_FLOAT32, 4, 1);
	fixture_params(&f, words, 14);
	must_give(&rnv_max_pool_2d_f32, &f, 0, inputs, out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exp),
		cmocka_unit_test(test_exp_minus_1),
		cmocka_unit_test(test_functions_of_special_values),
		cmocka_unit_test(test_a_clamp_keeps_nan),
		cmocka_unit_test(test_softmax_of_special_values),
		cmocka_unit_test(test_a_maximum_of_nan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
