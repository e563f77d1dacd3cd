/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief IMAGE: a picture as a camera gives it to an RGB or grey image of another size.
 *
 * Pixels are decoded to the output's channels where they are sampled, so there is no picture in
 * between. Window and rule of resizing are in the positions of the weight stream: one for every
 * output row, then one for every output column. Between pixels the result is that of
 * TensorFlow Lite's int8 RESIZE_BILINEAR of the decoded values - 128.
 */

#include "kernels/fixed_point.h"
#include "kernels/s8/plain.h"
#include "kernels/vision/position.h"

struct image_params {
	int32_t in_h;
	int32_t in_w;
	int32_t format;
	int32_t out_h;
	int32_t out_w;
	int32_t out_c;
	int32_t y_offset;
	int32_t y_gain;
	int32_t v_to_r;
	int32_t u_to_g;
	int32_t v_to_g;
	int32_t u_to_b;
};

#define PARAMS   12
#define GAIN_MAX 1023

enum format {
	RGB888,
	BGR888,
	RGB565_LE,
	RGB565_BE,
	GREY,
	YUYV,
	UYVY,
	FORMATS
};

static const uint8_t pixel_bytes[FORMATS] = {
	[RGB888] = 3, [BGR888] = 3, [RGB565_LE] = 2, [RGB565_BE] = 2,
	[GREY] = 1,   [YUYV] = 2,   [UYVY] = 2,
};

static int check(const struct rnv_op *op)
{
	const int32_t *words = rnv_op_params(op);
	const struct image_params *p = (const void *)words;
	const struct rnv_position *rows = (const void *)rnv_op_weights(op);
	const struct rnv_tensor_rec *out;
	int32_t in_size[3];

	if (!rnv_op_has(op, 1, 1, PARAMS) ||
	    !rnv_words_within(words, 2, 1, RNV_POSITION_SIDE_MAX) ||
	    !rnv_words_within(&p->format, 1, 0, FORMATS - 1) ||
	    !rnv_words_within(&p->out_h, 2, 1, RNV_POSITION_SIDE_MAX) ||
	    (p->out_c != 1 && p->out_c != 3) ||
	    !rnv_words_within(&p->y_offset, 6, -GAIN_MAX, GAIN_MAX) ||
	    ((p->format == YUYV || p->format == UYVY) && p->in_w % 2 != 0)) {
		return RNV_EFORMAT;
	}
	in_size[0] = p->in_h;
	in_size[1] = p->in_w;
	in_size[2] = pixel_bytes[p->format];
	out = rnv_op_out_rec(op, 0);
	if (!rnv_op_plain(op, 1, PARAMS, 4u * ((uint32_t)p->out_h + (uint32_t)p->out_w)) ||
	    !rnv_tensor_is(rnv_op_in_rec(op, 0), RNV_TYPE_UINT8, rnv_product(in_size, 3)) ||
	    !rnv_tensor_is_byte(out, rnv_product(&p->out_h, 3)) ||
	    !rnv_positions_ok(rows, (uint32_t)p->out_h, (uint32_t)p->in_h) ||
	    !rnv_positions_ok(rows + p->out_h, (uint32_t)p->out_w, (uint32_t)p->in_w)) {
		return RNV_EFORMAT;
	}
	return 0;
}

/** A colour in one word: red in the low byte, then green, then blue. */
static inline uint32_t colour(uint32_t r, uint32_t g, uint32_t b)
{
	return r | g << 8 | b << 16;
}

static inline uint32_t rgb565(uint32_t word)
{
	uint32_t r = word >> 11 & 0x1Fu;
	uint32_t g = word >> 5 & 0x3Fu;
	uint32_t b = word & 0x1Fu;

	return colour(r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2);
}

static inline uint32_t byte_of(int32_t q8)
{
	return (uint32_t)rnv_clamp((q8 + 128) >> 8, 0, UINT8_MAX);
}

