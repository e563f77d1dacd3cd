/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef TESTS_UNIT_KERNELS_KERNEL_FIXTURE_H_
#define TESTS_UNIT_KERNELS_KERNEL_FIXTURE_H_

/*
 * One op with everything that a kernel's check() looks at, without a package. A test describes a
 * valid op with the functions below, then spoils one thing at a time with a table of `struct spoil`
 * and expects check() to refuse each.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/kernel.h"

#define FIXTURE_TENSORS 8
#define FIXTURE_PARAMS  64
#define FIXTURE_WEIGHTS 4096

struct fixture {
	struct rnv_package pkg;
	struct rnv_op_rec rec;
	struct rnv_op op;
	struct rnv_tensor_rec tensors[FIXTURE_TENSORS];
	uint16_t operands[FIXTURE_TENSORS];
	int32_t params[FIXTURE_PARAMS];
	_Alignas(16) uint8_t weights[FIXTURE_WEIGHTS];
};

/* A parameter word and a value that check() must refuse. */
struct spoil {
	const char *why;
	uint32_t word;
	int32_t value;
};

/* Leading parameter words of every op with a window (window.h). */
enum {
	BATCH,
	IN_H,
	IN_W,
	IN_C,
	OUT_H,
	OUT_W,
	FILTER_H,
	FILTER_W,
	STRIDE_H,
	STRIDE_W,
	PAD_TOP,
	PAD_LEFT,
	WINDOW_WORDS
};

/* An op without operands, parameters, weights and scratch; `f` stays where it is from now on. */
static inline void fixture_init(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	f->pkg.tensors = f->tensors;
	f->pkg.operands = f->operands;
	f->pkg.params = f->params;
	f->pkg.weights = f->weights;
	f->op.pkg = &f->pkg;
	f->op.rec = &f->rec;
}

/* Append an operand of `elements`; all inputs come before the first output. */
static inline void fixture_operand(struct fixture *f, uint8_t type, uint32_t elements,
				   int is_output)
{
	uint16_t tensor = f->pkg.tensor_count++;

	assert_true(tensor < FIXTURE_TENSORS);
	f->operands[tensor] = tensor;
	f->tensors[tensor].type = type;
	f->tensors[tensor].rank = 1;
	f->tensors[tensor].dims[0] = elements;
	f->tensors[tensor].bytes = elements * rnv_type_bytes(type);
	if (is_output) {
		f->rec.output_count++;
	} else {
		f->rec.input_count++;
	}
}

static inline void fixture_params(struct fixture *f, const int32_t *words, uint32_t count)
{
	assert_true(count <= FIXTURE_PARAMS);
	memset(f->params, 0x80, sizeof(f->params)); /* refused where they are read */
	memcpy(f->params, words, count * sizeof(*words));
	f->rec.params_bytes = (uint16_t)(count * sizeof(*words));
}

/* Expect check() to refuse the op as it stands. */
static inline void must_refuse(const struct rnv_kernel *kernel, const struct fixture *f,
			       const char *why)
{
	int status = kernel->check(&f->op);

	if (status != RNV_EFORMAT) {
		print_error("%s: check() answered %d\n", why, status);
	}
	assert_int_equal(status, RNV_EFORMAT);
}

/* Expect check() to give `mask`, and to refuse every spoilt word. */
static inline void must_refuse_words(const struct rnv_kernel *kernel, struct fixture *f, int mask,
				     const struct spoil *spoils, uint32_t count)
{
	assert_int_equal(kernel->check(&f->op), mask);
	for (uint32_t i = 0; i < count; i++) {
		int32_t kept = f->params[spoils[i].word];

		f->params[spoils[i].word] = spoils[i].value;
		must_refuse(kernel, f, spoils[i].why);
		f->params[spoils[i].word] = kept;
	}
}

/* Expect check() to give `mask`, to refuse every spoilt word, and wrong sizes, counts and types. */
static inline void must_refuse_all(const struct rnv_kernel *kernel, struct fixture *f, int mask,
				   const struct spoil *spoils, uint32_t count)
{
	must_refuse_words(kernel, f, mask, spoils, count);
	for (uint16_t i = 0; i < f->pkg.tensor_count; i++) {
		uint8_t type = f->tensors[i].type;

		f->tensors[i].bytes++;
		must_refuse(kernel, f, "a byte too many in an operand");
		f->tensors[i].bytes--;
		f->tensors[i].type = RNV_TYPE_UINT8;
		must_refuse(kernel, f, "an operand of another type");
		f->tensors[i].type = type;
	}
	f->rec.params_bytes += 4;
	must_refuse(kernel, f, "a parameter too many");
	f->rec.params_bytes -= 8;
	must_refuse(kernel, f, "a parameter missing");
	f->rec.params_bytes += 4;
	f->rec.weights_bytes++;
	must_refuse(kernel, f, "a weight byte too many");
	f->rec.weights_bytes--;
	f->rec.scratch_bytes++;
	must_refuse(kernel, f, "a scratch byte too many");
	f->rec.scratch_bytes--;
	f->rec.input_count++;
	must_refuse(kernel, f, "an operand too many");
	f->rec.input_count--;
	assert_int_equal(kernel->check(&f->op), mask);
}

#endif /* TESTS_UNIT_KERNELS_KERNEL_FIXTURE_H_ */
