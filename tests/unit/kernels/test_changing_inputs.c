/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Inputs that another core changes while a kernel reads them: of the kernels that address memory by
 * data. What comes out is of no interest, the sanitizer sees what is read: tables and inputs are
 * memory of exactly their size.
 */

#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "kernel_fixture.h"
#include "ranvier/result.h"

#define CHANGES 1000000

extern const struct rnv_kernel rnv_softmax_s8;
extern const struct rnv_kernel rnv_nms;
extern const struct rnv_kernel rnv_pcan;
extern const struct rnv_kernel rnv_filter_bank_log;

/* Somebody who writes one value or another at any of `count` places. */
struct changer {
	void *data;
	uint32_t bytes; /* of a value: 1 or 4 */
	uint32_t count;
	uint32_t values[2];
	_Atomic uint32_t changes;
	_Atomic int stop;
};

static void *change(void *context)
{
	struct changer *changer = context;
	uint32_t seed = 1;

	while (atomic_load(&changer->stop) == 0) {
		uint32_t value;
		uint32_t place;

		seed = seed * 1664525u + 1013904223u;
		value = changer->values[seed >> 31];
		place = (seed >> 8) % changer->count;
		if (changer->bytes == 1u) {
			((volatile uint8_t *)changer->data)[place] = (uint8_t)value;
		} else {
			((volatile uint32_t *)changer->data)[place] = value;
		}
		atomic_fetch_add_explicit(&changer->changes, 1, memory_order_relaxed);
	}
	return NULL;
}

/* Run an op again and again while one of its inputs changes. */
static void run_changing(const struct rnv_kernel *kernel, struct fixture *f, int mask,
			 uint16_t input, struct changer *changer)
{
	void *weights = malloc(f->rec.weights_bytes != 0u ? f->rec.weights_bytes : 1u);
	struct rnv_exec exec = {0};
	void *externals[FIXTURE_TENSORS];
	pthread_t thread;

	memcpy(weights, f->weights, f->rec.weights_bytes);
	f->pkg.weights = weights;
	for (uint16_t i = 0; i < f->pkg.tensor_count; i++) {
		f->tensors[i].storage = RNV_STORAGE_EXTERNAL;
		f->tensors[i].offset = i;
		externals[i] = calloc(1, f->tensors[i].bytes);
		assert_non_null(externals[i]);
	}
	exec.pkg = &f->pkg;
	exec.externals = externals;
	assert_int_equal(kernel->check(&f->op), mask);
	f->op.exec = &exec;
	changer->data = externals[input];
	changer->count = f->tensors[input].bytes / changer->bytes;
	assert_int_equal(pthread_create(&thread, NULL, change, changer), 0);
	while (atomic_load(&changer->changes) < CHANGES) {
		kernel->run(&f->op);
	}
	atomic_store(&changer->stop, 1);
	assert_int_equal(pthread_join(thread, NULL), 0);
	for (uint16_t i = 0; i < f->pkg.tensor_count; i++) {
		free(externals[i]);
	}
	free(weights);
}

/* An input that is raised above its row's highest, once that was found. */
static void test_softmax(void **state)
{
	static const int32_t words[] = {1, 4095};
	struct changer changer = {.bytes = 1, .values = {(uint8_t)-4, 4}};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	fixture_operand(&f, RNV_TYPE_INT8, 4095, 0);
	fixture_operand(&f, RNV_TYPE_INT8, 4095, 1);
	fixture_params(&f, words, 2);
	f.rec.weights_bytes = 1024;
	run_changing(&rnv_softmax_s8, &f, 1, 0, &changer);
}

/* The number of entries, right when it is checked. */
static void test_nms(void **state)
{
	static const int32_t words[] = {4, 4, 0, 0};
	struct changer changer = {.bytes = 4, .values = {4, INT32_MAX}};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	fixture_operand(&f, RNV_TYPE_INT32, 1, 0);
	fixture_operand(&f, RNV_TYPE_INT16, 4 * RNV_DETECTION_WORDS, 0);
	fixture_operand(&f, RNV_TYPE_INT32, 1, 1);
	fixture_operand(&f, RNV_TYPE_INT16, 4 * RNV_DETECTION_WORDS, 1);
	fixture_params(&f, words, 4);
	run_changing(&rnv_nms, &f, 0, 0, &changer);
}

/* Values whose highest bit is a place in a table. */
static void test_signal_tables(void **state)
{
	static const int32_t pcan[] = {256, 6};
	static const int32_t logarithm[] = {256, 0, 0};
	struct changer changer = {.bytes = 4, .values = {0, UINT32_MAX}};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	fixture_operand(&f, RNV_TYPE_UINT32, 256, 0);
	fixture_operand(&f, RNV_TYPE_UINT32, 256, 0);
	fixture_operand(&f, RNV_TYPE_UINT32, 256, 1);
	fixture_params(&f, pcan, 2);
	f.rec.weights_bytes = 250;
	run_changing(&rnv_pcan, &f, 3, 1, &changer);
	fixture_init(&f);
	fixture_operand(&f, RNV_TYPE_UINT32, 256, 0);
	fixture_operand(&f, RNV_TYPE_INT16, 256, 1);
	fixture_params(&f, logarithm, 3);
	f.rec.weights_bytes = 258;
	atomic_store(&changer.stop, 0);
	atomic_store(&changer.changes, 0);
	run_changing(&rnv_filter_bank_log, &f, 1, 0, &changer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_softmax),
		cmocka_unit_test(test_nms),
		cmocka_unit_test(test_signal_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
