/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Parking, from both sides: by the words in the region, whatever the other side does. */

#include "park_fixture.h"

static struct played_client client;

static int set_up(void **state)
{
	(void)state;
	play(&client);
	return 0;
}

static void test_answered(void **state)
{
	(void)state;
	for (uint32_t i = 1; i <= 3u; i++) {
		assert_int_equal(rnv_park_begin(&client.park), RNV_OK);
		assert_int_equal(client.region[PARK], i);
		assert_int_equal(client.region[ANSWER], i);
		assert_int_equal(client.held, 1);
		assert_int_equal(client.rings, i);
		assert_int_equal(client.turns, 3);
		assert_int_equal(rnv_park_end(&client.park), RNV_OK);
		assert_int_equal(client.region[PARK], 0);
		assert_int_equal(client.held, 0);
	}
	assert_int_equal(client.park.parks, 3);
	assert_int_equal(client.park.late, 0);
	assert_int_equal(client.park.left, 0);
	/* Nobody else's words are written. */
	client.region[ANSWER] = 0;
	for (uint32_t i = 0; i < 128u; i++) {
		assert_int_equal(client.region[i], 0);
	}
}

static void test_late(void **state)
{
	(void)state;
	client.answers_at = NEVER;
	assert_int_equal(rnv_park_begin(&client.park), RNV_ETIMEDOUT);
	assert_int_equal(client.region[PARK], 0);
	assert_int_equal(client.park.late, 1);
	assert_int_equal(client.park.parks, 0);
	assert_int_equal(client.holds, 0);
	assert_int_equal(client.turns, BEGIN_US / TURN_US + 1u);
	/* An answer to it is none to the next one. */
	client.region[ANSWER] = 1;
	assert_int_equal(rnv_park_begin(&client.park), RNV_ETIMEDOUT);
	client.answers_at = 0;
	assert_int_equal(rnv_park_begin(&client.park), RNV_OK);
	assert_int_equal(client.region[ANSWER], 3);
	assert_int_equal(rnv_park_end(&client.park), RNV_OK);
}

/* Exactly begin_us is in time, a microsecond more is not. */
static void test_the_limit_holds_until_the_operation_begins(void **state)
{
	(void)state;
	client.hold_us = BEGIN_US - 3u * TURN_US;
	assert_int_equal(rnv_park_begin(&client.park), RNV_OK);
	assert_int_equal(rnv_park_end(&client.park), RNV_OK);
	client.hold_us++;
	assert_int_equal(rnv_park_begin(&client.park), RNV_ETIMEDOUT);
	assert_int_equal(client.held, 0);
	assert_int_equal(client.holds, 2);
	assert_int_equal(client.region[PARK], 0);
	assert_int_equal(client.park.late, 1);
	client.hold_us = 0;
	client.leaves_in_hold = true;
	assert_int_equal(rnv_park_begin(&client.park), RNV_ETIMEDOUT);
	assert_int_equal(client.held, 0);
	assert_int_equal(client.region[PARK], 0);
}

/* It is about to go on, although its answer still says that it waits. */
static void test_released_before_the_operation(void **state)
{
	(void)state;
	client.released_in_hold = true;
	assert_int_equal(rnv_park_begin(&client.park), RNV_ETIMEDOUT);
	assert_int_equal(client.held, 0);
	assert_int_equal(client.park.late, 1);
}

static void test_left(void **state)
{
	(void)state;
	assert_int_equal(rnv_park_begin(&client.park), RNV_OK);
	client.region[ANSWER] = ~client.region[PARK];
	assert_int_equal(rnv_park_end(&client.park), RNV_ESTATE);
	assert_int_equal(client.region[PARK], 0);
	assert_int_equal(client.held, 0);
	assert_int_equal(client.park.left, 1);
	/* Ended once is ended. */
	assert_int_equal(rnv_park_end(&client.park), RNV_OK);
	assert_int_equal(client.park.left, 1);
	/* It left, and answered, before anybody looked. */
	client.leaves_at = 3;
	assert_int_equal(rnv_park_begin(&client.park), RNV_ETIMEDOUT);
}

