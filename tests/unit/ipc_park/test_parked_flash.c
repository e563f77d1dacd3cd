/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The client is parked exactly while its bank is written, and never longer. */

#include "park_fixture.h"

#define SECTOR 4096u
#define BYTES  (8u * SECTOR)
#define FIRST  (4u * SECTOR)
#define END    (6u * SECTOR)

/* What the flash below was asked for last, and what it says. */
static struct {
	uint32_t calls, offset, bytes;
	const void *data;
	uint32_t parked; /* the client's answer meanwhile */
	int status;
	bool client_leaves;
} below;

static struct played_client client;
static struct rnv_parked_flash parked;
static struct rnv_flash inner;
static struct rnv_flash outer;
static uint8_t data[16];

static int note(void *context, uint32_t offset, const void *at, uint32_t bytes)
{
	assert_ptr_equal(context, &below);
	below.calls++;
	below.offset = offset;
	below.bytes = bytes;
	below.data = at;
	below.parked = client.region[PARK] == client.region[ANSWER] ? client.region[ANSWER] : 0u;
	assert_int_equal(client.held, below.parked != 0u);
	if (below.client_leaves) {
		client.region[ANSWER] = ~client.region[PARK];
	}
	return below.status;
}

static int below_read(void *context, uint32_t offset, void *to, uint32_t bytes)
{
	return note(context, offset, to, bytes);
}

static int below_erase(void *context, uint32_t offset)
{
	return note(context, offset, NULL, 0);
}

static const void *below_map(void *context, uint32_t offset, uint32_t bytes)
{
	(void)note(context, offset, NULL, bytes);
	return data;
}

static int set_up(void **state)
{
	(void)state;
	play(&client);
	memset(&below, 0, sizeof(below));
	inner = (struct rnv_flash){.context = &below,
				   .geometry = {BYTES, SECTOR, 16, 0xFF, 2000},
				   .read = below_read,
				   .program = note,
				   .erase = below_erase,
				   .map = below_map};
	assert_int_equal(rnv_parked_flash_init(&parked, &inner, &client.park, FIRST, END, &outer),
			 RNV_OK);
	return 0;
}

static int program(uint32_t offset, uint32_t bytes)
{
	return outer.program(outer.context, offset, data, bytes);
}

static void test_everything_is_passed_on(void **state)
{
	static const int codes[] = {RNV_OK, 1, RNV_EBADMSG, RNV_EIO};

	(void)state;
	for (size_t i = 0; i < 4u; i++) {
		below.status = codes[i];
		assert_int_equal(outer.read(outer.context, FIRST + 3, data, 5), codes[i]);
		assert_int_equal(below.offset, FIRST + 3);
		assert_int_equal(below.bytes, 5);
		assert_ptr_equal(below.data, data);
		assert_int_equal(below.parked, 0);
	}
	below.status = RNV_OK;
	assert_ptr_equal(outer.map(outer.context, FIRST + 32, 64), data);
	assert_int_equal(below.offset, FIRST + 32);
	assert_int_equal(below.bytes, 64);
	assert_int_equal(client.rings, 0);
	assert_int_equal(program(FIRST + 16, 48), RNV_OK);
	assert_int_equal(below.offset, FIRST + 16);
	assert_int_equal(below.bytes, 48);
	assert_ptr_equal(below.data, data);
	assert_int_equal(outer.erase(outer.context, FIRST + SECTOR), RNV_OK);
	assert_int_equal(below.offset, FIRST + SECTOR);
	assert_int_equal(client.park.parks, 2);
}

