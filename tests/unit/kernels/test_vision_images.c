/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * IMAGE, RESIZE_BILINEAR_S8, CHANNEL_TABLE and ARG_MAX_S8: what they refuse when a package is
 * opened, and small pictures worked out by hand on memory of exactly their size.
 */

#include "kernel_run.h"

extern const struct rnv_kernel rnv_image;
extern const struct rnv_kernel rnv_resize_bilinear_s8;
extern const struct rnv_kernel rnv_channel_table;
extern const struct rnv_kernel rnv_arg_max_s8;

enum image_word {
	ROWS,
	COLUMNS,
	FORMAT,
	OUT_ROWS,
	OUT_COLUMNS,
	OUT_CHANNELS,
	Y_OFFSET,
	Y_GAIN,
	V_TO_R,
	U_TO_G,
	V_TO_G,
	U_TO_B,
	IMAGE_WORDS
};

static void set_positions(struct fixture *f, const uint16_t *words, uint32_t count)
{
	memcpy(f->weights, words, 2u * count);
	f->rec.weights_bytes = 2u * count;
}

/* An op of a picture of rows x columns that becomes 1 x 2, with both positions between pixels. */
static void describe_image(struct fixture *f, int32_t rows, int32_t columns, int32_t format,
			   uint32_t pixel_bytes, int32_t channels)
{
	const int32_t words[IMAGE_WORDS] = {rows, columns, format, 1, 2, channels};
	const uint16_t positions[] = {0, 512, 0, 256, 1, 0};

	fixture_init(f);
	fixture_operand(f, RNV_TYPE_UINT8, (uint32_t)(rows * columns) * pixel_bytes, 0);
	fixture_operand(f, RNV_TYPE_UINT8, 2u * (uint32_t)channels, 1);
	fixture_params(f, words, IMAGE_WORDS);
	set_positions(f, positions, 6);
}

static void test_image_refuses(void **state)
{
	static const struct spoil spoils[] = {
		{"no rows", ROWS, 0},
		{"rows beyond 16 bits", ROWS, 0x10000},
		{"fewer rows than the picture", ROWS, 1},
		{"negative columns", COLUMNS, -2},
		{"more columns than the picture", COLUMNS, 4},
		{"a format below the first", FORMAT, -1},
		{"a format beyond the last", FORMAT, 7},
		{"a format of other pixels", FORMAT, 0},
		{"pairs of pixels of other bytes", FORMAT, 5},
		{"no rows of output", OUT_ROWS, 0},
		{"other rows of output", OUT_ROWS, 2},
		{"columns of output beyond 16 bits", OUT_COLUMNS, 0x10000},
		{"two channels", OUT_CHANNELS, 2},
		{"four channels", OUT_CHANNELS, 4},
		{"other channels than the output", OUT_CHANNELS, 3},
		{"an offset that could overflow", Y_OFFSET, 1024},
		{"a factor that could overflow", Y_GAIN, INT32_MIN},
		{"a factor that could overflow", V_TO_R, -1024},
		{"a factor that could overflow", U_TO_G, 1024},
		{"a factor that could overflow", V_TO_G, 1024},
		{"a factor that could overflow", U_TO_B, INT32_MAX},
	};
	static const uint16_t wrong[][6] = {
		{2, 0, 0, 0, 1, 0},      /* a row beyond the last */
		{1, 1, 0, 0, 1, 0},      /* between the last row and none */
		{0, 0, 2, 0, 1, 0},      /* a column beyond the last */
		{0, 0, 0, 0, 1, 1},      /* between the last column and none */
		{0, 1024, 0, 0, 1, 0},   /* a whole row as a fraction */
		{0, 0, 0, 0xFFFF, 1, 0}, /* a large fraction */
		{0xFFFF, 1, 0, 0, 1, 0}, /* an index that would wrap */
	};
	struct fixture f;

	(void)state;
	describe_image(&f, 2, 2, 4, 1, 1);
	assert_int_equal(rnv_image.check(&f.op), 0);
	for (uint32_t i = 0; i < sizeof(spoils) / sizeof(*spoils); i++) {
		int32_t kept = f.params[spoils[i].word];

		f.params[spoils[i].word] = spoils[i].value;
		must_refuse(&rnv_image, &f, spoils[i].why);
		f.params[spoils[i].word] = kept;
	}
	for (uint32_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		set_positions(&f, wrong[i], 6);
		must_refuse(&rnv_image, &f, "a position outside of the picture");
	}
	set_positions(&f, wrong[0], 5);
	must_refuse(&rnv_image, &f, "a position too few");
	describe_image(&f, 2, 2, 4, 1, 1);
	f.tensors[0].type = RNV_TYPE_INT8;
	must_refuse(&rnv_image, &f, "a picture of int8");
	f.tensors[0].type = RNV_TYPE_UINT8;
	f.tensors[1].type = RNV_TYPE_BOOL;
	must_refuse(&rnv_image, &f, "an output that is not a number");
	f.tensors[1].type = RNV_TYPE_INT8;
	assert_int_equal(rnv_image.check(&f.op), 0);
	f.rec.scratch_bytes = 16;
	must_refuse(&rnv_image, &f, "scratch");
	describe_image(&f, 2, 3, 5, 2, 1);
	must_refuse(&rnv_image, &f, "pairs in an odd row");
	describe_image(&f, 2, 4, 5, 2, 1);
	assert_int_equal(rnv_image.check(&f.op), 0);
}