static void test_a_core_that_does_not_run(void **state)
{
	(void)state;
	client.runs = 0;
	client.answers_at = NEVER;
	assert_int_equal(rnv_park_begin(&client.park), RNV_OK);
	assert_int_equal(client.region[PARK], 0);
	assert_int_equal(client.rings, 0);
	assert_int_equal(client.holds, 0);
	assert_int_equal(rnv_park_end(&client.park), RNV_OK);
	assert_int_equal(client.park.parks, 0);
}

static void test_without_hooks(void **state)
{
	(void)state;
	client.park.hold = NULL;
	client.park.let_go = NULL;
	client.park.doorbell = NULL;
	client.park.runs = NULL;
	assert_int_equal(rnv_park_begin(&client.park), RNV_OK);
	assert_int_equal(rnv_park_end(&client.park), RNV_OK);
}

/* A token has the server's epoch in it, is not 0, and nothing that the client's word speaks of. */
static void test_tokens(void **state)
{
	static const struct {
		uint32_t epoch, before, answer, token;
	} cases[] = {
		{0, 0, 0, 1},
		{1, 0, 0, 0x10001},
		{0x5432FFFF, 0x12340041, 0, 0xFFFF0042},
		{2, 0x10007, 0, 0x20008},
		{2, 0x10007, 0x20008, 0x20009}, /* of a server before this one */
		{2, 0x10007, ~0x20008u, 0x20009},
		{2, 0x2FFFE, 0, 0x2FFFF},
		{2, 0x2FFFF, 0, 0x20000},
		{0x10000, 0xFFFF, 0, 1},
		{0x10000, 0xFFFF, 1, 2},
		{0x10000, 0xFFFF, ~1u, 2},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		client.region[EPOCH] = cases[i].epoch;
		client.park.token = cases[i].before;
		client.region[ANSWER] = cases[i].answer;
		assert_int_equal(rnv_park_begin(&client.park), RNV_OK);
		assert_int_equal(client.region[PARK], cases[i].token);
		assert_int_equal(rnv_park_end(&client.park), RNV_OK);
	}
}

static void test_wait_is_released(void **state)
{
	(void)state;
	client.region[PARK] = 7;
	client.region[ANSWER] = 3;
	assert_int_equal(rnv_park_wait(client.region, 6, 1), 1); /* too late for that one */
	assert_int_equal(client.region[ANSWER], 0);
	client.region[PARK] = 0;
	assert_int_equal(rnv_park_wait(client.region, 7, 1000), 1);
	assert_int_equal(client.region[ANSWER], 0);
}

static void test_wait_gives_up_once(void **state)
{
	(void)state;
	client.region[PARK] = 7;
	assert_int_equal(rnv_park_wait(client.region, 7, 1000), 0);
	assert_int_equal(client.region[ANSWER], ~7u);
	/* The server is dead: its token stays, but parks nobody. */
	assert_int_equal(rnv_park_wait(client.region, 7, UINT32_MAX), 0);
	assert_int_equal(client.region[ANSWER], ~7u);
	client.region[PARK] = 8;
	assert_int_equal(rnv_park_wait(client.region, 8, 0), 0);
	assert_int_equal(client.region[ANSWER], ~8u);
	client.region[PARK] = 9;
	assert_int_equal(rnv_park_wait(client.region, 9, 1), 0);
	assert_int_equal(client.region[ANSWER], ~9u);
	/* Nobody else's words are written. */
	client.region[PARK] = 0;
	client.region[ANSWER] = 0;
	for (uint32_t i = 0; i < 128u; i++) {
		assert_int_equal(client.region[i], 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_answered, set_up),
		cmocka_unit_test_setup(test_late, set_up),
		cmocka_unit_test_setup(test_the_limit_holds_until_the_operation_begins, set_up),
		cmocka_unit_test_setup(test_released_before_the_operation, set_up),
		cmocka_unit_test_setup(test_left, set_up),
		cmocka_unit_test_setup(test_a_core_that_does_not_run, set_up),
		cmocka_unit_test_setup(test_without_hooks, set_up),
		cmocka_unit_test_setup(test_tokens, set_up),
		cmocka_unit_test_setup(test_wait_is_released, set_up),
		cmocka_unit_test_setup(test_wait_gives_up_once, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
