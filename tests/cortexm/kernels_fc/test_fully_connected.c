/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* FULLY_CONNECTED_DSP_S8 against sums and outputs computed from the weights before packing. */

#include <string.h>

#include "harness.h"
#include "kernels/dsp/fully_connected.h"

extern const struct rnv_kernel rnv_fully_connected_dsp_s8;

#define MOST_OUTPUTS 40

enum {
	ROWS,
	IN_C,
	OUT_C,
	EPILOGUE,
	DIRECT,
	WORDS
};

struct layer {
	int32_t params[WORDS];
	uint32_t quads;
	uint32_t blocks;
	uint32_t bytes;
	int8_t *weights; /* [8 * blocks][4 * quads] */
	uint32_t *stream;
	int32_t bias[MOST_OUTPUTS]; /* 256 times the bias, and more */
	int32_t tail[MOST_OUTPUTS][4];
};

static uint32_t tail_words(const struct layer *l)
{
	return (l->params[EPILOGUE] == RNV_EPILOGUE_LINEAR) ? 4u : 2u;
}

/* A weight of -128 beside a negative one does not fit the packed form: w0 + 256 w1 is an int16. */
static void make_weights(struct layer *l)
{
	uint32_t depth = 4u * l->quads;
	uint32_t rows = 8u * l->blocks;

	random_values(l->weights, rows * depth, -128, 127);
	for (uint32_t i = 0; i < rows * depth; i++) {
		uint32_t row = i / depth;
		uint32_t column = i % depth;

		if ((int32_t)column >= l->params[IN_C] || (int32_t)row >= l->params[OUT_C]) {
			l->weights[i] = 0;
		} else if ((i & 1u) != 0u && l->weights[i] == -128 && l->weights[i - 1u] < 0) {
			l->weights[i] = -127;
		}
	}
}

static void make_tail(struct layer *l, uint32_t output)
{
	int32_t *tail = l->tail[output];
	int32_t bits = random_in(12, 30);

	l->bias[output] = random_in(-(1 << bits), 1 << bits);
	memset(tail, 0, sizeof(l->tail[output]));
	tail[0] = random_in(0, INT32_MAX >> random_in(0, 12));
	if (l->params[EPILOGUE] == RNV_EPILOGUE_TEXTBOOK) {
		int32_t low = random_in(-128, 127);
		uint32_t bytes = (uint8_t)random_in(-31, random_in(-10, 30));

		bytes |= (uint32_t)(uint8_t)random_in(-128, 127) << 8;
		bytes |= (uint32_t)(uint8_t)low << 16;
		bytes |= (uint32_t)(uint8_t)random_in(low, 127) << 24;
		tail[1] = (int32_t)bytes;
	} else {
		tail[1] = random_in(-(1 << 18), 1 << 18);
		tail[2] = -(1 << random_in(0, 12));
	}
	if ((int32_t)output >= l->params[OUT_C]) {
		l->bias[output] = 0;
		memset(tail, 0, sizeof(l->tail[output]));
	}
}

static uint32_t packed(const int8_t *w)
{
	return ((uint32_t)(w[0] + 256 * w[1]) & 0xFFFFu) | (uint32_t)(w[2] + 256 * w[3]) << 16;
}

static void pack_block(const struct layer *l, uint32_t first, uint32_t **stream)
{
	uint32_t depth = 4u * l->quads;

	for (uint32_t o = first; o < first + 8u; o++) {
		int32_t sum = 0;

		for (uint32_t k = 0; k < depth; k += 2u) {
			sum += l->weights[o * depth + k];
		}
		*(*stream)++ = (uint32_t)l->bias[o] - (uint32_t)(127 * sum);
	}
	for (uint32_t q = 0; q < l->quads; q++) {
		for (uint32_t o = first; o < first + 8u; o++) {
			*(*stream)++ = packed(l->weights + o * depth + 4u * q);
		}
	}
	for (uint32_t o = first; o < first + 8u; o++) {
		memcpy(*stream, l->tail[o], 4u * tail_words(l));
		*stream += tail_words(l);
	}
}