static void test_image_mixes(void **state)
{
	static const uint8_t grey[] = {10, 20, 30, 44};
	static const uint8_t mixed[] = {23, 32}; /* 10 20 / 30 44: 12.5 | 33.5, and 20 | 44 */
	static const uint8_t signed_mixed[] = {0x97, 0xA0};
	static const uint8_t rgb[] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 1, 1, 1};
	static const uint8_t colours[] = {96, 32, 96, 0, 128, 0}; /* 0.5 is 0: away from 128 */
	struct fixture f;

	(void)state;
	describe_image(&f, 2, 2, 4, 1, 1);
	must_give(&rnv_image, &f, 0, (const void *const[]){grey}, mixed);
	describe_image(&f, 2, 2, 4, 1, 1);
	f.tensors[1].type = RNV_TYPE_INT8;
	must_give(&rnv_image, &f, 0, (const void *const[]){grey}, signed_mixed);
	describe_image(&f, 2, 2, 0, 3, 3);
	must_give(&rnv_image, &f, 0, (const void *const[]){rgb}, colours);
}

static void test_one_pixel(void **state)
{
	static const uint8_t pixel[] = {0x1F, 0x00};
	static const uint8_t blue[] = {0, 0, 255, 0, 0, 255};
	static const uint16_t here[6] = {0};
	struct fixture f;

	(void)state;
	describe_image(&f, 1, 1, 2, 2, 3);
	must_refuse(&rnv_image, &f, "a neighbour of the only pixel");
	set_positions(&f, here, 6);
	must_give(&rnv_image, &f, 0, (const void *const[]){pixel}, blue);
}

