/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief WINOGRAD_DSP_S8: 3x3 convolution of stride 1 over planes with 4/9 of the products.
 *
 * Output rows come in pairs. Each input row is padded and transformed along the row once per run(),
 * into a ring of four; then each group of 8 columns is transformed down the image, and multiplied.
 * winograd.h has stream and scratch.
 */

#include <string.h>

#include "kernels/dsp/winograd.h"
#include "kernels/kernel.h"
#include "kernels/planes/tile.h"
#include "kernels/planes/view.h"

struct winograd_dsp_params {
	int32_t in_h;
	int32_t in_w;
	int32_t in_c;
	int32_t out_h;
	int32_t out_w;
	int32_t out_c;
	int32_t pad_top;  /**< 0..2 */
	int32_t pad_left; /**< 0..2 */
	int32_t in_zp;
	struct rnv_view in;
	struct rnv_view out;
	int32_t epilogue; /**< RNV_EPILOGUE_RELU or RNV_EPILOGUE_LINEAR */
};

#define PARAMS      (sizeof(struct winograd_dsp_params) / sizeof(int32_t))
#define FILTER      3
#define GROUP       8    /* columns of a group */
#define GROUP_BYTES 256u /* of a group for each pair of channels, in `h` and in `v` */
#define SLOT_BYTES  16u

/* Sizes that follow from the parameters; places in scratch. */
struct layout {
	uint32_t pairs;
	uint32_t groups;
	uint32_t padded_bytes;
	uint32_t block_bytes;
	int8_t *h;
	int8_t *v;
	int8_t *padded;
	int8_t *blank;
};

static void lay_out(struct layout *l, const struct winograd_dsp_params *p)
{
	l->pairs = ((uint32_t)p->in_c + 1u) / 2u;
	l->groups = ((uint32_t)p->out_w + GROUP - 1u) / GROUP;
	l->padded_bytes = GROUP * l->groups + 4u;
	l->block_bytes = ((p->epilogue == RNV_EPILOGUE_LINEAR) ? 40u : 24u) + 128u * l->pairs;
}

/*
 * Before output rows y and y + 1 are written, the input rows up to y + 1 at least were transformed,
 * as the padding is at most 2. So the op runs in place, if every output lies where the input of the
 * same channel, row and column was.
 */
static bool fits_in_place(const struct winograd_dsp_params *p)
{
	return p->in.channel == p->out.channel && p->in.row == p->out.row &&
	       p->in.ring == p->in_h && p->out.ring == p->out_h;
}

static int check(const struct rnv_op *op)
{
	const struct winograd_dsp_params *p = (const void *)rnv_op_params(op);
	struct layout l;
	uint64_t scratch;

	if (!rnv_op_has(op, 1, 1, PARAMS) ||
	    !rnv_view_ok(&p->in, rnv_op_in_rec(op, 0), p->in_c, p->in_h, p->in_w, 0) ||
	    !rnv_view_ok(&p->out, rnv_op_out_rec(op, 0), p->out_c, p->out_h, p->out_w, 0) ||
	    !rnv_words_within(&p->pad_top, 2, 0, FILTER - 1) ||
	    !rnv_words_within(&p->in_zp, 1, INT8_MIN, INT8_MAX) ||
	    !rnv_words_within(&p->epilogue, 1, RNV_EPILOGUE_RELU, RNV_EPILOGUE_LINEAR)) {
		return RNV_EFORMAT;
	}
	lay_out(&l, p);
	scratch = (uint64_t)GROUP_BYTES * l.pairs * (l.groups + 1u) + 3u * l.padded_bytes;
	if (op->rec->scratch_bytes != scratch ||
	    op->rec->weights_bytes != (uint64_t)l.block_bytes * (((uint32_t)p->out_c + 1u) / 2u)) {
		return RNV_EFORMAT;
	}
	return fits_in_place(p) ? 0x1 : 0;
}

static void reach(const struct rnv_op *op, struct rnv_reach *reach)
{
	const struct winograd_dsp_params *p = (const void *)rnv_op_params(op);

	reach->in_rows = (uint32_t)p->in_h;
	reach->out_rows = (uint32_t)p->out_h;
	reach->stride = 1;
	reach->before = (uint16_t)p->pad_top;
	reach->extent = FILTER;
}

/* Input row `y`, which need not exist, to `slot` of the ring. */
static void transform_row(const struct winograd_dsp_params *p, const struct layout *l,
			  const int8_t *in, int32_t y, uint32_t slot)
{
	uint32_t room = l->padded_bytes - (uint32_t)p->pad_left;
	struct rnv_winograd_row row = {
		.in = l->blank,
		.channel = 0,
		.channels = (uint32_t)p->in_c,
		.bytes = ((uint32_t)p->in_w < room) ? (uint32_t)p->in_w : room,
		.padded = l->padded,
		.padded_bytes = l->padded_bytes,
		.pad_left = (uint32_t)p->pad_left,
		.h = l->h + SLOT_BYTES * slot,
		.groups = l->groups,
	};

	if (y >= 0 && y < p->in_h) {
		row.in = rnv_view_row(&p->in, in, y);
		row.channel = (uint32_t)p->in.channel;
	}
	RNV_DSP_PICK(rnv_winograd_row)(&row);
}

