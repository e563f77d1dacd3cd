/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief CHANNEL_TABLE: a function of each channel of an 8-bit image, as tables in the weight
 * stream.
 *
 * For every channel the stream has 256 bytes, indexed by the input's raw byte.
 */

#include "kernels/s8/plain.h"

struct channel_table_params {
	int32_t pixels;
	int32_t channels;
};

#define TABLE_BYTES  256u
#define CHANNELS_MAX 0xFFFF

static int check(const struct rnv_op *op)
{
	const struct channel_table_params *p = (const void *)rnv_op_params(op);
	uint32_t elements;

	if (!rnv_op_has(op, 1, 1, 2) || !rnv_words_within(&p->pixels, 1, 1, INT32_MAX) ||
	    !rnv_words_within(&p->channels, 1, 1, CHANNELS_MAX)) {
		return RNV_EFORMAT;
	}
	elements = rnv_product(&p->pixels, 2);
	if (!rnv_op_plain(op, 1, 2, TABLE_BYTES * (uint32_t)p->channels) ||
	    !rnv_tensor_is_byte(rnv_op_in_rec(op, 0), elements) ||
	    !rnv_tensor_is_byte(rnv_op_out_rec(op, 0), elements)) {
		return RNV_EFORMAT;
	}
	return 1;
}

static void run(const struct rnv_op *op)
{
	const struct channel_table_params *p = (const void *)rnv_op_params(op);
	const uint8_t *in = rnv_op_in(op, 0);
	uint8_t *out = rnv_op_out(op, 0);

	for (int32_t i = 0; i < p->pixels; i++) {
		const uint8_t *table = rnv_op_weights(op);

		for (int32_t c = 0; c < p->channels; c++) {
			*out++ = table[*in++];
			table += TABLE_BYTES;
		}
	}
}

const struct rnv_kernel rnv_channel_table = {.check = check, .run = run};
