/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * WINOGRAD_DSP_S8 against the convolution itself: any channels, sizes and paddings, planes and
 * rows, rings, slices, in place. The primitives: assembly against its twin.
 */

#include <string.h>

#include "harness.h"
#include "kernels/dsp/winograd.h"
#include "kernels/planes/tile.h"

extern const struct rnv_kernel rnv_winograd_dsp_s8;

#define MOST_OUTPUTS 20

enum {
	IN_H,
	IN_W,
	IN_C,
	OUT_H,
	OUT_W,
	OUT_C,
	PAD_TOP,
	PAD_LEFT,
	IN_ZP,
	IN_CHANNEL,
	IN_ROW,
	IN_RING,
	OUT_CHANNEL,
	OUT_ROW,
	OUT_RING,
	EPILOGUE,
	WORDS
};

struct layer {
	int32_t p[WORDS];
	uint32_t pairs;
	uint32_t groups;
	uint32_t bytes;
	uint32_t scratch;
	int8_t *weights; /* [out_c][3][3][in_c] */
	uint32_t *stream;
	int32_t constant[MOST_OUTPUTS];
	int32_t tail[MOST_OUTPUTS][4];
};

static uint32_t tail_words(const struct layer *l)
{
	return (l->p[EPILOGUE] == RNV_EPILOGUE_LINEAR) ? 4u : 2u;
}

/* 16 times the transformed weight at row i and column j, of three numbers down and three along. */
static int32_t transformed(const struct layer *l, int32_t output, int32_t channel, int32_t i,
			   int32_t j)
{
	static const int8_t g[4][3] = {{2, 0, 0}, {1, 1, 1}, {1, -1, 1}, {0, 0, -2}};
	int32_t sum = 0;

	if (channel >= l->p[IN_C]) {
		return 0;
	}
	for (int32_t k = 0; k < 9; k++) {
		sum += g[i][k / 3] * g[j][k % 3] *
		       l->weights[(output * 9 + k) * l->p[IN_C] + channel];
	}
	return 16 * sum;
}

static void pack_block(const struct layer *l, const int32_t outputs[2], uint32_t **stream)
{
	static const int8_t order[4] = {1, 2, 0, 3};

	for (uint32_t o = 0; o < 2u; o++) {
		*(*stream)++ = (uint32_t)l->constant[outputs[o]];
	}
	for (uint32_t o = 0; o < 2u; o++) {
		memcpy(*stream, l->tail[outputs[o]], 4u * tail_words(l));
		*stream += tail_words(l);
	}
	for (int32_t position = 0; position < 16; position++) {
		for (int32_t k = 0; k < 2 * (int32_t)l->pairs; k++) {
			int32_t i = order[position % 4];
			int32_t j = order[position / 4];
			int32_t o = outputs[k % 2];
			int32_t low = transformed(l, o, k / 2 * 2, i, j);
			int32_t high = transformed(l, o, k / 2 * 2 + 1, i, j);

			*(*stream)++ = ((uint32_t)low & 0xFFFFu) | (uint32_t)high << 16;
		}
	}
}

static void make_stream(struct layer *l)
{
	uint32_t blocks = ((uint32_t)l->p[OUT_C] + 1u) / 2u;
	uint32_t *stream;

	l->bytes = blocks * 4u * (2u + 2u * tail_words(l) + 32u * l->pairs);
	l->weights = guarded((uint32_t)(9 * l->p[OUT_C] * l->p[IN_C]), 0);
	l->stream = guarded(l->bytes, 0);
	random_values(l->weights, (uint32_t)(9 * l->p[OUT_C] * l->p[IN_C]), -128, 127);
	for (int32_t o = 0; o < l->p[OUT_C]; o++) {
		int32_t bits = random_in(12, 24);

		l->constant[o] = random_in(-(1 << bits), 1 << bits);
		l->tail[o][0] = random_in(0, INT32_MAX >> random_in(0, 10));
		l->tail[o][1] = random_in(-(1 << 19), 1 << 19);
		l->tail[o][2] = -(1 << random_in(0, 12));
	}
	stream = l->stream;
	for (int32_t o = 0; o + 1 < l->p[OUT_C]; o += 2) {
		pack_block(l, (const int32_t[2]){o, o + 1}, &stream);
	}
	if (l->p[OUT_C] % 2 != 0) { /* the dummy of the last block comes first */
		int32_t real = l->p[OUT_C] - 1;

		pack_block(l, (const int32_t[2]){0, real}, &stream);
	}
}

