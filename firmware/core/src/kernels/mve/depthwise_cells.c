/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/mve/depthwise_cells.h"

#include "kernels/mve/cells.h"
#include "kernels/mve/outputs.h"
#include "kernels/mve/vector.h"

/* Rows and columns of the largest window. */
#define WINDOW 3
/* Channels of a group. */
#define GROUP  4u
/* Where the first weight lies in a channel's bytes: zeros before it let windows move down. */
#define FRONT  4u

/*
 * Two output rows at once. Stride 1: a cell is 4 columns of 4 rows, and has two outputs of each
 * row. Stride 2: 3 columns of 5 rows, one output of each row, and a last byte that is 0. Every step
 * to the right replaces two columns.
 *
 * The weights are stored as columns of the same height, 0 below the window, twice in a row: read
 * from the column on that the ring's first column has in the window. The second window is one
 * column further to the right, or two rows further down.
 */
struct turn {
	uint8_t to[2];     /* bytes of a cell: the two columns */
	int8_t weights[2]; /* bytes from the first weight on: the two windows */
};

struct shape {
	uint8_t rows;       /* of a cell */
	uint8_t ring;       /* bytes of the cell's columns */
	uint8_t lead[2];    /* columns before the first step: where they go */
	uint8_t lead_count; /* how many */
	uint8_t turns;      /* steps until the ring is as before */
	struct turn turn[3];
};

static const struct shape shapes[] = {
	{4, 16, {0, 4}, 2, 2, {{{8, 12}, {0, 12}}, {{0, 4}, {8, 4}}}},
	{5, 15, {0, 0}, 1, 3, {{{5, 10}, {0, -2}}, {{0, 5}, {5, 3}}, {{10, 0}, {10, 8}}}},
};

struct depthwise {
	const struct rnv_depthwise_conv_2d_params *p;
	const struct shape *shape;
	struct rnv_channels channels;
	struct rnv_mve_cells args;
	int32_t row0; /* the output rows of each image */
	int32_t row_end;
	uint32_t first;     /* channel */
	uint32_t row_bytes; /* of the input */
	int8_t cells[RNV_MVE_CELLS * RNV_MVE_CELL_BYTES] __attribute__((aligned(8)));
	int8_t weights[RNV_MVE_CELLS * RNV_MVE_WEIGHT_BYTES] __attribute__((aligned(8)));
	int32_t multipliers[RNV_MVE_CELLS]; /* where all channels have one */
	int8_t shifts[RNV_MVE_CELLS];
	int8_t outside[RNV_MVE_CELLS]; /* inputs there */
	int8_t nowhere[RNV_MVE_CELLS]; /* outputs there */
};

bool rnv_mve_depthwise_in_cells(const struct rnv_depthwise_conv_2d_params *p)
{
	const struct rnv_window *w = &p->window;

	return p->depth_multiplier == 1 && p->dilation_h == 1 && p->dilation_w == 1 &&
	       w->filter_h <= WINDOW && w->filter_w <= WINDOW && w->stride_h == w->stride_w &&
	       w->stride_h <= 2 && p->requant.out_c >= (int32_t)GROUP;
}

/* Store the weights of a block of channels. */
static void store_weights(struct depthwise *d)
{
	const struct rnv_window *w = &d->p->window;
	uint16x8_t lanes = vshlq_n_u16(vidupq_n_u16(0, 1), 5);
	const int8_t *from = d->channels.weights + d->first;

	for (int32_t ky = 0; ky < w->filter_h; ky++) {
		for (int32_t kx = 0; kx < w->filter_w; kx++) {
			int8_t *to = d->weights + FRONT + kx * d->shape->rows + ky;

			for (uint32_t c = 0; c < d->args.count; c += 8u) {
				mve_pred16_t p = vctp16q(d->args.count - c);
				int16x8_t x = vldrbq_z_s16(from + c, p);

				vstrbq_scatter_offset_p_s16(to, lanes, x, p);
				vstrbq_scatter_offset_p_s16(to + d->shape->ring, lanes, x, p);
				to += 8u * RNV_MVE_WEIGHT_BYTES;
			}
			from += d->p->requant.out_c;
		}
	}
}

/* Let columns x and x + 1 of an image be the next ones, the first of them at `column`. */
static inline void enter_columns(struct depthwise *d, const int8_t *column, int32_t x)
{
	uint32_t width = (uint32_t)d->p->window.in_w;

	for (uint32_t i = 0; i < 2u; i++) {
		bool inside = (uint32_t)x + i < width;

		d->args.from[i] = inside ? column : d->outside;
		d->args.pitch[i] = inside ? d->row_bytes : 0u;
		column += d->p->window.in_c;
	}
}

/* The rows of the cells that lie in an image, if they start at row `y`; returns the first. */
static int32_t enter_rows(struct depthwise *d, int32_t y)
{
	int32_t rows = d->shape->rows;
	int32_t first = (y < 0) ? -y : 0;
	int32_t end = (d->p->window.in_h - y < rows) ? d->p->window.in_h - y : rows;

	if (end - first < rows) { /* the others stay as they are now */
		rnv_mve_fill(d->cells, (int8_t)d->p->in_zp, sizeof(d->cells));
		if (d->shape->ring < RNV_MVE_CELL_BYTES) { /* the last byte */
			vstrbq_scatter_offset_s8(d->cells + d->shape->ring,
						 vshlq_n_u8(vidupq_n_u8(0, 1), 4), vdupq_n_s8(0));
		}
	}
	d->args.rows = (end > first) ? (uint32_t)(end - first) : 0u;
	return first;
}

