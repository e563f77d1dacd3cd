/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What the ops of the audio front end refuse, and what those without a reference compute. */

#include "kernel_run.h"

extern const struct rnv_kernel rnv_window_s16;
extern const struct rnv_kernel rnv_fft_auto_scale;
extern const struct rnv_kernel rnv_rfft_s16;
extern const struct rnv_kernel rnv_energy;
extern const struct rnv_kernel rnv_filter_bank;
extern const struct rnv_kernel rnv_filter_bank_square_root;
extern const struct rnv_kernel rnv_spectral_subtraction;
extern const struct rnv_kernel rnv_pcan;
extern const struct rnv_kernel rnv_filter_bank_log;
extern const struct rnv_kernel rnv_quantize_s16;
extern const struct rnv_kernel rnv_stream_push;
extern const struct rnv_kernel rnv_clear;
extern const struct rnv_kernel rnv_matmul_s16;

/* A valid op: its types and elements, inputs first, ended by 0; sizes of streams; parameters. */
struct valid {
	uint8_t inputs;
	struct {
		uint8_t type;
		uint32_t elements;
	} operands[5];
	uint32_t weights_bytes;
	uint32_t scratch_bytes;
	uint32_t params;
	int32_t words[10];
};

static void describe(struct fixture *f, const struct valid *v)
{
	fixture_init(f);
	for (uint32_t i = 0; v->operands[i].type != 0; i++) {
		fixture_operand(f, v->operands[i].type, v->operands[i].elements, i >= v->inputs);
	}
	fixture_params(f, v->words, v->params);
	f->rec.weights_bytes = v->weights_bytes;
	f->rec.scratch_bytes = v->scratch_bytes;
}

/* Another type of the same size, which also a kernel of any type refuses beside the old one. */
static uint8_t other_type(uint8_t type)
{
	static const uint8_t others[] = {
		[RNV_TYPE_INT8] = RNV_TYPE_BOOL,    [RNV_TYPE_UINT8] = RNV_TYPE_BOOL,
		[RNV_TYPE_INT16] = RNV_TYPE_INT8,   [RNV_TYPE_INT32] = RNV_TYPE_UINT32,
		[RNV_TYPE_UINT32] = RNV_TYPE_INT32, [RNV_TYPE_UINT64] = RNV_TYPE_INT64,
	};

	return others[type];
}

/* Expect check() to give `mask`, and to refuse every spoilt word, size, count and type. */
static void must_refuse_each(const struct rnv_kernel *kernel, const struct valid *v, int mask,
			     const struct spoil *spoils, uint32_t count)
{
	struct fixture f;

	describe(&f, v);
	assert_int_equal(kernel->check(&f.op), mask);
	for (uint32_t i = 0; i < count; i++) {
		int32_t kept = f.params[spoils[i].word];

		f.params[spoils[i].word] = spoils[i].value;
		must_refuse(kernel, &f, spoils[i].why);
		f.params[spoils[i].word] = kept;
	}
	for (uint16_t i = 0; i < f.pkg.tensor_count; i++) {
		uint8_t type = f.tensors[i].type;

		f.tensors[i].bytes += rnv_type_bytes(type);
		must_refuse(kernel, &f, "an element too many in an operand");
		f.tensors[i].bytes -= rnv_type_bytes(type);
		if (f.pkg.tensor_count > 1) {
			f.tensors[i].type = other_type(type);
			must_refuse(kernel, &f, "an operand of another type");
			f.tensors[i].type = type;
		}
	}
	f.rec.params_bytes += 4;
	must_refuse(kernel, &f, "a parameter too many");
	f.rec.params_bytes -= 8;
	must_refuse(kernel, &f, "a parameter missing");
	f.rec.params_bytes += 4;
	f.rec.weights_bytes += 2;
	must_refuse(kernel, &f, "weights too long");
	f.rec.weights_bytes -= 2;
	if (f.rec.weights_bytes != 0) {
		f.rec.weights_bytes -= 2;
		must_refuse(kernel, &f, "weights too short");
		f.rec.weights_bytes = 0;
		must_refuse(kernel, &f, "no weights");
		f.rec.weights_bytes = v->weights_bytes;
	}
	f.rec.scratch_bytes += 16;
	must_refuse(kernel, &f, "scratch too long");
	f.rec.scratch_bytes -= 16;
	f.rec.input_count++;
	must_refuse(kernel, &f, "an input too many");
	f.rec.input_count--;
	f.rec.output_count++;
	must_refuse(kernel, &f, "an output too many");
	f.rec.output_count--;
	assert_int_equal(kernel->check(&f.op), mask);
}

