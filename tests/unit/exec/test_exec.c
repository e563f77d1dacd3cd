/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Execution of a small package, judged by integer arithmetic done by hand (the fixture). */

#include "../model/package_fixture.h"

#define CANARY 0xC5

static struct image image;
static struct rnv_package pkg;

/* A context with memory of exactly the sizes that the package states. */
struct context {
	struct rnv_exec exec;
	_Alignas(16) uint8_t arena[ARENA_BYTES];
	void *slots[2];
	int8_t x[X_BYTES];
	int8_t y[Y_BYTES];
};

static int setup(void **state)
{
	(void)state;
	image_open(&image, &pkg);
	return 0;
}

static void prepare(struct context *c)
{
	assert_int_equal(rnv_exec_init(&c->exec, &pkg, c->arena, ARENA_BYTES, c->slots, 2), RNV_OK);
	assert_int_equal(rnv_exec_bind(&c->exec, T_X, c->x, X_BYTES), RNV_OK);
	assert_int_equal(rnv_exec_bind(&c->exec, T_Y, c->y, Y_BYTES), RNV_OK);
}

static void random_input(int8_t *x, uint32_t seed)
{
	for (int i = 0; i < X_BYTES; i++) {
		seed = seed * 1664525u + 1013904223u;
		x[i] = (int8_t)(seed >> 24);
	}
}

static void assert_expected(const int8_t *x, const int8_t *y)
{
	int8_t expected[Y_BYTES];

	expected_output(x, expected);
	assert_memory_equal(y, expected, Y_BYTES);
}

static void test_run(void **state)
{
	struct context c;

	(void)state;
	prepare(&c);
	for (uint32_t seed = 0; seed < 200; seed++) {
		random_input(c.x, seed);
		assert_int_equal(rnv_exec_run(&c.exec, 0), RNV_OK);
		assert_expected(c.x, c.y);
		assert_int_equal(rnv_exec_next(&c.exec), OP_COUNT);
	}
}

static void test_steps(void **state)
{
	struct context c;

	(void)state;
	prepare(&c);
	random_input(c.x, 1);
	assert_int_equal(rnv_exec_start(&c.exec, 0), RNV_OK);
	assert_int_equal(rnv_exec_next(&c.exec), 0);
	assert_int_equal(rnv_exec_step(&c.exec), 1);
	assert_int_equal(rnv_exec_next(&c.exec), 1);
	assert_int_equal(rnv_exec_step(&c.exec), 1);
	assert_int_equal(rnv_exec_step(&c.exec), 0);
	assert_int_equal(rnv_exec_next(&c.exec), OP_COUNT);
	assert_expected(c.x, c.y);
	assert_int_equal(rnv_exec_step(&c.exec), RNV_ESTATE);
	assert_int_equal(rnv_exec_next(&c.exec), OP_COUNT);
}

static void test_init_arguments(void **state)
{
	struct context c;
	struct rnv_exec *e = &c.exec;

	(void)state;
	assert_int_equal(rnv_exec_init(NULL, &pkg, c.arena, ARENA_BYTES, c.slots, 2), RNV_EINVAL);
	assert_int_equal(rnv_exec_init(e, NULL, c.arena, ARENA_BYTES, c.slots, 2), RNV_EINVAL);
	assert_int_equal(rnv_exec_init(e, &pkg, NULL, ARENA_BYTES, c.slots, 2), RNV_EINVAL);
	assert_int_equal(rnv_exec_init(e, &pkg, c.arena, ARENA_BYTES, NULL, 2), RNV_EINVAL);
	assert_int_equal(rnv_exec_init(e, &pkg, c.arena, ARENA_BYTES, c.slots, 1), RNV_ENOMEM);
	assert_int_equal(rnv_exec_init(e, &pkg, c.arena, ARENA_BYTES, c.slots, 0), RNV_ENOMEM);
	assert_int_equal(rnv_exec_init(e, &pkg, c.arena, ARENA_BYTES, c.slots, 2), RNV_OK);
}

