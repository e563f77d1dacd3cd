/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Bytes of a slot for those who describe it. */

#include "store_fixture.h"

static void test_read(void **state)
{
	uint8_t got[16];
	uint32_t slot;

	(void)state;
	slot = bring(ALPHA, &first);
	assert_int_equal(rnv_store_read(&store, ALPHA, slot, 4784, got, 16), RNV_OK);
	assert_memory_equal(got, package + 4784, 16);
	assert_int_equal(rnv_store_read(&store, MODELS, 0, 0, got, 16), RNV_ENOENT);
	assert_int_equal(rnv_store_read(&store, ALPHA, 2, 0, got, 16), RNV_ENOENT);
	assert_int_equal(rnv_store_read(&store, ALPHA, slot, 3 * 4096 - 15, got, 16), RNV_EINVAL);
	assert_int_equal(rnv_store_read(&store, ALPHA, slot, 0xFFFFFFFF, got, 16), RNV_EINVAL);
	assert_int_equal(rnv_store_read(&store, ALPHA, slot, 0, got, 0xFFFFFFFF), RNV_EINVAL);
	assert_int_equal(rnv_store_read(&store, ALPHA, slot, 3 * 4096 - 16, got, 16), RNV_OK);
	break_reads(0, READ_MARGINAL, slot_at(ALPHA, slot), 16);
	assert_int_equal(rnv_store_read(&store, ALPHA, slot, 0, got, 16), RNV_OK);
	break_reads(0, READ_BAD, slot_at(ALPHA, slot), 16);
	assert_int_equal(rnv_store_read(&store, ALPHA, slot, 0, got, 16), RNV_EBADMSG);
	assert_int_equal(rnv_store_read(&store, ALPHA, slot, 16, got, 16), RNV_OK);
	break_reads(0, READ_DEAD, slot_at(ALPHA, slot), 16);
	assert_int_equal(rnv_store_read(&store, ALPHA, slot, 0, got, 16), RNV_EIO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_read, begin_test),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
