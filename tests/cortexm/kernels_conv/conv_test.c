/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Random convolutions over windows: whole, in place where the kernel allows it, and by slices with
 * rings. Every byte of the arena that is neither an output of the rows computed nor scratch has to
 * stay as it was.
 */

#include <string.h>

#include "../kernels/support.h"
#include "conv_op.h"
#include "interleave_test.h"

#define ARENA_BYTES (96 * 1024)
#define FILL        0xA5

enum mode {
	WHOLE,
	IN_PLACE,
	SLICES,
	MODES
};

/* What a case came to. */
enum verdict {
	GOOD,
	REFUSED,     /* by check() */
	WRONG,       /* an output */
	TRESPASSED,  /* a byte that is not the op's changed */
	NOT_IN_PLACE /* good, but not in place although that was asked for */
};

static int8_t image[16 * 1024];
static _Alignas(16) uint8_t arena[ARENA_BYTES];
static uint8_t before[ARENA_BYTES];

/* A view of `ring` rows as planes or as rows, with up to `gap` bytes between rows and channels. */
static struct rnv_view random_view(int32_t channel_count, int32_t width, int32_t ring, int32_t gap)
{
	struct rnv_view view = {.ring = ring};

	if (random_in(0, 1) != 0) {
		view.row = width + random_in(0, gap);
		view.channel = ring * view.row + random_in(0, gap);
	} else {
		view.channel = width + random_in(0, gap);
		view.row = channel_count * view.channel + random_in(0, gap);
	}
	return view;
}

static uint32_t view_bytes(const struct rnv_view *view, int32_t channel_count, int32_t width)
{
	return (uint32_t)((view->ring - 1) * view->row + (channel_count - 1) * view->channel +
			  width);
}

/* Input rows that a ring needs so that `rows` output rows can be computed. */
static int32_t ring_rows(const struct conv *c, int32_t rows)
{
	int32_t need = (rows - 1) * c->w.stride_h + c->w.filter_h;

	return (need < c->w.in_h) ? need : c->w.in_h;
}

static void random_conv(struct conv *c, enum mode mode, int32_t slice)
{
	static const int32_t few[] = {1, 1, 2, 3, 3, 4, 5, 8};
	bool tall = random_in(0, 7) == 0;

	memset(c, 0, sizeof(*c));
	c->pixels = random_in(0, 1) != 0;
	c->transposed = (c->pixels && mode != IN_PLACE) ? random_in(0, 1) : 0;
	c->w.in_c = c->pixels ? few[random_in(0, 7)] : random_in(1, 40);
	c->w.out_c = random_in(1, 33);
	c->w.filter_h = tall ? 10 : random_in(1, 5);
	c->w.filter_w = tall ? 4 : random_in(1, 5);
	if (tall && c->w.in_c > 8) {
		c->w.in_c = random_in(1, 8);
	}
	c->w.stride_h = random_in(1, 3);
	c->w.stride_w = random_in(1, 3);
	c->w.in_h = random_in(1, 14);
	c->w.in_w = random_in(1, 20);
	c->w.pad_top = random_in(0, c->w.filter_h + 1);
	c->w.pad_left = random_in(0, c->w.filter_w + 1);
	c->w.out_h = (c->w.in_h + c->w.stride_h - 1) / c->w.stride_h + random_in(-1, 1);
	c->w.out_w = (c->w.in_w + c->w.stride_w - 1) / c->w.stride_w + random_in(-1, 2);
	c->w.out_h = (c->w.out_h < 1) ? 1 : c->w.out_h;
	c->w.out_w = (c->w.out_w < 1) ? 1 : c->w.out_w;
	c->w.in_zp = random_in(-128, 127);
	c->epilogue = random_in(0, RNV_EPILOGUES - 1);
	c->in = random_view(c->w.in_c, c->w.in_w, c->w.in_h, 3);
	c->out = random_view(c->w.out_c, out_columns(c), out_rows(c), 3);
	if (mode == SLICES) {
		int32_t rows = out_rows(c);
		int32_t ring = random_in(ring_rows(c, slice), c->w.in_h);

		c->in = random_view(c->w.in_c, c->w.in_w, ring, 3);
		c->out = random_view(c->w.out_c, out_columns(c),
				     random_in((slice < rows) ? slice : rows, rows), 3);
	}
}

/* Make it likely that the output may replace the input: same planes, or few output channels. */
static void shape_in_place(struct conv *c)
{
	if (c->pixels || random_in(0, 2) == 0) {
		c->w.out_c = random_in(1, c->w.in_c);
		c->out = random_view(c->w.out_c, c->w.out_w, c->w.out_h, 0);
		return;
	}
	c->w.stride_h = 1;
	c->w.out_h = c->w.in_h;
	c->w.pad_top = random_in(0, c->w.filter_h - 1);
	c->in.row = (c->w.in_w > c->w.out_w) ? c->w.in_w : c->w.out_w;
	c->in.channel = c->w.in_h * c->in.row;
	c->out = c->in;
}

