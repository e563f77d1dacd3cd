/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Start order, restarts of either side in each state, hello again, hearts that stop. */

#include "client_fixture.h"

static void test_arguments(void **state)
{
	struct rnv_client_config config = {
		.region = region, .region_bytes = 448 + 128 + 128, .hello_us = 1};
	struct rnv_client_config bad = config;

	(void)state;
	assert_int_equal(rnv_client_init(&client, &config), RNV_OK);
	assert_int_equal(rnv_client_init(NULL, &config), RNV_EINVAL);
	assert_int_equal(rnv_client_init(&client, NULL), RNV_EINVAL);
	bad.region = NULL;
	assert_int_equal(rnv_client_init(&client, &bad), RNV_EINVAL);
	bad = config;
	bad.hello_us = 0;
	assert_int_equal(rnv_client_init(&client, &bad), RNV_EINVAL);
	bad = config;
	bad.region_bytes--;
	assert_int_equal(rnv_client_init(&client, &bad), RNV_EINVAL);
	bad = config;
	bad.region = region + 32;
	assert_int_equal(rnv_client_init(&client, &bad), RNV_EALIGN);
}

static void test_the_client_starts_first_and_writes_nothing(void **state)
{
	uint8_t before[4096];

	(void)state;
	memcpy(before, region, sizeof(before));
	for (uint32_t i = 0; i < 10; i++) {
		assert_int_equal(poll_client(), RNV_CLIENT_ALONE);
		now_us += HELLO_US;
	}
	assert_memory_equal(before, region, sizeof(before));
	assert_int_equal(doorbells, 0);
	format_and_bond();
	assert_int_equal(stats().bonds, 1);
}

static void test_the_server_starts_first(void **state)
{
	(void)state;
	raw_format(7, &usual);
	now_us += 1000000000;
	bond();
}

static void test_hello_is_that_of_the_specification(void **state)
{
	(void)state;
	raw_format(0xDEADBEEF, &usual);
	put(CLIENT_EPOCH, 41);
	put(REQUEST_SERVER, 1000);
	put(RESPONSE_SERVER, 0xFFFFFFFF);
	assert_int_equal(poll_client(), RNV_CLIENT_BONDING);
	assert_int_equal(get(CLIENT_EPOCH), 42);
	assert_int_equal(get(HELLO), 0xDEADBEEF);
	assert_int_equal(get(REQUEST_CLIENT), 1000);
	assert_int_equal(get(RESPONSE_CLIENT), 0xFFFFFFFF);
	assert_int_equal(doorbells, 1);
}

static void test_epochs_skip_zero_and_the_one_that_is_accepted(void **state)
{
	(void)state;
	raw_format(7, &usual);
	put(CLIENT_EPOCH, 0xFFFFFFFF);
	put(ACCEPT, 1);
	assert_int_equal(poll_client(), RNV_CLIENT_BONDING);
	assert_int_equal(get(CLIENT_EPOCH), 2);
	assert_int_equal(poll_client(), RNV_CLIENT_BONDING);
}

static void test_hello_again_with_another_epoch(void **state)
{
	uint32_t first;

	(void)state;
	raw_format(7, &usual);
	poll_client();
	first = get(CLIENT_EPOCH);
	now_us += HELLO_US - 1;
	assert_int_equal(poll_client(), RNV_CLIENT_BONDING);
	assert_int_equal(get(CLIENT_EPOCH), first);
	assert_int_equal(doorbells, 1);
	now_us += 1;
	assert_int_equal(poll_client(), RNV_CLIENT_BONDING);
	assert_int_equal(get(CLIENT_EPOCH), first + 1);
	assert_int_equal(doorbells, 2);
	/* The server is late with the one before. */
	put(ACCEPT, first);
	assert_int_equal(poll_client(), RNV_CLIENT_BONDING);
	raw_accept();
	assert_int_equal(poll_client(), RNV_CLIENT_BONDED);
}

static void test_the_beat_changes_with_each_poll_once_there_is_a_server(void **state)
{
	uint32_t beat;

	(void)state;
	format_and_bond();
	for (uint32_t i = 0; i < 5; i++) {
		beat = get(CLIENT_BEAT);
		poll_client();
		assert_int_equal(get(CLIENT_BEAT), beat + 1);
	}
}

