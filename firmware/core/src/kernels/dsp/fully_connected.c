/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief FULLY_CONNECTED_DSP_S8: 8 outputs at a time from packed weights.
 *
 * A row is prepared once, as a column in scratch, or (`direct`) again for every 8 outputs, which
 * needs no memory. fully_connected.h describes the stream.
 */

#include "kernels/dsp/fully_connected.h"
#include "kernels/dsp/prepare.h"
#include "kernels/kernel.h"

struct fully_connected_dsp_params {
	int32_t rows;
	int32_t in_c; /**< a multiple of 4 where `direct` */
	int32_t out_c;
	int32_t epilogue; /**< enum rnv_epilogue */
	int32_t direct;   /**< 0: scratch of 8 bytes a quad; 1: none */
};

#define PARAMS      (sizeof(struct fully_connected_dsp_params) / sizeof(int32_t))
/* Keeps the size of a stream within 32 bits together with the check of its length. */
#define SIZE_MAX_24 0xFFFFFF

static uint32_t quads_of(const struct fully_connected_dsp_params *p)
{
	return ((uint32_t)p->in_c + 3u) / 4u;
}

static bool params_ok(const struct rnv_op *op, const struct fully_connected_dsp_params *p)
{
	const int32_t out[2] = {p->rows, p->out_c};

	return rnv_words_within(&p->rows, 1, 1, INT32_MAX) &&
	       rnv_words_within(&p->in_c, 2, 1, SIZE_MAX_24) &&
	       rnv_words_within(&p->epilogue, 1, 0, RNV_EPILOGUES - 1) &&
	       rnv_words_within(&p->direct, 1, 0, p->in_c % 4 == 0) &&
	       rnv_op_is_int8(op, 0, &p->rows, 2) && rnv_op_is_int8(op, 1, out, 2);
}

static bool stream_ok(const struct rnv_op *op, const struct fully_connected_dsp_params *p)
{
	const uint8_t *w = rnv_op_weights(op);
	uint32_t bytes = op->rec->weights_bytes;
	uint32_t epilogue = (uint32_t)p->epilogue;
	uint32_t quads = quads_of(p);
	uint32_t blocks = ((uint32_t)p->out_c + RNV_FC_OUTPUTS - 1u) / RNV_FC_OUTPUTS;

	return (uint64_t)rnv_dsp_block_bytes(RNV_FC_OUTPUTS, quads, epilogue) * blocks == bytes &&
	       op->rec->scratch_bytes == (p->direct != 0 ? 0u : RNV_FC_QUAD_BYTES * quads) &&
	       rnv_dsp_stream_ok(w, w + bytes, RNV_FC_OUTPUTS, quads, epilogue);
}

static int check(const struct rnv_op *op)
{
	const struct fully_connected_dsp_params *p = (const void *)rnv_op_params(op);

	if (!rnv_op_has(op, 1, 1, PARAMS) || !params_ok(op, p) || !stream_ok(op, p)) {
		return RNV_EFORMAT;
	}
	/* A prepared row is not read again, and its outputs end before the next row begins. */
	return (p->direct == 0 && (p->rows == 1 || p->out_c <= p->in_c)) ? 0x1 : 0;
}

/* Column of a row, whose last quad is filled up with zeros. */
static void prepare(const int8_t *in, uint32_t in_c, uint32_t *column)
{
	uint32_t whole = in_c / 4u;
	uint32_t last = 0;

	if (whole != 0u) {
		RNV_DSP_PICK(rnv_dsp_pixels_one)(in, 0, column, whole);
	}
	if (in_c % 4u != 0u) {
		do {
			last = last << 8 | (uint8_t)in[--in_c];
		} while (in_c % 4u != 0u);
		RNV_DSP_PICK(rnv_dsp_pixels_one)((const void *)&last, 0, column + 2u * whole, 1);
	}
}

static void run(const struct rnv_op *op)
{
	const struct fully_connected_dsp_params *p = (const void *)rnv_op_params(op);
	rnv_fc_fn *multiply =
		(p->direct != 0) ? RNV_DSP_PICK(rnv_fc_direct) : RNV_DSP_PICK(rnv_fc_column);
	uint32_t epilogue = (uint32_t)p->epilogue;
	uint32_t quads = quads_of(p);
	uint32_t rest = (uint32_t)p->out_c % RNV_FC_OUTPUTS;
	const uint8_t *w = rnv_op_weights(op);
	const uint8_t *w_end = w + op->rec->weights_bytes;
	const uint8_t *w_rest = w_end;
	const int8_t *in = rnv_op_in(op, 0);
	int8_t *out = rnv_op_out(op, 0);

	if (rest != 0u) {
		w_rest -= rnv_dsp_block_bytes(RNV_FC_OUTPUTS, quads, epilogue);
	}
	for (int32_t row = p->rows; row != 0; row--) {
		int8_t last[RNV_FC_OUTPUTS];
		const void *x = in;

		if (p->direct == 0) {
			uint32_t *column = rnv_op_scratch(op);

			prepare(in, (uint32_t)p->in_c, column);
			x = column;
		}
		if (w != w_rest) {
			multiply(w, x, out, w_rest, quads, epilogue);
		}
		out += p->out_c;
		if (rest != 0u) {
			multiply(w_rest, x, last, w_end, quads, epilogue);
			for (uint32_t i = 0; i < rest; i++) {
				out[(int32_t)i - (int32_t)rest] = last[i];
			}
		}
		in += p->in_c;
	}
}

const struct rnv_kernel rnv_fully_connected_dsp_s8 = {
	.check = check, .run = run, .packing = RNV_ISA_DSP};
