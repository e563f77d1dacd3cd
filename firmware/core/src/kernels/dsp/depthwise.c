/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief DEPTHWISE_CONV_2D 3x3 over views, packing dsp.
 *
 * The rows of a channel are copied to scratch, with their padding, and the outputs computed from
 * there. Padding is written once: copies leave it alone. Images with more columns than a row of
 * scratch are worked off in strips of columns, one after the other for all channels.
 *
 * Scratch is 64 bytes for alignment and 64 for each row that it holds: at least 3, at most all that
 * the outputs reach. With fewer than that the channels are worked off in bands of rows.
 */

#include <string.h>

#include "kernels/dsp/depthwise_tiles.h"
#include "kernels/planes/depthwise_rows.h"

#define tiles_s1  RNV_DSP_PICK(rnv_depthwise_s1)
#define tiles_s2  RNV_DSP_PICK(rnv_depthwise_s2)
#define copy_rows RNV_DSP_PICK(rnv_depthwise_copy)

#define FILTER 3
#define PITCH  RNV_DEPTHWISE_PITCH

/* Most columns of outputs that fit into a row of scratch, an even number. */
#define STRIP_S1 62
#define STRIP_S2 30

/* Rows after which a byte is put back at a time. */
#define KEPT 16

struct depthwise_params {
	int32_t in_h;
	int32_t in_w;
	int32_t channels;
	int32_t out_h;
	int32_t out_w;
	int32_t stride; /* 1 or 2, of rows and columns */
	int32_t pad_top;
	int32_t pad_left;
	int32_t in_zp;
	struct rnv_view in;
	struct rnv_view out;
};

#define PARAMS (sizeof(struct depthwise_params) / sizeof(int32_t))

/* A strip of columns, of all channels. */
struct strip {
	const struct depthwise_params *p;
	rnv_depthwise_fn *tiles;
	struct rnv_padded padded;
	struct rnv_depthwise_plan plan;
	int32_t columns; /* of outputs */
	int32_t row0;    /* of outputs */
	int32_t rows;
	int32_t band;
};

static int32_t strip_columns(const struct depthwise_params *p)
{
	return (p->stride == 1) ? STRIP_S1 : STRIP_S2;
}

/* Rows of input for `rows` rows of outputs. */
static int32_t rows_for(const struct depthwise_params *p, int32_t rows)
{
	return (rows - 1) * p->stride + FILTER;
}

static int check(const struct rnv_op *op)
{
	const struct depthwise_params *p = (const void *)rnv_op_params(op);
	uint32_t lines = op->rec->scratch_bytes / PITCH;

	if (!rnv_op_has(op, 1, 1, PARAMS) ||
	    !rnv_view_ok(&p->in, rnv_op_in_rec(op, 0), p->channels, p->in_h, p->in_w, 0) ||
	    !rnv_view_ok(&p->out, rnv_op_out_rec(op, 0), p->channels, p->out_h, p->out_w,
			 (uint32_t)p->out_w & 1u) ||
	    !rnv_words_within(&p->stride, 1, 1, 2) ||
	    !rnv_words_within(&p->pad_top, 2, 0, FILTER - 1) ||
	    !rnv_words_within(&p->in_zp, 1, INT8_MIN, INT8_MAX) ||
	    op->rec->weights_bytes != (uint32_t)p->channels * RNV_DEPTHWISE_WORDS * 4u ||
	    op->rec->scratch_bytes % PITCH != 0u || lines <= FILTER ||
	    lines > (uint32_t)rows_for(p, p->out_h) + 1u) {
		return RNV_EFORMAT;
	}
	if (p->out_w > strip_columns(p)) {
		return 0; /* a strip would read what the one before has written */
	}
	return rnv_depthwise_in_place(op, &p->in, p->in_h, &p->out, p->out_h) ? 1 : 0;
}