/* Case 13: need - 1, 0 and 15 bytes, and every size from the need on. */
static void test_arena_sizes(void **state)
{
	static _Alignas(16) uint8_t memory[256];
	struct context c;

	(void)state;
	assert_int_equal(rnv_package_header(&pkg)->arena_bytes, ARENA_BYTES);
	for (uint32_t bytes = 0; bytes <= sizeof(memory); bytes++) {
		int status = rnv_exec_init(&c.exec, &pkg, memory, bytes, c.slots, 2);

		assert_int_equal(status, bytes < ARENA_BYTES ? RNV_ENOMEM : RNV_OK);
	}
	assert_int_equal(rnv_exec_init(&c.exec, &pkg, memory, UINT32_MAX, c.slots, 2), RNV_OK);
	for (uint32_t shift = 1; shift < 16; shift++) {
		assert_int_equal(rnv_exec_init(&c.exec, &pkg, memory + shift, 128, c.slots, 2),
				 RNV_EALIGN);
	}
	prepare(&c); /* alive after the refusals */
	random_input(c.x, 2);
	assert_int_equal(rnv_exec_run(&c.exec, 0), RNV_OK);
	assert_expected(c.x, c.y);
}

static void test_bind_arguments(void **state)
{
	struct context c;
	struct rnv_exec *e = &c.exec;

	(void)state;
	assert_int_equal(rnv_exec_init(e, &pkg, c.arena, ARENA_BYTES, c.slots, 2), RNV_OK);
	assert_int_equal(rnv_exec_bind(e, T_X, c.x, X_BYTES - 1), RNV_EINVAL);
	assert_int_equal(rnv_exec_bind(e, T_X, c.x, X_BYTES + 1), RNV_EINVAL);
	assert_int_equal(rnv_exec_bind(e, T_X, c.x, 0), RNV_EINVAL);
	assert_int_equal(rnv_exec_bind(e, T_X, NULL, X_BYTES), RNV_EINVAL);
	assert_int_equal(rnv_exec_bind(e, T_A, c.x, 8), RNV_EINVAL);
	assert_int_equal(rnv_exec_bind(e, TENSOR_COUNT, c.x, X_BYTES), RNV_EINVAL);
	assert_int_equal(rnv_exec_bind(e, RNV_NO_TENSOR, c.x, X_BYTES), RNV_EINVAL);
	assert_null(rnv_exec_tensor(e, T_X));
	assert_int_equal(rnv_exec_start(e, 0), RNV_ESTATE);
	assert_int_equal(rnv_exec_bind(e, T_X, c.x, X_BYTES), RNV_OK);
	assert_int_equal(rnv_exec_bind(e, T_X, c.x, X_BYTES), RNV_OK);
	assert_ptr_equal(rnv_exec_tensor(e, T_X), c.x);
}

/* Makes the package one COPY of two floats. */
static void image_copy_of_floats(struct image *copy)
{
	static const int32_t params[1] = {8};

	image_init(copy);
	image_hide(copy, 8); /* the self-test */
	copy->header.io_bytes = 16;
	copy->sections[0].count = 2;
	copy->sections[0].bytes = 2 * sizeof(struct rnv_tensor_rec);
	copy->sections[2].count = 1;
	copy->sections[2].bytes = sizeof(struct rnv_op_rec);
	copy->sections[3].count = 1;
	copy->sections[3].bytes = sizeof(struct rnv_step_rec);
	memset(copy->tensors, 0, sizeof(copy->tensors));
	memset(copy->ops, 0, sizeof(copy->ops));
	memset(&copy->steps[1], 0, sizeof(copy->steps[1]) * (OP_COUNT - 1));
	image_op(copy, 0, 13, params, 1, 0, 0);
	for (int i = 0; i < 2; i++) {
		image_tensor(copy, i, RNV_STORAGE_EXTERNAL, (uint32_t)i, 8, 0, 0);
		copy->tensors[i].type = RNV_TYPE_FLOAT32;
		copy->tensors[i].dims[0] = 2;
		copy->tensors[i].flags = (i == 0) ? RNV_TENSOR_INPUT : RNV_TENSOR_OUTPUT;
	}
	memset(copy->operands, 0, sizeof(copy->operands));
	copy->operands[1] = 1;
	copy->operands[7] = 1;
	copy->entry.step_count = 1;
	memset(copy->header.opset, 0, sizeof(copy->header.opset));
	copy->header.opset[13 / 8] = 1u << (13 % 8);
	image_seal(copy);
}

