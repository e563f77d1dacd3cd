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
 * and the arena; operand numbers exist; a dense operand has `bytes` equal to its elements times its
 * element size. Images in another layout may hold only some rows, and some bytes of slack: so a
 * kernel compares operands by rnv_tensor_is() or rnv_view_ok(), never by `bytes`. That buffers do
 * not overlap is proven afterwards.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ranvier/exec.h"
#include "ranvier/package.h"
#include "ranvier/status.h"

/**
 * An op of an opened package, and the context that runs it (NULL during `check()`).
 *
 * `rows` is 0 where the whole op runs, which is always so for a kernel without `reach`. Else only
 * the output rows `row0 .. row0 + rows - 1` are computed.
 */
struct rnv_op {
	const struct rnv_package *pkg;
	const struct rnv_op_rec *rec;
	const struct rnv_exec *exec;
	uint32_t row0;
	uint32_t rows;
};

/**
 * Which rows of its inputs an op reads for a row of its output: for row y the rows
 * `y * stride - before .. y * stride - before + extent - 1`, as far as they exist.
 */
struct rnv_reach {
	uint32_t in_rows;  /**< rows of every input */
	uint32_t out_rows; /**< rows of output 0 */
	uint16_t stride;
	uint16_t before;
	uint16_t extent;
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

	/**
	 * Compute the outputs. Never fails, blocks or keeps anything between calls.
	 *
	 * Another core may write the caller's inputs and outputs meanwhile: what of them becomes
	 * part of an address is read once, or leads nowhere else whatever it is.
	 */
	void (*run)(const struct rnv_op *op);

	/**
	 * For kernels that can run by rows, after `check()`: what a row needs. Else NULL.
	 *
	 * `check()` must have proven that row y of a tensor's record is what the kernel takes for
	 * its row y: the proof that rows are there counts those of the record.
	 */
	void (*reach)(const struct rnv_op *op, struct rnv_reach *reach);

	/** Packing of the weight stream that the kernel decodes (`enum rnv_isa`). */
	uint8_t packing;
};

/** A kernel that is linked, and what it is called in ops.txt. */
struct rnv_kernel_row {
	const struct rnv_kernel *kernel;
	const char *name;
	uint16_t code;
};

/** The kernels that are linked, by ascending code. Generated. */
extern const struct rnv_kernel_row rnv_kernel_rows[];

/** Number of @ref rnv_kernel_rows. Generated. */
extern const uint16_t rnv_kernel_count;

/** Of each code up to the last one that is linked: its row plus 1, or 0. Generated. */
extern const uint8_t rnv_kernel_index[];

/** Row of an op code; NULL where no kernel for it is linked. */
const struct rnv_kernel_row *rnv_kernel_find(uint32_t code);

/** Kernel of an op record whose code was found to be linked. */
const struct rnv_kernel *rnv_kernel_of(const struct rnv_op_rec *rec);

/** Parameters: `rec->params_bytes / 4` words. */
static inline const int32_t *rnv_op_params(const struct rnv_op *op)
{
	return (const int32_t *)(const void *)((const uint8_t *)op->pkg->params +
					       op->rec->params_offset);
}

/** Weight stream: `rec->weights_bytes` bytes, 16-byte aligned. */
static inline const uint8_t *rnv_op_weights(const struct rnv_op *op)
{
	return op->pkg->weights + op->rec->weights_offset;
}

/** Record of operand `i`, inputs before outputs; the caller keeps `i` below their number. */
const struct rnv_tensor_rec *rnv_op_in_rec(const struct rnv_op *op, uint32_t i);

/** Record of output `i`; the caller keeps `i` below `rec->output_count`. */
const struct rnv_tensor_rec *rnv_op_out_rec(const struct rnv_op *op, uint32_t i);

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

/** Bytes of all elements of a valid record, without slack and as if no row were left out. */
uint32_t rnv_tensor_elements_bytes(const struct rnv_tensor_rec *rec);

/** True where the bytes of operand `rec` are all elements and nothing else. */
bool rnv_tensor_is_whole(const struct rnv_tensor_rec *rec);

/** True where operand `rec` has this type and exactly this number of elements (not zero). */
bool rnv_tensor_is(const struct rnv_tensor_rec *rec, uint8_t type, uint32_t elements);

/** True where operand `number` is int8 and as many elements as the product of positive words. */
bool rnv_op_is_int8(const struct rnv_op *op, uint32_t number, const int32_t *sizes, uint32_t count);

/** Bytes of one element of a valid type. */
uint32_t rnv_type_bytes(uint8_t type);

#endif /* RNV_KERNELS_KERNEL_H_ */
