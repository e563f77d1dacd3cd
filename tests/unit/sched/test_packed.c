/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* RNV_JOB_PACKED, all tensors in one block, and rnv_model_layout(), which says how large it is. */

#include "sched_fixture.h"

/* x at 0, y at the next multiple of 16. */
#define Y_AT        16
#define BLOCK_BYTES (Y_AT + Y_BYTES)

static _Alignas(16) int8_t block[BLOCK_BYTES + 16];
static struct rnv_buffer whole = {block, BLOCK_BYTES};

static struct rnv_job_request packed(uint32_t lane, uintptr_t context)
{
	struct rnv_job_request request = request_of(0, lane, RNV_NEVER, context);

	memset(block, 0x55, sizeof(block));
	memcpy(block, golden_input, X_BYTES);
	whole = (struct rnv_buffer){block, BLOCK_BYTES};
	request.flags = RNV_JOB_PACKED;
	request.buffers = &whole;
	request.buffer_count = 1;
	return request;
}

/* The output is where it belongs, and nothing else was written. */
static void assert_block(void)
{
	int8_t expected[sizeof(block)];

	memset(expected, 0x55, sizeof(expected));
	memcpy(expected, golden_input, X_BYTES);
	expected_output(golden_input, expected + Y_AT);
	assert_memory_equal(block, expected, sizeof(block));
}

static void test_a_packed_job(void **state)
{
	struct rnv_job_request request = packed(1, 7);

	(void)state;
	assert_int_equal(rnv_job_submit(&b.sched, &request, NULL), RNV_OK);
	assert_ptr_equal(b.jobs[0].externals[0], block);
	assert_ptr_equal(b.jobs[0].externals[1], block + Y_AT);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){7}, 1);
	assert_int_equal(b.done[0].status, RNV_OK);
	assert_block();
}

static void refused(const struct rnv_job_request *request, int status)
{
	assert_int_equal(rnv_job_submit(&b.sched, request, NULL), status);
	assert_int_equal(info_of(0).jobs, 0);
}

static void test_wrong_blocks(void **state)
{
	struct rnv_job_request request = packed(1, 7);

	(void)state;
	whole.bytes = BLOCK_BYTES - 1;
	refused(&request, RNV_EINVAL);
	whole.bytes = X_BYTES - 1;
	refused(&request, RNV_EINVAL);
	whole.bytes = 0;
	refused(&request, RNV_EINVAL);
	whole = (struct rnv_buffer){block + 8, BLOCK_BYTES};
	refused(&request, RNV_EALIGN);
	whole = (struct rnv_buffer){NULL, BLOCK_BYTES};
	refused(&request, RNV_EINVAL);
	whole = (struct rnv_buffer){block, BLOCK_BYTES};
	request.buffer_count = 0;
	refused(&request, RNV_EINVAL);
	request.buffer_count = 2;
	refused(&request, RNV_EINVAL);
	request.buffer_count = 1;
	request.buffers = NULL;
	refused(&request, RNV_EINVAL);
	request.buffers = &whole;
	request.flags = 0; /* one buffer where there are two tensors */
	refused(&request, RNV_EINVAL);
	request.flags = RNV_JOB_PACKED;
	whole.bytes = UINT32_MAX; /* more than is needed */
	assert_int_equal(rnv_job_submit(&b.sched, &request, NULL), RNV_OK);
	rnv_sched_run(&b.sched);
	assert_block();
}

/* A model whose sizes do not fit 32 bits: no sum wraps. */
static void test_sizes_beyond_32_bits(void **state)
{
	static const uint32_t sizes[] = {UINT32_MAX, UINT32_MAX - 14, UINT32_MAX - 15};
	struct rnv_job_request request = packed(1, 7);
	struct rnv_model_layout layout;

	(void)state;
	whole.bytes = UINT32_MAX;
	for (uint32_t i = 0; i < 2; i++) {
		b.images[0].tensors[T_X].bytes = sizes[i];
		refused(&request, RNV_EINVAL);
		assert_int_equal(rnv_model_layout(&b.sched, b.model[0], 0, &layout), RNV_EOVERFLOW);
	}
	b.images[0].tensors[T_X].bytes = sizes[2];
	assert_int_equal(rnv_model_layout(&b.sched, b.model[0], 0, &layout), RNV_OK);
	assert_int_equal(layout.bytes, UINT32_MAX - 15 + Y_BYTES);
	assert_int_equal(info_of(0).jobs, 0);
}

/* A packed job takes the slot of one that is dropped for it. */
static void test_a_packed_job_in_place_of_another(void **state)
{
	struct rnv_job_request request;

	(void)state;
	bench_init();
	b.config.job_count = DEPTH;
	b.configs[1].overload = RNV_OVERLOAD_DROP_OLDEST;
	bench_start();
	open_model(0, 0x7);
	for (uintptr_t i = 0; i < DEPTH; i++) {
		(void)submit(0, 1, RNV_NEVER, i);
	}
	request = packed(1, 9);
	whole.bytes--; /* wrong: drops none */
	assert_int_equal(rnv_job_submit(&b.sched, &request, NULL), RNV_EINVAL);
	assert_int_equal(b.done_count, 0);
	whole.bytes++;
	assert_int_equal(rnv_job_submit(&b.sched, &request, NULL), RNV_OK);
	assert_int_equal(b.done[0].status, RNV_ENOBUFS);
	rnv_sched_run(&b.sched);
	assert_order((uintptr_t[]){0, 1, 2, 3, 9}, 5);
	assert_block();
}

