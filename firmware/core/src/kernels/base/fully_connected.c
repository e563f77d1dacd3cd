/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief FULLY_CONNECTED_BASE_S8: the inner loops for one column, on the stream of gemm.h.
 *
 * The outputs of a row are channels one byte apart. A row is either prepared once, as a column in
 * scratch, or (`direct`) read as it is, which needs no memory and takes 14 instead of 11
 * instructions for 16 products. `quads = (in_c + 3) / 4`; weights past in_c are 0.
 */

#include <string.h>

#include "kernels/base/gemm.h"
#include "kernels/base/prepare.h"
#include "kernels/kernel.h"

struct fully_connected_base_params {
	int32_t rows;
	int32_t in_c; /**< a multiple of 4 where `direct` */
	int32_t out_c;
	int32_t epilogue; /**< enum rnv_epilogue */
	int32_t direct;   /**< 0: scratch of 16 bytes a quad; 1: none */
};

#define PARAMS      (sizeof(struct fully_connected_base_params) / sizeof(int32_t))
/* Keeps sizes of scratch and of a pair within 32 bits. */
#define SIZE_MAX_24 0xFFFFFF

static rnv_gemm_fn *const gemm_direct[RNV_EPILOGUES] = {
	RNV_BASE_PICK(rnv_base_gemm_direct_relu),
	RNV_BASE_PICK(rnv_base_gemm_direct_linear),
	RNV_BASE_PICK(rnv_base_gemm_direct_textbook),
};

static uint32_t quads_of(const struct fully_connected_base_params *p)
{
	return ((uint32_t)p->in_c + 3u) / 4u;
}

static int check(const struct rnv_op *op)
{
	const struct fully_connected_base_params *p = (const void *)rnv_op_params(op);
	uint32_t quads;
	uint32_t pair;
	int32_t out[2];

	if (!rnv_op_has(op, 1, 1, PARAMS) || !rnv_words_within(&p->rows, 1, 1, INT32_MAX) ||
	    !rnv_words_within(&p->in_c, 2, 1, SIZE_MAX_24) ||
	    !rnv_words_within(&p->epilogue, 1, 0, RNV_EPILOGUES - 1) ||
	    !rnv_words_within(&p->direct, 1, 0, 1) || (p->direct != 0 && p->in_c % 4 != 0)) {
		return RNV_EFORMAT;
	}
	quads = quads_of(p);
	pair = rnv_base_pair_bytes(quads, (enum rnv_epilogue)p->epilogue);
	out[0] = p->rows;
	out[1] = p->out_c;
	if (op->rec->weights_bytes != (uint64_t)pair * (((uint32_t)p->out_c + 1u) / 2u) ||
	    op->rec->scratch_bytes != (p->direct != 0 ? 0u : RNV_BASE_QUAD_BYTES * quads) ||
	    !rnv_op_is_int8(op, 0, &p->rows, 2) || !rnv_op_is_int8(op, 1, out, 2)) {
		return RNV_EFORMAT;
	}
	/* A prepared row is not read again, and its outputs end before the next row begins. */
	return (p->direct == 0 && (p->rows == 1 || p->out_c <= p->in_c)) ? 0x1 : 0;
}

/* Column of a row, whose last quad is filled up with zeros. */
static void prepare(const int8_t *in, uint32_t in_c, void *column)
{
	rnv_prepare_fn *pixels = RNV_BASE_PICK(rnv_base_pixels_one);
	uint32_t whole = in_c / 4u;
	int8_t last[4] = {0};

	if (whole != 0u) {
		column = pixels(in, 0, column, whole);
	}
	if (in_c % 4u != 0u) {
		memcpy(last, in + 4u * whole, in_c % 4u);
		pixels(last, 0, column, 1);
	}
}

static void run(const struct rnv_op *op)
{
	const struct fully_connected_base_params *p = (const void *)rnv_op_params(op);
	const int8_t *in = rnv_op_in(op, 0);
	int8_t *out = rnv_op_out(op, 0);
	const uint8_t *w = rnv_op_weights(op);
	const uint8_t *w_end = w + op->rec->weights_bytes;
	uint32_t quads = quads_of(p);
	void *column = (p->direct != 0) ? NULL : rnv_op_scratch(op);
	rnv_gemm_fn *gemm = (p->direct != 0) ? gemm_direct[p->epilogue]
					     : rnv_base_tile_ops.gemm_one[p->epilogue];
	const uint8_t *w_pairs = w_end;

	if (p->out_c % 2 != 0) {
		w_pairs -= rnv_base_pair_bytes(quads, (enum rnv_epilogue)p->epilogue);
	}
	for (int32_t row = 0; row < p->rows; row++) {
		const void *x = in;

		if (column != NULL) {
			prepare(in, (uint32_t)p->in_c, column);
			x = column;
		}
		if (w != w_pairs) {
			gemm(w, x, out, 1, w_pairs, quads);
		}
		if (w_pairs != w_end) { /* two outputs at one place, the second one stays */
			gemm(w_pairs, x, out + p->out_c - 1, 0, w_end, quads);
		}
		in += p->in_c;
		out += p->out_c;
	}
}

const struct rnv_kernel rnv_fully_connected_base_s8 = {
	.check = check,
	.run = run,
	.packing = RNV_ISA_BASE,
};
