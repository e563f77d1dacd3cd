/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief DEPTHWISE_CONV_2D with MVE: small windows by cells.h, others four channels at a time.
 */

#include "kernels/s8/depthwise_conv_2d.h"

#include "kernels/mve/depthwise_cells.h"
#include "kernels/mve/vector.h"

/* Four output channels, or fewer at the end. */
struct lanes {
	mve_pred16_t active;
	int32x4_t bias;
	int32x4_t multiplier;
	int32x4_t shift;
	uint32x4_t inputs; /* input channels */
	const int8_t *weights;
};

static void open_lanes(struct lanes *lanes, const struct rnv_channels *channels, uint32_t first,
		       uint32_t depth_multiplier)
{
	const struct rnv_requant *params = channels->params;
	uint32_t inputs[4];

	lanes->active = vctp32q((uint32_t)params->out_c - first);
	lanes->bias = vldrwq_z_s32(channels->bias + first, lanes->active);
	lanes->multiplier = vdupq_n_s32(*channels->multiplier);
	lanes->shift = vdupq_n_s32(*channels->shift);
	if (params->channels_q != 1) {
		lanes->multiplier = vldrwq_z_s32(channels->multiplier + first, lanes->active);
		lanes->shift = vldrbq_z_s32(channels->shift + first, lanes->active);
	}
	for (uint32_t i = 0; i < 4u; i++) {
		inputs[i] = (first + i) / depth_multiplier;
	}
	lanes->inputs = vldrwq_u32(inputs);
	lanes->weights = channels->weights + first;
}

/* Sums of the window at (y0, x0) of `image`. */
static int32x4_t sum(const struct rnv_depthwise_conv_2d_params *p, const struct lanes *lanes,
		     const int8_t *image, int32_t y0, int32_t x0)
{
	const struct rnv_window *w = &p->window;
	const int8_t *weights = lanes->weights;
	int32x4_t outside = vdupq_n_s32(p->in_zp);
	int32x4_t acc = lanes->bias;

	for (int32_t ky = 0; ky < w->filter_h; ky++) {
		int32_t y = y0 + ky * p->dilation_h;

		for (int32_t kx = 0; kx < w->filter_w; kx++) {
			int32_t x = x0 + kx * p->dilation_w;
			int32x4_t in = outside;

			if (y >= 0 && y < w->in_h && x >= 0 && x < w->in_w) {
				in = vldrbq_gather_offset_z_s32(image + (y * w->in_w + x) * w->in_c,
								lanes->inputs, lanes->active);
			}
			acc = vaddq_s32(acc, vmulq_s32(in, vldrbq_z_s32(weights, lanes->active)));
			weights += p->requant.out_c;
		}
	}
	return acc;
}

/* The pixels to compute of four channels. */
static void run_lanes(const struct rnv_op *op, const struct lanes *lanes, int8_t *out)
{
	const struct rnv_depthwise_conv_2d_params *p = (const void *)rnv_op_params(op);
	const struct rnv_window *w = &p->window;
	const int8_t *image = rnv_op_in(op, 0);
	int32_t end = (int32_t)op->row0 + rnv_window_rows(op, w);
	int32x4_t low = vdupq_n_s32(p->requant.act_min);
	int32x4_t high = vdupq_n_s32(p->requant.act_max);

	for (int32_t row = (int32_t)op->row0; row < end; row++) {
		int32_t y = (row % w->out_h) * w->stride_h - w->pad_top;

		if (row != 0 && row % w->out_h == 0) {
			image += w->in_h * w->in_w * w->in_c;
		}
		for (int32_t ox = 0; ox < w->out_w; ox++) {
			int32x4_t acc = sum(p, lanes, image, y, ox * w->stride_w - w->pad_left);

			acc = rnv_mve_requantize(acc, lanes->multiplier, lanes->shift);
			acc = vaddq_n_s32(acc, p->requant.out_zp);
			vstrbq_p_s32(out, rnv_mve_clamp(acc, low, high), lanes->active);
			out += p->requant.out_c;
		}
	}
}

static void run(const struct rnv_op *op)
{
	const struct rnv_depthwise_conv_2d_params *p = (const void *)rnv_op_params(op);
	int8_t *out = rnv_window_out(op, &p->window, p->requant.out_c);
	struct rnv_channels channels;
	struct lanes lanes;

	if (rnv_mve_depthwise_in_cells(p)) {
		rnv_mve_depthwise_cells(op);
		return;
	}
	rnv_channels_open(&channels, op, &p->requant);
	for (uint32_t first = 0; first < (uint32_t)p->requant.out_c; first += 4u) {
		open_lanes(&lanes, &channels, first, (uint32_t)p->depth_multiplier);
		run_lanes(op, &lanes, out + first);
	}
}

const struct rnv_kernel rnv_depthwise_conv_2d_s8 = {
	.check = rnv_depthwise_conv_2d_check,
	.run = run,
	.reach = rnv_depthwise_conv_2d_reach,
};