static uint32_t yuv(const struct image_params *p, int32_t y, int32_t u, int32_t v)
{
	int32_t luma = p->y_gain * (y - p->y_offset);

	u -= 128;
	v -= 128;
	return colour(byte_of(luma + p->v_to_r * v), byte_of(luma + p->u_to_g * u + p->v_to_g * v),
		      byte_of(luma + p->u_to_b * u));
}

/** Brightness of a colour, by BT.601's weights. */
static inline uint32_t luma_of(uint32_t rgb)
{
	return (77u * (rgb & 0xFFu) + 150u * (rgb >> 8 & 0xFFu) + 29u * (rgb >> 16) + 128u) >> 8;
}

/*
 * What pixel `x` of a row is in the output's channels: one function for each format and number of
 * channels, chosen once for a picture.
 */
typedef uint32_t (*fetch_t)(const struct image_params *p, const uint8_t *row, uint32_t x);

static uint32_t rgb888_colour(const struct image_params *p, const uint8_t *row, uint32_t x)
{
	const uint8_t *pixel = row + 3u * x;

	(void)p;
	return colour(pixel[0], pixel[1], pixel[2]);
}

static uint32_t bgr888_colour(const struct image_params *p, const uint8_t *row, uint32_t x)
{
	const uint8_t *pixel = row + 3u * x;

	(void)p;
	return colour(pixel[2], pixel[1], pixel[0]);
}

static uint32_t rgb565_le_colour(const struct image_params *p, const uint8_t *row, uint32_t x)
{
	const uint8_t *pixel = row + 2u * x;

	(void)p;
	return rgb565((uint32_t)pixel[0] | (uint32_t)pixel[1] << 8);
}

static uint32_t rgb565_be_colour(const struct image_params *p, const uint8_t *row, uint32_t x)
{
	const uint8_t *pixel = row + 2u * x;

	(void)p;
	return rgb565((uint32_t)pixel[1] | (uint32_t)pixel[0] << 8);
}

static uint32_t grey_colour(const struct image_params *p, const uint8_t *row, uint32_t x)
{
	(void)p;
	return 0x010101u * row[x];
}

static uint32_t yuyv_colour(const struct image_params *p, const uint8_t *row, uint32_t x)
{
	const uint8_t *pair = row + x / 2u * 4u;

	return yuv(p, row[2u * x], pair[1], pair[3]);
}

static uint32_t uyvy_colour(const struct image_params *p, const uint8_t *row, uint32_t x)
{
	const uint8_t *pair = row + x / 2u * 4u;

	return yuv(p, row[2u * x + 1u], pair[0], pair[2]);
}

static uint32_t rgb888_grey(const struct image_params *p, const uint8_t *row, uint32_t x)
{
	return luma_of(rgb888_colour(p, row, x));
}

static uint32_t bgr888_grey(const struct image_params *p, const uint8_t *row, uint32_t x)
{
	return luma_of(bgr888_colour(p, row, x));
}

static uint32_t rgb565_le_grey(const struct image_params *p, const uint8_t *row, uint32_t x)
{
	return luma_of(rgb565_le_colour(p, row, x));
}

static uint32_t rgb565_be_grey(const struct image_params *p, const uint8_t *row, uint32_t x)
{
	return luma_of(rgb565_be_colour(p, row, x));
}

static uint32_t grey_grey(const struct image_params *p, const uint8_t *row, uint32_t x)
{
	(void)p;
	return row[x];
}

static uint32_t yuyv_grey(const struct image_params *p, const uint8_t *row, uint32_t x)
{
	return byte_of(p->y_gain * (row[2u * x] - p->y_offset));
}

static uint32_t uyvy_grey(const struct image_params *p, const uint8_t *row, uint32_t x)
{
	return byte_of(p->y_gain * (row[2u * x + 1u] - p->y_offset));
}

