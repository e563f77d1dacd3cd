/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What CONV_PLANES_DSP_S8 and CONV_PIXELS_DSP_S8 refuse when a package is opened. */

#include "kernel_fixture.h"

#include "kernels/planes/tile.h"

extern const struct rnv_kernel rnv_conv_planes_dsp_s8;
extern const struct rnv_kernel rnv_conv_pixels_dsp_s8;

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Words of the window, without a batch; then those of the two ops. */
enum {
	W_IN_H,
	W_IN_W,
	W_IN_C,
	W_OUT_H,
	W_OUT_W,
	W_OUT_C,
	W_FILTER_H,
	W_FILTER_W,
	W_STRIDE_H,
	W_STRIDE_W,
	W_PAD_TOP,
	W_PAD_LEFT,
	W_IN_ZP,
	WINDOW_END,
	P_IN_CHANNEL = WINDOW_END,
	P_IN_ROW,
	P_IN_RING,
	P_OUT_CHANNEL,
	P_OUT_ROW,
	P_OUT_RING,
	P_EPILOGUE,
	P_WORDS,
	X_TRANSPOSED = WINDOW_END,
	X_OUT_CHANNEL,
	X_OUT_ROW,
	X_OUT_RING,
	X_EPILOGUE,
	X_WORDS
};

/* Of both ops. No size beyond its limit, none that the stream or the scratch does not fit. */
static const struct spoil window_spoils[] = {
	{"no input row", W_IN_H, 0},
	{"fewer input rows", W_IN_H, 4},
	{"input rows beyond the limit", W_IN_H, 32768},
	{"no input column", W_IN_W, 0},
	{"more input columns", W_IN_W, 8},
	{"no input channel", W_IN_C, 0},
	{"more input channels", W_IN_C, 7},
	{"negative input channels", W_IN_C, -5},
	{"no output row", W_OUT_H, 0},
	{"fewer output rows", W_OUT_H, 3},
	{"no output column", W_OUT_W, 0},
	{"fewer output columns", W_OUT_W, 3},
	{"more output columns", W_OUT_W, 5},
	{"no output channel", W_OUT_C, 0},
	{"more output channels", W_OUT_C, 5},
	{"fewer output channels", W_OUT_C, 1},
	{"no filter row", W_FILTER_H, 0},
	{"more filter rows", W_FILTER_H, 4},
	{"filter rows beyond the limit", W_FILTER_H, 32768},
	{"no filter column", W_FILTER_W, 0},
	{"fewer filter columns", W_FILTER_W, 1},
	{"most filter columns", W_FILTER_W, 32767},
	{"no vertical stride", W_STRIDE_H, 0},
	{"vertical stride beyond the limit", W_STRIDE_H, 32768},
	{"no horizontal stride", W_STRIDE_W, 0},
	{"another horizontal stride", W_STRIDE_W, 3},
	{"negative padding above", W_PAD_TOP, -1},
	{"padding above beyond the limit", W_PAD_TOP, 32768},
	{"negative padding", W_PAD_LEFT, -1},
	{"padding beyond the limit", W_PAD_LEFT, INT32_MAX},
	{"zero point below int8", W_IN_ZP, -129},
	{"zero point above int8", W_IN_ZP, 128},
};

static const struct spoil planes_spoils[] = {
	{"input channels upon each other", P_IN_CHANNEL, 34},
	{"input channels beyond the tensor", P_IN_CHANNEL, 36},
	{"input rows upon each other", P_IN_ROW, 6},
	{"no input rows held", P_IN_RING, 0},
	{"more input rows held than there are", P_IN_RING, 6},
	{"output channels upon each other", P_OUT_CHANNEL, 15},
	{"output channels beyond the tensor", P_OUT_CHANNEL, 17},
	{"output rows upon each other", P_OUT_ROW, 3},
	{"no output rows held", P_OUT_RING, 0},
	{"more output rows held than there are", P_OUT_RING, 5},
	{"unknown epilogue", P_EPILOGUE, RNV_EPILOGUES},
	{"negative epilogue", P_EPILOGUE, -1},
	{"epilogue with more constants", P_EPILOGUE, RNV_EPILOGUE_LINEAR},
};

static const struct spoil pixels_spoils[] = {
	{"a third orientation", X_TRANSPOSED, 2},
	{"negative orientation", X_TRANSPOSED, -1},
	{"output channels upon each other", X_OUT_CHANNEL, 15},
	{"output channels beyond the tensor", X_OUT_CHANNEL, 17},
	{"output rows upon each other", X_OUT_ROW, 3},
	{"no output rows held", X_OUT_RING, 0},
	{"more output rows held than there are", X_OUT_RING, 5},
	{"unknown epilogue", X_EPILOGUE, RNV_EPILOGUES},
	{"negative epilogue", X_EPILOGUE, -1},
	{"epilogue with more constants", X_EPILOGUE, RNV_EPILOGUE_LINEAR},
};

