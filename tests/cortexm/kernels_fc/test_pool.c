/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* AVERAGE_POOL_2D_S8: windows over images, and whole planes. */

#include <string.h>

#include "harness.h"
#include "kernels/dsp/sum.h"
#include "kernels/s8/pool.h"

extern const struct rnv_kernel rnv_average_pool_2d_s8;

#define WORDS (sizeof(struct rnv_pool_params) / sizeof(int32_t))

/* The mean of the part of a window inside the image, ties away from zero. */
static int8_t wanted_output(const struct rnv_pool_params *p, const int8_t *image, int32_t oy,
			    int32_t ox, int32_t c)
{
	const struct rnv_window *w = &p->window;
	int32_t sum = 0;
	int32_t count = 0;
	int32_t mean;

	for (int32_t i = 0; i < w->filter_h * w->filter_w; i++) {
		int32_t y = oy * w->stride_h - w->pad_top + i / w->filter_w;
		int32_t x = ox * w->stride_w - w->pad_left + i % w->filter_w;

		if (y >= 0 && y < w->in_h && x >= 0 && x < w->in_w) {
			sum += image[(y * w->in_w + x) * w->in_c + c];
			count++;
		}
	}
	mean = (sum < 0 ? -sum : sum) * 2 + count; /* round half up, without the sign */
	mean /= 2 * count;
	return (int8_t)clamped((sum < 0) ? -mean : mean, p->act_min, p->act_max);
}

/* Whole images as planes; else anything, often with a window of the image's size. */
static void make_window(struct rnv_window *w, bool whole)
{
	int32_t least = random_in(0, 1);
	bool unpadded = whole || (random_word() & 1u);

	w->batch = whole ? random_in(1, 20) : random_in(1, 2);
	w->in_h = random_in(1, whole ? 26 : 9);
	w->in_w = random_in(1, 9);
	w->in_c = (whole || (random_word() & 1u)) ? 1 : random_in(1, 4);
	w->filter_h =
		whole ? random_in(w->in_h, w->in_h + 2) : random_in(least ? w->in_h : 1, w->in_h);
	w->filter_w =
		whole ? random_in(w->in_w, w->in_w + 2) : random_in(least ? w->in_w : 1, w->in_w);
	w->stride_h = random_in(1, 3);
	w->stride_w = random_in(1, 3);
	w->pad_top = unpadded ? 0 : random_in(0, w->filter_h - 1);
	w->pad_left = unpadded ? 0 : random_in(0, w->filter_w - 1);
	w->out_h = whole ? 1 : (w->in_h - 1 + w->pad_top) / w->stride_h + 1;
	w->out_w = whole ? 1 : (w->in_w - 1 + w->pad_left) / w->stride_w + 1;
}

static void try_sum(rnv_sum_fn *sum, const char *what)
{
	uint32_t count = (uint32_t)random_in(0, 300);
	int8_t *in = guarded(count, random_word() % 4u);
	int32_t wanted = 0;

	random_values(in, count, -128, 127);
	for (uint32_t i = 0; i < count; i++) {
		wanted += in[i];
	}
	expect(sum(in, count) == wanted, what);
}

void test_pool(uint32_t cases)
{
	for (uint32_t i = 0; i < cases; i++) {
		struct rnv_pool_params p;
		const struct rnv_window *w = &p.window;
		uint32_t in_bytes;
		uint32_t out_bytes;
		uint32_t at = 0;
		struct test_op t;
		int8_t *in;
		int8_t *out;
		int8_t *wanted;

		begin_case("average pool", i);
		try_sum(rnv_sum_c, "sum in C");
#if RNV_DSP_ASM
		try_sum(rnv_sum_asm, "sum in assembly");
#endif
		make_window(&p.window, random_word() % 2u != 0u);
		p.act_min = (random_word() & 1u) ? -128 : random_in(-128, 0);
		p.act_max = (random_word() & 1u) ? 127 : random_in(0, 127);
		in_bytes = (uint32_t)(w->batch * w->in_h * w->in_w * w->in_c);
		out_bytes = (uint32_t)(w->batch * w->out_h * w->out_w * w->in_c);
		in = guarded(in_bytes, random_word() % 4u);
		out = guarded(out_bytes, random_word() % 4u);
		wanted = guarded(out_bytes, 0);
		random_values(in, in_bytes, -128, 127);
		for (int32_t row = 0; row < w->batch * w->out_h; row++) {
			const int8_t *image = in + row / w->out_h * w->in_h * w->in_w * w->in_c;

			for (int32_t k = 0; k < w->out_w * w->in_c; k++) {
				wanted[at++] = wanted_output(&p, image, row % w->out_h, k / w->in_c,
							     k % w->in_c);
			}
		}
		op_init(&t, &p, WORDS, NULL, 0, 0);
		op_operand(&t, in, in_bytes, false);
		op_operand(&t, out, out_bytes, true);
		op_check(&t, &rnv_average_pool_2d_s8, 0);
		rnv_average_pool_2d_s8.run(&t.op);
		expect_bytes(out, wanted, out_bytes, "means");
		end_case();
	}
}