static void test_bind_alignment(void **state)
{
	static struct image copy;
	_Alignas(16) uint8_t memory[24];
	void *slots[2];
	struct rnv_package opened;
	struct rnv_exec exec;

	(void)state;
	image_copy_of_floats(&copy);
	assert_int_equal(rnv_package_open(&opened, &copy, sizeof(copy), 0, NULL), RNV_OK);
	assert_int_equal(rnv_exec_init(&exec, &opened, memory, ARENA_BYTES, slots, 2), RNV_OK);
	for (uint32_t shift = 0; shift <= 16; shift++) {
		int status = (shift % 4 == 0) ? RNV_OK : RNV_EALIGN;

		assert_int_equal(rnv_exec_bind(&exec, 0, memory + shift, 8), status);
	}
}

static void test_start(void **state)
{
	struct context c;
	struct rnv_exec *e = &c.exec;

	(void)state;
	assert_int_equal(rnv_exec_init(e, &pkg, c.arena, ARENA_BYTES, c.slots, 2), RNV_OK);
	assert_int_equal(rnv_exec_start(e, 0), RNV_ESTATE);
	assert_int_equal(rnv_exec_run(e, 0), RNV_ESTATE);
	assert_int_equal(rnv_exec_step(e), RNV_ESTATE);
	assert_int_equal(rnv_exec_selftest(e), RNV_ESTATE);
	assert_int_equal(rnv_exec_bind(e, T_Y, c.y, Y_BYTES), RNV_OK);
	assert_int_equal(rnv_exec_start(e, 0), RNV_ESTATE);
	assert_int_equal(rnv_exec_bind(e, T_X, c.x, X_BYTES), RNV_OK);
	assert_int_equal(rnv_exec_start(e, 1), RNV_EINVAL);
	assert_int_equal(rnv_exec_run(e, UINT16_MAX), RNV_EINVAL);
	assert_int_equal(rnv_exec_step(e), RNV_ESTATE);
	assert_int_equal(rnv_exec_start(e, 0), RNV_OK);
}

static void test_bind_during_a_run(void **state)
{
	struct context c;
	int8_t other[Y_BYTES];

	(void)state;
	prepare(&c);
	random_input(c.x, 3);
	assert_int_equal(rnv_exec_start(&c.exec, 0), RNV_OK);
	for (int step = 0; step < OP_COUNT; step++) {
		assert_int_equal(rnv_exec_bind(&c.exec, T_Y, other, Y_BYTES), RNV_EBUSY);
		(void)rnv_exec_step(&c.exec);
	}
	assert_expected(c.x, c.y);
	assert_int_equal(rnv_exec_bind(&c.exec, T_Y, other, Y_BYTES), RNV_OK);
	assert_int_equal(rnv_exec_run(&c.exec, 0), RNV_OK);
	assert_expected(c.x, other);
}

/* A run may be dropped after any step and begun again, or the context prepared afresh. */
static void test_dropped_run(void **state)
{
	struct context c;

	(void)state;
	prepare(&c);
	for (int steps = 0; steps <= OP_COUNT; steps++) {
		random_input(c.x, 4);
		assert_int_equal(rnv_exec_start(&c.exec, 0), RNV_OK);
		for (int i = 0; i < steps; i++) {
			assert_int_equal(rnv_exec_step(&c.exec), i + 1 < OP_COUNT);
		}
		random_input(c.x, 5);
		assert_int_equal(rnv_exec_run(&c.exec, 0), RNV_OK);
		assert_expected(c.x, c.y);
	}
	assert_int_equal(rnv_exec_start(&c.exec, 0), RNV_OK);
	prepare(&c);
	assert_int_equal(rnv_exec_step(&c.exec), RNV_ESTATE);
}

static void test_tensors(void **state)
{
	struct context c;

	(void)state;
	prepare(&c);
	assert_ptr_equal(rnv_exec_tensor(&c.exec, T_X), c.x);
	assert_ptr_equal(rnv_exec_tensor(&c.exec, T_A), c.arena);
	assert_ptr_equal(rnv_exec_tensor(&c.exec, T_B), c.arena);
	assert_ptr_equal(rnv_exec_tensor(&c.exec, T_Y), c.y);
	assert_null(rnv_exec_tensor(&c.exec, TENSOR_COUNT));
	assert_null(rnv_exec_tensor(&c.exec, RNV_NO_TENSOR));
}

static void test_result_does_not_depend_on_the_arena(void **state)
{
	struct context c;

	(void)state;
	prepare(&c);
	random_input(c.x, 6);
	for (int value = 0; value < 256; value++) {
		memset(c.arena, value, ARENA_BYTES);
		memset(c.y, value, Y_BYTES);
		assert_int_equal(rnv_exec_run(&c.exec, 0), RNV_OK);
		assert_expected(c.x, c.y);
	}
}