/* A request in each slot and the status are under way. */
static void ask_all(void)
{
	assert_int_equal(submit(take_slot(), NULL), RNV_OK);
	assert_int_equal(submit(take_slot(), NULL), RNV_OK);
	assert_int_equal(rnv_client_status(&client, done, &client), RNV_OK);
	assert_int_equal(poll_client(), RNV_CLIENT_BONDED);
	assert_int_equal(result_count, 0);
}

/* All of them have ended, once. */
static void all_are_stale(void)
{
	assert_int_equal(result_count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(results[i].status, RNV_ESTALE);
		assert_int_equal(results[i].args[0] | results[i].args[1] | results[i].args[2], 0);
		assert_int_equal(results[i].slot, i < 2 ? i : RNV_IPC_MAX_SLOTS);
	}
	/* The slots are not usable, and the caller's until they are given back. */
	assert_null(rnv_client_slot_data(&client, 0, NULL));
	assert_int_equal(rnv_client_slot_give(&client, 0), RNV_OK);
	assert_int_equal(rnv_client_slot_give(&client, 0), RNV_EINVAL);
}

static void test_the_server_starts_again_while_requests_are_under_way(void **state)
{
	(void)state;
	format_and_bond();
	ask_all();
	raw_format(8, &usual);
	assert_int_equal(poll_client(), RNV_CLIENT_BONDING);
	all_are_stale();
	assert_int_equal(get(HELLO), 8);
	raw_accept();
	assert_int_equal(poll_client(), RNV_CLIENT_BONDED);
	assert_int_equal(result_count, 3);
	/* Slot 1 is stale in the new bond, too. */
	assert_null(rnv_client_slot_data(&client, 1, NULL));
	assert_int_equal(submit(1, NULL), RNV_ESTALE);
	assert_int_equal(take_slot(), 0);
	assert_int_equal(rnv_client_slot_give(&client, 1), RNV_OK);
	assert_int_equal(take_slot(), 1);
	assert_int_equal(submit(1, NULL), RNV_OK);
	assert_int_equal(stats().bonds, 2);
	assert_int_equal(stats().broken, 0);
}

static void test_the_server_ends(void **state)
{
	uint32_t slot;

	(void)state;
	format_and_bond();
	slot = take_slot();
	assert_int_equal(submit(slot, NULL), RNV_OK);
	put(MAGIC, 0);
	put(ACCEPT, 0);
	assert_int_equal(poll_client(), RNV_CLIENT_ALONE);
	assert_int_equal(result_count, 1);
	assert_int_equal(results[0].status, RNV_ESTALE);
	assert_int_equal(rnv_client_slot_take(&client, &slot), RNV_ESTATE);
	assert_int_equal(submit(slot, NULL), RNV_ESTATE);
	assert_int_equal(rnv_client_status(&client, done, &client), RNV_ESTATE);
	raw_format(8, &usual);
	bond();
}

static void test_the_server_starts_again_before_it_accepts(void **state)
{
	uint32_t epoch;

	(void)state;
	raw_format(7, &usual);
	poll_client();
	epoch = get(CLIENT_EPOCH);
	raw_format(8, &usual);
	/* What the old server would have accepted is not a bond with the new one. */
	put(ACCEPT, epoch);
	assert_int_equal(poll_client(), RNV_CLIENT_BONDING);
	assert_int_equal(get(HELLO), 8);
	assert_int_not_equal(get(CLIENT_EPOCH), epoch);
	raw_accept();
	assert_int_equal(poll_client(), RNV_CLIENT_BONDED);
	put(MAGIC, 0);
	assert_int_equal(poll_client(), RNV_CLIENT_ALONE);
}

