/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* ADD_TABLES_S8: both forms, rows in rings, in place, in slices. */

#include <string.h>

#include "harness.h"
#include "kernels/dsp/add_linear.h"

extern const struct rnv_kernel rnv_add_tables_s8;

#define TABLE_WORDS 512

enum {
	ROWS,
	ROW_ELEMENTS,
	RING_0,
	RING_1,
	RING_OUT,
	MULTIPLIER,
	OFFSET,
	SHIFT,
	WORDS
};

static int32_t params[WORDS];
static int32_t stream[TABLE_WORDS] __attribute__((aligned(16)));
static bool linear;

/* Constants for which sums often saturate, and now and then wrap. */
static void make_constants(void)
{
	if (linear) {
		stream[0] = random_in(0, INT32_MAX >> random_in(0, 6));
		stream[1] = random_in(0, INT32_MAX >> random_in(0, 6));
		params[OFFSET] = random_in(-(1 << 29), 1 << 29);
		params[MULTIPLIER] = 0;
		params[SHIFT] = 21;
		return;
	}
	for (uint32_t i = 0; i < TABLE_WORDS; i++) {
		stream[i] = random_in(-(1 << 28), 1 << 28);
	}
	params[MULTIPLIER] = random_in(0, INT32_MAX);
	params[SHIFT] = random_in(16, 24);
	params[OFFSET] = random_in(-(1 << 24), 1 << 24);
}

static int8_t wanted_output(int8_t x, int8_t y)
{
	int64_t t = params[OFFSET];

	if (linear) {
		t += floor_shift((int64_t)stream[0] * x, 8) +
		     floor_shift((int64_t)stream[1] * y, 8);
	} else {
		t += high_word(stream[x & 255] + stream[256 + (y & 255)], params[MULTIPLIER]);
	}
	t = (int32_t)(uint32_t)(uint64_t)t; /* sums wrap */
	return (int8_t)clamped(floor_shift(t, (uint32_t)params[SHIFT]), -128, 127);
}

static void try_primitive(rnv_add_linear_fn *add, const char *what)
{
	uint32_t count = (uint32_t)random_in(0, 40);
	int8_t *x = guarded(count, random_word() % 4u);
	int8_t *y = guarded(count, random_word() % 4u);
	int8_t *out = guarded(count, random_word() % 4u);

	random_values(x, count, -128, 127);
	random_values(y, count, -128, 127);
	add(stream, x, y, out, count, params[OFFSET]);
	for (uint32_t i = 0; i < count; i++) {
		expect(out[i] == wanted_output(x[i], y[i]), what);
	}
	add(stream, x, y, x, count, params[OFFSET]);
	expect_bytes(x, out, count, "in place of the first input");
}

/* Where the first element of a row lies in a tensor with a ring. */
static uint32_t at(int32_t row, uint32_t ring_word)
{
	return (uint32_t)(row % params[ring_word] * params[ROW_ELEMENTS]);
}

/* Rows one after the other: each is put into its ring, added, and compared. */
static void try_rows(struct test_op *t, int8_t *x, int8_t *y, int8_t *out)
{
	uint32_t count = (uint32_t)params[ROW_ELEMENTS];

	for (int32_t row = 0; row < params[ROWS]; row++) {
		int8_t *row_x = x + at(row, RING_0);
		int8_t *row_y = y + at(row, RING_1);
		int8_t *row_out = out + at(row, RING_OUT);
		int8_t kept[64];

		random_values(row_x, count, -128, 127);
		random_values(row_y, count, -128, 127);
		for (uint32_t i = 0; i < count; i++) {
			kept[i] = wanted_output(row_x[i], row_y[i]);
		}
		t->op.row0 = (uint32_t)row;
		t->op.rows = 1;
		rnv_add_tables_s8.run(&t->op);
		expect_bytes(row_out, kept, count, "a row");
	}
	t->op.row0 = 0;
	t->op.rows = 0;
}

/* All rows at once, where nothing is a ring. */
static void try_whole(struct test_op *t, int8_t *x, int8_t *y, int8_t *out)
{
	uint32_t count = (uint32_t)(params[ROWS] * params[ROW_ELEMENTS]);
	int8_t *wanted = guarded(count, 0);

	random_values(x, count, -128, 127);
	random_values(y, count, -128, 127);
	for (uint32_t i = 0; i < count; i++) {
		wanted[i] = wanted_output(x[i], y[i]);
	}
	rnv_add_tables_s8.run(&t->op);
	expect_bytes(out, wanted, count, "all rows");
}