/* Two contexts of one package, step by step in every order. */
static void test_interleaved_contexts(void **state)
{
	struct context c[2];

	(void)state;
	for (uint32_t order = 0; order < 64; order++) {
		prepare(&c[0]);
		prepare(&c[1]);
		for (uint32_t i = 0; i < 2; i++) {
			random_input(c[i].x, 100 * order + i);
			assert_int_equal(rnv_exec_start(&c[i].exec, 0), RNV_OK);
		}
		for (uint32_t turn = 0; turn < 6; turn++) {
			(void)rnv_exec_step(&c[(order >> turn) & 1u].exec);
		}
		for (uint32_t i = 0; i < 2; i++) {
			while (rnv_exec_step(&c[i].exec) >= 0) {
			}
			assert_expected(c[i].x, c[i].y);
		}
	}
}

/* Case 15: nothing around arena, scratch, inputs and outputs is written, and inputs are not. */
static void test_canaries(void **state)
{
	struct {
		uint8_t before[16];
		_Alignas(16) uint8_t arena[ARENA_BYTES];
		uint8_t behind_arena[12];
		int8_t x[X_BYTES];
		uint8_t behind_x[7];
		int8_t y[Y_BYTES];
		uint8_t behind_y[13];
	} m;
	int8_t input[X_BYTES];
	uint8_t canary[16];
	void *slots[3];
	struct rnv_exec exec;

	(void)state;
	memset(canary, CANARY, sizeof(canary));
	memset(&m, CANARY, sizeof(m));
	slots[2] = canary;
	assert_int_equal(rnv_exec_init(&exec, &pkg, m.arena, ARENA_BYTES, slots, 3), RNV_OK);
	assert_int_equal(rnv_exec_bind(&exec, T_X, m.x, X_BYTES), RNV_OK);
	assert_int_equal(rnv_exec_bind(&exec, T_Y, m.y, Y_BYTES), RNV_OK);
	random_input(input, 7);
	memcpy(m.x, input, X_BYTES);
	assert_int_equal(rnv_exec_run(&exec, 0), RNV_OK);
	assert_expected(input, m.y);
	assert_memory_equal(m.x, input, X_BYTES);
	assert_memory_equal(m.before, canary, sizeof(m.before));
	assert_memory_equal(m.behind_arena, canary, sizeof(m.behind_arena));
	assert_memory_equal(m.behind_x, canary, sizeof(m.behind_x));
	assert_memory_equal(m.behind_y, canary, sizeof(m.behind_y));
	assert_memory_equal(m.arena + 8, canary, 8);      /* between the tensors and the scratch */
	assert_memory_not_equal(m.arena + 16, canary, 4); /* the scratch is used to its end */
	assert_int_not_equal(m.arena[ARENA_BYTES - 1], CANARY);
	assert_ptr_equal(slots[2], canary);
}

/* The same in memory of exact sizes, whose surroundings the address sanitizer guards. */
static void test_exact_memory(void **state)
{
	void *arena = malloc(ARENA_BYTES);
	void **slots = malloc(2 * sizeof(*slots));
	int8_t *x = malloc(X_BYTES);
	int8_t *y = malloc(Y_BYTES);
	struct image *copy = malloc(sizeof(*copy));
	struct rnv_package opened;
	struct rnv_exec exec;

	(void)state;
	image_open(copy, &opened);
	assert_int_equal(rnv_exec_init(&exec, &opened, arena, ARENA_BYTES, slots, 2), RNV_OK);
	assert_int_equal(rnv_exec_bind(&exec, T_X, x, X_BYTES), RNV_OK);
	assert_int_equal(rnv_exec_bind(&exec, T_Y, y, Y_BYTES), RNV_OK);
	random_input(x, 8);
	assert_int_equal(rnv_exec_run(&exec, 0), RNV_OK);
	assert_expected(x, y);
	assert_int_equal(rnv_exec_selftest(&exec), RNV_OK);
	free(arena);
	free(slots);
	free(x);
	free(y);
	free(copy);
}

static void test_package_is_only_read(void **state)
{
	static struct image before;
	struct context c;

	(void)state;
	before = image;
	prepare(&c);
	random_input(c.x, 9);
	assert_int_equal(rnv_exec_run(&c.exec, 0), RNV_OK);
	assert_int_equal(rnv_exec_selftest(&c.exec), RNV_OK);
	assert_memory_equal(&image, &before, sizeof(image));
}

