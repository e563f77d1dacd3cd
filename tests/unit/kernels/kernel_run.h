/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef TESTS_UNIT_KERNELS_KERNEL_RUN_H_
#define TESTS_UNIT_KERNELS_KERNEL_RUN_H_

/*
 * Runs the op of a fixture on memory that has exactly the operands' sizes, so that the address
 * sanitizer sees every access beyond them.
 */

#include <stdlib.h>

#include "kernel_fixture.h"

/*
 * Expect check() to give `mask` and run() to turn `inputs`, one array for each input, into
 * `expected`.
 */
static inline void must_give(const struct rnv_kernel *kernel, struct fixture *f, int mask,
			     const void *const *inputs, const void *expected)
{
	struct rnv_exec exec = {0};
	void *externals[FIXTURE_TENSORS];
	uint16_t out = f->rec.input_count;

	for (uint16_t i = 0; i <= out; i++) {
		f->tensors[i].storage = RNV_STORAGE_EXTERNAL;
		f->tensors[i].offset = i;
		externals[i] = malloc(f->tensors[i].bytes);
		assert_non_null(externals[i]);
		if (i < out) {
			memcpy(externals[i], inputs[i], f->tensors[i].bytes);
		}
	}
	exec.pkg = &f->pkg;
	exec.externals = externals;
	assert_int_equal(kernel->check(&f->op), mask);
	f->op.exec = &exec;
	kernel->run(&f->op);
	f->op.exec = NULL;
	assert_memory_equal(externals[out], expected, f->tensors[out].bytes);
	for (uint16_t i = 0; i <= out; i++) {
		free(externals[i]);
	}
}

#endif /* TESTS_UNIT_KERNELS_KERNEL_RUN_H_ */