/* 5x7 pixels of 5 channels to 4x4 of 3; a window of 3x2, stride 1 and 2. */
static void window_init(struct fixture *f, const int32_t *words, uint32_t count, uint32_t quads,
			uint32_t image_bytes)
{
	fixture_init(f);
	fixture_operand(f, RNV_TYPE_INT8, 5 * 7 * 5, 0);
	fixture_operand(f, RNV_TYPE_INT8, 4 * 4 * 3, 1);
	f->tensors[0].rank = 0; /* a record without a layout: any view that lies within its bytes */
	f->tensors[1].rank = 0;
	fixture_params(f, words, count);
	f->rec.weights_bytes = 2u * (8u + 8u * quads + 16u);
	f->rec.scratch_bytes = 32u * quads + image_bytes;
}

static void refuse(const struct rnv_kernel *kernel, struct fixture *f, const struct spoil *spoils,
		   size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int32_t kept = f->params[spoils[i].word];

		f->params[spoils[i].word] = spoils[i].value;
		must_refuse(kernel, f, spoils[i].why);
		f->params[spoils[i].word] = kept;
	}
}

static void refuse_sizes(const struct rnv_kernel *kernel, struct fixture *f)
{
	uint32_t *const words[] = {&f->rec.weights_bytes, &f->rec.scratch_bytes};

	for (uint32_t i = 0; i < 2; i++) {
		f->tensors[i].bytes--;
		must_refuse(kernel, f, "a byte missing in an operand");
		f->tensors[i].bytes++;
		f->tensors[i].type = RNV_TYPE_UINT8;
		must_refuse(kernel, f, "an operand of another type");
		f->tensors[i].type = RNV_TYPE_INT8;
		*words[i] += 1u;
		must_refuse(kernel, f, "a byte too many");
		*words[i] -= 2u;
		must_refuse(kernel, f, "a byte missing");
		*words[i] += 1u;
	}
	f->rec.params_bytes += 4;
	must_refuse(kernel, f, "a parameter too many");
	f->rec.params_bytes -= 4;
	f->rec.input_count++;
	must_refuse(kernel, f, "an operand too many");
	f->rec.input_count--;
}

/* The multiplier of the last channel in a stream of `quads`. */
static void refuse_multiplier(const struct rnv_kernel *kernel, struct fixture *f, uint32_t epilogue)
{
	int32_t *multiplier = (int32_t *)(void *)(f->weights + f->rec.weights_bytes - 8u);

	*multiplier = -1;
	assert_true(kernel->check(&f->op) >= 0);
	f->params[epilogue] = RNV_EPILOGUE_TEXTBOOK;
	must_refuse(kernel, f, "a negative multiplier");
	*multiplier = 0;
	assert_true(kernel->check(&f->op) >= 0);
}

static void test_planes(void **state)
{
	static const int32_t words[P_WORDS] = {5, 7, 5,  4,  4, 3, 3,  2, 1, 2,
					       1, 1, -7, 35, 7, 5, 16, 4, 4, RNV_EPILOGUE_RELU};
	struct fixture f;

	(void)state;
	window_init(&f, words, P_WORDS, 3 * 2 * 2, 3 * 8 * 8);
	assert_int_equal(rnv_conv_planes_dsp_s8.check(&f.op), 0);
	refuse(&rnv_conv_planes_dsp_s8, &f, window_spoils, COUNT(window_spoils));
	refuse(&rnv_conv_planes_dsp_s8, &f, planes_spoils, COUNT(planes_spoils));
	refuse_sizes(&rnv_conv_planes_dsp_s8, &f);
	refuse_multiplier(&rnv_conv_planes_dsp_s8, &f, P_EPILOGUE);
}

static void test_pixels(void **state)
{
	static const int32_t words[X_WORDS] = {5, 7, 5, 4,  4, 3,  3, 2, 1,
					       2, 1, 1, -7, 0, 16, 4, 4, RNV_EPILOGUE_RELU};
	struct fixture f;

	(void)state;
	window_init(&f, words, X_WORDS, 8, 8 * 3 * 5 + 2);
	assert_int_equal(rnv_conv_pixels_dsp_s8.check(&f.op), 0);
	refuse(&rnv_conv_pixels_dsp_s8, &f, window_spoils, COUNT(window_spoils));
	refuse(&rnv_conv_pixels_dsp_s8, &f, pixels_spoils, COUNT(pixels_spoils));
	refuse_sizes(&rnv_conv_pixels_dsp_s8, &f);
	f.tensors[0].bytes++;
	must_refuse(&rnv_conv_pixels_dsp_s8, &f, "a byte too many in a dense operand");
	f.tensors[0].bytes--;
	refuse_multiplier(&rnv_conv_pixels_dsp_s8, &f, X_EPILOGUE);
	f.params[X_TRANSPOSED] = 1;
	must_refuse(&rnv_conv_pixels_dsp_s8, &f, "the band of the other orientation");
	f.rec.scratch_bytes = 32 * 8 + 6 * 2 * 5 + 2;
	assert_int_equal(rnv_conv_pixels_dsp_s8.check(&f.op), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_planes),
		cmocka_unit_test(test_pixels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
