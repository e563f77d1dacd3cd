/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief RESIZE_BILINEAR_S8: images of another size, between pixels.
 *
 * The weight stream holds a position for every output row, then for every output column.
 */

#include "kernels/s8/plain.h"
#include "kernels/vision/position.h"

struct resize_bilinear_params {
	int32_t batches;
	int32_t in_h;
	int32_t in_w;
	int32_t channels;
	int32_t out_h;
	int32_t out_w;
};

#define PARAMS 6

static int check(const struct rnv_op *op)
{
	const int32_t *words = rnv_op_params(op);
	const struct resize_bilinear_params *p = (const void *)words;
	const struct rnv_position *rows = (const void *)rnv_op_weights(op);
	int32_t out_size[4];

	if (!rnv_op_has(op, 1, 1, PARAMS) || !rnv_words_within(words, PARAMS, 1, INT32_MAX) ||
	    !rnv_words_within(&p->in_h, 2, 1, RNV_POSITION_SIDE_MAX) ||
	    !rnv_words_within(&p->out_h, 2, 1, RNV_POSITION_SIDE_MAX)) {
		return RNV_EFORMAT;
	}
	out_size[0] = p->batches;
	out_size[1] = p->out_h;
	out_size[2] = p->out_w;
	out_size[3] = p->channels;
	if (!rnv_op_plain(op, 1, PARAMS, 4u * ((uint32_t)p->out_h + (uint32_t)p->out_w)) ||
	    !rnv_op_is_int8(op, 0, words, 4) || !rnv_op_is_int8(op, 1, out_size, 4) ||
	    !rnv_positions_ok(rows, (uint32_t)p->out_h, (uint32_t)p->in_h) ||
	    !rnv_positions_ok(rows + p->out_h, (uint32_t)p->out_w, (uint32_t)p->in_w)) {
		return RNV_EFORMAT;
	}
	return 0;
}

/** One output pixel from the four around it; `right` and `down` are the distances to the others. */
static void pixel(const int8_t *in, uint32_t right, uint32_t down, struct rnv_bilinear w,
		  int8_t *out, int32_t channels)
{
	for (int32_t c = 0; c < channels; c++, in++) {
		int32_t sum = w.upper_left * in[0] + w.upper_right * in[right] +
			      w.lower_left * in[down] + w.lower_right * in[down + right];

		out[c] = (int8_t)rnv_bilinear_round(sum);
	}
}

static void run(const struct rnv_op *op)
{
	const struct resize_bilinear_params *p = (const void *)rnv_op_params(op);
	const struct rnv_position *rows = (const void *)rnv_op_weights(op);
	const struct rnv_position *columns = rows + p->out_h;
	const int8_t *in = rnv_op_in(op, 0);
	int8_t *out = rnv_op_out(op, 0);
	uint32_t channels = (uint32_t)p->channels;
	uint32_t row_bytes = (uint32_t)p->in_w * channels;

	for (int32_t b = 0; b < p->batches; b++) {
		for (int32_t y = 0; y < p->out_h; y++) {
			uint32_t down = (rows[y].fraction != 0u) ? row_bytes : 0u;

			for (int32_t x = 0; x < p->out_w; x++) {
				uint32_t right = (columns[x].fraction != 0u) ? channels : 0u;

				pixel(in + rows[y].index * row_bytes + columns[x].index * channels,
				      right, down,
				      rnv_bilinear_weights(rows[y].fraction, columns[x].fraction),
				      out, p->channels);
				out += channels;
			}
		}
		in += (uint32_t)p->in_h * row_bytes;
	}
}

const struct rnv_kernel rnv_resize_bilinear_s8 = {.check = check, .run = run};