/* Two rows of outputs from row `y` of an image on; `out_1` is NULL where there is no second. */
static void run_rows(struct depthwise *d, const int8_t *image, int32_t y, int8_t *out_0,
		     int8_t *out_1)
{
	const struct shape *shape = d->shape;
	const struct turn *turn = shape->turn;
	const struct rnv_window *w = &d->p->window;
	int32_t x = -w->pad_left;
	int32_t first = enter_rows(d, y);
	const int8_t *column = image + (y + first) * (int32_t)d->row_bytes + x * w->in_c;
	int8_t *cells = d->cells + first;
	uint32_t step = (uint32_t)((w->stride_w == 1) ? 2 : 1);
	uint32_t out_c = (uint32_t)w->in_c;
	uint32_t step_1 = (out_1 != NULL) ? step * out_c : 0u;
	void (*run)(const struct rnv_mve_cells *) = rnv_mve_cells_2;

	if (step == 2u && out_1 != NULL) {
		run = rnv_mve_cells_4;
	}
	out_1 = (out_1 != NULL) ? out_1 : d->nowhere;
	enter_columns(d, column, x);
	d->args.to[0] = cells + shape->lead[0];
	d->args.to[1] = cells + shape->lead[1];
	if (shape->lead_count == 1u) {
		d->args.from[1] = d->args.from[0];
		d->args.pitch[1] = d->args.pitch[0];
	}
	rnv_mve_cells_fill(&d->args);
	x += shape->lead_count;
	column += shape->lead_count * w->in_c;
	for (uint32_t ox = 0; ox < (uint32_t)w->out_w; ox += step) {
		enter_columns(d, column, x);
		d->args.to[0] = cells + turn->to[0];
		d->args.to[1] = cells + turn->to[1];
		d->args.weights_0 = d->weights + FRONT + turn->weights[0];
		d->args.weights_1 = d->weights + FRONT + turn->weights[1];
		if (++turn == shape->turn + shape->turns) {
			turn = shape->turn;
		}
		x += 2;
		column += 2 * w->in_c;
		d->args.out[0] = out_0;
		d->args.out[1] = out_1;
		if (step == 2u) {
			bool second = ox + 1u < (uint32_t)w->out_w;

			d->args.out[1] = second ? out_0 + out_c : d->nowhere;
			d->args.out[2] = out_1;
			d->args.out[3] = second ? out_1 + out_c : d->nowhere;
		}
		run(&d->args);
		out_0 += step * out_c;
		out_1 += step_1;
	}
}

/* The outputs to compute of a block of channels. */
static void run_block(struct depthwise *d, const int8_t *image, int8_t *out)
{
	const struct rnv_window *w = &d->p->window;
	uint32_t row_bytes = (uint32_t)(w->out_w * d->p->requant.out_c);

	store_weights(d);
	image += d->first;
	d->args.cells_end = d->cells + d->args.count * RNV_MVE_CELL_BYTES;
	d->args.bias = d->channels.bias + d->first;
	if (d->p->requant.channels_q != 1) {
		d->args.multiplier = d->channels.multiplier + d->first;
		d->args.shift = d->channels.shift + d->first;
	}
	out += d->first;
	for (int32_t i = 0; i < w->batch; i++) {
		for (int32_t y = d->row0; y < d->row_end; y += 2) {
			bool second = y + 1 < d->row_end;

			run_rows(d, image, y * w->stride_h - w->pad_top, out,
				 second ? out + row_bytes : NULL);
			out += second ? 2u * row_bytes : row_bytes;
		}
		image += w->in_h * (int32_t)d->row_bytes;
	}
}

void rnv_mve_depthwise_cells(const struct rnv_op *op)
{
	struct depthwise d;
	const struct rnv_depthwise_conv_2d_params *p = (const void *)rnv_op_params(op);
	int8_t *out = rnv_window_out(op, &p->window, p->requant.out_c);
	uint32_t left = (uint32_t)p->requant.out_c;

	d.p = p;
	d.shape = &shapes[p->window.stride_h - 1];
	d.row0 = (int32_t)op->row0;
	d.row_end = (op->rows == 0u) ? p->window.out_h : (int32_t)(op->row0 + op->rows);
	d.row_bytes = (uint32_t)(p->window.in_w * p->window.in_c);
	rnv_mve_fill(d.cells, 0, sizeof(d.cells));
	rnv_mve_fill(d.outside, (int8_t)p->in_zp, sizeof(d.outside));
	rnv_mve_fill(d.weights, 0, sizeof(d.weights));
	rnv_channels_open(&d.channels, op, &p->requant);
	for (uint32_t i = 0; i < RNV_MVE_CELLS; i++) {
		d.multipliers[i] = *d.channels.multiplier;
		d.shifts[i] = *d.channels.shift;
	}
	d.args.multiplier = d.multipliers;
	d.args.shift = d.shifts;
	d.args.out_zp = p->requant.out_zp;
	d.args.act_min = p->requant.act_min;
	d.args.act_max = p->requant.act_max;
	d.args.scale = rnv_mve_scale_of(&d.channels);
	d.args.cells = d.cells;
	d.first = 0;
	while (left != 0u) {
		if (left < GROUP) { /* the last group overlaps the one before */
			d.first -= GROUP - left;
			left = GROUP;
		}
		d.args.count = (left < RNV_MVE_CELLS) ? left & ~(GROUP - 1u) : RNV_MVE_CELLS;
		run_block(&d, rnv_op_in(op, 0), out);
		d.first += d.args.count;
		left -= d.args.count;
	}
}