/* Planes, or all channels of a row together; now and then with room between. */
static void make_view(int32_t *view, int32_t channels, int32_t height, int32_t width, int32_t ring)
{
	int32_t room = random_in(0, 3) / 3;

	(void)height;
	if (random_word() & 1u) {
		view[1] = width + room;
		view[0] = ring * view[1];
	} else {
		view[0] = width + room;
		view[1] = channels * view[0];
	}
	view[2] = ring;
}

static uint32_t view_bytes(const int32_t *view, int32_t channels, int32_t width)
{
	return (uint32_t)((view[2] - 1) * view[1] + (channels - 1) * view[0] + width);
}

static void make_layer(struct layer *l)
{
	int32_t kind = random_in(0, 15);

	l->p[IN_H] = random_in(1, 9);
	l->p[IN_W] = (kind == 0) ? random_in(20, 40) : random_in(1, 18);
	l->p[IN_C] = (kind == 1) ? random_in(30, 70) : random_in(1, 19);
	l->p[OUT_C] = random_in(1, (kind == 1) ? 4 : MOST_OUTPUTS);
	l->p[PAD_TOP] = random_in(0, 2);
	l->p[PAD_LEFT] = random_in(0, 2);
	l->p[OUT_H] = random_in(1, l->p[IN_H] + 2);
	l->p[OUT_W] = random_in(1, l->p[IN_W] + 2);
	if (kind > 8) { /* as networks have it */
		l->p[PAD_TOP] = 1;
		l->p[PAD_LEFT] = 1;
		l->p[OUT_H] = l->p[IN_H];
		l->p[OUT_W] = l->p[IN_W];
	}
	l->p[IN_ZP] = random_in(-128, 127);
	l->p[EPILOGUE] = random_in(RNV_EPILOGUE_RELU, RNV_EPILOGUE_LINEAR);
	l->pairs = ((uint32_t)l->p[IN_C] + 1u) / 2u;
	l->groups = ((uint32_t)l->p[OUT_W] + 7u) / 8u;
	l->scratch = 256u * l->pairs * (l->groups + 1u) + 3u * (8u * l->groups + 4u);
	make_view(l->p + IN_CHANNEL, l->p[IN_C], l->p[IN_H], l->p[IN_W], l->p[IN_H]);
	make_view(l->p + OUT_CHANNEL, l->p[OUT_C], l->p[OUT_H], l->p[OUT_W],
		  (random_word() % 4u == 0u) ? random_in(1, l->p[OUT_H]) : l->p[OUT_H]);
	make_stream(l);
}

static int8_t wanted_output(const struct layer *l, const int8_t *in, int32_t o, int32_t y,
			    int32_t x)
{
	const int32_t *p = l->p;
	uint32_t sum = 0;
	int32_t acc;
	int64_t t;

	for (int32_t k = 0; k < 9 * p[IN_C]; k++) {
		int32_t iy = y - p[PAD_TOP] + k / p[IN_C] / 3;
		int32_t ix = x - p[PAD_LEFT] + k / p[IN_C] % 3;
		int32_t value = p[IN_ZP];

		if (iy >= 0 && iy < p[IN_H] && ix >= 0 && ix < p[IN_W]) {
			value = in[k % p[IN_C] * p[IN_CHANNEL] + iy * p[IN_ROW] + ix];
		}
		sum += (uint32_t)(value * l->weights[o * 9 * p[IN_C] + k]);
	}
	acc = (int32_t)(64u * sum + (uint32_t)l->constant[o]);
	t = (int64_t)high_word(acc, l->tail[o][0]) + l->tail[o][1];
	if (p[EPILOGUE] == RNV_EPILOGUE_LINEAR && acc < 0) {
		t += l->tail[o][2];
	}
	return (int8_t)clamped(floor_shift(t, 12), -128, 127);
}

/* Outputs of the rows from `row0` on, as far as the ring holds them. */
static void compare_rows(const struct layer *l, const int8_t *in, const int8_t *out, int32_t row0,
			 int32_t rows, const char *what)
{
	const int32_t *p = l->p;
	int32_t first = (rows > p[OUT_RING]) ? row0 + rows - p[OUT_RING] : row0;

	for (int32_t y = first; y < row0 + rows; y++) {
		for (int32_t o = 0; o < p[OUT_C]; o++) {
			const int8_t *got = out + o * p[OUT_CHANNEL] + y % p[OUT_RING] * p[OUT_ROW];

			for (int32_t x = 0; x < p[OUT_W]; x++) {
				expect(got[x] == wanted_output(l, in, o, y, x), what);
			}
		}
	}
}

