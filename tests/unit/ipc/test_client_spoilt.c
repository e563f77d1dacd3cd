/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* A region that anybody writes to: nothing outside of it is touched, and all goes on after it. */

#include "client_fixture.h"

/* A proper server comes: the client bonds, and a request of it is answered. */
static void all_is_well_again(void)
{
	static uint32_t epoch = 1000;
	uint32_t slot;

	raw_format(++epoch, &usual);
	assert_int_equal(poll_client(), RNV_CLIENT_BONDING);
	raw_accept();
	assert_int_equal(poll_client(), RNV_CLIENT_BONDED);
	for (uint32_t i = 0; i < RNV_IPC_MAX_SLOTS; i++) {
		rnv_client_slot_give(&client, i);
	}
	slot = take_slot();
	result_count = 0;
	assert_int_equal(submit(slot, NULL), RNV_OK);
	serve(RNV_ETIME);
	poll_client();
	assert_int_equal(result_count, 1);
	assert_int_equal(results[0].status, RNV_ETIME);
	assert_int_equal(rnv_client_slot_give(&client, slot), RNV_OK);
	result_count = 0;
	assert_true(guards_are_whole());
}

static void test_an_impossible_index_of_the_responses(void **state)
{
	(void)state;
	format_and_bond();
	assert_int_equal(submit(take_slot(), NULL), RNV_OK);
	put(RESPONSE_SERVER, get(RESPONSE_SERVER) + 5);
	assert_int_equal(poll_client(), RNV_CLIENT_BONDING);
	assert_int_equal(results[0].status, RNV_ESTALE);
	assert_int_equal(stats().broken, 1);
	raw_accept();
	assert_int_equal(poll_client(), RNV_CLIENT_BONDED);
}

static void test_an_impossible_index_of_the_requests(void **state)
{
	(void)state;
	format_and_bond();
	assert_int_equal(submit(take_slot(), NULL), RNV_OK);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(rnv_client_status(&client, done, &client),
				 i == 0 ? RNV_OK : RNV_EBUSY);
	}
	put(REQUEST_SERVER, get(REQUEST_CLIENT) + 100);
	while (rnv_client_cancel(&client, client.under_way[0].id) == RNV_OK) {
	}
	assert_int_equal(submit(take_slot(), NULL), RNV_EAGAIN);
	assert_int_equal(poll_client(), RNV_CLIENT_BONDING);
	assert_int_equal(result_count, 2);
	assert_int_equal(results[0].status, RNV_ESTALE);
	assert_int_equal(stats().broken, 1);
	raw_accept();
	assert_int_equal(poll_client(), RNV_CLIENT_BONDED);
	assert_int_equal(poll_client(), RNV_CLIENT_BONDED);
}

/* The region is spoilt since a server starts: that is not counted as broken. */
static void test_a_server_that_starts_anew_breaks_nothing(void **state)
{
	(void)state;
	format_and_bond();
	raw_format(8, &usual);
	put(RESPONSE_SERVER, get(RESPONSE_SERVER) + 5);
	assert_int_equal(poll_client(), RNV_CLIENT_BONDING);
	assert_int_equal(stats().broken, 0);
}

static void starts_anew(void *context, const struct rnv_client_result *result)
{
	done(context, result);
	raw_format(8, &usual);
	put(RESPONSE_SERVER, get(RESPONSE_SERVER) + 5);
}

/* The same while the client takes responses. */
static void test_a_server_that_starts_anew_meanwhile_breaks_nothing(void **state)
{
	(void)state;
	format_and_bond();
	assert_int_equal(rnv_client_status(&client, starts_anew, &client), RNV_OK);
	serve(RNV_OK);
	assert_int_equal(poll_client(), RNV_CLIENT_BONDING);
	assert_int_equal(result_count, 1);
	assert_int_equal(stats().broken, 0);
}

static void use_everything(void)
{
	uint32_t slot = random_word() % 4, id = 0, taken;
	void *data;

	rnv_client_slot_take(&client, &taken);
	data = rnv_client_slot_data(&client, slot, NULL);
	if (data != NULL) {
		memset(data, 0x11, 256);
	}
	rnv_client_lookup(&client, slot, "model", 1, done, &client);
	submit(slot ^ 1u, &id);
	rnv_client_cancel(&client, id);
	rnv_client_status(&client, done, &client);
	rnv_client_slot_give(&client, slot);
	rnv_client_park_asked(&client);
	result_count = 0;
	now_us += random_word() % (2 * HELLO_US);
	poll_client();
	result_count = 0;
}

/* Each word of the lines, the indices and the messages in turn; in each state. */
static void test_every_word_in_turn(void **state)
{
	static const uint32_t values[] = {0, 1, 5, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};

	(void)state;
	for (uint32_t word = 0; word < (448 + 256) / 4; word++) {
		for (uint32_t i = 0; i < 24; i++) {
			uint32_t value = i < 12 ? values[i % 6] : random_word();

			all_is_well_again();
			if (i % 3 == 0) {
				use_everything();
			} else if (i % 3 == 1) {
				put(ACCEPT, 0);
				poll_client();
			}
			put(4 * word, value);
			use_everything();
			put(4 * word, value);
			use_everything();
			assert_true(guards_are_whole());
		}
	}
	all_is_well_again();
}

static void test_random_bytes(void **state)
{
	(void)state;
	for (uint32_t turn = 0; turn < 3000; turn++) {
		if (turn % 10 == 0) {
			all_is_well_again();
		}
		for (uint32_t i = 0; i < 1u << turn % 9; i++) {
			region[random_word() % (turn % 2 == 0 ? 4096 : 448)] =
				(uint8_t)random_word();
		}
		for (uint32_t i = 0; i < 4; i++) {
			use_everything();
		}
		assert_true(guards_are_whole());
	}
	all_is_well_again();
}

/* Headers with a CRC that fits: sizes that the region does not have are never used. */
static void test_headers_that_claim_more_memory(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 3000; i++) {
		struct sizes sizes = {1u << random_word() % 12, random_word() % 40,
				      64 * (random_word() % 64)};

		raw_format(i + 1, &sizes);
		put(ACCEPT, get(CLIENT_EPOCH));
		poll_client();
		put(ACCEPT, get(CLIENT_EPOCH));
		for (uint32_t k = 0; k < 4; k++) {
			use_everything();
		}
		assert_true(guards_are_whole());
	}
	all_is_well_again();
}

#define TEST(name) cmocka_unit_test_setup(name, begin_test)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_an_impossible_index_of_the_responses),
		TEST(test_an_impossible_index_of_the_requests),
		TEST(test_a_server_that_starts_anew_breaks_nothing),
		TEST(test_a_server_that_starts_anew_meanwhile_breaks_nothing),
		TEST(test_every_word_in_turn),
		TEST(test_random_bytes),
		TEST(test_headers_that_claim_more_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
