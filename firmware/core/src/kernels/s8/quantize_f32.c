/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief QUANTIZE_F32: float32 to int8 or uint8, without floating-point arithmetic.
 *
 * Quantisation is a step function that never falls, so it is 255 thresholds: the result's number,
 * counted from the type's lowest value, is the number of thresholds at or below the input. Floats
 * are compared as integers of the same order (-0 equals 0). The compiler finds the thresholds, so
 * that the result is TensorFlow Lite's for every input; infinities saturate. NaN, which has no
 * result there, gives the zero point.
 */

#include "kernels/s8/plain.h"

struct quantize_f32_params {
	int32_t elements;
	int32_t zero_point;
};

#define THRESHOLDS    255u
#define INFINITY_BITS 0x7F800000u
#define SIGN_BIT      0x80000000u

/** What a result's number has added to give its raw byte. */
static uint32_t lowest(const struct rnv_op *op)
{
	return (rnv_op_out_rec(op, 0)->type == RNV_TYPE_INT8) ? 0x80u : 0u;
}

static int check(const struct rnv_op *op)
{
	const struct quantize_f32_params *p = (const void *)rnv_op_params(op);

	if (!rnv_op_plain(op, 1, 2, THRESHOLDS * 4u) ||
	    !rnv_tensor_is(rnv_op_in_rec(op, 0), RNV_TYPE_FLOAT32, (uint32_t)p->elements) ||
	    !rnv_tensor_is_byte(rnv_op_out_rec(op, 0), (uint32_t)p->elements) ||
	    (uint32_t)p->zero_point + lowest(op) > UINT8_MAX) {
		return RNV_EFORMAT;
	}
	return 1; /* byte i is written after float i was read and before none of the later ones */
}

/** Number of thresholds at or below the float with these bits, which is not NaN. */
static uint32_t count_thresholds(const int32_t *thresholds, uint32_t bits)
{
	int32_t value = (bits < SIGN_BIT) ? (int32_t)bits : -(int32_t)(bits & ~SIGN_BIT);
	uint32_t count = 0;

	for (uint32_t step = (THRESHOLDS + 1u) / 2u; step != 0u; step /= 2u) {
		if (thresholds[count + step - 1u] <= value) {
			count += step;
		}
	}
	return count;
}

static void run(const struct rnv_op *op)
{
	const struct quantize_f32_params *p = (const void *)rnv_op_params(op);
	const int32_t *thresholds = (const void *)rnv_op_weights(op);
	const uint32_t *in = rnv_op_in(op, 0);
	uint8_t *out = rnv_op_out(op, 0);
	uint32_t low = lowest(op);

	for (uint32_t i = 0; i < (uint32_t)p->elements; i++) {
		uint32_t bits = in[i];

		out[i] = ((bits & ~SIGN_BIT) > INFINITY_BITS)
				 ? (uint8_t)p->zero_point
				 : (uint8_t)(count_thresholds(thresholds, bits) + low);
	}
}

const struct rnv_kernel rnv_quantize_f32 = {.check = check, .run = run};