static void test_a_server_of_other_sizes(void **state)
{
	static const struct sizes other = {16, 8, 128};
	static const struct sizes large = {16, 8, 1024};
	uint32_t bytes;

	(void)state;
	format_and_bond();
	take_slot();
	raw_format(8, &large);
	assert_int_equal(poll_client(), RNV_CLIENT_ALONE); /* does not fit */
	raw_format(9, &other);
	bond();
	for (uint32_t slot = 1; slot < 8; slot++) {
		assert_int_equal(take_slot(), slot);
		assert_ptr_equal(rnv_client_slot_data(&client, slot, &bytes),
				 region + 448 + 64 * 16 + 128 * slot);
		assert_int_equal(bytes, 128);
	}
	assert_int_equal(rnv_client_slot_take(&client, &bytes), RNV_EAGAIN);
	/* Back to fewer: what is taken beyond can be given back. */
	raw_format(10, &usual);
	bond();
	assert_int_equal(rnv_client_slot_take(&client, &bytes), RNV_EAGAIN);
	for (uint32_t slot = 0; slot < 8; slot++) {
		assert_int_equal(submit(slot, NULL), RNV_ESTALE);
		assert_int_equal(rnv_client_slot_give(&client, slot), RNV_OK);
	}
	assert_int_equal(take_slot(), 0);
	assert_int_equal(take_slot(), 1);
	assert_int_equal(rnv_client_slot_take(&client, &bytes), RNV_EAGAIN);
}

/* A client that was reset has forgotten all; the region remembers its epoch. */
static void test_the_client_starts_again_in_each_state(void **state)
{
	struct raw_message late;
	uint32_t epoch;

	(void)state;
	format_and_bond();
	assert_int_equal(submit(take_slot(), NULL), RNV_OK);
	assert_int_equal(raw_take(&usual, &late), 1);
	epoch = get(CLIENT_EPOCH);

	start_client(); /* was bonded */
	assert_int_equal(poll_client(), RNV_CLIENT_BONDING);
	assert_int_equal(get(CLIENT_EPOCH), epoch + 1);
	raw_answer(&usual, &late); /* the server has not seen it */
	start_client();            /* was bonding */
	assert_int_equal(poll_client(), RNV_CLIENT_BONDING);
	assert_int_equal(get(CLIENT_EPOCH), epoch + 2);
	raw_accept();
	assert_int_equal(poll_client(), RNV_CLIENT_BONDED);

	/* The response of the old epoch has the number of a request that is under way now. */
	assert_int_equal(submit(take_slot(), NULL), RNV_OK);
	raw_answer(&usual, &late);
	assert_int_equal(poll_client(), RNV_CLIENT_BONDED);
	assert_int_equal(result_count, 0);
	assert_int_equal(stats().foreign, 1);
	serve(RNV_OK);
	poll_client();
	assert_int_equal(result_count, 1);
	assert_int_equal(results[0].id, late.id);
	assert_int_equal(results[0].status, RNV_OK);
}

static void test_the_server_takes_its_acceptance_back(void **state)
{
	uint32_t epoch;

	(void)state;
	format_and_bond();
	epoch = get(CLIENT_EPOCH);
	assert_int_equal(submit(take_slot(), NULL), RNV_OK);
	put(ACCEPT, 0);
	assert_int_equal(poll_client(), RNV_CLIENT_BONDING);
	assert_int_equal(result_count, 1);
	assert_int_equal(results[0].status, RNV_ESTALE);
	assert_int_equal(get(CLIENT_EPOCH), epoch + 1);
	assert_int_equal(stats().broken, 0);
	raw_accept();
	assert_int_equal(poll_client(), RNV_CLIENT_BONDED);
}

static void test_a_heart_that_stops(void **state)
{
	(void)state;
	client.config.server_dead_us = 3000;
	format_and_bond();
	assert_int_equal(submit(take_slot(), NULL), RNV_OK);
	for (uint32_t i = 0; i < 10; i++) {
		now_us += 2999;
		put(SERVER_BEAT, get(SERVER_BEAT) + 1);
		assert_int_equal(poll_client(), RNV_CLIENT_BONDED);
	}
	now_us += 2999;
	assert_int_equal(poll_client(), RNV_CLIENT_BONDED);
	assert_int_equal(result_count, 0);
	now_us += 1;
	assert_int_equal(poll_client(), RNV_CLIENT_BONDING);
	assert_int_equal(result_count, 1);
	assert_int_equal(results[0].status, RNV_ESTALE);
	now_us += 4000; /* of which nothing counts before the bond */
	raw_accept();   /* was only slow */
	assert_int_equal(poll_client(), RNV_CLIENT_BONDED);
	now_us += 2999;
	assert_int_equal(poll_client(), RNV_CLIENT_BONDED);
}

