/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief DETECT_S8: the objects that a grid of cells describes, the best first.
 *
 * For every cell and anchor the inputs have a score for each class, a box and perhaps an objectness
 * (a factor of the score). Only the class of the highest score counts. A box is its middle, as an
 * offset from the cell's origin, and its size, as a factor of the anchor's; both functions are
 * tables by the input's raw byte. The weight stream:
 *
 *     i16 score[256] | i16 object[256], where there is objectness      Q15
 *     i32 offset[256] | i32 extent[256]                                Q16
 *     i32 origin_y[cells_h] | i32 origin_x[cells_w]                    pixels, Q8
 *     i32 anchor[anchors][4]: offset's unit y, x; half height, width   pixels, Q8
 */

#include "kernels/kernel.h"
#include "kernels/vision/entries.h"

struct detect_params {
	int32_t cells_h;
	int32_t cells_w;
	int32_t anchors;
	int32_t classes;
	int32_t score_input;
	int32_t score_first;
	int32_t score_cell;
	int32_t score_anchor;
	int32_t object_input;
	int32_t object_first;
	int32_t object_cell;
	int32_t object_anchor;
	int32_t box_input;
	int32_t box_first;
	int32_t box_cell;
	int32_t box_anchor;
	int32_t box_order;
	int32_t top;
	int32_t left;
	int32_t bottom;
	int32_t right;
	int32_t threshold;
	int32_t candidates;
};

#define PARAMS      23
#define INPUTS_MAX  3
#define CELLS_MAX   4096
#define ANCHORS_MAX 256
#define BOX_VALUES  4
#define SIZE_MAX_Q8 (1 << 24) /* twice the largest picture */

/** Where a part of the description lies: words of the parameters, four in this order. */
enum {
	INPUT,
	FIRST,
	CELL,
	ANCHOR,
	PART_WORDS
};

struct anchor {
	int32_t unit_y;
	int32_t unit_x;
	int32_t half_h;
	int32_t half_w;
};

/** The weight stream and the inputs of each part, opened. */
struct grid {
	const struct detect_params *p;
	const int16_t *score;
	const int16_t *object; /* NULL: none */
	const int32_t *offset;
	const int32_t *extent;
	const int32_t *origin_y;
	const int32_t *origin_x;
	const struct anchor *anchors;
	const int8_t *score_in;
	const uint8_t *object_in;
	const uint8_t *box_in;
};

/** True where `count` values of every cell and anchor lie inside of the part's input. */
static bool part_ok(const struct rnv_op *op, const struct detect_params *p, const int32_t *part,
		    int32_t count)
{
	uint64_t cells = (uint64_t)p->cells_h * (uint32_t)p->cells_w;
	const struct rnv_tensor_rec *rec;
	uint64_t end;

	if (!rnv_words_within(part, 1, 0, op->rec->input_count - 1) ||
	    !rnv_words_within(part + FIRST, 3, 0, INT32_MAX)) {
		return false;
	}
	rec = rnv_op_in_rec(op, (uint32_t)part[INPUT]);
	end = (uint32_t)part[FIRST] + (cells - 1u) * (uint32_t)part[CELL] +
	      ((uint64_t)p->anchors - 1u) * (uint32_t)part[ANCHOR] + (uint32_t)count;
	return rnv_tensor_is(rec, RNV_TYPE_INT8, rnv_tensor_elements_bytes(rec)) &&
	       end <= rnv_tensor_elements_bytes(rec);
}

static bool sizes_ok(const struct detect_params *p)
{
	return rnv_words_within(&p->cells_h, 2, 1, CELLS_MAX) &&
	       rnv_words_within(&p->anchors, 1, 1, ANCHORS_MAX) &&
	       rnv_words_within(&p->classes, 1, 1, INT16_MAX) &&
	       rnv_words_within(&p->box_order, 1, 0, 1) &&
	       rnv_words_within(&p->top, 4, 0, INT16_MAX) && p->top < p->bottom &&
	       p->left < p->right && rnv_words_within(&p->threshold, 1, 0, INT16_MAX) &&
	       rnv_words_within(&p->candidates, 1, 1, RNV_ENTRIES_MAX);
}

static uint32_t stream_bytes(const struct detect_params *p)
{
	uint32_t tables = (p->object_input < 0) ? 1u : 2u;

	return 2u * RNV_SCORES * tables + 4u * (2u * RNV_SCORES + (uint32_t)p->cells_h +
						(uint32_t)p->cells_w + 4u * (uint32_t)p->anchors);
}

static int check(const struct rnv_op *op)
{
	const struct detect_params *p = (const void *)rnv_op_params(op);
	uint32_t inputs = op->rec->input_count;

	if (inputs < 1u || inputs > INPUTS_MAX || !rnv_op_has(op, inputs, 2, PARAMS) ||
	    !sizes_ok(p) || op->rec->weights_bytes != stream_bytes(p) ||
	    op->rec->scratch_bytes != 0u || !part_ok(op, p, &p->score_input, p->classes) ||
	    !part_ok(op, p, &p->box_input, BOX_VALUES) ||
	    (p->object_input != -1 && !part_ok(op, p, &p->object_input, 1)) ||
	    !rnv_entries_are(op, inputs, inputs + 1u, p->candidates)) {
		return RNV_EFORMAT;
	}
	return 0;
}