static void test_selftest(void **state)
{
	struct context c;
	int8_t expected[Y_BYTES];

	(void)state;
	prepare(&c);
	memset(c.x, 0, X_BYTES);
	assert_int_equal(rnv_exec_selftest(&c.exec), RNV_OK);
	assert_memory_equal(c.x, golden_input, X_BYTES);
	expected_output(golden_input, expected);
	assert_memory_equal(c.y, expected, Y_BYTES);
	for (int i = 0; i < Y_BYTES; i++) {
		image.golden.output[i] ^= 1;
		assert_int_equal(rnv_exec_selftest(&c.exec), RNV_EBADMSG);
		image.golden.output[i] ^= 1;
	}
	image.golden.trace_crc ^= 1;
	assert_int_equal(rnv_exec_selftest(&c.exec), RNV_EBADMSG);
	image.golden.trace_crc ^= 1;
	assert_int_equal(rnv_exec_selftest(&c.exec), RNV_OK);
	for (int i = 20; i < CONV_STREAM; i++) { /* every weight of the convolution */
		image.weights[i] ^= 1;
		assert_int_equal(rnv_exec_selftest(&c.exec), RNV_EBADMSG);
		image.weights[i] ^= 1;
	}
}

/* Inputs from Marsaglia's generator: its published first outputs for seed 2463534242. */
static void test_selftest_from_the_generator(void **state)
{
	static const uint32_t published[3] = {723471715u, 2497366906u, 2064144800u};
	static struct image seeded;
	struct rnv_package opened;
	struct context c;

	(void)state;
	image_init(&seeded);
	seeded.golden.kind = 0;
	seeded.golden.seed = 2463534242u;
	seeded.golden.input_bytes = 0;
	seeded.sections[8].bytes = 32 + Y_BYTES; /* the outputs follow the head at once */
	memset(seeded.golden.input, 0, sizeof(seeded.golden.input));
	memset(seeded.golden.output, 0, sizeof(seeded.golden.output));
	image_seal(&seeded);
	assert_int_equal(rnv_package_open(&opened, &seeded, sizeof(seeded), 0, NULL), RNV_OK);
	assert_int_equal(rnv_exec_init(&c.exec, &opened, c.arena, ARENA_BYTES, c.slots, 2), RNV_OK);
	assert_int_equal(rnv_exec_bind(&c.exec, T_X, c.x, X_BYTES), RNV_OK);
	assert_int_equal(rnv_exec_bind(&c.exec, T_Y, c.y, Y_BYTES), RNV_OK);
	assert_int_equal(rnv_exec_selftest(&c.exec), RNV_EBADMSG);
	for (int i = 0; i < 3; i++) {
		assert_int_equal((uint8_t)c.x[i], published[i] >> 24);
	}
	assert_expected(c.x, c.y);
	seeded.golden.trace_crc = expected_output(c.x, seeded.golden.input);
	assert_int_equal(rnv_exec_selftest(&c.exec), RNV_OK);
}

static void test_package_without_selftest(void **state)
{
	struct context c;

	(void)state;
	image_hide(&image, 8);
	image_seal(&image);
	assert_int_equal(rnv_package_open(&pkg, &image, sizeof(image), 0, NULL), RNV_OK);
	prepare(&c);
	assert_int_equal(rnv_exec_selftest(&c.exec), RNV_EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_run, setup),
		cmocka_unit_test_setup(test_steps, setup),
		cmocka_unit_test_setup(test_init_arguments, setup),
		cmocka_unit_test_setup(test_arena_sizes, setup),
		cmocka_unit_test_setup(test_bind_arguments, setup),
		cmocka_unit_test(test_bind_alignment),
		cmocka_unit_test_setup(test_start, setup),
		cmocka_unit_test_setup(test_bind_during_a_run, setup),
		cmocka_unit_test_setup(test_dropped_run, setup),
		cmocka_unit_test_setup(test_tensors, setup),
		cmocka_unit_test_setup(test_result_does_not_depend_on_the_arena, setup),
		cmocka_unit_test_setup(test_interleaved_contexts, setup),
		cmocka_unit_test_setup(test_canaries, setup),
		cmocka_unit_test(test_exact_memory),
		cmocka_unit_test_setup(test_package_is_only_read, setup),
		cmocka_unit_test_setup(test_selftest, setup),
		cmocka_unit_test(test_selftest_from_the_generator),
		cmocka_unit_test_setup(test_package_without_selftest, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
