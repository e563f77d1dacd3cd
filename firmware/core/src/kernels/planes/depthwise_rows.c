/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/planes/depthwise_rows.h"

#include "kernels/planes/pieces.h"

/* Words, the last one of a row overlapping the one before. */
void rnv_row_copy_c(const int8_t *from, int8_t *to, const struct rnv_row_copy *copy)
{
	uint32_t columns = copy->columns;

	for (uint32_t row = copy->rows; row != 0u; row--) {
		if (columns >= 4u) {
			for (uint32_t x = 0; x < columns - 4u; x += 4u) {
				rnv_store_4(to + x, rnv_load_4(from + x));
			}
			rnv_store_4(to + columns - 4u, rnv_load_4(from + columns - 4u));
		} else {
			for (uint32_t x = 0; x < columns; x++) {
				to[x] = from[x];
			}
		}
		from += copy->from_pitch;
		to += copy->to_pitch;
	}
}

void rnv_padded_columns(struct rnv_padded *p, int32_t x, int32_t columns, int32_t width)
{
	int32_t end = x + columns;

	p->first = (x < 0) ? 0 : x;
	p->left = (uint32_t)(p->first - x);
	end = (end > width) ? width : end;
	if (end > p->first) {
		p->columns = (uint32_t)(end - p->first);
	} else {
		p->columns = 0;
		p->height = 0;
	}
}

void rnv_padded_clear(const struct rnv_padded *p, int32_t rows)
{
	rnv_fill(p->scratch, p->zero, (uint32_t)rows * p->pitch);
}

/* Make the last rows in scratch the first ones. */
static void keep_rows(struct rnv_padded *p, int32_t keep)
{
	const struct rnv_row_copy move = {.columns = p->pitch,
					  .rows = (uint32_t)keep,
					  .from_pitch = p->pitch,
					  .to_pitch = p->pitch};

	if (keep != 0) {
		p->copy(p->scratch + (uint32_t)(p->rows - keep) * p->pitch, p->scratch, &move);
	}
}

void rnv_padded_load(struct rnv_padded *p, const int8_t *channel, int32_t y, int32_t rows,
		     int32_t keep)
{
	struct rnv_row_copy copy = {
		.columns = p->columns, .from_pitch = (uint32_t)p->view->row, .to_pitch = p->pitch};
	int8_t *to = p->scratch + (uint32_t)keep * p->pitch;
	int32_t end = y + rows;

	keep_rows(p, keep);
	p->rows = rows;
	y += keep;
	while (y < end) {
		int32_t count = 1;

		if (y < 0 || y >= p->height) {
			if (!p->still) {
				rnv_fill(to, p->zero, p->pitch);
			}
		} else {
			count = (end < p->height) ? end - y : p->height - y;
			count = rnv_rows_until_wrap(p->view, y, count);
			copy.rows = (uint32_t)count;
			p->copy(rnv_view_row(p->view, channel, y) + p->first, to + p->left, &copy);
		}
		to += (uint32_t)count * p->pitch;
		y += count;
	}
}

/* True where the view keeps each channel apart. */
static bool is_planes(const struct rnv_view *view)
{
	return view->channel >= (int64_t)view->ring * view->row;
}

bool rnv_depthwise_in_place(const struct rnv_op *op, const struct rnv_view *in, int32_t in_h,
			    const struct rnv_view *out, int32_t out_h)
{
	if (in->ring != in_h || out->ring != out_h) {
		return false;
	}
	if (op->rows == 0u && is_planes(in) && is_planes(out)) {
		return out->channel <= in->channel && out->row <= in->row;
	}
	return out->channel == in->channel && out->row == in->row;
}