static void test_hearts_that_nobody_watches(void **state)
{
	(void)state;
	format_and_bond();
	now_us += 1ull << 40;
	assert_int_equal(poll_client(), RNV_CLIENT_BONDED);
}

static void refuses(void *context, const struct rnv_client_result *result)
{
	uint32_t slot;

	done(context, result);
	assert_int_equal(rnv_client_slot_take(&client, &slot), RNV_ESTATE);
	assert_int_equal(submit(0, NULL), RNV_ESTATE);
	assert_int_equal(rnv_client_status(&client, done, &client), RNV_ESTATE);
	assert_int_equal(rnv_client_cancel(&client, result->id), RNV_ENOENT);
	assert_int_equal(rnv_client_slot_give(&client, result->slot), RNV_OK);
}

static uint32_t other_id;

/* Of the first of two requests: the second has not been told yet. */
static void cancels_the_other(void *context, const struct rnv_client_result *result)
{
	const uint32_t sent = get(REQUEST_CLIENT);

	done(context, result);
	assert_int_equal(rnv_client_cancel(&client, other_id), RNV_ENOENT);
	assert_int_equal(get(REQUEST_CLIENT), sent);
}

static void test_nothing_is_cancelled_when_the_bond_is_over(void **state)
{
	(void)state;
	format_and_bond();
	take_slot();
	assert_int_equal(take_slot(), 1);
	assert_int_equal(rnv_client_lookup(&client, 0, "m", 0, cancels_the_other, &client), RNV_OK);
	assert_int_equal(submit(1, &other_id), RNV_OK);
	raw_format(8, &usual);
	poll_client();
	assert_int_equal(result_count, 2);
	assert_int_equal(results[1].status, RNV_ESTALE);
}

static void test_calls_from_done_when_the_bond_is_over(void **state)
{
	(void)state;
	format_and_bond();
	take_slot();
	assert_int_equal(take_slot(), 1);
	assert_int_equal(rnv_client_lookup(&client, 1, "m", 0, refuses, &client), RNV_OK);
	raw_format(8, &usual);
	poll_client();
	assert_int_equal(result_count, 1);
}

static void test_a_park_is_seen_in_every_state(void **state)
{
	(void)state;
	put(PARK, 55);
	assert_int_equal(rnv_client_park_asked(&client), 0); /* not formatted */
	raw_format(7, &usual);
	assert_int_equal(rnv_client_park_asked(&client), 0);
	put(PARK, 55);
	assert_int_equal(rnv_client_park_asked(&client), 55);
	bond();
	assert_int_equal(rnv_client_park_asked(&client), 55);
}

#define TEST(name) cmocka_unit_test_setup(name, begin_test)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_arguments),
		TEST(test_the_client_starts_first_and_writes_nothing),
		TEST(test_the_server_starts_first),
		TEST(test_hello_is_that_of_the_specification),
		TEST(test_epochs_skip_zero_and_the_one_that_is_accepted),
		TEST(test_hello_again_with_another_epoch),
		TEST(test_the_beat_changes_with_each_poll_once_there_is_a_server),
		TEST(test_the_server_starts_again_while_requests_are_under_way),
		TEST(test_the_server_ends),
		TEST(test_the_server_starts_again_before_it_accepts),
		TEST(test_a_server_of_other_sizes),
		TEST(test_the_client_starts_again_in_each_state),
		TEST(test_the_server_takes_its_acceptance_back),
		TEST(test_a_heart_that_stops),
		TEST(test_hearts_that_nobody_watches),
		TEST(test_nothing_is_cancelled_when_the_bond_is_over),
		TEST(test_calls_from_done_when_the_bond_is_over),
		TEST(test_a_park_is_seen_in_every_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
