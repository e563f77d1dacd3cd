/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef KERNELS_CONV_CONV_OP_H_
#define KERNELS_CONV_CONV_OP_H_

/*
 * A CONV_PLANES_DSP_S8 or CONV_PIXELS_DSP_S8 op with random weights, its packed stream, and its
 * outputs by the formulas of SPEC.md: nothing here is the kernels' own.
 */

#include <stdbool.h>
#include <stdint.h>

#include "kernels/planes/conv_pixels.h"
#include "kernels/planes/conv_planes.h"

#define PARAM_WORDS 20

/* Geometry and arithmetic of one op; the views are those of the parameters. */
struct conv {
	bool pixels; /* which of the two ops */
	struct rnv_conv_window w;
	int32_t transposed;
	struct rnv_view in;
	struct rnv_view out;
	int32_t epilogue;
};

/* An op and all that its kernel looks at. Operands and scratch lie in `arena`. */
struct bench {
	struct rnv_package pkg;
	struct rnv_op_rec rec;
	struct rnv_exec exec;
	struct rnv_op op;
	struct rnv_tensor_rec tensors[2];
	int32_t params[PARAM_WORDS];
	const struct rnv_kernel *kernel;
};

/* Rows of the output as it is stored, and pixels of such a row. */
int32_t out_rows(const struct conv *c);
int32_t out_columns(const struct conv *c);

/* Random weights and constants for all channels of the op, and their stream. */
void random_stream(const struct conv *c);

/* Output (row, column), as stored, of channel `o`; `image` is [in_h][in_w][in_c]. */
int8_t expected_at(const struct conv *c, const int8_t *image, int32_t row, int32_t column,
		   uint32_t o);

/* Fill in the op with the stream made last; `b` stays where it is. Operands have no places yet. */
void bench_init(struct bench *b, const struct conv *c, uint8_t *arena);

#endif /* KERNELS_CONV_CONV_OP_H_ */
