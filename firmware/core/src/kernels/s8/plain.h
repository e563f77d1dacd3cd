/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_S8_PLAIN_H_
#define RNV_KERNELS_S8_PLAIN_H_

/**
 * @file
 * @brief Checks that the ops with one output and no scratch share.
 */

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kernel.h"

/** True where the op has these counts, a weight stream of this size, one output and no scratch. */
bool rnv_op_plain(const struct rnv_op *op, uint32_t inputs, uint32_t params,
		  uint32_t weights_bytes);

/** True where operand `rec` is int8 or uint8 with exactly `elements` elements (not zero). */
bool rnv_tensor_is_byte(const struct rnv_tensor_rec *rec, uint32_t elements);

#endif /* RNV_KERNELS_S8_PLAIN_H_ */