/* With a resident input there is the output alone. */
static void test_resident_tensors_are_left_out(void **state)
{
	struct rnv_job_request request = packed(1, 7);
	struct rnv_model_layout layout;

	(void)state;
	b.images[0].tensors[T_X].storage = RNV_STORAGE_ARENA;
	assert_int_equal(rnv_model_layout(&b.sched, b.model[0], 0, &layout), RNV_OK);
	assert_int_equal(layout.bytes, Y_BYTES);
	assert_int_equal(layout.inputs, 1);
	assert_int_equal(layout.tensor_bytes[0], 0);
	assert_int_equal(layout.tensor_bytes[1], Y_BYTES);
	whole.bytes = Y_BYTES;
	assert_int_equal(rnv_job_submit(&b.sched, &request, NULL), RNV_OK);
	assert_ptr_equal(b.jobs[0].externals[1], block);
}

static void test_layout(void **state)
{
	struct rnv_model_layout layout;

	(void)state;
	memset(&layout, 0xA5, sizeof(layout));
	assert_int_equal(rnv_model_unbind(&b.sched, b.model[0], 1), RNV_OK);
	assert_int_equal(rnv_model_layout(&b.sched, b.model[0], 0, &layout), RNV_OK);
	assert_int_equal(layout.lanes, 0x5);
	assert_int_equal(layout.bytes, BLOCK_BYTES);
	assert_int_equal(layout.inputs, 1);
	assert_int_equal(layout.outputs, 1);
	assert_int_equal(layout.tensor_bytes[0], X_BYTES);
	assert_int_equal(layout.tensor_bytes[1], Y_BYTES);
	for (uint32_t i = 2; i < RNV_LAYOUT_TENSORS; i++) {
		assert_int_equal(layout.tensor_bytes[i], 0);
	}
	assert_int_equal(info_of(0).jobs, 0);
	assert_int_equal(rnv_model_layout(&b.sched, b.model[0], 1, &layout), RNV_EINVAL);
	assert_int_equal(rnv_model_layout(&b.sched, b.model[0], UINT32_MAX, &layout), RNV_EINVAL);
	assert_int_equal(rnv_model_layout(&b.sched, b.model[0] + 1, 0, &layout), RNV_ENOENT);
	assert_int_equal(rnv_model_layout(&b.sched, RNV_NO_HANDLE, 0, &layout), RNV_ENOENT);
	assert_int_equal(info_of(0).jobs, 0);
	assert_int_equal(layout.bytes, BLOCK_BYTES); /* untouched by errors */
}

/* More tensors than a description has room for: the others count in the sum. */
static void test_layout_of_many_tensors(void **state)
{
	struct rnv_model_layout layout;

	(void)state;
	/* 7 inputs and 8 outputs, x and y by turns: not a model, but it is described as one. */
	b.images[0].entry.input_first = 0;
	b.images[0].entry.input_count = 7;
	b.images[0].entry.output_first = 0;
	b.images[0].entry.output_count = 8;
	for (uint32_t i = 0; i < 8; i++) {
		b.images[0].operands[i] = (i % 2u != 0u) ? T_Y : T_X;
	}
	assert_int_equal(rnv_model_layout(&b.sched, b.model[0], 0, &layout), RNV_OK);
	assert_int_equal(layout.inputs, 7);
	assert_int_equal(layout.outputs, 8);
	assert_int_equal(layout.bytes, 14 * 16 + Y_BYTES);
	assert_int_equal(layout.tensor_bytes[6], X_BYTES);
	assert_int_equal(layout.tensor_bytes[7], X_BYTES);
	assert_int_equal(layout.tensor_bytes[8], Y_BYTES);
	assert_int_equal(layout.tensor_bytes[11], X_BYTES); /* the fifth output */
}

static int drained;

static void drain_between(void)
{
	between = NULL;
	drained = rnv_model_drain(&b.sched, b.model[0], RNV_DRAIN_FINISH);
}

/* It keeps a model that is drained at that moment, and tells who waits; a drained one it leaves. */
static void test_layout_and_drain(void **state)
{
	struct rnv_model_config config = model_config(0, 0);
	struct rnv_model_layout layout;
	uint32_t old = b.model[0];
	struct rnv_diag diag;

	(void)state;
	between = drain_between; /* behind the critical section that keeps the model */
	assert_int_equal(rnv_model_layout(&b.sched, b.model[0], 0, &layout), RNV_OK);
	assert_int_equal(drained, RNV_EAGAIN);
	assert_int_equal(b.completed_count, 1);
	assert_int_equal(rnv_model_drain(&b.sched, b.model[0], RNV_DRAIN_FINISH), RNV_OK);
	assert_int_equal(rnv_model_layout(&b.sched, b.model[0], 0, &layout), RNV_ESTATE);
	assert_int_equal(b.completed_count, 1);
	assert_int_equal(rnv_model_swap(&b.sched, &config, &b.model[0], NULL, &diag), RNV_OK);
	assert_int_equal(rnv_model_layout(&b.sched, old, 0, &layout), RNV_ENOENT);
	assert_int_equal(rnv_model_layout(&b.sched, b.model[0], 0, &layout), RNV_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_a_packed_job, bench_setup),
		cmocka_unit_test_setup(test_wrong_blocks, bench_setup),
		cmocka_unit_test_setup(test_sizes_beyond_32_bits, bench_setup),
		cmocka_unit_test_setup(test_a_packed_job_in_place_of_another, bench_setup),
		cmocka_unit_test_setup(test_resident_tensors_are_left_out, bench_setup),
		cmocka_unit_test_setup(test_layout, bench_setup),
		cmocka_unit_test_setup(test_layout_of_many_tensors, bench_setup),
		cmocka_unit_test_setup(test_layout_and_drain, bench_setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