#define REFUSE(kernel, valid, mask, ...)                                                           \
	do {                                                                                       \
		static const struct spoil spoils[] = {__VA_ARGS__};                                \
		must_refuse_each(kernel, valid, mask, spoils, sizeof(spoils) / sizeof(*spoils));   \
	} while (0)

static void test_window(void **state)
{
	static const struct valid v = {
		1, {{RNV_TYPE_INT16, 12}, {RNV_TYPE_INT16, 12}}, 8, 0, 3, {3, 4, 12}};

	(void)state;
	REFUSE(&rnv_window_s16, &v, 1, {"no rows", 0, 0}, {"negative rows", 0, -3},
	       {"a row too many", 0, 4}, {"rows beyond 2^31", 0, INT32_MAX}, {"no samples", 1, 0},
	       {"a sample too many", 1, 5}, {"samples beyond 2^24", 1, 0x1000000},
	       {"negative samples", 1, INT32_MIN}, {"negative shift", 2, -1},
	       {"shift of 32", 2, 32});
}

static void test_fft_auto_scale(void **state)
{
	static const struct valid v = {
		1,   {{RNV_TYPE_INT16, 12}, {RNV_TYPE_INT16, 12}, {RNV_TYPE_INT32, 1}}, 0, 0, 1,
		{12}};

	(void)state;
	REFUSE(&rnv_fft_auto_scale, &v, 1, {"no samples", 0, 0}, {"negative samples", 0, -12},
	       {"a sample too many", 0, 13});
}

static void test_rfft(void **state)
{
	static const struct valid v = {
		1, {{RNV_TYPE_INT16, 20}, {RNV_TYPE_INT16, 66}}, 0, 128, 2, {20, 64}};
	static const struct valid full = {
		1, {{RNV_TYPE_INT16, 64}, {RNV_TYPE_INT16, 66}}, 0, 0, 2, {64, 64}};
	struct fixture f;

	(void)state;
	REFUSE(&rnv_rfft_s16, &v, 0, {"no samples", 0, 0}, {"negative samples", 0, -20},
	       {"more samples than points", 0, 65}, {"another number of samples", 0, 21},
	       {"points of another output", 1, 128}, {"points that are no power of two", 1, 66},
	       {"too few points", 1, 16}, {"too many points", 1, 4096},
	       {"negative points", 1, -64});
	REFUSE(&rnv_rfft_s16, &full, 0, {"scratch would be needed", 0, 63});
	describe(&f, &v);
	f.rec.scratch_bytes = 0;
	must_refuse(&rnv_rfft_s16, &f, "no scratch");
}

static void test_energy(void **state)
{
	static const struct valid v = {
		1, {{RNV_TYPE_INT16, 14}, {RNV_TYPE_UINT32, 7}}, 0, 0, 3, {7, 2, 5}};
	static const int16_t in[14] = {1, 1, 1, 1, -32768, -32768, 3, -4, 0, 32767, 9, 9, 9, 9};
	static const uint32_t expected[7] = {0, 0, 0x80000000u, 25, 32767u * 32767u, 0, 0};
	struct fixture f;

	(void)state;
	REFUSE(&rnv_energy, &v, 1, {"no bins", 0, 0}, {"a bin too many", 0, 8},
	       {"bins beyond 2^24", 0, 0x1000000}, {"negative bins", 0, -7},
	       {"start behind the end", 1, 6}, {"negative start", 1, -1},
	       {"end behind the last bin", 2, 8}, {"end before the start", 2, 1});
	describe(&f, &v);
	must_give(&rnv_energy, &f, 1, (const void *const[]){in}, expected);
}

