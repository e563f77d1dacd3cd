/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The primitives of winograd.h in portable C. */

#include <string.h>

#include "kernels/dsp/winograd.h"
#include "kernels/fixed_point.h"
#include "kernels/planes/tile.h"

#define TILES  4u
/* int16 values from one of its index to the next; TILES and channel pairs are innermost. */
#define H_SLOT 8u
#define H_J    32u
#define H_PAIR 128u

/* The transform of four values with `step` values between them. */
static void transform(const int32_t *d, int32_t *v)
{
	v[0] = d[0] - d[2];
	v[1] = d[1] + d[2];
	v[2] = d[2] - d[1];
	v[3] = d[1] - d[3];
}

/* One channel of a padded row, all tiles; `h` is the channel's place in its pair and slot. */
static void transform_row(const int8_t *x, int16_t *h, uint32_t groups, uint32_t group_step)
{
	for (uint32_t g = 0; g < groups; g++) {
		for (uint32_t tile = 0; tile < TILES; tile++) {
			const int32_t d[4] = {x[0], x[1], x[2], x[3]};
			int32_t v[4];

			transform(d, v);
			for (uint32_t j = 0; j < 4u; j++) {
				h[j * H_J + 2u * tile] = (int16_t)v[j];
			}
			x += 2;
		}
		h += group_step;
	}
}

void rnv_winograd_row_c(const struct rnv_winograd_row *row)
{
	uint32_t pairs = (row->channels + 1u) / 2u;
	int16_t *h = row->h;

	for (uint32_t c = 0; c < 2u * pairs; c++) {
		int8_t *padded = row->padded + c % 2u * row->padded_bytes;
		/* The partner of an odd last channel meets weights of 0: it is that channel again.
		 */
		uint32_t from = (c < row->channels) ? c : c - 1u;

		memcpy(padded + row->pad_left, row->in + from * row->channel, row->bytes);
		transform_row(padded, h + c / 2u * H_PAIR + c % 2u, row->groups, pairs * H_PAIR);
	}
}

/* Stream order of the indices along either axis, and its inverse. */
static const uint8_t order[4] = {1, 2, 0, 3};

void rnv_winograd_group_c(const void *h, void *v, uint32_t pairs, uint32_t odd)
{
	const int16_t *in = h;
	int16_t *out = v;

	for (uint32_t k = 0; k < pairs * H_SLOT; k++) {
		for (uint32_t jo = 0; jo < 4u; jo++) {
			const int16_t *from =
				in + k / H_SLOT * H_PAIR + order[jo] * H_J + k % H_SLOT;
			int32_t d[4];
			int32_t transformed[4];

			for (uint32_t i = 0; i < 4u; i++) {
				d[i] = from[(i ^ (2u * odd)) * H_SLOT];
			}
			transform(d, transformed);
			for (uint32_t io = 0; io < 4u; io++) {
				out[(4u * jo + io) * pairs * H_SLOT + k] =
					(int16_t)transformed[order[io]];
			}
		}
	}
}

/* Products of one output and one tile: m[i][j]. */
static void multiply(const int16_t *u, const int16_t *v, uint32_t pairs, uint32_t m[4][4])
{
	for (uint32_t position = 0; position < 16u; position++) {
		uint32_t sum = 0;

		for (uint32_t k = 0; k < pairs; k++) {
			const int16_t *a = u + (position * pairs + k) * 4u;
			const int16_t *b = v + (position * pairs + k) * H_SLOT;

			sum += (uint32_t)(a[0] * b[0]) + (uint32_t)(a[1] * b[1]);
		}
		m[order[position % 4u]][order[position / 4u]] = sum;
	}
}

static int8_t finish(uint32_t acc, const uint32_t *tail, uint32_t epilogue)
{
	int32_t sum = (int32_t)acc;
	uint32_t t = (uint32_t)(int32_t)(((int64_t)sum * (int32_t)tail[0]) >> 32) + tail[1];

	if (epilogue == RNV_EPILOGUE_LINEAR && sum < 0) {
		t += tail[2];
	}
	return (int8_t)rnv_clamp((int32_t)t >> 12, INT8_MIN, INT8_MAX);
}

/* The 2x2 outputs of a tile: the transform back, along both axes. */
static void finish_tile(uint32_t m[4][4], uint32_t c, const uint32_t *tail, int8_t *out,
			const struct rnv_winograd_out *to)
{
	static const int8_t back[2][4] = {{1, 1, 1, 0}, {0, 1, -1, 1}};

	for (int32_t y = 0; y < 2; y++) {
		for (int32_t x = 0; x < 2; x++) {
			uint32_t acc = c;

			for (uint32_t k = 0; k < 16u; k++) {
				int32_t sign = back[y][k / 4u] * back[x][k % 4u];

				acc += (uint32_t)sign * m[k / 4u][k % 4u];
			}
			out[y * to->row + x] = finish(acc, tail, to->epilogue);
		}
	}
}

void rnv_winograd_gemm_c(const void *w, const void *v, int8_t *first,
			 const struct rnv_winograd_out *out)
{
	uint32_t tail_words = (out->epilogue == RNV_EPILOGUE_LINEAR) ? 4u : 2u;
	const uint32_t *words = w;

	while (words != out->w_end) {
		const uint32_t *tail = words + 2;
		const uint32_t *u = tail + 2u * tail_words;

		for (uint32_t o = 0; o < 2u; o++) {
			for (uint32_t tile = 0; tile < TILES; tile++) {
				uint32_t m[4][4];

				multiply((const int16_t *)(u + o), (const int16_t *)v + 2u * tile,
					 out->pairs, m);
				finish_tile(m, words[o], tail + o * tail_words, first + 2u * tile,
					    out);
			}
			first += out->channel;
		}
		words = u + 32u * out->pairs;
	}
}