/* Write input row `y` to where the op reads it. */
static void put_row(const struct conv *c, uint8_t *in, int32_t y)
{
	const int8_t *from = image + y * c->w.in_w * c->w.in_c;

	if (c->pixels) {
		memcpy(in + y * c->w.in_w * c->w.in_c, from, (size_t)(c->w.in_w * c->w.in_c));
		return;
	}
	for (int32_t x = 0; x < c->w.in_w; x++) {
		for (int32_t i = 0; i < c->w.in_c; i++) {
			in[i * c->in.channel + (y % c->in.ring) * c->in.row + x] =
				(uint8_t)from[x * c->w.in_c + i];
		}
	}
}

/* Place of output (row, x) of channel `o` in the arena. */
static uint32_t out_at(const struct bench *b, const struct conv *c, int32_t row, int32_t x,
		       int32_t o)
{
	return b->tensors[1].offset +
	       (uint32_t)(o * c->out.channel + (row % c->out.ring) * c->out.row + x);
}

/* Run output rows `row .. end - 1`, compare them with the formula, and see what else changed. */
static enum verdict run_rows(struct bench *b, const struct conv *c, int32_t row, int32_t end,
			     bool whole)
{
	uint32_t used = b->rec.scratch_offset + b->rec.scratch_bytes + GUARD_BYTES;
	enum verdict verdict = GOOD;

	memcpy(before, arena, used);
	b->op.row0 = (uint32_t)row;
	b->op.rows = whole ? 0u : (uint32_t)(end - row);
	b->kernel->run(&b->op);
	memcpy(before + b->rec.scratch_offset, arena + b->rec.scratch_offset, b->rec.scratch_bytes);
	for (; row < end; row++) {
		for (int32_t x = 0; x < out_columns(c); x++) {
			for (int32_t o = 0; o < c->w.out_c; o++) {
				uint32_t at = out_at(b, c, row, x, o);

				if ((int8_t)arena[at] !=
				    expected_at(c, image, row, x, (uint32_t)o)) {
					verdict = WRONG;
				}
				before[at] = arena[at];
			}
		}
	}
	return (verdict == GOOD && memcmp(before, arena, used) != 0) ? TRESPASSED : verdict;
}

/* Offset of a region of the arena behind `end`, after a guard. */
static uint32_t region(uint32_t end)
{
	return (end + GUARD_BYTES + 15u) & ~UINT32_C(15);
}

/* Lay the operands and the scratch out in a fresh arena. */
static void bench_place(struct bench *b, const struct conv *c, bool in_place)
{
	struct rnv_tensor_rec *in = &b->tensors[0];
	struct rnv_tensor_rec *out = &b->tensors[1];
	uint32_t out_end;

	in->bytes = c->pixels ? (uint32_t)(c->w.in_h * c->w.in_w * c->w.in_c)
			      : view_bytes(&c->in, c->w.in_c, c->w.in_w);
	out->bytes = view_bytes(&c->out, c->w.out_c, out_columns(c));
	in->offset = region(0);
	out->offset = in_place ? in->offset : region(in->offset + in->bytes);
	out_end = out->offset + out->bytes;
	if (in->offset + in->bytes > out_end) {
		out_end = in->offset + in->bytes;
	}
	b->rec.scratch_offset = region(out_end);
	memset(arena, FILL, sizeof(arena));
}

/* Run the op by slices of `slice` output rows; input rows enter as late as they may. */
static enum verdict run_slices(struct bench *b, const struct conv *c, int32_t slice)
{
	enum verdict verdict = GOOD;
	struct rnv_reach reach;
	int32_t held = 0;

	b->kernel->reach(&b->op, &reach);
	if (reach.in_rows != (uint32_t)c->w.in_h || reach.out_rows != (uint32_t)out_rows(c)) {
		return WRONG;
	}
	for (int32_t row = 0; row < out_rows(c) && verdict == GOOD; row += slice) {
		int32_t end = (out_rows(c) - row < slice) ? out_rows(c) : row + slice;
		int32_t need = (end - 1) * reach.stride - reach.before + reach.extent;

		for (need = (need < c->w.in_h) ? need : c->w.in_h; held < need; held++) {
			put_row(c, arena + b->tensors[0].offset, held);
		}
		verdict = run_rows(b, c, row, end, false);
	}
	return verdict;
}

static enum verdict run_whole(struct bench *b, const struct conv *c)
{
	for (int32_t y = 0; y < c->w.in_h; y++) {
		put_row(c, arena + b->tensors[0].offset, y);
	}
	return run_rows(b, c, 0, out_rows(c), true);
}

static void random_image(const struct conv *c)
{
	for (int32_t i = 0; i < c->w.in_h * c->w.in_w * c->w.in_c; i++) {
		image[i] = (int8_t)random_word();
	}
}

/* One random op in one mode. */
static enum verdict random_case(enum mode mode)
{
	int32_t slice = random_in(1, 4);
	struct conv c;
	struct bench b;
	enum verdict verdict;
	bool in_place;
	int mask;