static void make_layer(struct layer *l)
{
	int32_t kind = random_in(0, 9);
	uint32_t *stream;

	l->params[ROWS] = random_in(1, 3);
	l->params[IN_C] = (kind == 0) ? random_in(200, 1100) : random_in(1, 70);
	l->params[OUT_C] = random_in(1, (kind == 0) ? 9 : MOST_OUTPUTS - 7);
	l->params[EPILOGUE] = random_in(0, 2);
	l->params[DIRECT] = random_in(0, 1);
	if (l->params[DIRECT] != 0) {
		l->params[IN_C] = (l->params[IN_C] + 3) / 4 * 4;
	}
	l->quads = ((uint32_t)l->params[IN_C] + 3u) / 4u;
	l->blocks = ((uint32_t)l->params[OUT_C] + 7u) / 8u;
	l->bytes = l->blocks * 8u * 4u * (1u + l->quads + tail_words(l));
	l->weights = guarded(32u * l->blocks * l->quads, 0);
	l->stream = guarded(l->bytes, 0);
	make_weights(l);
	stream = l->stream;
	for (uint32_t b = 0; b < l->blocks; b++) {
		for (uint32_t o = 8u * b; o < 8u * b + 8u; o++) {
			make_tail(l, o);
		}
		pack_block(l, 8u * b, &stream);
	}
}

static int32_t wanted_sum(const struct layer *l, uint32_t output, const int8_t *in)
{
	const int8_t *w = l->weights + 4u * l->quads * output;
	int64_t sum = l->bias[output];

	for (int32_t i = 0; i < l->params[IN_C]; i++) {
		sum += 256 * w[i] * in[i];
	}
	return (int32_t)(uint32_t)(uint64_t)sum;
}

static int8_t wanted_output(const struct layer *l, uint32_t output, const int8_t *in)
{
	const int32_t *tail = l->tail[output];
	int32_t acc = wanted_sum(l, output, in);
	int64_t t = (int64_t)high_word(acc, tail[0]) + tail[1];

	if (l->params[EPILOGUE] == RNV_EPILOGUE_RELU) {
		return (int8_t)clamped(floor_shift(t, 9), -128, 127);
	}
	if (l->params[EPILOGUE] == RNV_EPILOGUE_LINEAR) {
		t += (acc < 0) ? tail[2] : 0;
		return (int8_t)clamped(floor_shift(t, 12), -128, 127);
	}
	t = reference_requantize((int32_t)floor_shift(acc, 8), tail[0], (int8_t)tail[1]);
	t = (int32_t)((uint32_t)t + (uint32_t)(int8_t)((uint32_t)tail[1] >> 8));
	return (int8_t)clamped(t, (int8_t)((uint32_t)tail[1] >> 16),
			       (int8_t)((uint32_t)tail[1] >> 24));
}

/* One primitive for all blocks, on a column that this test prepares. */
static void try_primitive(const struct layer *l, rnv_fc_fn *multiply, bool direct,
			  const int8_t *padded, const char *what)
{
	uint32_t *column = guarded(8u * l->quads, 0);
	int8_t *out = guarded(8u * l->blocks, random_word() % 4u);

	for (uint32_t q = 0; q < l->quads; q++) {
		const int8_t *x = padded + 4u * q;

		column[2u * q] = ((uint32_t)x[1] & 0xFFFFu) | (uint32_t)x[3] << 16;
		column[2u * q + 1u] = ((uint32_t)(256 * x[0] + 127 - x[1]) & 0xFFFFu) |
				      (uint32_t)(256 * x[2] + 127 - x[3]) << 16;
	}
	multiply(l->stream, direct ? (const void *)padded : column, out,
		 (const uint8_t *)l->stream + l->bytes, l->quads, (uint32_t)l->params[EPILOGUE]);
	for (uint32_t o = 0; o < 8u * l->blocks; o++) {
		expect(out[o] == wanted_output(l, o, padded), what);
	}
}

static void try_primitives(const struct layer *l, const int8_t *in)
{
	int8_t *padded = guarded(4u * l->quads, random_word() % 4u);

	memset(padded, 0, 4u * l->quads);
	memcpy(padded, in, (uint32_t)l->params[IN_C]);
	try_primitive(l, rnv_fc_column_c, false, padded, "C from a column");
	try_primitive(l, rnv_fc_direct_c, true, padded, "C from the inputs");
#if RNV_DSP_ASM
	try_primitive(l, rnv_fc_column_asm, false, padded, "assembly from a column");
	try_primitive(l, rnv_fc_direct_asm, true, padded, "assembly from the inputs");
#endif
}

