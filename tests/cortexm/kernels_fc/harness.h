/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef KERNELS_FC_HARNESS_H_
#define KERNELS_FC_HARNESS_H_

/* Random numbers, guarded memory and one op without a package, for programs without a library. */

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kernel.h"

/* xorshift32; the same sequence on every machine. */
uint32_t random_word(void);

/* A number in low .. high. */
int32_t random_in(int32_t low, int32_t high);

/* Random values in low .. high; now and then only the ends of that range. */
void random_values(int8_t *values, uint32_t count, int32_t low, int32_t high);

/* Memory between guards, `misalign` bytes behind a 16-byte boundary; lives until the next case. */
void *guarded(uint32_t bytes, uint32_t misalign);

/* Begin the case `name` `number`: what guarded() gave is free again. */
void begin_case(const char *name, uint32_t number);

/* Fail the case with a message unless `ok`. */
void expect(bool ok, const char *what);

/* Fail the case with the first difference. */
void expect_bytes(const int8_t *got, const int8_t *wanted, uint32_t count, const char *what);

/* End the case: check all guards. */
void end_case(void);

/* Print the numbers of cases and failures; the program's exit code. */
int report(void);

void print(const char *text);
void print_number(const char *name, int32_t value);

/* One op: its operands are int8 tensors at these addresses, dense ones unless the test changes
 * them. */
#define OP_OPERANDS 4

struct test_op {
	struct rnv_package pkg;
	struct rnv_op_rec rec;
	struct rnv_exec exec;
	struct rnv_op op;
	struct rnv_tensor_rec tensors[OP_OPERANDS];
	uint16_t operands[OP_OPERANDS];
	void *data[OP_OPERANDS];
};

/* An op with `count` parameter words at `params` and a stream; `t` stays where it is. */
void op_init(struct test_op *t, const void *params, uint32_t count, const void *weights,
	     uint32_t weights_bytes, uint32_t scratch_bytes);

/* Append an operand of `bytes` bytes at `data`; inputs first, one output last. */
void op_operand(struct test_op *t, void *data, uint32_t bytes, bool output);

/* Expect check() to give `mask`, and to refuse another size of the stream or of an operand. */
void op_check(struct test_op *t, const struct rnv_kernel *kernel, int mask);

/* The reference's requantisation, as gemmlowp writes it: m in Q31, shift -31..30. */
int32_t reference_requantize(int32_t x, int32_t m, int32_t shift);

/* clamp() and floor division by a power of two of 64-bit numbers. */
int64_t clamped(int64_t x, int64_t low, int64_t high);
int64_t floor_shift(int64_t x, uint32_t bits);

/* The high word of a product, as a mathematician divides. */
int32_t high_word(int32_t a, int32_t b);

void test_fully_connected(uint32_t cases);
void test_add(uint32_t cases);
void test_pool(uint32_t cases);
void test_softmax(uint32_t cases);
void test_winograd(uint32_t cases);

#endif /* KERNELS_FC_HARNESS_H_ */