static void test_resize_bilinear(void **state)
{
	static const int32_t words[] = {1, 2, 2, 1, 1, 3};
	static const uint16_t positions[] = {0, 512, 0, 0, 0, 512, 1, 0};
	static const struct spoil spoils[] = {
		{"no image", 0, 0},
		{"more images", 0, 2},
		{"no rows", 1, 0},
		{"rows beyond 16 bits", 1, 0x10000},
		{"fewer rows", 1, 1},
		{"no columns", 2, 0},
		{"fewer columns", 2, 1},
		{"no channels", 3, 0},
		{"other channels", 3, 2},
		{"no rows of output", 4, -1},
		{"more rows of output", 4, 2},
		{"columns of output beyond 16 bits", 5, 0x10000},
	};
	static const int8_t in[] = {-128, -127, 3, 4};
	static const int8_t out[] = {-63, -62, -62}; /* -62.5, -62, -61.5: ties go away from zero */
	struct fixture f;

	(void)state;
	fixture_init(&f);
	fixture_operand(&f, RNV_TYPE_INT8, 4, 0);
	fixture_operand(&f, RNV_TYPE_INT8, 3, 1);
	fixture_params(&f, words, 6);
	set_positions(&f, positions, 8);
	must_refuse_all(&rnv_resize_bilinear_s8, &f, 0, spoils, sizeof(spoils) / sizeof(*spoils));
	must_give(&rnv_resize_bilinear_s8, &f, 0, (const void *const[]){in}, out);
	((uint16_t *)(void *)f.weights)[7] = 1;
	must_refuse(&rnv_resize_bilinear_s8, &f, "between the last column and none");
}

static void test_channel_table(void **state)
{
	static const uint8_t in[] = {0, 0, 7, 7, 255, 255};
	static const uint8_t out[] = {1, 255, 8, 248, 0, 0};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	fixture_operand(&f, RNV_TYPE_UINT8, 6, 0);
	fixture_operand(&f, RNV_TYPE_INT8, 6, 1);
	fixture_params(&f, (const int32_t[]){3, 2}, 2);
	f.rec.weights_bytes = 512;
	for (uint32_t i = 0; i < 256; i++) {
		f.weights[i] = (uint8_t)(i + 1u);
		f.weights[256 + i] = (uint8_t)(255u - i);
	}
	must_give(&rnv_channel_table, &f, 1, (const void *const[]){in}, out);
	for (int32_t wrong = -1; wrong <= 3; wrong += 2) {
		f.params[1] = wrong;
		must_refuse(&rnv_channel_table, &f, "other channels");
	}
	f.params[1] = 0x10000;
	must_refuse(&rnv_channel_table, &f, "channels beyond 16 bits");
	f.params[1] = 2;
	f.params[0] = 0;
	must_refuse(&rnv_channel_table, &f, "no pixel");
	f.params[0] = 3;
	f.rec.weights_bytes = 256;
	must_refuse(&rnv_channel_table, &f, "a table too few");
	f.rec.weights_bytes = 512;
	f.tensors[1].type = RNV_TYPE_BOOL;
	must_refuse(&rnv_channel_table, &f, "an output that is not a number");
}

static void test_arg_max(void **state)
{
	static const struct spoil spoils[] = {
		{"nothing before", 0, 0}, {"no values", 1, 0},   {"nothing behind", 2, -1},
		{"more before", 0, 3},    {"more values", 1, 4}, {"more behind", 2, 3},
	};
	static const int8_t in[] = {-128, 5, -128, 6, -127, 6, 1, 127, 1, 127, 0, 126};
	static const int32_t out[] = {2, 1, 0, 0};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	fixture_operand(&f, RNV_TYPE_INT8, 12, 0);
	fixture_operand(&f, RNV_TYPE_INT32, 4, 1);
	fixture_params(&f, (const int32_t[]){2, 3, 2}, 3);
	must_give(&rnv_arg_max_s8, &f, 0, (const void *const[]){in}, out);
	for (uint32_t i = 0; i < sizeof(spoils) / sizeof(*spoils); i++) {
		int32_t kept = f.params[spoils[i].word];

		f.params[spoils[i].word] = spoils[i].value;
		must_refuse(&rnv_arg_max_s8, &f, spoils[i].why);
		f.params[spoils[i].word] = kept;
	}
	f.tensors[1].type = RNV_TYPE_FLOAT32;
	must_refuse(&rnv_arg_max_s8, &f, "an output of another type");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_image_refuses), cmocka_unit_test(test_image_mixes),
		cmocka_unit_test(test_one_pixel),     cmocka_unit_test(test_resize_bilinear),
		cmocka_unit_test(test_channel_table), cmocka_unit_test(test_arg_max),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
