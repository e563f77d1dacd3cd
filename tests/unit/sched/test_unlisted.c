/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* An instance beside that of its name; and what a model would need, or has. */

#include "sched_fixture.h"

static void test_beside_the_one_of_its_name(void **state)
{
	struct rnv_model_config config = model_config(0, 0x4);
	uint32_t second = RNV_NO_HANDLE;
	uint32_t third = RNV_NO_HANDLE;

	(void)state;
	assert_int_equal(rnv_model_open(&b.sched, &config, &second, NULL), RNV_EEXIST);
	config.flags = RNV_MODEL_UNLISTED;
	assert_int_equal(rnv_model_open(&b.sched, &config, &second, NULL), RNV_OK);
	assert_int_equal(rnv_model_open(&b.sched, &config, &third, NULL), RNV_OK);
	assert_int_equal(rnv_model_find(&b.sched, "m0"), b.model[0]);
	assert_int_equal(rnv_model_next(&b.sched, RNV_NO_HANDLE), b.model[0]);
	assert_int_equal(rnv_model_next(&b.sched, b.model[0]), RNV_NO_HANDLE);
	assert_int_equal(rnv_model_close(&b.sched, b.model[0]), RNV_OK);
	assert_int_equal(rnv_model_find(&b.sched, "m0"), RNV_NO_HANDLE);
	assert_int_equal(rnv_model_next(&b.sched, RNV_NO_HANDLE), RNV_NO_HANDLE);
	config.flags = 0; /* its name is free */
	assert_int_equal(rnv_model_open(&b.sched, &config, &b.model[0], NULL), RNV_OK);
	assert_int_equal(rnv_model_find(&b.sched, "m0"), b.model[0]);
	b.model[0] = second;
	(void)submit(0, 2, RNV_NEVER, 1);
	rnv_sched_run(&b.sched);
	assert_output();
	config.flags = 4;
	assert_int_equal(rnv_model_open(&b.sched, &config, &third, NULL), RNV_EINVAL);
}

static void test_what_fits(void **state)
{
	struct rnv_header header = {.arena_bytes = LANE_BYTES, .external_count = EXTERNALS};
	struct rnv_model_config config = {.lanes = 0x5};
	struct rnv_diag diag;

	(void)state;
	assert_int_equal(rnv_model_fits(&b.sched, &header, &config, &diag), RNV_OK);
	header.arena_bytes++;
	assert_int_equal(rnv_model_fits(&b.sched, &header, &config, &diag), RNV_ENOMEM);
	assert_int_equal(diag.value, LANE_BYTES + 1);
	config.lanes = 0;
	assert_int_equal(rnv_model_fits(&b.sched, &header, &config, &diag), RNV_OK);
	header.arena_bytes = 0;
	header.external_count++;
	assert_int_equal(rnv_model_fits(&b.sched, &header, &config, &diag), RNV_ENOMEM);
	header.external_count = 0;
	header.state_bytes = sizeof(b.state) + 1;
	config.state = b.state;
	config.state_bytes = sizeof(b.state);
	assert_int_equal(rnv_model_fits(&b.sched, &header, &config, &diag), RNV_ENOMEM);
	header.state_bytes--;
	assert_int_equal(rnv_model_fits(&b.sched, &header, &config, &diag), RNV_OK);
	config.lanes = 3;
	assert_int_equal(rnv_model_fits(&b.sched, &header, &config, &diag), RNV_EINVAL);
	config.lanes = 2;
	config.state = b.state + 4;
	assert_int_equal(rnv_model_fits(&b.sched, &header, &config, &diag), RNV_EALIGN);
}

static void test_op_of_a_step(void **state)
{
	static const int codes[OP_COUNT] = {1, 10, 3};

	(void)state;
	for (uint32_t i = 0; i < OP_COUNT; i++) {
		assert_int_equal(rnv_model_step_op(&b.sched, b.model[0], i), codes[i]);
	}
	assert_int_equal(rnv_model_step_op(&b.sched, b.model[0], OP_COUNT), RNV_ENOENT);
	assert_int_equal(rnv_model_step_op(&b.sched, RNV_NO_HANDLE, 0), RNV_ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_beside_the_one_of_its_name, bench_setup),
		cmocka_unit_test_setup(test_what_fits, bench_setup),
		cmocka_unit_test_setup(test_op_of_a_step, bench_setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
