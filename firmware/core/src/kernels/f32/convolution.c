/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/f32/convolution.h"

#define PARAMS (sizeof(struct rnv_f32_conv_params) / sizeof(int32_t))

bool rnv_f32_conv_ok(const struct rnv_op *op)
{
	const struct rnv_f32_conv_params *p = (const void *)rnv_op_params(op);

	return rnv_op_has(op, 1, 1, PARAMS) &&
	       rnv_f32_window_ok(op, &p->window, p->channels.out_c) &&
	       rnv_words_within(&p->dilation_h, 3, 1, RNV_WINDOW_MAX) &&
	       op->rec->scratch_bytes == 0u;
}

bool rnv_f32_filters_ok(const struct rnv_op *op, int32_t depth)
{
	const struct rnv_f32_conv_params *p = (const void *)rnv_op_params(op);
	const int32_t filters[] = {p->window.filter_h, p->window.filter_w, depth,
				   p->channels.out_c};

	return rnv_f32_channels_ok(op, &p->channels, rnv_product(filters, 4));
}

void rnv_f32_conv_reach(const struct rnv_op *op, struct rnv_reach *reach)
{
	const struct rnv_f32_conv_params *p = (const void *)rnv_op_params(op);

	rnv_window_reach(op, &p->window, p->dilation_h, reach);
}

/* Sum over the window at (y0, x0) of `depth` channels of the image, for one filter. */
static float sum_of(const struct rnv_f32_conv_params *p, const struct rnv_f32_filters *filters,
		    const float *image, int32_t y0, int32_t x0, const float *weights)
{
	const struct rnv_window *w = &p->window;
	const float *end = weights;
	float sum = 0.0f;

	for (int32_t ky = 0; ky < w->filter_h; ky++) {
		uint32_t y = (uint32_t)(y0 + ky * p->dilation_h); /* huge above the input */
		uint32_t x = (uint32_t)x0;

		end += (uint32_t)w->filter_w * filters->tap;
		for (; weights != end; weights += filters->tap) {
			if (y < (uint32_t)w->in_h && x < (uint32_t)w->in_w) {
				uint32_t at = (y * (uint32_t)w->in_w + x) * (uint32_t)w->in_c;

				sum = rnv_f32_dot(image + at, weights, filters->depth, sum);
			}
			x += (uint32_t)p->dilation_w;
		}
	}
	return sum;
}

void rnv_f32_conv_run(const struct rnv_op *op, const struct rnv_f32_filters *filters)
{
	const struct rnv_f32_conv_params *p = (const void *)rnv_op_params(op);
	const struct rnv_window *w = &p->window;
	const struct rnv_f32_stream stream = rnv_f32_stream(op, &p->channels);
	uint32_t out_c = (uint32_t)p->channels.out_c;
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

			for (uint32_t c = 0; c < out_c; c++) {
				const float *first = image + c / filters->shared * filters->depth;
				float sum = sum_of(p, filters, first, y, x,
						   stream.weights + c * filters->next);

				*out++ = rnv_f32_output(&stream, (int32_t)c, sum);
			}
		}
	}
}
