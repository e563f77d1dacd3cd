/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/planes/interleave.h"

#include "kernels/planes/pieces.h"

#define FOUR 4u

/* Bytes 0 and 2 of a word. */
#define EVEN UINT32_C(0x00FF00FF)

void rnv_interleave_c(int8_t *out, uint32_t pixel, const int8_t *in, uint32_t channel,
		      uint32_t count)
{
	for (;;) { /* blocks of 4x4 bytes are transposed in registers */
		uint32_t a = rnv_load_4(in);
		uint32_t b = rnv_load_4(in + channel);
		uint32_t c = rnv_load_4(in + 2u * channel);
		uint32_t d = rnv_load_4(in + 3u * channel);
		uint32_t ab = (a & EVEN) | (b & EVEN) << 8; /* a0 b0 a2 b2 */
		uint32_t cd = (c & EVEN) | (d & EVEN) << 8;

		rnv_store_4(out, (ab & 0xFFFFu) | cd << 16);
		rnv_store_4(out + 2u * pixel, ab >> 16 | (cd & 0xFFFF0000u));
		ab = (a >> 8 & EVEN) | (b & ~EVEN); /* a1 b1 a3 b3 */
		cd = (c >> 8 & EVEN) | (d & ~EVEN);
		rnv_store_4(out + pixel, (ab & 0xFFFFu) | cd << 16);
		rnv_store_4(out + 3u * pixel, ab >> 16 | (cd & 0xFFFF0000u));
		if (count == FOUR) {
			return;
		}
		count -= FOUR;
		in += FOUR;
		out += FOUR * pixel;
		if (count < FOUR) { /* the last block overlaps the one before */
			in -= FOUR - count;
			out -= (FOUR - count) * pixel;
			count = FOUR;
		}
	}
}

void rnv_interleave(int8_t *out, uint32_t pixel, const int8_t *in, uint32_t channel,
		    uint32_t channels, uint32_t count, rnv_interleave_fn *four)
{
	if (channels < FOUR || count < FOUR) {
		for (uint32_t c = 0; c < channels; c++) {
			for (uint32_t x = 0; x < count; x++) {
				out[x * pixel + c] = in[c * channel + x];
			}
		}
		return;
	}
	for (;;) {
		four(out, pixel, in, channel, count);
		if (channels == FOUR) {
			return;
		}
		channels -= FOUR;
		in += FOUR * channel;
		out += FOUR;
		if (channels < FOUR) { /* the last four overlap those before */
			in -= (FOUR - channels) * channel;
			out -= FOUR - channels;
			channels = FOUR;
		}
	}
}
