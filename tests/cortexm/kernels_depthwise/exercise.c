/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "exercise.h"

#include <string.h>

#include "kernels/planes/view.h"
#include "support.h"

#if !defined(__ARM_ARCH_PROFILE)
#include <stdlib.h>
#else
#include <baremetal/semihosting.h>
#endif

#define POOL (4 * MAX_ELEMENTS)

/* What check() and run() look at. */
struct bench {
	struct rnv_package pkg;
	struct rnv_op_rec rec;
	struct rnv_exec exec;
	struct rnv_op op;
	struct rnv_tensor_rec tensors[2];
	uint16_t operands[2];
	void *externals[2];
	struct guarded in;
	struct guarded out;
	struct guarded scratch;
};

/* Where operands and scratch lie, in place of the executor. */
const void *rnv_op_in(const struct rnv_op *op, uint32_t i)
{
	return op->exec->externals[i];
}

void *rnv_op_out(const struct rnv_op *op, uint32_t i)
{
	return op->exec->externals[op->rec->input_count + i];
}

void *rnv_op_scratch(const struct rnv_op *op)
{
	return op->exec->arena;
}

static uint8_t in_pool[POOL];
static uint8_t out_pool[POOL];
static uint8_t scratch_pool[POOL];
static int8_t shadow[POOL]; /* what the output's memory should be */
static const char *subject_name = "";
static int32_t subject_number;

void begin(const char *what, int32_t number)
{
	subject_name = what;
	subject_number = number;
}

void expect(bool ok, const char *what)
{
	if (ok) {
		return;
	}
	say(subject_name);
	say_number(" ", subject_number);
	say(": ");
	say(what);
	say("\n");
#if defined(__ARM_ARCH_PROFILE)
	rnv_semihost_exit(1);
#else
	exit(1);
#endif
}

bool once_in(int32_t n)
{
	return random_in(1, n) == 1;
}

static struct rnv_view *view_at(struct subject *s, uint32_t word)
{
	return (struct rnv_view *)(void *)&s->params[word];
}

static uint32_t place(const struct rnv_view *v, int32_t c, int32_t y, int32_t x)
{
	return (uint32_t)(c * v->channel + y % v->ring * v->row + x);
}

/* Bytes from the first to behind the last element. */
static uint32_t view_bytes(const struct rnv_view *v, int32_t channels, int32_t width)
{
	return place(v, channels - 1, v->ring - 1, width);
}

/* Planes or rows, dense or with gaps. */
static void random_view(struct rnv_view *v, int32_t channels, int32_t ring, int32_t width)
{
	int32_t gap = once_in(4) ? random_in(0, 3) : 0;

	v->ring = ring;
	if (once_in(3)) {
		v->channel = width + gap;
		v->row = channels * v->channel + (once_in(4) ? random_in(0, 3) : 0);
	} else {
		v->row = width + gap;
		v->channel = ring * v->row + (once_in(4) ? random_in(0, 3) : 0);
	}
}

static void bench_tensor(struct bench *b, uint16_t i, struct guarded *memory)
{
	b->operands[i] = i;
	b->tensors[i].type = RNV_TYPE_INT8;
	b->tensors[i].bytes = (uint32_t)memory->bytes;
	b->externals[i] = memory->data;
}

static void bench_init(struct bench *b, struct subject *s, struct guarded in, struct guarded out,
		       uint32_t scratch_bytes)
{
	memset(b, 0, sizeof(*b));
	b->in = in;
	b->out = out;
	b->scratch = guard(scratch_pool, sizeof(scratch_pool), scratch_bytes, 0);
	/* The arena is 16-byte aligned; scratch lies anywhere in it at a multiple of 16. */
	b->scratch =
		guard(scratch_pool, sizeof(scratch_pool), scratch_bytes,
		      (0u - (uintptr_t)b->scratch.data) % 16u + 16u * (uint32_t)random_in(0, 3));
	memset(b->scratch.data, random_in(0, 255), scratch_bytes);
	bench_tensor(b, 0, &b->in);
	bench_tensor(b, 1, &b->out);
	b->pkg.tensors = b->tensors;
	b->pkg.operands = b->operands;
	b->pkg.params = s->params;
	b->pkg.weights = s->weights;
	b->rec.input_count = 1;
	b->rec.output_count = 1;
	b->rec.params_bytes = (uint16_t)(4u * s->param_words);
	b->rec.weights_bytes = s->weights_bytes;
	b->rec.scratch_bytes = scratch_bytes;
	b->exec.pkg = &b->pkg;
	b->exec.externals = b->externals;
	b->exec.arena = b->scratch.data;
	b->op = (struct rnv_op){.pkg = &b->pkg, .rec = &b->rec, .exec = &b->exec};
}

/* Bytes of scratch for between one row of outputs and `rows`. */
static uint32_t random_scratch(const struct subject *s, int32_t rows)
{
	int32_t most = (rows - 1) * s->stride + s->extent;
	int32_t lines = once_in(2) ? most : random_in(s->extent, most);

	return s->line * (uint32_t)lines + s->more;
}

