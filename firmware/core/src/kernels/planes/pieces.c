/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "kernels/planes/pieces.h"

#define WORD 4u
#define RGB  3

void rnv_fill(int8_t *out, int32_t value, uint32_t bytes)
{
	uint32_t word = (uint8_t)value * UINT32_C(0x01010101);
	int8_t *end = out + bytes;

	for (; end - out >= 16; out += 16) {
		rnv_store_4(out, word);
		rnv_store_4(out + 4, word);
		rnv_store_4(out + 8, word);
		rnv_store_4(out + 12, word);
	}
	for (; out != end; out++) {
		*out = (int8_t)value;
	}
}

void rnv_pieces_copy(int8_t *out, uint32_t out_step, const int8_t *in, uint32_t in_step,
		     uint32_t bytes, uint32_t count)
{
	/* Pieces are short and many: all of their first words, then all of their second ones .. */
	for (; bytes != 0u; bytes -= (bytes < WORD) ? 1u : WORD) {
		const int8_t *from = in;
		int8_t *to = out;
		uint32_t left = count;

		if (bytes < WORD) {
			do {
				*to = *from;
				from += in_step;
				to += out_step;
			} while (--left != 0u);
			in++;
			out++;
		} else {
			do {
				rnv_store_4(to, rnv_load_4(from));
				from += in_step;
				to += out_step;
			} while (--left != 0u);
			in += WORD;
			out += WORD;
		}
	}
}

void rnv_pieces_fill(int8_t *out, uint32_t out_step, int32_t value, uint32_t bytes, uint32_t count)
{
	for (; count != 0u; count--) {
		for (uint32_t i = 0; i < bytes; i++) {
			out[i] = (int8_t)value;
		}
		out += out_step;
	}
}

/* By words: one byte more than three is read, and one after nine written. */
void rnv_pieces_rgb(int8_t *out, const int8_t *in, uint32_t stride, uint32_t count)
{
	const int8_t *last = in + RGB * (count - 1u);

	/* The byte too many of a store is corrected by the next one; so the last pixel is exact. */
	while (in != last) {
		rnv_store_4(out, rnv_load_4(in));
		rnv_store_4(out + RGB, rnv_load_4(in + stride));
		rnv_store_4(out + 2 * RGB, rnv_load_4(in + 2u * stride));
		in += RGB;
		out += 3 * RGB;
	}
	rnv_pieces_copy(out, RGB, in, stride, RGB, 3);
}