static void test_which_operations_park(void **state)
{
	static const struct {
		uint32_t offset, bytes;
		bool parks;
	} programs[] = {
		{0, 16, false},
		{FIRST - 16, 16, false},
		{FIRST - 16, 17, true},
		{FIRST - 16, 0xFFFFFFFF, true},
		{FIRST, 16, true},
		{END - 16, 16, true},
		{END - 1, 1, true},
		{END, 16, false},
		{0xFFFFFFF0, 0xFFFFFFFF, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		assert_int_equal(program(programs[i].offset, programs[i].bytes), RNV_OK);
		assert_int_equal(below.calls, i + 1u);
		assert_int_equal(below.parked != 0u, programs[i].parks);
		assert_int_equal(client.region[PARK], 0);
	}
	for (uint32_t sector = 0; sector < 8u; sector++) {
		assert_int_equal(outer.erase(outer.context, sector * SECTOR), RNV_OK);
		assert_int_equal(below.parked != 0u, sector == 4u || sector == 5u);
		assert_int_equal(client.region[PARK], 0);
	}
}

static void test_not_answered(void **state)
{
	(void)state;
	client.answers_at = NEVER;
	assert_int_equal(program(FIRST, 16), RNV_EIO);
	assert_int_equal(outer.erase(outer.context, FIRST), RNV_EIO);
	assert_int_equal(below.calls, 0);
	assert_int_equal(client.region[PARK], 0);
	assert_int_equal(client.park.late, 2);
	/* Others are not the client's concern. */
	assert_int_equal(program(END, 16), RNV_OK);
	assert_int_equal(below.calls, 1);
}

static void test_left(void **state)
{
	(void)state;
	below.client_leaves = true;
	assert_int_equal(program(FIRST, 16), RNV_EIO);
	assert_int_equal(outer.erase(outer.context, FIRST), RNV_EIO);
	below.status = RNV_EINVAL;
	assert_int_equal(program(FIRST, 15), RNV_EINVAL);
	assert_int_equal(client.park.left, 3);
	assert_int_equal(client.region[PARK], 0);
	assert_int_equal(client.held, 0);
}

static void test_a_failure_releases_too(void **state)
{
	static const int codes[] = {RNV_EIO, RNV_EINVAL, RNV_ETIMEDOUT};

	(void)state;
	for (size_t i = 0; i < 3u; i++) {
		below.status = codes[i];
		assert_int_equal(program(FIRST, 16), codes[i]);
		assert_int_equal(client.region[PARK], 0);
		assert_int_equal(client.held, 0);
		assert_int_equal(outer.erase(outer.context, FIRST), codes[i]);
		assert_int_equal(client.region[PARK], 0);
		assert_int_equal(client.held, 0);
	}
	assert_int_equal(client.park.parks, 6);
}

static void test_geometry(void **state)
{
	struct rnv_flash_geometry expected = inner.geometry;

	(void)state;
	expected.max_op_us += BEGIN_US;
	assert_memory_equal(&outer.geometry, &expected, sizeof(expected));
	inner.geometry.max_op_us = 0;
	(void)rnv_parked_flash_init(&parked, &inner, &client.park, FIRST, END, &outer);
	assert_int_equal(outer.geometry.max_op_us, 0);
	inner.geometry.max_op_us = UINT32_MAX - 1u;
	(void)rnv_parked_flash_init(&parked, &inner, &client.park, FIRST, END, &outer);
	assert_int_equal(outer.geometry.max_op_us, UINT32_MAX);
}

static void test_what_is_refused(void **state)
{
	struct rnv_park park = client.park;

	(void)state;
	assert_int_equal(rnv_parked_flash_init(NULL, &inner, &park, FIRST, END, &outer),
			 RNV_EINVAL);
	assert_int_equal(rnv_parked_flash_init(&parked, NULL, &park, FIRST, END, &outer),
			 RNV_EINVAL);
	assert_int_equal(rnv_parked_flash_init(&parked, &inner, NULL, FIRST, END, &outer),
			 RNV_EINVAL);
	assert_int_equal(rnv_parked_flash_init(&parked, &inner, &park, FIRST, END, NULL),
			 RNV_EINVAL);
	assert_int_equal(rnv_parked_flash_init(&parked, &inner, &park, END, END, &outer),
			 RNV_EINVAL);
	assert_int_equal(rnv_parked_flash_init(&parked, &inner, &park, END, FIRST, &outer),
			 RNV_EINVAL);
	assert_int_equal(rnv_parked_flash_init(&parked, &inner, &park, 0, BYTES + 1, &outer),
			 RNV_EINVAL);
	assert_int_equal(rnv_parked_flash_init(&parked, &inner, &park, 0, BYTES, &outer), RNV_OK);
	park.region = NULL;
	assert_int_equal(rnv_parked_flash_init(&parked, &inner, &park, FIRST, END, &outer),
			 RNV_EINVAL);
	park = client.park;
	park.now_us = NULL;
	assert_int_equal(rnv_parked_flash_init(&parked, &inner, &park, FIRST, END, &outer),
			 RNV_EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_everything_is_passed_on, set_up),
		cmocka_unit_test_setup(test_which_operations_park, set_up),
		cmocka_unit_test_setup(test_not_answered, set_up),
		cmocka_unit_test_setup(test_left, set_up),
		cmocka_unit_test_setup(test_a_failure_releases_too, set_up),
		cmocka_unit_test_setup(test_geometry, set_up),
		cmocka_unit_test_setup(test_what_is_refused, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