static void plan_rows(struct rnv_depthwise_plan *plan, int32_t stride, int32_t rows)
{
	plan->pairs = (uint32_t)(rows / 2 * 2 * stride * PITCH);
	plan->odd = (uint32_t)rows & 1u;
}

/* The strip of columns from `x` on. */
static void strip_init(struct strip *s, const struct rnv_op *op, int32_t x)
{
	const struct depthwise_params *p = (const void *)rnv_op_params(op);
	uint32_t scratch = op->rec->scratch_bytes;
	int8_t *memory = rnv_op_scratch(op);
	uint32_t tiles;

	s->p = p;
	s->tiles = (p->stride == 1) ? tiles_s1 : tiles_s2;
	s->columns = p->out_w - x;
	if (s->columns > strip_columns(p)) {
		s->columns = strip_columns(p);
	}
	s->row0 = (int32_t)op->row0;
	s->rows = (op->rows == 0u) ? p->out_h : (int32_t)op->rows;
	s->band = ((int32_t)(scratch / PITCH) - 1 - FILTER) / p->stride + 1;
	if (s->band > s->rows) {
		s->band = s->rows;
	}
	/* 2 * stride bytes after a multiple of 64: see depthwise_tiles.h. */
	memory += (2u * (uint32_t)p->stride - (uint32_t)(uintptr_t)memory) % PITCH;
	s->padded = (struct rnv_padded){
		.view = &p->in,
		.copy = copy_rows,
		.scratch = memory,
		.pitch = PITCH,
		.height = p->in_h,
		.zero = (int8_t)p->in_zp,
		.still = s->band == s->rows,
	};
	rnv_padded_columns(&s->padded, x * p->stride - p->pad_left, rows_for(p, s->columns),
			   p->in_w);
	rnv_padded_clear(&s->padded, rows_for(p, s->band));

	tiles = ((uint32_t)s->columns + 1u) / 2u;
	s->plan.start = 2u * (tiles - 1u);
	s->plan.in_step = 2u * (uint32_t)p->stride * (PITCH + tiles);
	s->plan.out_step = 2u * ((uint32_t)p->out.row + tiles);
	s->plan.second = (uint32_t)p->out.row + 2u;
}

/* Compute rows that are contiguous but for their pitch; what lies after them is not changed. */
static void store_rows(struct strip *s, int8_t *out, const uint32_t *w, int32_t rows,
		       const int8_t *in)
{
	int32_t pitch = s->p->out.row;
	int32_t step = (pitch == s->columns) ? rows : KEPT;
	int8_t kept[KEPT];

	while (rows > 0) {
		int32_t count = (rows < step) ? rows : step;
		int32_t first = (pitch == s->columns) ? count - 1 : 0;
		int8_t *after = out + s->columns;

		plan_rows(&s->plan, s->p->stride, count);
		if (s->columns % 2 == 0) {
			s->tiles(in, out, w, &s->plan);
		} else {
			for (int32_t i = first; i < count; i++) {
				kept[i - first] = after[i * pitch];
			}
			s->tiles(in, out, w, &s->plan);
			for (int32_t i = first; i < count; i++) {
				after[i * pitch] = kept[i - first];
			}
		}
		in += count * s->p->stride * PITCH;
		out += count * pitch;
		rows -= count;
	}
}

/* One channel in bands of rows; both views may wrap. */
static void channel_in_bands(struct strip *s, const int8_t *in, int8_t *out, const uint32_t *w)
{
	const struct depthwise_params *p = s->p;
	int32_t y = s->row0;
	int32_t end = y + s->rows;
	int32_t keep = 0;

	for (int32_t band = s->band; y < end; keep = FILTER - p->stride) {
		const int8_t *from = s->padded.scratch;

		band = (end - y < band) ? end - y : band;
		rnv_padded_load(&s->padded, in, y * p->stride - p->pad_top, rows_for(p, band),
				keep);
		for (int32_t done = 0; done < band;) {
			int32_t count = rnv_rows_until_wrap(&p->out, y, band - done);

			store_rows(s, out + y % p->out.ring * p->out.row, w, count, from);
			from += count * p->stride * PITCH;
			done += count;
			y += count;
		}
	}
}