/* Put the input's rows `low .. high` where they belong, as far as they exist. */
static void put_rows(struct subject *s, int8_t *to, int32_t low, int32_t high)
{
	const struct rnv_view *v = view_at(s, s->in_view);

	for (int32_t y = (low < 0) ? 0 : low; y <= high && y < s->in_h; y++) {
		for (int32_t c = 0; c < s->in_c; c++) {
			memcpy(to + place(v, c, y, 0), s->in + (c * s->in_h + y) * s->in_w,
			       (size_t)s->in_w);
		}
	}
}

/* Run rows and expect the shadow with just these elements changed. */
static void run_rows(struct subject *s, struct bench *b, int32_t row0, int32_t rows)
{
	const struct rnv_view *v = view_at(s, s->out_view);

	memcpy(shadow, b->out.data, b->out.bytes);
	for (int32_t c = 0; c < s->out_c; c++) {
		for (int32_t y = row0; y < row0 + rows; y++) {
			memcpy(shadow + place(v, c, y, 0),
			       s->expected + (c * s->out_h + y) * s->out_w, (size_t)s->out_w);
		}
	}
	s->kernel->run(&b->op);
	expect(memcmp(shadow, b->out.data, b->out.bytes) == 0, "output differs");
	expect(guard_holds(&b->in) && guard_holds(&b->out), "written beside an operand");
	expect(guard_holds(&b->scratch), "written beside scratch");
}

static void whole(struct subject *s)
{
	struct rnv_view *in = view_at(s, s->in_view);
	struct rnv_view *out = view_at(s, s->out_view);
	struct guarded from;
	struct guarded to;
	struct bench b;

	random_view(in, s->in_c, s->in_h, s->in_w);
	random_view(out, s->out_c, s->out_h, s->out_w);
	from = guard(in_pool, sizeof(in_pool), view_bytes(in, s->in_c, s->in_w),
		     (uint32_t)random_in(0, 15));
	to = guard(out_pool, sizeof(out_pool), view_bytes(out, s->out_c, s->out_w) + s->slack,
		   (uint32_t)random_in(0, 15));
	put_rows(s, (int8_t *)from.data, 0, s->in_h - 1);
	bench_init(&b, s, from, to, random_scratch(s, s->out_h));
	expect(s->kernel->check(&b.op) >= 0, "refused");
	run_rows(s, &b, 0, s->out_h);
}

static void expect_outputs(struct subject *s, const struct bench *b)
{
	const struct rnv_view *out = view_at(s, s->out_view);

	for (int32_t c = 0; c < s->out_c; c++) {
		for (int32_t y = 0; y < s->out_h; y++) {
			expect(memcmp(b->out.data + place(out, c, y, 0),
				      s->expected + (c * s->out_h + y) * s->out_w,
				      (size_t)s->out_w) == 0,
			       "output in place differs");
		}
	}
	expect(guard_holds(&b->in) && guard_holds(&b->scratch), "written beside memory in place");
}

/* Views that are certain to allow it: dense planes, or every element in its place. */
static bool obvious_views(struct subject *s, bool sliced)
{
	struct rnv_view *in = view_at(s, s->in_view);
	struct rnv_view *out = view_at(s, s->out_view);

	if (s->out_w > s->in_w || s->out_h > s->in_h || s->out_c != s->in_c ||
	    s->before >= s->extent || s->out_w > s->in_place_w) {
		return false;
	}
	if (!sliced && once_in(2)) {
		*in = (struct rnv_view){s->in_h * s->in_w, s->in_w, s->in_h};
		*out = (struct rnv_view){s->out_h * s->out_w, s->out_w, s->out_h};
	} else {
		out->channel = in->channel;
		out->row = in->row;
	}
	return true;
}

/*
 * Both operands at the same address, whole or in slices of which none needs rows that one before
 * has overwritten. What lies beside the outputs is input, or what is left of it: only outputs
 * count.
 */
static void in_place(struct subject *s)
{
	struct rnv_view *in = view_at(s, s->in_view);
	struct rnv_view *out = view_at(s, s->out_view);
	bool sliced = once_in(2) && s->before <= s->stride - 1;
	int32_t most = sliced ? random_in(1, s->out_h) : s->out_h;
	struct guarded memory;
	struct bench b;
	uint32_t bytes;
	bool allowed;
	int mask;

	random_view(in, s->in_c, s->in_h, s->in_w);
	random_view(out, s->out_c, s->out_h, s->out_w);
	allowed = once_in(2) && obvious_views(s, sliced);
	bytes = view_bytes(in, s->in_c, s->in_w);
	if (bytes < view_bytes(out, s->out_c, s->out_w) + s->slack) {
		bytes = view_bytes(out, s->out_c, s->out_w) + s->slack;
	}
	memory = guard(in_pool, sizeof(in_pool), bytes, (uint32_t)random_in(0, 15));
	put_rows(s, (int8_t *)memory.data, 0, s->in_h - 1);
	bench_init(&b, s, memory, memory, random_scratch(s, most));
	b.op.rows = sliced ? (uint32_t)most : 0u;
	mask = s->kernel->check(&b.op);
	expect(mask == 1 || (mask == 0 && !allowed), "wrong answer about replacing the input");
	if (mask == 0) {
		return;
	}
	for (int32_t row0 = 0; row0 < s->out_h; row0 += most) {
		b.op.row0 = (uint32_t)row0;
		if (sliced) {
			b.op.rows = (uint32_t)((most > s->out_h - row0) ? s->out_h - row0 : most);
		}
		s->kernel->run(&b.op);
	}
	expect_outputs(s, &b);
}

