/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief CONV_2D_F32: weights [out_c][filter_h][filter_w][in_c / groups]; positions outside of the
 * input add nothing.
 */

#include "kernels/f32/channels.h"
#include "kernels/s8/window.h"

struct conv_2d_f32_params {
	struct rnv_window window;
	int32_t dilation_h;
	int32_t dilation_w;
	int32_t groups;
	struct rnv_f32_channels channels;
};

#define PARAMS (sizeof(struct conv_2d_f32_params) / sizeof(int32_t))

static int check(const struct rnv_op *op)
{
	const struct conv_2d_f32_params *p = (const void *)rnv_op_params(op);
	const struct rnv_window *w = &p->window;
	int32_t filter[4];

	if (!rnv_op_has(op, 1, 1, PARAMS) || !rnv_f32_window_ok(op, w, p->channels.out_c) ||
	    !rnv_words_within(&p->dilation_h, 3, 1, RNV_WINDOW_MAX) || w->in_c % p->groups != 0 ||
	    p->channels.out_c % p->groups != 0 || op->rec->scratch_bytes != 0u) {
		return RNV_EFORMAT;
	}
	filter[0] = w->filter_h;
	filter[1] = w->filter_w;
	filter[2] = w->in_c / p->groups;
	filter[3] = p->channels.out_c;
	return rnv_f32_channels_ok(op, &p->channels, rnv_product(filter, 4)) ? 0 : RNV_EFORMAT;
}

static void reach(const struct rnv_op *op, struct rnv_reach *reach)
{
	const struct conv_2d_f32_params *p = (const void *)rnv_op_params(op);

	rnv_window_reach(op, &p->window, p->dilation_h, reach);
}

/* Sum over the window at (y0, x0) of `depth` channels of the image, for one filter. */
static float sum_of(const struct conv_2d_f32_params *p, const float *image, int32_t y0, int32_t x0,
		    uint32_t depth, const float *filter)
{
	const struct rnv_window *w = &p->window;
	float sum = 0.0f;

	for (int32_t ky = 0; ky < w->filter_h; ky++) {
		int32_t y = y0 + ky * p->dilation_h;

		for (int32_t kx = 0; kx < w->filter_w; kx++) {
			int32_t x = x0 + kx * p->dilation_w;

			if (y >= 0 && y < w->in_h && x >= 0 && x < w->in_w) {
				sum = rnv_f32_dot(image + (y * w->in_w + x) * w->in_c, filter,
						  depth, sum);
			}
			filter += depth;
		}
	}
	return sum;
}

static void run(const struct rnv_op *op)
{
	const struct conv_2d_f32_params *p = (const void *)rnv_op_params(op);
	const struct rnv_window *w = &p->window;
	const struct rnv_f32_stream stream = rnv_f32_stream(op, &p->channels);
	uint32_t depth = (uint32_t)(w->in_c / p->groups);
	int32_t group_out = p->channels.out_c / p->groups;
	uint32_t filter_size = (uint32_t)(w->filter_h * w->filter_w) * depth;
	int32_t end = (int32_t)op->row0 + rnv_window_rows(op, w);
	const float *image = rnv_op_in(op, 0);
	float *out = rnv_op_out(op, 0);

	out += (int32_t)op->row0 * w->out_w * p->channels.out_c;
	for (int32_t row = (int32_t)op->row0; row < end; row++) {
		int32_t y = (row % w->out_h) * w->stride_h - w->pad_top;

		if (row != 0 && row % w->out_h == 0) {
			image += w->in_h * w->in_w * w->in_c;
		}
		for (int32_t ox = 0; ox < w->out_w; ox++) {
			int32_t x = ox * w->stride_w - w->pad_left;

			for (int32_t c = 0; c < p->channels.out_c; c++) {
				const float *first = image + (uint32_t)(c / group_out) * depth;
				const float *filter = stream.weights + (uint32_t)c * filter_size;
				float sum = sum_of(p, first, y, x, depth, filter);

				*out++ = rnv_f32_output(&stream, c, sum);
			}
		}
	}
}

const struct rnv_kernel rnv_conv_2d_f32 = {.check = check, .run = run, .reach = reach};