	random_conv(&c, mode, slice);
	if (mode == IN_PLACE) {
		shape_in_place(&c);
	}
	random_image(&c);
	random_stream(&c);
	bench_init(&b, &c, arena);
	bench_place(&b, &c, false);
	mask = b.kernel->check(&b.op);
	if (mask < 0) {
		return REFUSED;
	}
	in_place = mode == IN_PLACE && (mask & 1) != 0;
	bench_place(&b, &c, in_place);
	verdict = (mode == SLICES) ? run_slices(&b, &c, slice) : run_whole(&b, &c);
	return (verdict == GOOD && mode == IN_PLACE && !in_place) ? NOT_IN_PLACE : verdict;
}

/* Ops that have to run in place, and, each beside one that may, ops that must not. */
static const struct {
	const char *why;
	int mask;
	struct conv c; /* pixels, window, transposed, in, out */
} decided[] = {
	{"RGB to rows",
	 1,
	 {true, {96, 96, 3, 48, 48, 8, 3, 3, 2, 2, 0, 0, -1}, 0, {0}, {48, 384, 48}, 0}},
	{"RGB to planes",
	 0,
	 {true, {96, 96, 3, 48, 48, 8, 3, 3, 2, 2, 0, 0, -1}, 0, {0}, {2304, 48, 48}, 0}},
	{"RGB to a ring",
	 0,
	 {true, {96, 96, 3, 48, 48, 8, 3, 3, 2, 2, 0, 0, -1}, 0, {0}, {48, 384, 24}, 0}},
	{"RGB to transposed rows",
	 0,
	 {true, {96, 96, 3, 48, 48, 8, 3, 3, 2, 2, 0, 0, -1}, 1, {0}, {48, 384, 48}, 0}},
	{"the same planes",
	 1,
	 {false, {8, 8, 16, 8, 8, 16, 3, 3, 1, 1, 1, 1, 0}, 0, {64, 8, 8}, {64, 8, 8}, 0}},
	{"more planes",
	 1,
	 {false, {8, 8, 16, 8, 8, 17, 3, 3, 1, 1, 1, 1, 0}, 0, {64, 8, 8}, {64, 8, 8}, 0}},
	{"a row before it is read",
	 0,
	 {false, {8, 8, 16, 8, 8, 16, 3, 3, 1, 1, 3, 1, 0}, 0, {64, 8, 8}, {64, 8, 8}, 0}},
	{"planes to rows",
	 0,
	 {false, {8, 8, 16, 8, 8, 16, 3, 3, 1, 1, 1, 1, 0}, 0, {64, 8, 8}, {8, 128, 8}, 0}},
	{"from a ring",
	 0,
	 {false, {8, 8, 16, 8, 8, 16, 3, 3, 1, 1, 1, 1, 0}, 0, {64, 8, 4}, {64, 8, 8}, 0}},
	{"a second plane upon rows of the only one",
	 0,
	 {false, {10, 8, 1, 4, 8, 2, 3, 3, 2, 1, 0, 1, 0}, 0, {32, 8, 10}, {32, 8, 4}, 0}},
	{"long rows once all is read",
	 1,
	 {false, {3, 8, 1, 3, 8, 2, 3, 3, 1, 1, 1, 1, 0}, 0, {24, 8, 3}, {8, 16, 3}, 0}},
	{"the end of a row too far",
	 0,
	 {false, {8, 8, 1, 8, 10, 1, 3, 3, 1, 1, 1, 1, 0}, 0, {64, 8, 8}, {10, 10, 8}, 0}},
};

static int32_t in_place_fails(void)
{
	int32_t fails = 0;
	struct bench b;

	for (uint32_t i = 0; i < sizeof(decided) / sizeof(decided[0]); i++) {
		const struct conv *c = &decided[i].c;

		random_stream(c);
		bench_init(&b, c, arena);
		bench_place(&b, c, false);
		if (b.kernel->check(&b.op) != decided[i].mask) {
			say(decided[i].why);
			say("\n");
			fails++;
		}
	}
	return fails;
}

int test_main(int32_t seed, int32_t rounds)
{
	int32_t counts[MODES][NOT_IN_PLACE + 1] = {0};
	int32_t failures = 0;

	for (int32_t round = 0; round < rounds; round++) {
		random_seed((uint32_t)(seed + round));
		failures += interleave_fails();
		for (uint32_t mode = 0; mode < MODES; mode++) {
			enum verdict verdict = random_case((enum mode)mode);

			counts[mode][verdict]++;
			if (verdict != GOOD && verdict != NOT_IN_PLACE) {
				failures++;
				say_number("seed ", seed + round);
				say_number(", mode ", (int32_t)mode);
				say_number(", verdict ", (int32_t)verdict);
				say("\n");
			}
		}
	}
	failures += in_place_fails();
	say_number("in_place ", counts[IN_PLACE][GOOD]);
	say_number("\nfailures ", failures);
	say_number("\nrounds ", rounds);
	say("\n");
	return (failures == 0) ? 0 : 1;
}