/*
 * True where a channel is one copy and one call: all rows at once, without a wrap, and at most one
 * byte to put back.
 */
static bool is_plain(const struct strip *s)
{
	const struct depthwise_params *p = s->p;
	int32_t first = s->row0 * p->stride - p->pad_top;
	int32_t end = first + rows_for(p, s->rows);

	first = (first < 0) ? 0 : first;
	end = (end > s->padded.height) ? s->padded.height : end;
	return s->band == s->rows && end > first &&
	       rnv_rows_until_wrap(&p->in, first, end - first) == end - first &&
	       rnv_rows_until_wrap(&p->out, s->row0, s->rows) == s->rows &&
	       (s->columns % 2 == 0 || s->columns == p->out.row);
}

/* All channels where is_plain(): with as little as possible around the two loops. */
static void channels_plain(struct strip *s, const int8_t *in, int8_t *out, const uint32_t *w)
{
	const struct depthwise_params *p = s->p;
	int32_t first = s->row0 * p->stride - p->pad_top;
	int32_t end = first + rows_for(p, s->rows);
	int8_t *scratch = s->padded.scratch;
	int8_t *to = scratch + s->padded.left;
	uint32_t last = (uint32_t)(s->rows * p->out.row);
	struct rnv_row_copy copy = {
		.columns = s->padded.columns, .from_pitch = (uint32_t)p->in.row, .to_pitch = PITCH};
	rnv_depthwise_fn *tiles = s->tiles;

	to += (first < 0) ? -first * PITCH : 0;
	first = (first < 0) ? 0 : first;
	end = (end > p->in_h) ? p->in_h : end;
	copy.rows = (uint32_t)(end - first);
	in = rnv_view_row(&p->in, in, first) + s->padded.first;
	out += s->row0 % p->out.ring * p->out.row;
	plan_rows(&s->plan, p->stride, s->rows);
	for (int32_t channel = p->channels; channel != 0; channel--) {
		copy_rows(in, to, &copy);
		if (s->columns % 2 == 0) {
			tiles(scratch, out, w, &s->plan);
		} else {
			int8_t kept = out[last];

			tiles(scratch, out, w, &s->plan);
			out[last] = kept;
		}
		in += p->in.channel;
		out += p->out.channel;
		w += RNV_DEPTHWISE_WORDS;
	}
}

static void run(const struct rnv_op *op)
{
	const struct depthwise_params *p = (const void *)rnv_op_params(op);
	const uint32_t *weights = (const void *)rnv_op_weights(op);
	const int8_t *in = rnv_op_in(op, 0);
	int8_t *out = rnv_op_out(op, 0);

	for (int32_t x = 0; x < p->out_w; x += strip_columns(p)) {
		struct strip s;

		strip_init(&s, op, x);
		if (is_plain(&s)) {
			channels_plain(&s, in, out + x, weights);
			continue;
		}
		for (int32_t c = 0; c < p->channels; c++) {
			channel_in_bands(&s, in + c * p->in.channel, out + x + c * p->out.channel,
					 weights + c * RNV_DEPTHWISE_WORDS);
		}
	}
}

static void reach(const struct rnv_op *op, struct rnv_reach *reach)
{
	const struct depthwise_params *p = (const void *)rnv_op_params(op);

	reach->in_rows = (uint32_t)p->in_h;
	reach->out_rows = (uint32_t)p->out_h;
	reach->stride = (uint16_t)p->stride;
	reach->before = (uint16_t)p->pad_top;
	reach->extent = FILTER;
}

const struct rnv_kernel rnv_depthwise_dsp_s8 = {
	.check = check, .run = run, .reach = reach, .packing = RNV_ISA_DSP};
