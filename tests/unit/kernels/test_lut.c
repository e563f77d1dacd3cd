/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * What LUT_8, LUT_32 and QUANTIZE_F32 refuse when a package is opened, how far they read and write,
 * and the floats that no reference defines a result for.
 */

#include <math.h>

#include "kernel_run.h"

extern const struct rnv_kernel rnv_lut_8;
extern const struct rnv_kernel rnv_lut_32;
extern const struct rnv_kernel rnv_quantize_f32;

#define ELEMENTS 7

static void describe(struct fixture *f, uint8_t in, uint8_t out, uint32_t weights_bytes)
{
	fixture_init(f);
	fixture_operand(f, in, ELEMENTS, 0);
	fixture_operand(f, out, ELEMENTS, 1);
	f->params[0] = ELEMENTS;
	f->rec.params_bytes = 4;
	f->rec.weights_bytes = weights_bytes;
}

/* Expect `mask` from check(), and that it refuses whatever is wrong around the types. */
static void must_refuse_frame(const struct rnv_kernel *kernel, struct fixture *f, int mask)
{
	assert_int_equal(kernel->check(&f->op), mask);
	for (uint32_t i = 0; i < 2; i++) {
		f->tensors[i].bytes += rnv_type_bytes(f->tensors[i].type);
		must_refuse(kernel, f, "an element too many");
		f->tensors[i].bytes -= rnv_type_bytes(f->tensors[i].type);
	}
	f->params[0]--;
	must_refuse(kernel, f, "fewer elements");
	f->params[0]++;
	f->rec.params_bytes += 4;
	must_refuse(kernel, f, "a parameter too many");
	f->rec.params_bytes -= 8;
	must_refuse(kernel, f, "a parameter missing");
	f->rec.params_bytes += 4;
	f->rec.weights_bytes--;
	must_refuse(kernel, f, "a weight byte missing");
	f->rec.weights_bytes += 2;
	must_refuse(kernel, f, "a weight byte too many");
	f->rec.weights_bytes--;
	f->rec.scratch_bytes = 16;
	must_refuse(kernel, f, "scratch");
	f->rec.scratch_bytes = 0;
	f->rec.input_count++;
	must_refuse(kernel, f, "an input too many");
	f->rec.input_count--;
	f->rec.output_count = 0;
	must_refuse(kernel, f, "no output");
	f->rec.output_count = 1;
	assert_int_equal(kernel->check(&f->op), mask);
}

/* Every pair of types: `accept` says which pairs the kernel takes. */
static void check_types(const struct rnv_kernel *kernel, uint32_t weights_bytes, int mask,
			int (*accept)(uint8_t in, uint8_t out))
{
	struct fixture f;

	for (uint8_t in = RNV_TYPE_INT8; in <= RNV_TYPE_UINT64; in++) {
		for (uint8_t out = RNV_TYPE_INT8; out <= RNV_TYPE_UINT64; out++) {
			describe(&f, in, out, weights_bytes);
			f.rec.params_bytes = (kernel == &rnv_quantize_f32) ? 8 : 4;
			assert_int_equal(kernel->check(&f.op),
					 accept(in, out) ? mask : RNV_EFORMAT);
		}
	}
}

static int is_byte(uint8_t type)
{
	return type == RNV_TYPE_INT8 || type == RNV_TYPE_UINT8;
}

static int lut_8_types(uint8_t in, uint8_t out)
{
	return is_byte(in) && is_byte(out);
}

static int lut_32_types(uint8_t in, uint8_t out)
{
	return is_byte(in) && out == RNV_TYPE_FLOAT32;
}

static int quantize_types(uint8_t in, uint8_t out)
{
	return in == RNV_TYPE_FLOAT32 && is_byte(out);
}

static const uint8_t indexes[ELEMENTS] = {0, 1, 127, 128, 254, 255, 7};