static void open(struct grid *g, const struct rnv_op *op)
{
	const struct detect_params *p = (const void *)rnv_op_params(op);

	g->p = p;
	g->score = (const void *)rnv_op_weights(op);
	g->object = (p->object_input < 0) ? NULL : g->score + RNV_SCORES;
	g->offset = (const void *)(g->score + ((p->object_input < 0) ? 1u : 2u) * RNV_SCORES);
	g->extent = g->offset + RNV_SCORES;
	g->origin_y = g->extent + RNV_SCORES;
	g->origin_x = g->origin_y + p->cells_h;
	g->anchors = (const void *)(g->origin_x + p->cells_w);
	g->score_in = rnv_op_in(op, (uint32_t)p->score_input);
	g->object_in = (p->object_input < 0) ? NULL : rnv_op_in(op, (uint32_t)p->object_input);
	g->box_in = rnv_op_in(op, (uint32_t)p->box_input);
}

/** Where the values of a part begin for a cell and an anchor. */
static uint32_t place(const int32_t *part, uint32_t cell, uint32_t anchor)
{
	return (uint32_t)part[FIRST] + cell * (uint32_t)part[CELL] +
	       anchor * (uint32_t)part[ANCHOR];
}

/** Class and score of an anchor of a cell. */
static void classify(const struct grid *g, uint32_t cell, uint32_t anchor,
		     struct rnv_detection *entry)
{
	const int8_t *in = g->score_in + place(&g->p->score_input, cell, anchor);
	int32_t best = 0;
	int32_t score;

	for (int32_t c = 1; c < g->p->classes; c++) {
		best = (in[c] > in[best]) ? c : best;
	}
	score = g->score[(uint8_t)in[best]];
	if (g->object != NULL) {
		score *= g->object[g->object_in[place(&g->p->object_input, cell, anchor)]];
		score = (score + (1 << 14)) >> 15;
	}
	entry->class_index = (int16_t)best;
	entry->score = (int16_t)((score > INT16_MAX) ? INT16_MAX : score);
}

/** Pixels in Q8 times a factor in Q16, kept within what a box can use. */
static int64_t scaled(int32_t pixels, int32_t factor)
{
	int64_t product = ((int64_t)pixels * factor + (1 << 15)) >> 16;

	return (product > SIZE_MAX_Q8)    ? SIZE_MAX_Q8
	       : (product < -SIZE_MAX_Q8) ? -SIZE_MAX_Q8
					  : product;
}

/** Pixels in Q8 to the nearest whole one inside of the picture. */
static int16_t edge(int64_t pixels, int32_t low, int32_t high)
{
	pixels = (pixels + 128) >> 8;
	return (int16_t)((pixels < low) ? low : (pixels > high) ? high : pixels);
}

static void locate(const struct grid *g, int32_t row, int32_t column, uint32_t anchor,
		   struct rnv_detection *entry)
{
	const struct detect_params *p = g->p;
	uint32_t cell = (uint32_t)(row * p->cells_w + column);
	const uint8_t *box = g->box_in + place(&p->box_input, cell, anchor);
	const struct anchor *a = &g->anchors[anchor];
	uint32_t order = (uint32_t)p->box_order;
	int64_t y = g->origin_y[row] + scaled(a->unit_y, g->offset[box[order]]);
	int64_t x = g->origin_x[column] + scaled(a->unit_x, g->offset[box[1u - order]]);
	int64_t half_h = scaled(a->half_h, g->extent[box[2u + order]]);
	int64_t half_w = scaled(a->half_w, g->extent[box[3u - order]]);

	entry->y0 = edge(y - half_h, p->top, p->bottom);
	entry->x0 = edge(x - half_w, p->left, p->right);
	entry->y1 = edge(y + half_h, p->top, p->bottom);
	entry->x1 = edge(x + half_w, p->left, p->right);
}

static void run(const struct rnv_op *op)
{
	const struct detect_params *p = (const void *)rnv_op_params(op);
	struct rnv_detection *entries = rnv_op_out(op, 1);
	struct rnv_detection entry;
	struct grid g;
	uint32_t count = 0;
	uint32_t cell = 0;

	open(&g, op);
	for (int32_t row = 0; row < p->cells_h; row++) {
		for (int32_t column = 0; column < p->cells_w; column++, cell++) {
			for (uint32_t a = 0; a < (uint32_t)p->anchors; a++) {
				classify(&g, cell, a, &entry);
				if (entry.score < p->threshold) {
					continue;
				}
				locate(&g, row, column, a, &entry);
				count = rnv_entries_insert(entries, count, (uint32_t)p->candidates,
							   &entry);
			}
		}
	}
	rnv_entries_close(entries, count, (uint32_t)p->candidates, rnv_op_out(op, 0));
}

const struct rnv_kernel rnv_detect_s8 = {.check = check, .run = run};