/* Slices of rows one after the other; rings hold no more than a slice needs. */
static void slices(struct subject *s)
{
	struct rnv_view *in = view_at(s, s->in_view);
	struct rnv_view *out = view_at(s, s->out_view);
	int32_t most = random_in(1, s->out_h);
	int32_t held = (most - 1) * s->stride + s->extent;
	struct rnv_reach reach;
	struct bench b;

	random_view(in, s->in_c, (held < s->in_h && once_in(2)) ? held : s->in_h, s->in_w);
	random_view(out, s->out_c, random_in(most, s->out_h), s->out_w);
	bench_init(&b, s, guard(in_pool, sizeof(in_pool), view_bytes(in, s->in_c, s->in_w), 1),
		   guard(out_pool, sizeof(out_pool), view_bytes(out, s->out_c, s->out_w) + s->slack,
			 3),
		   random_scratch(s, most));
	b.op.rows = (uint32_t)most;
	expect(s->kernel->check(&b.op) >= 0, "refused where sliced");
	s->kernel->reach(&b.op, &reach);
	expect(reach.in_rows == (uint32_t)s->in_h && reach.out_rows == (uint32_t)s->out_h &&
		       reach.stride == s->stride && reach.before == s->before &&
		       reach.extent == s->extent,
	       "wrong reach");
	for (int32_t row0 = 0, rows; row0 < s->out_h; row0 += rows) {
		int32_t low = row0 * s->stride - s->before;

		rows = random_in(1, most);
		rows = (rows > s->out_h - row0) ? s->out_h - row0 : rows;
		memset(b.in.data, random_in(0, 255), b.in.bytes);
		put_rows(s, (int8_t *)b.in.data, low, low + (rows - 1) * s->stride + s->extent - 1);
		b.op.row0 = (uint32_t)row0;
		b.op.rows = (uint32_t)rows;
		run_rows(s, &b, row0, rows);
	}
}

void exercise(struct subject *s)
{
	whole(s);
	in_place(s);
	slices(s);
}

static void expect_refusal(struct subject *s, struct bench *b, const char *why)
{
	expect(s->kernel->check(&b->op) == RNV_EFORMAT, why);
}

void expect_refusals(struct subject *s, const int32_t (*limits)[2], uint32_t words)
{
	struct bench b;
	struct rnv_view *out = view_at(s, s->out_view);

	random_view(view_at(s, s->in_view), s->in_c, s->in_h, s->in_w);
	random_view(out, s->out_c, s->out_h, s->out_w);
	bench_init(&b, s,
		   guard(in_pool, sizeof(in_pool),
			 view_bytes(view_at(s, s->in_view), s->in_c, s->in_w), 0),
		   guard(out_pool, sizeof(out_pool), view_bytes(out, s->out_c, s->out_w) + s->slack,
			 0),
		   s->line * (uint32_t)s->extent + s->more);
	expect(s->kernel->check(&b.op) >= 0, "refused");
	for (uint32_t i = 0; i < words; i++) {
		int32_t kept = s->params[i];

		s->params[i] = limits[i][0] - 1;
		expect_refusal(s, &b, "a parameter below its limit");
		s->params[i] = limits[i][1] + 1;
		expect_refusal(s, &b, "a parameter above its limit");
		s->params[i] = kept;
	}
	b.tensors[0].bytes--;
	expect_refusal(s, &b, "an input too short");
	b.tensors[0].bytes++;
	b.tensors[1].bytes--;
	expect_refusal(s, &b, "an output too short");
	b.tensors[1].bytes++;
	b.tensors[1].type = RNV_TYPE_UINT8;
	expect_refusal(s, &b, "an output of another type");
	b.tensors[1].type = RNV_TYPE_INT8;
	b.rec.weights_bytes -= 1u;
	expect_refusal(s, &b, "a stream too short");
	b.rec.weights_bytes += 1u;
	b.rec.params_bytes = (uint16_t)(b.rec.params_bytes - 4u);
	expect_refusal(s, &b, "a parameter missing");
	b.rec.params_bytes = (uint16_t)(b.rec.params_bytes + 4u);
	b.rec.scratch_bytes -= s->line;
	expect_refusal(s, &b, "scratch for less than a window");
	b.rec.scratch_bytes += s->line * ((uint32_t)((s->out_h - 1) * s->stride) + 2u);
	expect_refusal(s, &b, "scratch for more than all rows");
	b.rec.scratch_bytes -= s->line;
	expect(s->kernel->check(&b.op) >= 0, "refused");
}