/* Bytes between the rows of a view keep what they had. */
static void compare_room(const struct layer *l, const int8_t *out, uint32_t bytes)
{
	const int32_t *p = l->p;

	for (uint32_t i = 0; i < bytes; i++) {
		bool planes = p[OUT_CHANNEL] >= p[OUT_ROW];
		int32_t inner = planes ? p[OUT_ROW] : p[OUT_CHANNEL];

		if ((int32_t)i % inner >= p[OUT_W]) {
			expect(out[i] == 0x55, "between rows nothing is written");
		}
	}
}

/* Every output lies where the input of the same channel, row and column was. */
static bool in_place_fits(const struct layer *l)
{
	return l->p[IN_CHANNEL] == l->p[OUT_CHANNEL] && l->p[IN_ROW] == l->p[OUT_ROW] &&
	       l->p[OUT_RING] == l->p[OUT_H];
}

static void try_op(struct layer *l, int8_t *in, uint32_t in_bytes)
{
	uint32_t out_bytes = view_bytes(l->p + OUT_CHANNEL, l->p[OUT_C], l->p[OUT_W]);
	int8_t *out = guarded(out_bytes, random_word() % 4u);
	int8_t *both = guarded((in_bytes > out_bytes) ? in_bytes : out_bytes, 0);
	struct rnv_reach reach = {0};
	struct test_op t;

	memset(out, 0x55, out_bytes);
	op_init(&t, l->p, WORDS, l->stream, l->bytes, l->scratch);
	op_operand(&t, in, in_bytes, false);
	op_operand(&t, out, out_bytes, true);
	op_check(&t, &rnv_winograd_dsp_s8, in_place_fits(l) ? 1 : 0);
	rnv_winograd_dsp_s8.reach(&t.op, &reach);
	expect(reach.in_rows == (uint32_t)l->p[IN_H] && reach.out_rows == (uint32_t)l->p[OUT_H] &&
		       reach.stride == 1u && reach.before == (uint32_t)l->p[PAD_TOP] &&
		       reach.extent == 3u,
	       "reach()");
	rnv_winograd_dsp_s8.run(&t.op);
	compare_rows(l, in, out, 0, l->p[OUT_H], "outputs of the op");
	compare_room(l, out, out_bytes);
	for (int32_t row = 0; row < l->p[OUT_H]; row += (int32_t)t.op.rows) {
		t.op.row0 = (uint32_t)row;
		t.op.rows = (uint32_t)random_in(1, l->p[OUT_H] - row);
		rnv_winograd_dsp_s8.run(&t.op);
		compare_rows(l, in, out, row, (int32_t)t.op.rows, "outputs of a slice");
	}
	if (in_place_fits(l)) {
		t.op.row0 = 0;
		t.op.rows = 0;
		memcpy(both, in, in_bytes);
		t.data[0] = both;
		t.data[1] = both;
		rnv_winograd_dsp_s8.run(&t.op);
		compare_rows(l, in, both, 0, l->p[OUT_H], "outputs of the op in place");
	}
}

#if RNV_DSP_ASM
/* Any contents: assembly and twin write the same bytes. */
static void try_primitives(const struct layer *l)
{
	uint32_t h_bytes = 256u * l->pairs * l->groups;
	uint32_t padded_bytes = 8u * l->groups + 4u;
	uint32_t width = (uint32_t)random_in(1, (int32_t)padded_bytes - 2);
	int8_t *in = guarded((uint32_t)l->p[IN_C] * (width + 3u), random_word() % 4u);
	int8_t *h[2] = {guarded(h_bytes, 0), guarded(h_bytes, 0)};
	int8_t *v[2] = {guarded(256u * l->pairs, 0), guarded(256u * l->pairs, 0)};
	int8_t *padded = guarded(2u * padded_bytes, 0);
	struct rnv_winograd_row row = {
		.in = in,
		.channel = width + 3u,
		.channels = (uint32_t)l->p[IN_C],
		.bytes = width,
		.padded = padded,
		.padded_bytes = padded_bytes,
		.pad_left = random_word() % 3u,
		.groups = l->groups,
	};

	memset(padded, l->p[IN_ZP], 2u * padded_bytes);
	random_values(in, (uint32_t)l->p[IN_C] * (width + 3u), -128, 127);
	memset(h[0], 0, h_bytes);
	memset(h[1], 0, h_bytes);
	for (uint32_t slot = 0; slot < 4u; slot++) {
		row.h = h[0] + 16u * slot;
		rnv_winograd_row_c(&row);
		row.h = h[1] + 16u * slot;
		rnv_winograd_row_asm(&row);
		row.in = in + slot % 2u;
	}
	expect_bytes(h[1], h[0], h_bytes, "transform along the row");
	for (uint32_t odd = 0; odd < 2u; odd++) {
		rnv_winograd_group_c(h[0], v[0], l->pairs, odd);
		rnv_winograd_group_asm(h[0], v[1], l->pairs, odd);
		expect_bytes(v[1], v[0], 256u * l->pairs, "transform down the image");
	}
}

