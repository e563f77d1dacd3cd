/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief QUANTIZE_S16: any function of int16 to int8 or uint8 that never falls, as thresholds.
 *
 * The weight stream is i32[255], ascending: the result's number, counted from the type's lowest
 * value, is the number of thresholds at or below the input.
 */

#include "kernels/s8/plain.h"

struct quantize_s16_params {
	int32_t elements;
};

#define THRESHOLDS 255u

static int check(const struct rnv_op *op)
{
	const struct quantize_s16_params *p = (const void *)rnv_op_params(op);

	if (!rnv_op_plain(op, 1, 1, THRESHOLDS * 4u) ||
	    !rnv_tensor_is(rnv_op_in_rec(op, 0), RNV_TYPE_INT16, (uint32_t)p->elements) ||
	    !rnv_tensor_is_byte(rnv_op_out_rec(op, 0), (uint32_t)p->elements)) {
		return RNV_EFORMAT;
	}
	return 0x1; /* byte i is written after element i was read */
}

static void run(const struct rnv_op *op)
{
	const struct quantize_s16_params *p = (const void *)rnv_op_params(op);
	const int32_t *thresholds = (const void *)rnv_op_weights(op);
	const int16_t *in = rnv_op_in(op, 0);
	uint8_t *out = rnv_op_out(op, 0);
	uint32_t lowest = (rnv_op_out_rec(op, 0)->type == RNV_TYPE_INT8) ? 0x80u : 0u;

	for (uint32_t i = 0; i < (uint32_t)p->elements; i++) {
		int32_t value = in[i];
		uint32_t count = 0;

		for (uint32_t step = (THRESHOLDS + 1u) / 2u; step != 0u; step /= 2u) {
			if (thresholds[count + step - 1u] <= value) {
				count += step;
			}
		}
		out[i] = (uint8_t)(count + lowest);
	}
}

const struct rnv_kernel rnv_quantize_s16 = {.check = check, .run = run};