/* The op; in place, where check() allows it, as well. */
static void try_op(struct layer *l, int8_t *in)
{
	uint32_t rows = (uint32_t)l->params[ROWS];
	uint32_t in_bytes = rows * (uint32_t)l->params[IN_C];
	uint32_t out_bytes = rows * (uint32_t)l->params[OUT_C];
	bool direct = l->params[DIRECT] != 0;
	bool in_place = !direct && (rows == 1u || l->params[OUT_C] <= l->params[IN_C]);
	int8_t *wanted = guarded(out_bytes, 0);
	int8_t *out = guarded(out_bytes, random_word() % 4u);
	int8_t *both = guarded((in_bytes > out_bytes) ? in_bytes : out_bytes, 0);
	struct test_op t;

	for (uint32_t i = 0; i < out_bytes; i++) {
		wanted[i] = wanted_output(l, i % (uint32_t)l->params[OUT_C],
					  in + i / (uint32_t)l->params[OUT_C] *
							  (uint32_t)l->params[IN_C]);
	}
	op_init(&t, l->params, WORDS, l->stream, l->bytes, direct ? 0u : 8u * l->quads);
	op_operand(&t, in, in_bytes, false);
	op_operand(&t, out, out_bytes, true);
	op_check(&t, &rnv_fully_connected_dsp_s8, in_place ? 1 : 0);
	rnv_fully_connected_dsp_s8.run(&t.op);
	expect_bytes(out, wanted, out_bytes, "outputs of the op");
	if (in_place) {
		memcpy(both, in, in_bytes);
		t.data[0] = both;
		t.data[1] = both;
		rnv_fully_connected_dsp_s8.run(&t.op);
		expect_bytes(both, wanted, out_bytes, "outputs of the op in place");
	}
}

static void refuse(struct layer *l, uint32_t word, int32_t value)
{
	int32_t kept = l->params[word];
	struct test_op t;

	l->params[word] = value;
	op_init(&t, l->params, WORDS, l->stream, l->bytes, 0);
	t.rec.scratch_bytes = 8u * l->quads;
	op_operand(&t, l->weights, (uint32_t)(l->params[ROWS] * l->params[IN_C]), false);
	op_operand(&t, l->weights, (uint32_t)(l->params[ROWS] * l->params[OUT_C]), true);
	expect(rnv_fully_connected_dsp_s8.check(&t.op) == RNV_EFORMAT, "check() refuses the word");
	l->params[word] = kept;
}

/* One block of TEXTBOOK, then one thing wrong at a time. */
static void test_refusals(void)
{
	static struct layer l = {.params = {2, 8, 8, RNV_EPILOGUE_TEXTBOOK, 0}};
	uint32_t *tail;

	begin_case("fully connected, refusals", 0);
	l.quads = 2;
	l.bytes = 4 * (8 + 16 + 16);
	l.weights = guarded(l.bytes, 0);
	l.stream = guarded(l.bytes, 0);
	memset(l.stream, 0, l.bytes);
	refuse(&l, ROWS, 0);
	refuse(&l, ROWS, -1);
	refuse(&l, IN_C, 0);
	refuse(&l, IN_C, 9);
	refuse(&l, OUT_C, 0);
	refuse(&l, OUT_C, 9);
	refuse(&l, EPILOGUE, -1);
	refuse(&l, EPILOGUE, 1);
	refuse(&l, EPILOGUE, 3);
	refuse(&l, DIRECT, 1); /* scratch that it does not need */
	refuse(&l, DIRECT, 2);
	for (uint32_t output = 0; output < 8u; output++) {
		static const uint32_t bad[] = {0x80000000u, 0, 0, 31, 0, 0xE0, 0, 0xFF000000u};

		tail = l.stream + 24 + 2u * output;
		for (uint32_t i = 0; i < 4u; i++) {
			memcpy(tail, bad + 2u * i, 8);
			refuse(&l, ROWS, 2);
		}
		memset(tail, 0, 8);
	}
	end_case();
}

void test_fully_connected(uint32_t cases)
{
	static struct layer l;

	test_refusals();
	for (uint32_t i = 0; i < cases; i++) {
		int8_t *in;

		begin_case("fully connected", i);
		make_layer(&l);
		in = guarded((uint32_t)(l.params[ROWS] * l.params[IN_C]), random_word() % 4u);
		random_values(in, (uint32_t)(l.params[ROWS] * l.params[IN_C]), -128, 127);
		try_primitives(&l, in);
		try_op(&l, in);
		end_case();
	}
}