/* An operand of ROWS rows of which `ring` are held. */
static void make_rows(struct rnv_tensor_rec *rec, int32_t ring)
{
	rec->layout = RNV_LAYOUT_ROWS;
	rec->rank = 4;
	rec->dims[0] = 1;
	rec->dims[1] = (uint32_t)params[ROWS];
	rec->dims[2] = (uint32_t)params[ROW_ELEMENTS];
	rec->dims[3] = 1;
	rec->ring_rows = (uint16_t)((ring == params[ROWS]) ? 0 : ring);
}

static void try_op(void)
{
	struct rnv_reach reach = {0};
	uint32_t bytes[3];
	int8_t *data[3];
	struct test_op t;
	int mask;

	for (uint32_t i = 0; i < 3u; i++) {
		bytes[i] = (uint32_t)(params[RING_0 + i] * params[ROW_ELEMENTS]);
		data[i] = guarded(bytes[i], random_word() % 4u);
	}
	op_init(&t, params, WORDS, stream, linear ? 8u : 2048u, 0);
	for (uint32_t i = 0; i < 3u; i++) {
		op_operand(&t, data[i], bytes[i], i == 2u);
		make_rows(&t.tensors[i], params[RING_0 + i]);
	}
	mask = ((params[RING_0] == params[RING_OUT]) ? 1 : 0) |
	       ((params[RING_1] == params[RING_OUT]) ? 2 : 0);
	op_check(&t, &rnv_add_tables_s8, mask);
	rnv_add_tables_s8.reach(&t.op, &reach);
	expect(reach.in_rows == (uint32_t)params[ROWS] && reach.out_rows == reach.in_rows &&
		       reach.stride == 1u && reach.before == 0u && reach.extent == 1u,
	       "reach()");
	try_rows(&t, data[0], data[1], data[2]);
	for (uint32_t i = 0; i < 2u; i++) {
		if ((mask & (1 << i)) != 0) {
			t.data[2] = data[i];
			try_rows(&t, data[0], data[1], data[i]);
			t.data[2] = data[2];
		}
	}
	if (params[RING_0] == params[ROWS] && params[RING_1] == params[ROWS] &&
	    params[RING_OUT] == params[ROWS]) {
		try_whole(&t, data[0], data[1], data[2]);
	}
}

/* An op that check() accepts with this mask, and with one word changed does not. */
static void test_refusals(void)
{
	static const int32_t good[WORDS] = {4, 8, 4, 4, 4, 0, 0, 21};
	static const int32_t bad[][2] = {
		{ROWS, 0},     {ROWS, -4},      {ROW_ELEMENTS, 0}, {ROW_ELEMENTS, 9},
		{RING_0, 0},   {RING_0, 5},     {RING_1, 0},       {RING_1, 5},
		{RING_OUT, 0}, {RING_OUT, 5},   {MULTIPLIER, 1},   {MULTIPLIER, -1},
		{SHIFT, 20},   {ROWS, 1 << 30},
	};
	static int8_t data[32];
	struct test_op t;

	begin_case("add, refusals", 0);
	memset(stream, 0, sizeof(stream));
	memcpy(params, good, sizeof(good));
	op_init(&t, params, WORDS, stream, 8, 0);
	for (uint32_t i = 0; i < 3u; i++) {
		op_operand(&t, data, sizeof(data), i == 2u);
	}
	op_check(&t, &rnv_add_tables_s8, 3);
	for (uint32_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		memcpy(params, good, sizeof(good));
		params[bad[i][0]] = bad[i][1];
		expect(rnv_add_tables_s8.check(&t.op) == RNV_EFORMAT, "a bad word");
	}
	memcpy(params, good, sizeof(good));
	stream[1] = -1;
	expect(rnv_add_tables_s8.check(&t.op) == RNV_EFORMAT, "a negative factor");
	t.rec.weights_bytes = 2048;
	params[SHIFT] = 31;
	expect(rnv_add_tables_s8.check(&t.op) == 3, "tables");
	params[SHIFT] = 32;
	expect(rnv_add_tables_s8.check(&t.op) == RNV_EFORMAT, "a shift of 32");
	end_case();
}

void test_add(uint32_t cases)
{
	test_refusals();
	for (uint32_t i = 0; i < cases; i++) {
		begin_case("add", i);
		linear = random_word() % 4u != 0u;
		params[ROWS] = random_in(1, 6);
		params[ROW_ELEMENTS] = random_in(1, 64);
		for (uint32_t k = RING_0; k <= RING_OUT; k++) {
			params[k] =
				(random_word() & 1u) ? params[ROWS] : random_in(1, params[ROWS]);
		}
		make_constants();
		if (linear) {
			try_primitive(rnv_add_linear_c, "C");
#if RNV_DSP_ASM
			try_primitive(rnv_add_linear_asm, "assembly");
#endif
		}
		try_op();
		end_case();
	}
}
