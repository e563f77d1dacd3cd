/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief CONV_2D with MVE: tiles of three output pixels, see tile.h.
 *
 * Where the inputs of a tap are a multiple of 16, windows are read where they lie, in segments: a
 * row of the window, or a tap where the window crosses the left or right edge or is dilated. What
 * lies outside of the input is read from zero points in the scratch. Other windows are gathered
 * into columns: three on the stack where they are short, else one in the scratch.
 */

#include "kernels/s8/conv_2d.h"

#include <string.h>

#include "kernels/mve/columns.h"
#include "kernels/mve/outputs.h"
#include "kernels/mve/vector.h"

/* Taps of the largest window that is read where it lies. */
#define MAX_TAPS 25u

/* An output pixel: its window starts at row y and column x of the input. */
struct pixel {
	const int8_t *image;
	int32_t offset; /* of that position from the image's first value */
	int32_t y;
	int32_t x;
	int32_t out_x;
	int32_t out_y;
};

struct conv {
	const struct rnv_conv_2d_params *p;
	int8_t *scratch;
	int32_t depth;  /* inputs of a tap */
	int32_t taps;   /* of a window */
	int32_t pitch;  /* bytes from one row of a window to the next */
	int32_t last_y; /* windows at 0 .. last_y, 0 .. last_x lie inside of the input */
	int32_t last_x;
	int32_t out_w;
	uint32_t pixels;              /* to compute */
	bool dense;                   /* a row of a window lies in one piece */
	bool quick;                   /* short columns may be written by rnv_mve_columns_3() */
	struct rnv_mve_segments rows; /* segments of a row of a window */
	struct rnv_mve_segments ones; /* segments of a tap, or of a column */
	rnv_mve_tile_run run;         /* computes the tile that was entered */
	struct rnv_mve_outputs outputs;
	union {
		const int8_t *inputs[(MAX_TAPS + 1u) * RNV_MVE_PIXELS];
		struct {
			const int8_t *inputs[RNV_MVE_PIXELS + 1u];
			int8_t columns[RNV_MVE_PIXELS][RNV_MVE_COLUMN_BYTES];
		} of;
	} tile;
};

/* Go to the next output pixel. */
static inline void next_pixel(const struct conv *c, struct pixel *at)
{
	const struct rnv_window *w = &c->p->window;

	at->x += w->stride_w;
	at->offset += w->stride_w * w->in_c;
	if (++at->out_x < c->out_w) {
		return;
	}
	at->out_x = 0;
	at->x = -w->pad_left;
	at->y += w->stride_h;
	if (++at->out_y == w->out_h) {
		at->out_y = 0;
		at->y = -w->pad_top;
		at->image += w->in_h * w->in_w * w->in_c;
	}
	at->offset = (at->y * w->in_w + at->x) * w->in_c;
}

/* Taps `*first .. end - 1` of `size` from `start` on lie in 0 .. limit - 1; returns the end. */
static int32_t inside(int32_t start, int32_t size, int32_t step, int32_t limit, int32_t *first)
{
	int32_t end = size;

	*first = (start < 0) ? (step - 1 - start) / step : 0;
	if (start + (size - 1) * step >= limit) {
		end = (start < limit) ? (limit - 1 - start) / step + 1 : 0;
	}
	return end;
}

/* Copy the window at a pixel. */
static void gather(const struct conv *c, const struct pixel *at, int8_t *column)
{
	const struct rnv_conv_2d_params *p = c->p;
	const struct rnv_window *w = &p->window;
	const int8_t *from = at->image + at->offset;
	int32_t rows = w->filter_h;
	int32_t columns = w->filter_w;
	int32_t step = p->dilation_w * w->in_c;
	uint32_t row_bytes = (uint32_t)(columns * c->depth);

	if (at->y < 0 || at->y > c->last_y || at->x < 0 || at->x > c->last_x) {
		int32_t y;
		int32_t x;

		rnv_mve_fill(column, (int8_t)p->in_zp, c->outputs.tile.depth);
		rows = inside(at->y, rows, p->dilation_h, w->in_h, &y) - y;
		columns = inside(at->x, columns, p->dilation_w, w->in_w, &x) - x;
		if (rows <= 0 || columns <= 0) {
			return;
		}
		from += y * c->pitch + x * step;
		column += y * (int32_t)row_bytes + x * c->depth;
	}
	if (c->dense) {
		rnv_mve_copy_rows(column, row_bytes, from, (uint32_t)c->pitch,
				  (uint32_t)(columns * c->depth), (uint32_t)rows);
		return;
	}
	do {
		rnv_mve_copy_rows(column, (uint32_t)c->depth, from, (uint32_t)step,
				  (uint32_t)c->depth, (uint32_t)columns);
		from += c->pitch;
		column += row_bytes;
	} while (--rows != 0);
}

/* Say how the tile's segments are computed. */
static inline void use(struct conv *c, const struct rnv_mve_segments *segments)
{
	c->outputs.tile.segment = segments->length;
	c->run = segments->run;
}