/* Where a group that is not whole ends: what lies beyond is computed and dropped. */
struct edge {
	uint32_t rows;
	uint32_t columns;
};

/* A group that is not whole goes, block by block, through a buffer of whole ones. */
static void multiply_edge(const uint8_t *w, const struct layout *l, int8_t *out,
			  const struct rnv_winograd_out *to, const struct edge *edge)
{
	int8_t block[2 * 2 * GROUP];
	struct rnv_winograd_out whole = *to;

	whole.channel = 2 * GROUP;
	whole.row = GROUP;
	while (w != to->w_end) {
		w += l->block_bytes;
		whole.w_end = w;
		RNV_DSP_PICK(rnv_winograd_gemm)(w - l->block_bytes, l->v, block, &whole);
		for (uint32_t i = 0; i < 4u; i++) {
			int8_t *row = out + i / 2u * to->channel + (int32_t)(i % 2u) * to->row;

			for (uint32_t x = 0; i % 2u < edge->rows && x < edge->columns; x++) {
				row[x] = block[GROUP * i + x];
			}
		}
		out += 2u * to->channel;
	}
}

/* The blocks `w .. to->w_end` times the group in `v`. */
static void multiply(const uint8_t *w, const struct layout *l, int8_t *out,
		     const struct rnv_winograd_out *to, const struct edge *edge)
{
	if (w == to->w_end) {
		return;
	}
	if (edge->rows == 2u && edge->columns == GROUP) {
		RNV_DSP_PICK(rnv_winograd_gemm)(w, l->v, out, to);
	} else {
		multiply_edge(w, l, out, to, edge);
	}
}

/* Output rows y and, where `rows` is 2, y + 1 from the transformed rows. */
static void multiply_rows(const struct rnv_op *op, const struct layout *l, int32_t y, uint32_t rows,
			  uint32_t odd)
{
	const struct winograd_dsp_params *p = (const void *)rnv_op_params(op);
	const uint8_t *w = rnv_op_weights(op);
	const uint8_t *w_last = w + l->block_bytes * ((uint32_t)p->out_c / 2u);
	int8_t *out = (int8_t *)rnv_op_out(op, 0) + y % p->out.ring * p->out.row;
	struct rnv_winograd_out to = {
		.pairs = l->pairs,
		.row = ((y + 1) % p->out.ring - y % p->out.ring) * p->out.row,
		.epilogue = (uint32_t)p->epilogue,
	};
	struct edge edge = {.rows = rows};

	for (uint32_t g = 0; g < l->groups; g++) {
		uint32_t left = (uint32_t)p->out_w - g * GROUP;

		edge.columns = (left < GROUP) ? left : GROUP;
		RNV_DSP_PICK(rnv_winograd_group)
		(l->h + GROUP_BYTES * l->pairs * g, l->v, l->pairs, odd);
		to.w_end = w_last;
		to.channel = (uint32_t)p->out.channel;
		multiply(w, l, out, &to, &edge);
		to.w_end = w + op->rec->weights_bytes; /* an odd out_c */
		to.channel = 0;
		multiply(w_last, l, out + (p->out_c - 1) * p->out.channel, &to, &edge);
		out += GROUP;
	}
}

static void run(const struct rnv_op *op)
{
	const struct winograd_dsp_params *p = (const void *)rnv_op_params(op);
	const int8_t *in = rnv_op_in(op, 0);
	int32_t first = (int32_t)op->row0;
	int32_t end = (op->rows == 0u) ? p->out_h : first + (int32_t)op->rows;
	uint32_t odd = 0;
	struct layout l;

	lay_out(&l, p);
	l.h = rnv_op_scratch(op);
	l.v = l.h + GROUP_BYTES * l.pairs * l.groups;
	l.padded = l.v + GROUP_BYTES * l.pairs;
	l.blank = l.padded + 2u * l.padded_bytes;
	memset(l.padded, p->in_zp, 3u * l.padded_bytes);
	transform_row(p, &l, in, first - p->pad_top, 0);
	transform_row(p, &l, in, first - p->pad_top + 1, 1);
	for (int32_t y = first; y < end; y += 2) {
		int32_t top = y - p->pad_top;
		uint32_t slot = (odd != 0u) ? 0u : 2u;
		bool two = end - y > 1;

		transform_row(p, &l, in, top + 2, slot);
		transform_row(p, &l, in, two ? top + 3 : p->in_h, slot + 1u);
		multiply_rows(op, &l, y, two ? 2u : 1u, odd);
		odd ^= 1u;
	}
}

const struct rnv_kernel rnv_winograd_dsp_s8 = {
	.check = check, .run = run, .reach = reach, .packing = RNV_ISA_DSP};
