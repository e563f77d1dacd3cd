/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief ADD_TABLES_S8: element-wise sum of two int8 tensors of the same shape, with constants for
 * which the compiler has compared all 65,536 pairs of inputs with the reference.
 *
 * Two forms, told apart by the length of the stream:
 *
 * - 8 bytes, linear: i32 f0, f1 (at least 0). `multiplier` is 0 and `shift` 21.
 *
 *       sat8((offset + ((f0 x0) >> 8) + ((f1 x1) >> 8)) >> 21)
 *
 * - 2048 bytes, tables: i32 t0[256], t1[256], by the raw byte (x & 255). `multiplier` is at least
 * 0.
 *
 *       sat8((hi32((t0[x0] + t1[x1]) multiplier) + offset) >> shift)
 *
 * The products are exact, hi32 is the high word of 64 bits, sums wrap. The linear form needs less
 * than half the instructions, as 256 x is what remains of a word after AND, and SMLAWB multiplies
 * it by 32 bits; it has no solution where a pair lies too close to a rounding tie.
 */

#include "kernels/dsp/add_linear.h"
#include "kernels/fixed_point.h"
#include "kernels/kernel.h"

/* Row r of a tensor with a ring of R rows starts at (r % R) * row_elements. */
struct add_tables_params {
	int32_t rows;
	int32_t row_elements;
	int32_t ring_0;   /**< rows held of input 0, 1..rows */
	int32_t ring_1;   /**< rows held of input 1 */
	int32_t ring_out; /**< rows held of the output */
	int32_t multiplier;
	int32_t offset;
	int32_t shift;
};

#define PARAMS       (sizeof(struct add_tables_params) / sizeof(int32_t))
#define LINEAR_BYTES 8u
#define TABLES_BYTES 2048u

/*
 * True where the tensor holds a ring of `ring` rows of these: rows of an image that are stored as
 * such, of anything dense, or all of an image as one row.
 */
static bool holds(const struct rnv_tensor_rec *rec, const struct add_tables_params *p, int32_t ring)
{
	uint32_t elements = rnv_product(&p->rows, 2);
	bool rows = (p->rows == 1 && rec->ring_rows == 0u) || rec->layout == RNV_LAYOUT_DENSE ||
		    (rec->layout == RNV_LAYOUT_ROWS && rec->dims[1] == (uint32_t)p->rows);

	return rec->type == RNV_TYPE_INT8 && elements != 0u && rows &&
	       ring == ((rec->ring_rows != 0u) ? rec->ring_rows : p->rows) &&
	       rnv_tensor_elements_bytes(rec) == elements;
}

static bool stream_ok(const struct rnv_op *op, const struct add_tables_params *p)
{
	if (op->rec->weights_bytes == LINEAR_BYTES) {
		return p->multiplier == 0 && p->shift == RNV_ADD_LINEAR_SHIFT &&
		       rnv_words_within((const void *)rnv_op_weights(op), 2, 0, INT32_MAX);
	}
	return op->rec->weights_bytes == TABLES_BYTES && p->multiplier >= 0 && p->shift >= 0 &&
	       p->shift <= 31;
}

static int check(const struct rnv_op *op)
{
	const struct add_tables_params *p = (const void *)rnv_op_params(op);

	if (!rnv_op_has(op, 2, 1, PARAMS) || op->rec->scratch_bytes != 0u ||
	    !rnv_words_within(&p->rows, 2, 1, INT32_MAX) ||
	    !rnv_words_within(&p->ring_0, 3, 1, p->rows) ||
	    !holds(rnv_op_in_rec(op, 0), p, p->ring_0) ||
	    !holds(rnv_op_in_rec(op, 1), p, p->ring_1) ||
	    !holds(rnv_op_out_rec(op, 0), p, p->ring_out) || !stream_ok(op, p)) {
		return RNV_EFORMAT;
	}
	return ((p->ring_0 == p->ring_out) ? 1 : 0) | ((p->ring_1 == p->ring_out) ? 2 : 0);
}

static void reach(const struct rnv_op *op, struct rnv_reach *reach)
{
	const struct add_tables_params *p = (const void *)rnv_op_params(op);

	reach->in_rows = (uint32_t)p->rows;
	reach->out_rows = (uint32_t)p->rows;
	reach->stride = 1;
	reach->before = 0;
	reach->extent = 1;
}

static void linear_row(const int32_t *factors, const struct add_tables_params *p, const int8_t *x,
		       const int8_t *y, int8_t *out)
{
	RNV_DSP_PICK(rnv_add_linear)(factors, x, y, out, (uint32_t)p->row_elements, p->offset);
}

static void tables_row(const int32_t *tables, const struct add_tables_params *p, const int8_t *x,
		       const int8_t *y, int8_t *out)
{
	const int32_t *tables_1 = tables + 256;
	const int8_t *end = out + p->row_elements;
	int32_t multiplier = p->multiplier;
	int32_t shift = p->shift;
	uint32_t offset = (uint32_t)p->offset;

	while (out != end) {
		uint32_t sum = (uint32_t)tables[(uint8_t)*x++] + (uint32_t)tables_1[(uint8_t)*y++];
		int32_t high = (int32_t)(((int64_t)(int32_t)sum * multiplier) >> 32);

		*out++ = (int8_t)rnv_clamp((int32_t)((uint32_t)high + offset) >> shift, INT8_MIN,
					   INT8_MAX);
	}
}

static void run(const struct rnv_op *op)
{
	const struct add_tables_params *p = (const void *)rnv_op_params(op);
	const int32_t *stream = (const int32_t *)(const void *)rnv_op_weights(op);
	const int8_t *x = rnv_op_in(op, 0);
	const int8_t *y = rnv_op_in(op, 1);
	int8_t *out = rnv_op_out(op, 0);
	int32_t row = (int32_t)op->row0;
	int32_t end = (op->rows == 0u) ? p->rows : row + (int32_t)op->rows;
	void (*run_row)(const int32_t *, const struct add_tables_params *, const int8_t *,
			const int8_t *, int8_t *) =
		(op->rec->weights_bytes == LINEAR_BYTES) ? linear_row : tables_row;

	for (; row < end; row++) {
		run_row(stream, p, x + row % p->ring_0 * p->row_elements,
			y + row % p->ring_1 * p->row_elements,
			out + row % p->ring_out * p->row_elements);
	}
}

const struct rnv_kernel rnv_add_tables_s8 = {.check = check, .run = run, .reach = reach};