/* Enter a window's taps into column `pixel` of the table, one segment each. */
static void enter_taps(struct conv *c, const struct pixel *at, uint32_t pixel)
{
	const struct rnv_conv_2d_params *p = c->p;
	const struct rnv_window *w = &p->window;
	const int8_t **entry = &c->tile.inputs[pixel];
	const int8_t *outside = c->scratch;
	const int8_t *row = at->image + at->offset;
	int32_t dilation = p->dilation_w;
	int32_t step = dilation * w->in_c;
	bool crosses = at->x < 0 || at->x > c->last_x;
	int32_t y = at->y;

	for (int32_t i = w->filter_h; i != 0; i--) {
		uint32_t width = ((uint32_t)y < (uint32_t)w->in_h) ? (uint32_t)w->in_w : 0u;
		const int8_t *from = row;
		int32_t x = at->x;
		int32_t j = w->filter_w;

		if (!crosses && width != 0u) {
			do {
				*entry = from;
				entry += RNV_MVE_PIXELS;
				from += step;
			} while (--j != 0);
		} else {
			do {
				*entry = ((uint32_t)x < width) ? from : outside;
				entry += RNV_MVE_PIXELS;
				from += step;
				x += dilation;
			} while (--j != 0);
		}
		row += c->pitch;
		y += p->dilation_h;
	}
}

/* Enter the rows of the windows of three neighbours, none of which crosses the sides. */
static void enter_rows(struct conv *c, const struct pixel *at)
{
	const struct rnv_window *w = &c->p->window;
	const int8_t **entry = c->tile.inputs;
	int32_t step = w->stride_w * w->in_c;
	int32_t offset = at->offset;
	int32_t y = at->y;

	for (int32_t i = 0; i < w->filter_h; i++) {
		if ((uint32_t)y < (uint32_t)w->in_h) {
			entry[0] = at->image + offset;
			entry[1] = entry[0] + step;
			entry[2] = entry[1] + step;
		} else {
			entry[0] = c->scratch;
			entry[1] = c->scratch;
			entry[2] = c->scratch;
		}
		entry += RNV_MVE_PIXELS;
		y += c->p->dilation_h;
		offset += c->pitch;
	}
	*entry = NULL;
	use(c, &c->rows);
}

/* True where three neighbours are next, none of which crosses the sides. */
static inline bool are_neighbours(const struct conv *c, const struct pixel *at)
{
	return at->x >= 0 && at->x + 2 * c->p->window.stride_w <= c->last_x &&
	       at->out_x + 2 < c->out_w;
}

/* Go behind three neighbours. */
static void next_neighbours(const struct conv *c, struct pixel *at)
{
	const struct rnv_window *w = &c->p->window;

	at->x += 2 * w->stride_w;
	at->out_x += 2;
	at->offset += 2 * w->stride_w * w->in_c;
	next_pixel(c, at);
}

/* Enter the windows of three pixels, and go to the one behind. */
static void enter_windows(struct conv *c, struct pixel *at)
{
	if (c->dense && are_neighbours(c, at)) {
		enter_rows(c, at);
		next_neighbours(c, at);
		return;
	}
	for (uint32_t i = 0; i < RNV_MVE_PIXELS; i++) {
		enter_taps(c, at, i);
		next_pixel(c, at);
	}
	c->tile.inputs[c->taps * (int32_t)RNV_MVE_PIXELS] = NULL;
	use(c, &c->ones);
}

/* Gather three columns. */
static void enter_columns(struct conv *c, struct pixel *at)
{
	const struct rnv_window *w = &c->p->window;

	if (c->quick && at->y >= 0 && at->y <= c->last_y && are_neighbours(c, at)) {
		rnv_mve_columns_3(c->tile.of.columns[0], at->image + at->offset,
				  (uint32_t)(w->stride_w * w->in_c), (uint32_t)c->pitch,
				  (uint32_t)(w->filter_w * c->depth), (uint32_t)w->filter_h);
		next_neighbours(c, at);
		return;
	}
	for (uint32_t i = 0; i < RNV_MVE_PIXELS; i++) {
		gather(c, at, c->tile.of.columns[i]);
		next_pixel(c, at);
	}
}

/* Enter three pixels that are windows themselves. */
static void enter_pixels(struct conv *c, struct pixel *at)
{
	for (uint32_t i = 0; i < RNV_MVE_PIXELS; i++) {
		c->tile.of.inputs[i] = at->image + at->offset;
		next_pixel(c, at);
	}
}