static void try_gemm(const struct layer *l)
{
	uint32_t outputs = ((uint32_t)l->p[OUT_C] + 1u) / 2u * 2u;
	uint32_t misalign = random_word() % 4u;
	int16_t *v = guarded(256u * l->pairs, 0);
	int32_t most = (1 << random_in(0, 15)) - 1; /* up to all of int16 */
	int8_t *out[2] = {guarded(outputs * 16u, misalign), guarded(outputs * 16u, misalign)};
	struct rnv_winograd_out to = {
		.w_end = (const uint8_t *)l->stream + l->bytes,
		.pairs = l->pairs,
		.channel = 16,
		.row = 8,
		.epilogue = (uint32_t)l->p[EPILOGUE],
	};

	for (uint32_t i = 0; i < 128u * l->pairs; i++) {
		v[i] = (int16_t)random_in(-most - 1, most);
	}
	rnv_winograd_gemm_c(l->stream, v, out[0], &to);
	rnv_winograd_gemm_asm(l->stream, v, out[1], &to);
	expect_bytes(out[1], out[0], outputs * 16u, "assembly and twin");
}
#endif

static void refuse(struct test_op *t, int32_t *p, uint32_t word, int32_t value)
{
	int32_t kept = p[word];

	p[word] = value;
	expect(rnv_winograd_dsp_s8.check(&t->op) == RNV_EFORMAT, "check() refuses the word");
	p[word] = kept;
}

static void test_refusals(void)
{
	static int32_t p[WORDS] = {4, 4, 2, 4, 4, 2, 1, 1, 0, 16, 4, 4, 16, 4, 4, 0};
	static uint8_t stream[24 + 128] __attribute__((aligned(16)));
	static int8_t data[32];
	struct test_op t;

	begin_case("winograd, refusals", 0);
	op_init(&t, p, WORDS, stream, sizeof(stream), 256 * 2 + 3 * 12);
	op_operand(&t, data, sizeof(data), false);
	op_operand(&t, data, sizeof(data), true);
	op_check(&t, &rnv_winograd_dsp_s8, 1);
	for (uint32_t word = 0; word < WORDS; word++) {
		refuse(&t, p, word, 1 << 20);
		refuse(&t, p, word, -(1 << 20));
	}
	refuse(&t, p, PAD_TOP, 3);
	refuse(&t, p, PAD_LEFT, 3);
	refuse(&t, p, EPILOGUE, RNV_EPILOGUE_TEXTBOOK);
	refuse(&t, p, EPILOGUE, RNV_EPILOGUE_LINEAR); /* with a stream of RELU */
	refuse(&t, p, IN_C, 3);
	refuse(&t, p, OUT_C, 3);
	refuse(&t, p, OUT_W, 9);
	end_case();
}

void test_winograd(uint32_t cases)
{
	static struct layer l;

	test_refusals();
	for (uint32_t i = 0; i < cases; i++) {
		uint32_t in_bytes;
		int8_t *in;

		begin_case("winograd", i);
		make_layer(&l);
		in_bytes = view_bytes(l.p + IN_CHANNEL, l.p[IN_C], l.p[IN_W]);
		in = guarded(in_bytes, random_word() % 4u);
		random_values(in, in_bytes, -128, 127);
		try_op(&l, in, in_bytes);
#if RNV_DSP_ASM
		try_primitives(&l);
		try_gemm(&l);
#endif
		end_case();
	}
}
