/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_KERNELS_KERNEL_H_
#define RNV_KERNELS_KERNEL_H_

/**
 * @file
 * @brief What a kernel is, and what it may look at.
 *
 * A kernel is one op of ops.txt in one file: `check()` proves, once, when a package is opened, that
 * parameters, streams and operands fit each other; `run()` then trusts that structure. Neither
 * trusts *data*: activations and weights are never an unclamped index, and sums are formed in
 * `uint32_t` so that hostile weights wrap instead of being undefined.
 *
 * The verifier has checked before it calls `check()`: the record's ranges lie inside their sections
 * and the arena; operand numbers exist; every operand is dense, has `bytes` equal to its elements
 * times its element size; scratch and outputs overlap no live tensor (but a declared alias).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ranvier/exec.h"
#include "ranvier/package.h"
#include "ranvier/status.h"

/** An op of an opened package, and the context that runs it (NULL during `check()`). */
struct rnv_op {
	const struct rnv_package *pkg;
	const struct rnv_op_rec *rec;
	const struct rnv_exec *exec;
};

/** One row of the kernel table. Constant, shared by all threads. */
struct rnv_kernel {
	/**
	 * Prove that the op's record fits its operands.
	 *
	 * Bounded by the number of parameters and channels; no allocation; at most 96 bytes of
	 * stack with everything it calls.
	 *
	 * @return a mask of the inputs (bit i: input i) that output 0 may replace in place, i.e.
	 *         start at the same address, although it is still read by this op
	 * @retval RNV_EFORMAT parameters, streams and operands do not fit each other
	 */
	int (*check)(const struct rnv_op *op);

	/** Compute the outputs. Never fails, blocks or keeps anything between calls. */
	void (*run)(const struct rnv_op *op);
};

/** Highest op code + 1 of the generated table. */
extern const uint16_t rnv_kernel_limit;

/** Kernel of every op code below @ref rnv_kernel_limit; NULL where it is not linked. Generated. */
extern const struct rnv_kernel *const rnv_kernel_table[];

/** Name of every op code below @ref rnv_kernel_limit; NULL where it is not linked. Generated. */
extern const char *const rnv_kernel_names[];

/** Parameters: `rec->params_bytes / 4` words. */
static inline const int32_t *rnv_op_params(const struct rnv_op *op)
{
	return op->pkg->params + op->rec->params_offset / 4u;
}

/** Weight stream: `rec->weights_bytes` bytes, 16-byte aligned. */
static inline const uint8_t *rnv_op_weights(const struct rnv_op *op)
{
	return op->pkg->weights + op->rec->weights_offset;
}

/** Record of input `i`; the caller keeps `i` below `rec->input_count`. */
static inline const struct rnv_tensor_rec *rnv_op_in_rec(const struct rnv_op *op, uint32_t i)
{
	return &op->pkg->tensors[op->pkg->operands[op->rec->operand_first + i]];
}

/** Record of output `i`; the caller keeps `i` below `rec->output_count`. */
static inline const struct rnv_tensor_rec *rnv_op_out_rec(const struct rnv_op *op, uint32_t i)
{
	return rnv_op_in_rec(op, op->rec->input_count + i);
}

/** Address of input `i`. */
const void *rnv_op_in(const struct rnv_op *op, uint32_t i);

/** Address of output `i`. */
void *rnv_op_out(const struct rnv_op *op, uint32_t i);

/** Scratch: `rec->scratch_bytes` bytes of the arena, 16-byte aligned, undefined before `run()`. */
void *rnv_op_scratch(const struct rnv_op *op);

/** True where the op has exactly these numbers of inputs, outputs and parameter words. */
bool rnv_op_has(const struct rnv_op *op, uint32_t inputs, uint32_t outputs, uint32_t params);

/** True where every one of `count` words lies in `low .. high`. */
bool rnv_words_within(const int32_t *words, uint32_t count, int32_t low, int32_t high);

/** Product of `count` words that are known to be positive, or 0 where it exceeds 2^31 - 1. */
uint32_t rnv_product(const int32_t *words, uint32_t count);

/** True where operand `rec` has this type and exactly this number of elements (not zero). */
bool rnv_tensor_is(const struct rnv_tensor_rec *rec, uint8_t type, uint32_t elements);

/** Bytes of one element of a valid type. */
uint32_t rnv_type_bytes(uint8_t type);

#endif /* RNV_KERNELS_KERNEL_H_ */