/* How the inputs of three pixels are entered; NULL: pixels are computed one by one. */
static void (*choose(struct conv *c))(struct conv *, struct pixel *)
{
	uint32_t depth = c->outputs.tile.depth;
	uint32_t row_bytes = (uint32_t)(c->p->window.filter_w * c->depth);

	c->outputs.tile.inputs = c->tile.of.inputs;
	c->tile.of.inputs[RNV_MVE_PIXELS] = NULL;
	c->ones = (struct rnv_mve_segments){rnv_mve_tile_3_short, depth};
	if (depth > 16u) {
		c->ones = rnv_mve_segments_of(depth);
	}
	if (c->scratch == NULL) {
		use(c, &c->ones);
		return enter_pixels;
	}
	if (depth <= RNV_MVE_COLUMN_BYTES) {
		c->quick = c->dense && row_bytes <= 16u &&
			   depth - row_bytes + 16u <= RNV_MVE_COLUMN_BYTES;
		memset(c->tile.of.columns, 0, sizeof(c->tile.of.columns));
		for (uint32_t i = 0; i < RNV_MVE_PIXELS; i++) {
			c->tile.of.inputs[i] = c->tile.of.columns[i];
		}
		/*
		 * Up to a whole turn with zeros. The turn reads up to 15 weights too many: those of
		 * the next channel, or what the package has behind its weights, at least a trailer.
		 */
		if (depth > 16u && depth <= 48u) {
			c->ones = rnv_mve_segments_of((depth <= 32u) ? 32u : 48u);
		}
		use(c, &c->ones);
		return enter_columns;
	}
	if (c->depth % 16 == 0 && c->taps <= (int32_t)MAX_TAPS) {
		c->outputs.tile.inputs = c->tile.inputs;
		c->rows = rnv_mve_segments_of(row_bytes);
		c->ones = rnv_mve_segments_of((uint32_t)c->depth);
		rnv_mve_fill(c->scratch, (int8_t)c->p->in_zp, depth);
		return enter_windows;
	}
	return NULL;
}

/* One pixel, from its column. */
static void run_pixel(struct conv *c, const struct pixel *at, int8_t *out)
{
	const int8_t *inputs = c->scratch;
	struct rnv_mve_outputs *outputs = &c->outputs;

	if (inputs == NULL) {
		inputs = at->image + at->offset;
	} else {
		gather(c, at, c->scratch);
	}
	if (outputs->count < RNV_MVE_BLOCK) {
		rnv_channels_dot(&outputs->channels, outputs->first, outputs->count, inputs,
				 outputs->tile.depth, out);
		return;
	}
	outputs->tile.inputs = inputs;
	rnv_mve_outputs_run(outputs, rnv_mve_tile_1, out);
}

/* The pixels to compute of a group whose first inputs are those of `at`. */
static void run_group(struct conv *c, struct pixel at, int8_t *out)
{
	uint32_t step = c->outputs.tile.out_step;
	uint32_t left = c->pixels;
	void (*enter)(struct conv *, struct pixel *) = NULL;

	if (c->outputs.count >= RNV_MVE_BLOCK) {
		enter = choose(c);
	}
	if (enter != NULL) {
		for (; left >= RNV_MVE_PIXELS; left -= RNV_MVE_PIXELS) {
			enter(c, &at);
			rnv_mve_outputs_run(&c->outputs, c->run, out);
			out += RNV_MVE_PIXELS * step;
		}
	}
	for (; left != 0u; left--) {
		run_pixel(c, &at, out);
		next_pixel(c, &at);
		out += step;
	}
}

static void run(const struct rnv_op *op)
{
	const struct rnv_conv_2d_params *p = (const void *)rnv_op_params(op);
	const struct rnv_window *w = &p->window;
	struct pixel at = {.image = rnv_op_in(op, 0), .x = -w->pad_left};
	int8_t *out = rnv_window_out(op, w, p->requant.out_c);
	uint32_t count = (uint32_t)(p->requant.out_c / p->groups);
	struct conv c;

	c.p = p;
	c.scratch = rnv_conv_2d_is_direct(p) ? NULL : rnv_op_scratch(op);
	c.depth = w->in_c / p->groups;
	c.taps = w->filter_h * w->filter_w;
	c.pitch = p->dilation_h * w->in_w * w->in_c;
	c.last_y = w->in_h - 1 - (w->filter_h - 1) * p->dilation_h;
	c.last_x = w->in_w - 1 - (w->filter_w - 1) * p->dilation_w;
	c.out_w = w->out_w;
	c.dense = p->groups == 1 && p->dilation_w == 1;
	c.pixels = (uint32_t)(rnv_window_rows(op, w) * w->out_w);
	at.out_y = (int32_t)op->row0;
	at.y = at.out_y * w->stride_h - w->pad_top;
	at.offset = (at.y * w->in_w + at.x) * w->in_c;
	rnv_mve_outputs_open(&c.outputs, op, &p->requant, (uint32_t)(c.taps * c.depth));
	for (uint32_t first = 0; first < (uint32_t)p->requant.out_c; first += count) {
		rnv_mve_outputs_select(&c.outputs, first, count);
		run_group(&c, at, out + first);
		at.image += c.depth;
	}
}

const struct rnv_kernel rnv_conv_2d_s8 = {
	.check = rnv_conv_2d_check,
	.run = run,
	.reach = rnv_conv_2d_reach,
};