/* Three bands of two channels, with 2, 0 and 1 bins. */
static void test_filter_bank(void **state)
{
	static const struct valid v = {
		1, {{RNV_TYPE_UINT32, 5}, {RNV_TYPE_UINT64, 2}}, 24, 0, 2, {5, 2}};
	static const uint16_t stream[12] = {1, 2, 5, 0, 4, 1, 10, 20, 30, 40, 65535, 9};
	static const uint32_t in[5] = {7, 1, 2, 7, UINT32_MAX};
	static const uint64_t expected[2] = {20 + 80, UINT64_C(65535) * UINT32_MAX};
	struct fixture f;
	uint16_t *words = (uint16_t *)(void *)f.weights;

	(void)state;
	describe(&f, &v);
	memcpy(f.weights, stream, sizeof(stream));
	must_give(&rnv_filter_bank, &f, 0, (const void *const[]){in}, expected);
	words[0] = 4;
	must_refuse(&rnv_filter_bank, &f, "a band that reads beyond the bins");
	words[0] = UINT16_MAX;
	must_refuse(&rnv_filter_bank, &f, "a band far beyond the bins");
	words[0] = 1;
	words[3] = 1;
	must_refuse(&rnv_filter_bank, &f, "an empty band that reads beyond the bins");
	words[2] = 0;
	must_refuse(&rnv_filter_bank, &f, "fewer weights than the bands have bins");
	words[3] = 0;
	words[1] = 1;
	must_refuse(&rnv_filter_bank, &f, "more weights than the bands have bins");
	memcpy(f.weights, stream, sizeof(stream));
	f.params[0] = 0;
	must_refuse(&rnv_filter_bank, &f, "no bins");
	f.params[0] = 6;
	must_refuse(&rnv_filter_bank, &f, "a bin too many");
	f.params[0] = 0x10000;
	must_refuse(&rnv_filter_bank, &f, "bins beyond 2^16");
	f.params[0] = 5;
	for (int32_t channels = -1; channels <= 1025; channels += (channels < 3) ? 1 : 511) {
		f.params[1] = channels;
		if (channels != 2) {
			must_refuse(&rnv_filter_bank, &f, "another number of channels");
		}
	}
	f.params[1] = 2;
	f.rec.weights_bytes = 8;
	must_refuse(&rnv_filter_bank, &f, "a stream without all of its bands");
	f.rec.weights_bytes = 24;
	f.rec.scratch_bytes = 16;
	must_refuse(&rnv_filter_bank, &f, "scratch");
}

static void test_channels(void **state)
{
	static const struct valid root = {
		2, {{RNV_TYPE_UINT64, 9}, {RNV_TYPE_INT32, 1}, {RNV_TYPE_UINT32, 9}}, 0, 0, 1, {9}};
	static const struct valid subtraction = {
		2,
		{{RNV_TYPE_UINT32, 9}, {RNV_TYPE_UINT32, 9}, {RNV_TYPE_UINT32, 9}, {RNV_TYPE_UINT32, 9}},
		0,
		0,
		9,
		{9, -1, -1, -1, -1, -1, 10, 14, 1}};
	static const struct valid pcan = {
		2,   {{RNV_TYPE_UINT32, 9}, {RNV_TYPE_UINT32, 9}, {RNV_TYPE_UINT32, 9}},
		250, 0,
		2,   {9, 6}};
	static const struct valid log = {
		1, {{RNV_TYPE_UINT32, 9}, {RNV_TYPE_INT16, 9}}, 258, 0, 3, {9, 3, 64}};

	(void)state;
	REFUSE(&rnv_filter_bank_square_root, &root, 1, {"no channels", 0, 0},
	       {"negative channels", 0, -9}, {"a channel too many", 0, 10});
	REFUSE(&rnv_spectral_subtraction, &subtraction, 2, {"no channels", 0, 0},
	       {"a channel too many", 0, 10}, {"negative smoothing bits", 6, -1},
	       {"smoothing by 32 bits", 6, 32}, {"negative bits", 7, -1}, {"32 bits", 7, 32},
	       {"clamping of 2", 8, 2}, {"negative clamping", 8, -1});
	REFUSE(&rnv_pcan, &pcan, 3, {"no channels", 0, 0}, {"a channel too many", 0, 10},
	       {"negative shift", 1, -1}, {"shift of 64", 1, 64});
	REFUSE(&rnv_filter_bank_log, &log, 1, {"no channels", 0, 0}, {"a channel too many", 0, 10},
	       {"negative bits", 1, -1}, {"correction by 32 bits", 1, 32});
}