static const fetch_t fetch_colour[FORMATS] = {
	[RGB888] = rgb888_colour,       [BGR888] = bgr888_colour, [RGB565_LE] = rgb565_le_colour,
	[RGB565_BE] = rgb565_be_colour, [GREY] = grey_colour,     [YUYV] = yuyv_colour,
	[UYVY] = uyvy_colour,
};

static const fetch_t fetch_grey[FORMATS] = {
	[RGB888] = rgb888_grey,       [BGR888] = bgr888_grey, [RGB565_LE] = rgb565_le_grey,
	[RGB565_BE] = rgb565_be_grey, [GREY] = grey_grey,     [YUYV] = yuyv_grey,
	[UYVY] = uyvy_grey,
};

/** The four pixels around a position. */
struct around {
	uint32_t upper_left;
	uint32_t upper_right;
	uint32_t lower_left;
	uint32_t lower_right;
};

/**
 * The channel in the bits from `bits` on, mixed.
 *
 * rnv_bilinear_round() of the bytes less 128, plus 128: the ties of what is below 128 go down.
 */
static uint32_t mix(const struct rnv_bilinear *w, const struct around *a, uint32_t bits)
{
	uint32_t sum = (uint32_t)w->upper_left * (a->upper_left >> bits & 0xFFu) +
		       (uint32_t)w->upper_right * (a->upper_right >> bits & 0xFFu) +
		       (uint32_t)w->lower_left * (a->lower_left >> bits & 0xFFu) +
		       (uint32_t)w->lower_right * (a->lower_right >> bits & 0xFFu);

	return (sum + (1u << 19) - ((sum < 128u << 20) ? 1u : 0u)) >> 20;
}

/** One row of the output; `next` is the row below `row`, or the same where `down` is 0. */
static uint8_t *row_out(const struct image_params *p, const struct rnv_position *columns,
			const uint8_t *row, const uint8_t *next, uint32_t down, uint8_t *out,
			uint8_t flip)
{
	const bool grey = p->out_c == 1;
	const fetch_t fetch = grey ? fetch_grey[p->format] : fetch_colour[p->format];

	for (const struct rnv_position *c = columns; c != columns + p->out_w; c++) {
		struct around a = {.upper_left = fetch(p, row, c->index)};
		uint32_t value = a.upper_left;

		if ((down | c->fraction) != 0u) {
			const struct rnv_bilinear w =
				rnv_bilinear_weights((int32_t)down, c->fraction);
			uint32_t beside = c->index + ((c->fraction != 0u) ? 1u : 0u);

			a.upper_right = fetch(p, row, beside);
			a.lower_left = fetch(p, next, c->index);
			a.lower_right = fetch(p, next, beside);
			value = grey ? mix(&w, &a, 0)
				     : colour(mix(&w, &a, 0), mix(&w, &a, 8), mix(&w, &a, 16));
		}
		*out++ = (uint8_t)value ^ flip;
		if (!grey) {
			*out++ = (uint8_t)(value >> 8) ^ flip;
			*out++ = (uint8_t)(value >> 16) ^ flip;
		}
	}
	return out;
}

static void run(const struct rnv_op *op)
{
	const struct image_params *p = (const void *)rnv_op_params(op);
	const struct rnv_position *rows = (const void *)rnv_op_weights(op);
	const struct rnv_position *columns = rows + p->out_h;
	const uint8_t *in = rnv_op_in(op, 0);
	uint32_t row_bytes = (uint32_t)p->in_w * pixel_bytes[p->format];
	uint8_t *out = rnv_op_out(op, 0);
	uint8_t flip = (rnv_op_out_rec(op, 0)->type == RNV_TYPE_INT8) ? 0x80u : 0u;

	for (int32_t y = 0; y < p->out_h; y++) {
		const uint8_t *row = in + rows[y].index * row_bytes;
		const uint8_t *next = (rows[y].fraction != 0u) ? row + row_bytes : row;

		out = row_out(p, columns, row, next, rows[y].fraction, out, flip);
	}
}

const struct rnv_kernel rnv_image = {.check = check, .run = run};
