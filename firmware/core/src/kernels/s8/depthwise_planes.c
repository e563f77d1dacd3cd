/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief DEPTHWISE_CONV_2D over views, for any window and machine.
 *
 * The stream is that of requant.h with weights [out_c][filter_h][filter_w]. The rows of a channel
 * are copied to scratch with their padding (the input's zero point, which the biases cancel); the
 * outputs are computed from there. Scratch holds whole rows of all columns that the outputs reach:
 * those of at least one window, at most all; with fewer than all, channels are worked off in bands.
 * It has SLACK bytes more.
 *
 * Sums are formed for a block of outputs at a time, a row of the filter after the other: so all
 * that changes within a loop is which inputs and sums. Filters of three columns, which is nearly
 * all there is, have their own loops.
 */

#include "kernels/dsp/saturate.h"
#include "kernels/fixed_point.h"
#include "kernels/planes/depthwise_rows.h"
#include "kernels/s8/requant.h"
#include "kernels/s8/window.h"

struct depthwise_planes_params {
	int32_t in_h;
	int32_t in_w;
	int32_t in_c;
	int32_t out_h;
	int32_t out_w;
	int32_t filter_h;
	int32_t filter_w;
	int32_t stride_h;
	int32_t stride_w;
	int32_t dilation_h;
	int32_t dilation_w;
	int32_t depth_multiplier;
	int32_t pad_top;
	int32_t pad_left;
	int32_t in_zp;
	struct rnv_view in;
	struct rnv_view out;
	struct rnv_requant requant;
};

/* Sums that are formed together, then turned into outputs. A multiple of 4. */
#define SUMS 64

/* Most taps of a filter: sums without bias, and the number of weights, stay within 31 bits. */
#define MAX_TAPS 65536

/* Bytes after the rows in scratch: four sums at a time may begin with the last one. */
#define SLACK 8

#define PARAMS (sizeof(struct depthwise_planes_params) / sizeof(int32_t))

/*
 * Outputs whose sums are formed together: `count` adjacent ones in each of `rows` rows. The sums
 * are a row every `columns`; those after a row's `count` are of no use.
 */
struct block {
	const int8_t *in; /* first window */
	int8_t *out;
	int32_t count;
	int32_t columns;
	int32_t rows;
};

/* A row of the filter over adjacent windows: what it adds to their sums. */
struct run {
	const int32_t *from; /* sums so far */
	int32_t *to;
	const int8_t *in;
	const int8_t *weights;
	int32_t count; /* where done four at a time, up to three more are computed */
};

struct filter;

typedef void add_fn(const struct filter *f, const struct run *run);

/* What is the same for all channels; and the filter of one, and how its sums become outputs. */
struct filter {
	const struct depthwise_planes_params *p;
	add_fn *add;
	int32_t pitch; /* of scratch */
	bool flat;     /* rows of outputs that follow each other are one run of windows */
	bool narrow;   /* outputs have less than 8 bits */
	int32_t row0;
	int32_t row_end;
	int32_t band; /* rows of outputs that are computed at a time */
	const int8_t *weights;
	uint32_t bias;
	int32_t multiplier;
	int32_t shift;
};

typedef void outputs_fn(const struct filter *f, const struct block *b, const int32_t *sums);

/* Inputs from the first to the last of `count` windows; with all sizes below 2^15 it fits. */
static int32_t span(int32_t count, int32_t stride, int32_t filter, int32_t dilation)
{
	return (count - 1) * stride + (filter - 1) * dilation + 1;
}

static int32_t pitch_of(const struct depthwise_planes_params *p)
{
	return span(p->out_w, p->stride_w, p->filter_w, p->dilation_w);
}

static int32_t extent_of(const struct depthwise_planes_params *p)
{
	return span(1, p->stride_h, p->filter_h, p->dilation_h);
}

/* Rows that scratch holds. */
static int32_t lines_of(const struct rnv_op *op, const struct depthwise_planes_params *p)
{
	return ((int32_t)op->rec->scratch_bytes - SLACK) / pitch_of(p);
}

static bool scratch_ok(const struct rnv_op *op, const struct depthwise_planes_params *p)
{
	int32_t lines = lines_of(op, p);

	return lines >= extent_of(p) &&
	       lines <= span(p->out_h, p->stride_h, p->filter_h, p->dilation_h) &&
	       op->rec->scratch_bytes == (uint32_t)(lines * pitch_of(p) + SLACK);
}

static bool stream_ok(const struct rnv_op *op, const struct depthwise_planes_params *p)
{
	int32_t taps = p->filter_h * p->filter_w;

	return taps <= MAX_TAPS &&
	       rnv_channels_ok(op, &p->requant, (uint32_t)(taps * p->requant.out_c));
}

static int check(const struct rnv_op *op)
{
	const struct depthwise_planes_params *p = (const void *)rnv_op_params(op);

	if (!rnv_op_has(op, 1, 1, PARAMS) || !rnv_words_within(&p->in_h, 12, 1, RNV_WINDOW_MAX) ||
	    !rnv_words_within(&p->pad_top, 2, 0, RNV_WINDOW_MAX) ||
	    !rnv_words_within(&p->in_zp, 1, INT8_MIN, INT8_MAX) ||
	    !rnv_view_ok(&p->in, rnv_op_in_rec(op, 0), p->in_c, p->in_h, p->in_w, 0) ||
	    !rnv_view_ok(&p->out, rnv_op_out_rec(op, 0), p->requant.out_c, p->out_h, p->out_w, 0) ||
	    p->in_c * p->depth_multiplier != p->requant.out_c || extent_of(p) > UINT16_MAX ||
	    !scratch_ok(op, p) || !stream_ok(op, p)) {
		return RNV_EFORMAT;
	}
	if (p->depth_multiplier != 1 || p->pad_top >= extent_of(p)) {
		return 0;
	}
	return rnv_depthwise_in_place(op, &p->in, p->in_h, &p->out, p->out_h) ? 1 : 0;
}

/*
 * Outputs for sums, where the shift is at least two to the right: fewer operations than
 * rnv_requantize(), the same numbers. With ab the product of sum and multiplier, that is
 * high = floor((ab + 2^30) / 2^31), one less where it is negative, then `right` bits rounded up
 * from half. Where the sum is negative one may take 2^31 from ab at once: if that turns a high of
 * 0 into -1, both round to 0. Then only the upper word of ab is needed.
 */
static void outputs_right(const struct filter *f, const struct block *b, const int32_t *sums)
{
	const struct depthwise_planes_params *p = f->p;
	uint32_t bias = f->bias;
	int32_t multiplier = f->multiplier;
	int32_t right = -f->shift - 2;
	int32_t half = 2 * p->requant.out_zp + 1;
	int8_t *out = b->out;

	for (int32_t row = b->rows; row != 0; row--) {
		int8_t *end = out + b->count;

		do {
			int32_t sum = (int32_t)(bias + (uint32_t)*sums++);
			int32_t sign = sum >> 31;
			uint32_t nudge = 0x40000000u ^ ((uint32_t)sign << 31);
			int64_t t = (int64_t)(((uint64_t)(uint32_t)sign << 32) | nudge);
			int32_t high = (int32_t)(((int64_t)sum * multiplier + t) >> 32);

			*out++ = rnv_saturate_8(((high >> right) + half) >> 1);
		} while (out != end);
		out += p->out.row - b->count;
		sums += b->columns - b->count;
	}
}

/* Outputs for sums, any shift. */
static void outputs_any(const struct filter *f, const struct block *b, const int32_t *sums)
{
	const struct depthwise_planes_params *p = f->p;
	uint32_t out_zp = (uint32_t)p->requant.out_zp;

	for (int32_t y = 0; y < b->rows; y++) {
		for (int32_t x = 0; x < b->count; x++) {
			int32_t sum = (int32_t)(f->bias + (uint32_t)sums[y * b->columns + x]);
			int32_t scaled = rnv_requantize(sum, f->multiplier, f->shift);

			b->out[y * p->out.row + x] =
				rnv_saturate_8((int32_t)((uint32_t)scaled + out_zp));
		}
	}
}

/* Clamp outputs where the activation allows less than 8 bits. */
static void clamp(const struct depthwise_planes_params *p, const struct block *b)
{
	const struct rnv_requant *r = &p->requant;
	int8_t *out = b->out;

	for (int32_t y = 0; y < b->rows; y++) {
		for (int32_t x = 0; x < b->count; x++) {
			out[x] = (int8_t)rnv_clamp(out[x], r->act_min, r->act_max);
		}
		out += p->out.row;
	}
}

/* Where no sums are yet. */
static const int32_t none[SUMS];

/* Taps of any distance and stride: one after the other. */
static void add_any(const struct filter *f, const struct run *run)
{
	const struct depthwise_planes_params *p = f->p;
	const int32_t *from = run->from;

	for (int32_t kx = 0; kx < p->filter_w; kx++) {
		const int8_t *x = run->in + kx * p->dilation_w;
		int32_t weight = run->weights[kx];

		for (int32_t i = 0; i < run->count; i++) {
			run->to[i] = from[i] + weight * *x;
			x += p->stride_w;
		}
		from = run->to;
	}
}

/* Three adjacent taps, stride 1, four sums at a time: an input is loaded once for all of them. */
static void add_3_s1(const struct filter *f, const struct run *run)
{
	const int32_t *from = run->from;
	const int8_t *x = run->in;
	int32_t *to = run->to;
	const int32_t *end = to + run->count;
	int32_t w0 = run->weights[0];
	int32_t w1 = run->weights[1];
	int32_t w2 = run->weights[2];
	int32_t x0 = *x++;
	int32_t x1 = *x++;

	(void)f;
	do {
		int32_t x2 = x[0];
		int32_t x3 = x[1];

		to[0] = from[0] + w0 * x0 + w1 * x1 + w2 * x2;
		to[1] = from[1] + w0 * x1 + w1 * x2 + w2 * x3;
		x0 = x[2];
		x1 = x[3];
		to[2] = from[2] + w0 * x2 + w1 * x3 + w2 * x0;
		to[3] = from[3] + w0 * x3 + w1 * x0 + w2 * x1;
		from += 4;
		to += 4;
		x += 4;
	} while (to < end);
}

/* Likewise with stride 2. */
static void add_3_s2(const struct filter *f, const struct run *run)
{
	const int32_t *from = run->from;
	const int8_t *x = run->in;
	int32_t *to = run->to;
	const int32_t *end = to + run->count;
	int32_t w0 = run->weights[0];
	int32_t w1 = run->weights[1];
	int32_t w2 = run->weights[2];
	int32_t x0 = *x++;

	(void)f;
	do {
		int32_t x2 = x[1];
		int32_t x4 = x[3];

		to[0] = from[0] + w0 * x0 + w1 * x[0] + w2 * x2;
		to[1] = from[1] + w0 * x2 + w1 * x[2] + w2 * x4;
		x2 = x[5];
		x0 = x[7];
		to[2] = from[2] + w0 * x4 + w1 * x[4] + w2 * x2;
		to[3] = from[3] + w0 * x2 + w1 * x[6] + w2 * x0;
		from += 4;
		to += 4;
		x += 8;
	} while (to < end);
}

static add_fn *choose(const struct depthwise_planes_params *p)
{
	if (p->filter_w != 3 || p->dilation_w != 1 || p->stride_w > 2) {
		return add_any;
	}
	return (p->stride_w == 1) ? add_3_s1 : add_3_s2;
}

/* The sums of a block. */
static void sum_block(const struct filter *f, const struct block *b, int32_t *sums)
{
	const struct depthwise_planes_params *p = f->p;
	struct run run = {.to = sums, .count = b->count};
	int32_t runs = b->rows;

	if (f->flat) {
		run.count += (runs - 1) * b->columns;
		runs = 1;
	}
	for (int32_t y = 0; y < runs; y++) {
		run.from = none;
		run.in = b->in + y * p->stride_h * f->pitch;
		run.weights = f->weights;
		for (int32_t ky = 0; ky < p->filter_h; ky++) {
			f->add(f, &run);
			run.from = run.to;
			run.in += p->dilation_h * f->pitch;
			run.weights += p->filter_w;
		}
		run.to += b->columns;
	}
}

/* Rows of outputs that are contiguous but for their pitch. */
static void store_rows(const struct filter *f, const int8_t *in, int8_t *out, int32_t rows)
{
	const struct depthwise_planes_params *p = f->p;
	outputs_fn *outputs = (f->shift <= -2) ? outputs_right : outputs_any;
	int32_t sums[SUMS];
	struct block b;

	for (int32_t x = 0; x < p->out_w; x += b.count) {
		int32_t most;

		b.count = (p->out_w - x < SUMS) ? p->out_w - x : SUMS;
		b.columns = f->flat ? f->pitch : ((b.count + 3) & ~3);
		b.in = in + x * p->stride_w;
		b.out = out + x;
		most = (SUMS - b.count) / b.columns + 1;
		for (int32_t left = rows; left != 0; left -= b.rows) {
			b.rows = (left < most) ? left : most;
			sum_block(f, &b, sums);
			outputs(f, &b, sums);
			if (f->narrow) {
				clamp(p, &b);
			}
			b.in += b.rows * p->stride_h * f->pitch;
			b.out += b.rows * p->out.row;
		}
	}
}

/* Rows `y .. end - 1` of one output channel at `out`. */
static void store_channel(const struct filter *f, const int8_t *in, int8_t *out, int32_t y,
			  int32_t end)
{
	const struct depthwise_planes_params *p = f->p;

	for (int32_t count; y < end; y += count) {
		count = rnv_rows_until_wrap(&p->out, y, end - y);
		store_rows(f, in, out + y % p->out.ring * p->out.row, count);
		in += count * p->stride_h * f->pitch;
	}
}

/* Turn to another output channel. */
static void filter_select(struct filter *f, const struct rnv_channels *channels, int32_t o)
{
	const struct depthwise_planes_params *p = f->p;
	int32_t q = (p->requant.channels_q == 1) ? 0 : o;

	f->weights = channels->weights + o * p->filter_h * p->filter_w;
	f->bias = (uint32_t)channels->bias[o];
	f->multiplier = channels->multiplier[q];
	f->shift = channels->shift[q];
}

/* The output channels of one input channel, in bands where scratch does not hold all of its rows.
 */
static void run_channel(struct filter *f, const struct rnv_channels *channels,
			struct rnv_padded *padded, const int8_t *in, int8_t *out, int32_t channel)
{
	const struct depthwise_planes_params *p = f->p;
	int32_t extent = extent_of(p);
	int32_t first = channel * p->depth_multiplier;
	int32_t y = f->row0;
	int32_t keep = 0;

	for (int32_t end; y < f->row_end; y = end) {
		end = (f->row_end - y < f->band) ? f->row_end : y + f->band;
		rnv_padded_load(padded, in, y * p->stride_h - p->pad_top,
				(end - y - 1) * p->stride_h + extent, keep);
		for (int32_t o = first; o < first + p->depth_multiplier; o++) {
			filter_select(f, channels, o);
			store_channel(f, padded->scratch, out + o * p->out.channel, y, end);
		}
		keep = (extent > p->stride_h) ? extent - p->stride_h : 0;
	}
}

static void filter_init(struct filter *f, const struct rnv_op *op)
{
	const struct depthwise_planes_params *p = (const void *)rnv_op_params(op);

	f->p = p;
	f->add = choose(p);
	f->pitch = pitch_of(p);
	f->flat = p->stride_h == 1 && p->stride_w == 1 && f->pitch <= SUMS;
	f->narrow = p->requant.act_min > INT8_MIN || p->requant.act_max < INT8_MAX;
	f->row0 = (int32_t)op->row0;
	f->row_end = (op->rows == 0u) ? p->out_h : (int32_t)(op->row0 + op->rows);
	f->band = (lines_of(op, p) - extent_of(p)) / p->stride_h + 1;
}

static void run(const struct rnv_op *op)
{
	const struct depthwise_planes_params *p = (const void *)rnv_op_params(op);
	const int8_t *in = rnv_op_in(op, 0);
	int8_t *out = rnv_op_out(op, 0);
	struct rnv_channels channels;
	struct filter f;
	struct rnv_padded padded = {
		.view = &p->in,
		.copy = rnv_row_copy_c,
		.scratch = rnv_op_scratch(op),
		.pitch = (uint32_t)pitch_of(p),
		.height = p->in_h,
		.zero = (int8_t)p->in_zp,
	};

	filter_init(&f, op);
	rnv_channels_open(&channels, op, &p->requant);
	rnv_padded_columns(&padded, -p->pad_left, f.pitch, p->in_w);
	rnv_padded_clear(&padded, lines_of(op, p));
	padded.still = f.row_end - f.row0 <= f.band;
	for (int32_t c = 0; c < p->in_c; c++) {
		run_channel(&f, &channels, &padded, in, out, c);
		in += p->in.channel;
	}
}

static void reach(const struct rnv_op *op, struct rnv_reach *reach)
{
	const struct depthwise_planes_params *p = (const void *)rnv_op_params(op);

	reach->in_rows = (uint32_t)p->in_h;
	reach->out_rows = (uint32_t)p->out_h;
	reach->stride = (uint16_t)p->stride_h;
	reach->before = (uint16_t)p->pad_top;
	reach->extent = (uint16_t)extent_of(p);
}

const struct rnv_kernel rnv_depthwise_planes_s8 = {.check = check, .run = run, .reach = reach};