/* Thresholds -300, -298, .. 208; the last ones are never reached. */
static void test_quantize(void **state)
{
	static const struct valid v = {1,  {{RNV_TYPE_INT16, 8}, {RNV_TYPE_INT8, 8}}, 1020, 0, 1,
				       {8}};
	static const int16_t in[8] = {-32768, -301, -300, -299, -298, 0, 32767, 100};
	static const int8_t expected[8] = {-128, -128, -127, -127, -126, 23, 122, 73};
	struct fixture f;

	(void)state;
	REFUSE(&rnv_quantize_s16, &v, 1, {"no elements", 0, 0}, {"an element too many", 0, 9},
	       {"negative elements", 0, -8});
	describe(&f, &v);
	for (int32_t i = 0; i < 255; i++) {
		int32_t threshold = (i < 250) ? 2 * i - 300 : 32768;

		memcpy(f.weights + 4 * i, &threshold, sizeof(threshold));
	}
	must_give(&rnv_quantize_s16, &f, 1, (const void *const[]){in}, expected);
	f.tensors[1].type = RNV_TYPE_UINT8;
	assert_int_equal(rnv_quantize_s16.check(&f.op), 1);
}

static void test_stream_push(void **state)
{
	static const struct valid v = {
		2,      {{RNV_TYPE_INT16, 2}, {RNV_TYPE_INT16, 5}, {RNV_TYPE_INT16, 5}}, 0, 0, 2,
		{4, 10}};
	static const struct valid all = {
		2, {{RNV_TYPE_INT8, 3}, {RNV_TYPE_INT8, 3}, {RNV_TYPE_INT8, 3}}, 0, 0, 2, {3, 3}};
	static const int16_t in[2] = {8, 9};
	static const int16_t kept[5] = {1, 2, 3, 4, 5};
	static const int16_t expected[5] = {3, 4, 5, 8, 9};
	struct fixture f;

	(void)state;
	REFUSE(&rnv_stream_push, &v, 2, {"no new bytes", 0, 0}, {"a byte too many", 0, 5},
	       {"negative bytes", 0, -4}, {"no state", 1, 0}, {"another state", 1, 8});
	describe(&f, &v);
	must_give(&rnv_stream_push, &f, 2, (const void *const[]){in, kept}, expected);
	describe(&f, &all);
	must_give(&rnv_stream_push, &f, 2, (const void *const[]){"abc", "xyz"}, "abc");
	f.params[0] = 4;
	f.tensors[0].bytes = f.tensors[0].dims[0] = 4;
	must_refuse(&rnv_stream_push, &f, "more new elements than the state has");
}

static void test_clear(void **state)
{
	static const struct valid v = {0, {{RNV_TYPE_UINT32, 3}}, 0, 0, 1, {12}};
	static const uint32_t expected[3];
	struct fixture f;

	(void)state;
	REFUSE(&rnv_clear, &v, 0, {"no bytes", 0, 0}, {"another number of bytes", 0, 8},
	       {"negative bytes", 0, -12});
	describe(&f, &v);
	must_give(&rnv_clear, &f, 0, NULL, expected);
}

/* Rounded half up, and saturated at both ends. */
static void test_matmul(void **state)
{
	static const struct valid v = {
		1, {{RNV_TYPE_INT16, 2}, {RNV_TYPE_INT16, 4}}, 16, 0, 3, {4, 2, 1}};
	static const int16_t matrix[8] = {1, 2, -1, 0, 32767, 32767, -32768, -32768};
	static const int16_t in[2] = {3, 32767};
	static const int16_t expected[4] = {32767, -1, 32767, -32768};
	struct fixture f;

	(void)state;
	REFUSE(&rnv_matmul_s16, &v, 0, {"no rows", 0, 0}, {"a row too many", 0, 5},
	       {"negative rows", 0, -4}, {"rows beyond 2^15", 0, 32768}, {"no depth", 1, 0},
	       {"another depth", 1, 3}, {"depth beyond 2^15", 1, 32768}, {"negative shift", 2, -1},
	       {"shift of 32", 2, 32});
	describe(&f, &v);
	memcpy(f.weights, matrix, sizeof(matrix));
	must_give(&rnv_matmul_s16, &f, 0, (const void *const[]){in}, expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_window),      cmocka_unit_test(test_fft_auto_scale),
		cmocka_unit_test(test_rfft),        cmocka_unit_test(test_energy),
		cmocka_unit_test(test_filter_bank), cmocka_unit_test(test_channels),
		cmocka_unit_test(test_quantize),    cmocka_unit_test(test_stream_push),
		cmocka_unit_test(test_clear),       cmocka_unit_test(test_matmul),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