static void test_lut_8(void **state)
{
	static const uint8_t mirrored[ELEMENTS] = {255, 254, 128, 127, 1, 0, 248};
	struct fixture f;

	(void)state;
	describe(&f, RNV_TYPE_INT8, RNV_TYPE_UINT8, 256);
	must_refuse_frame(&rnv_lut_8, &f, 1);
	check_types(&rnv_lut_8, 256, 1, lut_8_types);
	for (uint32_t i = 0; i < 256; i++) {
		f.weights[i] = (uint8_t)(255 - i);
	}
	must_give(&rnv_lut_8, &f, 1, (const void *const[]){indexes}, mirrored);
}

static void test_lut_32(void **state)
{
	static const uint32_t words[ELEMENTS] = {
		0, 0x01010101, 0x7F7F7F7F, 0x80808080, 0xFEFEFEFE, 0xFFFFFFFF, 0x07070707,
	};
	struct fixture f;

	(void)state;
	describe(&f, RNV_TYPE_UINT8, RNV_TYPE_FLOAT32, 1024);
	must_refuse_frame(&rnv_lut_32, &f, 0);
	check_types(&rnv_lut_32, 1024, 0, lut_32_types);
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t word = 0x01010101u * i;

		memcpy(f.weights + 4 * i, &word, sizeof(word));
	}
	must_give(&rnv_lut_32, &f, 0, (const void *const[]){indexes}, words);
}

static void test_quantize_f32(void **state)
{
	struct fixture f;

	(void)state;
	describe(&f, RNV_TYPE_FLOAT32, RNV_TYPE_INT8, 1020);
	f.rec.params_bytes = 8;
	must_refuse_frame(&rnv_quantize_f32, &f, 1);
	check_types(&rnv_quantize_f32, 1020, 1, quantize_types);
	f.params[1] = -128;
	assert_int_equal(rnv_quantize_f32.check(&f.op), 1);
	f.params[1] = -129;
	must_refuse(&rnv_quantize_f32, &f, "a zero point below int8");
	f.params[1] = 127;
	assert_int_equal(rnv_quantize_f32.check(&f.op), 1);
	f.params[1] = 128;
	must_refuse(&rnv_quantize_f32, &f, "a zero point above int8");
	f.tensors[1].type = RNV_TYPE_UINT8;
	f.params[1] = 255;
	assert_int_equal(rnv_quantize_f32.check(&f.op), 1);
	f.params[1] = 256;
	must_refuse(&rnv_quantize_f32, &f, "a zero point above uint8");
	f.params[1] = -1;
	must_refuse(&rnv_quantize_f32, &f, "a zero point below uint8");
}

/* Thresholds at the floats -127.0, -126.0, ... 127.0. */
static void quantize(uint8_t type, int32_t zero_point, const float *in, const uint8_t *expected)
{
	struct fixture f;

	describe(&f, RNV_TYPE_FLOAT32, type, 1020);
	f.rec.params_bytes = 8;
	f.params[1] = zero_point;
	for (int32_t i = -127; i <= 127; i++) {
		float magnitude = fabsf((float)i);
		int32_t threshold;

		memcpy(&threshold, &magnitude, sizeof(threshold));
		threshold = (i < 0) ? -threshold : threshold;
		memcpy(f.weights + 4 * (i + 127), &threshold, sizeof(threshold));
	}
	must_give(&rnv_quantize_f32, &f, 1, (const void *const[]){in}, expected);
}

static void test_special_floats(void **state)
{
	static const float in[ELEMENTS] = {NAN, -NAN, INFINITY, -INFINITY, 0.0f, -0.0f, -0.5f};
	static const uint8_t int8_out[ELEMENTS] = {5, 5, 127, 0x80, 0, 0, 0xFF};
	static const uint8_t uint8_out[ELEMENTS] = {250, 250, 255, 0, 128, 128, 127};

	(void)state;
	quantize(RNV_TYPE_INT8, 5, in, int8_out);
	quantize(RNV_TYPE_UINT8, 250, in, uint8_out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lut_8),
		cmocka_unit_test(test_lut_32),
		cmocka_unit_test(test_quantize_f32),
		cmocka_unit_test(test_special_floats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
