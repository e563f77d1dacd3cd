/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Slots, requests byte by byte, and responses that are late, foreign or there twice. */

#include "client_fixture.h"

static struct raw_message taken(void)
{
	struct raw_message message = {0};

	assert_int_equal(raw_take(&usual, &message), 1);
	assert_int_equal(message.epoch, get(CLIENT_EPOCH));
	assert_int_not_equal(message.id, 0);
	assert_int_equal(message.status, 0);
	return message;
}

static void nothing_is_there(void)
{
	struct raw_message message;

	assert_int_equal(raw_take(&usual, &message), 0);
}

static void test_slots(void **state)
{
	uint32_t slot, bytes;

	(void)state;
	assert_int_equal(rnv_client_slot_take(&client, &slot), RNV_ESTATE);
	format_and_bond();
	assert_int_equal(take_slot(), 0);
	assert_int_equal(take_slot(), 1);
	assert_int_equal(rnv_client_slot_take(&client, &slot), RNV_EAGAIN);
	assert_ptr_equal(rnv_client_slot_data(&client, 0, &bytes), region + 448 + 256);
	assert_int_equal(bytes, 256);
	assert_ptr_equal(rnv_client_slot_data(&client, 1, NULL), region + 448 + 256 + 256);
	for (uint32_t i = 2; i < 100; i++) {
		assert_null(rnv_client_slot_data(&client, i, NULL));
		assert_int_equal(rnv_client_slot_give(&client, i), RNV_EINVAL);
	}
	assert_int_equal(rnv_client_slot_give(&client, 0), RNV_OK);
	assert_int_equal(rnv_client_slot_give(&client, 0), RNV_EINVAL);
	assert_null(rnv_client_slot_data(&client, 0, NULL));
	assert_int_equal(submit(0, NULL), RNV_EINVAL);
	assert_int_equal(take_slot(), 0);
}

static void test_a_lookup(void **state)
{
	struct raw_message message;
	uint8_t name[32] = "seven segments";
	uint32_t slot;

	(void)state;
	format_and_bond();
	take_slot();
	slot = take_slot();
	doorbells = 0;
	assert_int_equal(rnv_client_lookup(&client, slot, "seven segments", 0xABCD, done, &client),
			 RNV_OK);
	assert_int_equal(doorbells, 1);
	message = taken();
	assert_int_equal(message.type, 2);
	assert_int_equal(message.offset, 448 + 256 + 256);
	assert_int_equal(message.bytes, 32);
	assert_int_equal(message.args[0], 0xABCD);
	assert_int_equal(message.args[1] | message.args[2], 0);
	assert_memory_equal(region + message.offset, name, 32);
	message.status = RNV_ENOENT;
	raw_answer(&usual, &message);
	assert_int_equal(result_count, 0);
	poll_client();
	assert_int_equal(result_count, 1);
	assert_int_equal(results[0].id, message.id);
	assert_int_equal(results[0].slot, slot);
	assert_int_equal(results[0].status, RNV_ENOENT);
}

static void test_names(void **state)
{
	char name[34];
	uint32_t slot;

	(void)state;
	format_and_bond();
	slot = take_slot();
	memset(name, 'n', sizeof(name));
	name[32] = '\0';
	assert_int_equal(rnv_client_lookup(&client, slot, name, 0, done, &client), RNV_EINVAL);
	assert_int_equal(rnv_client_lookup(&client, slot, NULL, 0, done, &client), RNV_EINVAL);
	assert_int_equal(rnv_client_lookup(&client, slot, "n", 0, NULL, &client), RNV_EINVAL);
	name[31] = '\0';
	assert_int_equal(rnv_client_lookup(&client, slot, name, 0, done, &client), RNV_OK);
	assert_memory_equal(region + 448 + 256, name, 32);
	assert_int_equal(rnv_client_lookup(&client, slot, name, 0, done, &client), RNV_EBUSY);
}

static void test_a_job(void **state)
{
	struct raw_message message;
	uint32_t id, slot;

	(void)state;
	format_and_bond();
	slot = take_slot();
	doorbells = 0;
	assert_int_equal(submit(slot, &id), RNV_OK);
	assert_int_equal(doorbells, 1);
	assert_int_equal(submit(slot, NULL), RNV_EBUSY);
	assert_int_equal(rnv_client_slot_give(&client, slot), RNV_EBUSY);
	message = taken();
	nothing_is_there();
	assert_int_equal(message.id, id);
	assert_int_equal(message.type, 3);
	assert_int_equal(message.offset, 448 + 256);
	assert_int_equal(message.bytes, 200);
	assert_int_equal(message.args[0], 0x00030001);
	assert_int_equal(message.args[1], 0x42031122);
	assert_int_equal(message.args[2], 5000);
	message.args[0] = 11;
	message.args[1] = 22;
	message.args[2] = 1;
	raw_answer(&usual, &message);
	poll_client();
	assert_int_equal(result_count, 1);
	assert_int_equal(results[0].status, RNV_OK);
	assert_int_equal(results[0].args[0], 11);
	assert_int_equal(results[0].args[1], 22);
	assert_int_equal(results[0].args[2], 1);
	assert_int_equal(submit(slot, &id), RNV_OK);
	assert_int_not_equal(id, message.id);
	assert_int_equal(stats().requests, 2);
	assert_int_equal(stats().responses, 1);
}

static void test_jobs_that_are_refused(void **state)
{
	struct rnv_client_job job = {.bytes = 257, .done = done, .context = &client};
	uint32_t slot;

	(void)state;
	format_and_bond();
	slot = take_slot();
	assert_int_equal(rnv_client_submit(&client, slot, &job, NULL), RNV_EINVAL);
	job.bytes = 256;
	job.done = NULL;
	assert_int_equal(rnv_client_submit(&client, slot, &job, NULL), RNV_EINVAL);
	assert_int_equal(rnv_client_submit(&client, slot, NULL, NULL), RNV_EINVAL);
	job.done = done;
	assert_int_equal(rnv_client_submit(&client, 1, &job, NULL), RNV_EINVAL);
	assert_int_equal(rnv_client_submit(&client, 32, &job, NULL), RNV_EINVAL);
	nothing_is_there();
	assert_int_equal(rnv_client_submit(&client, slot, &job, NULL), RNV_OK);
}

static void test_a_cancel(void **state)
{
	struct raw_message job, cancel;
	uint32_t id;

	(void)state;
	format_and_bond();
	assert_int_equal(rnv_client_cancel(&client, 0), RNV_ENOENT);
	assert_int_equal(submit(take_slot(), &id), RNV_OK);
	assert_int_equal(rnv_client_cancel(&client, id + 1), RNV_ENOENT);
	assert_int_equal(rnv_client_cancel(&client, id + 63), RNV_ENOENT);
	assert_int_equal(rnv_client_cancel(&client, id), RNV_OK);
	job = taken();
	cancel = taken();
	assert_int_equal(cancel.type, 4);
	assert_int_equal(cancel.args[0], id);
	assert_int_equal(cancel.offset | cancel.bytes, 0);
	assert_int_not_equal(cancel.id, id);
	job.status = RNV_ECANCELED;
	raw_answer(&usual, &job);
	poll_client();
	assert_int_equal(results[0].status, RNV_ECANCELED);
	assert_int_equal(rnv_client_cancel(&client, id), RNV_ENOENT);
	/* A response to the cancel, which has none. */
	raw_answer(&usual, &cancel);
	poll_client();
	assert_int_equal(result_count, 1);
	assert_int_equal(stats().foreign, 1);
}

static void test_a_status(void **state)
{
	struct raw_message message;

	(void)state;
	assert_int_equal(rnv_client_status(&client, done, &client), RNV_ESTATE);
	assert_int_equal(rnv_client_status(&client, NULL, &client), RNV_EINVAL);
	format_and_bond();
	assert_int_equal(rnv_client_status(&client, done, &client), RNV_OK);
	assert_int_equal(rnv_client_status(&client, done, &client), RNV_EBUSY);
	message = taken();
	assert_int_equal(message.type, 1);
	assert_int_equal(message.offset | message.bytes, 0);
	message.args[2] = 3;
	raw_answer(&usual, &message);
	poll_client();
	assert_int_equal(results[0].slot, RNV_IPC_MAX_SLOTS);
	assert_int_equal(results[0].args[2], 3);
	assert_int_equal(rnv_client_status(&client, done, &client), RNV_OK);
}

/* Each is dropped, counted, and ends nothing. */
static void test_responses_to_nothing_that_was_asked(void **state)
{
	struct raw_message first, second, wrong;
	uint32_t foreign = 0;

	(void)state;
	format_and_bond();
	assert_int_equal(submit(take_slot(), NULL), RNV_OK);
	first = taken();
	raw_answer(&usual, &first);
	raw_answer(&usual, &first); /* twice */
	poll_client();
	assert_int_equal(result_count, 1);
	assert_int_equal(stats().foreign, ++foreign);

	assert_int_equal(submit(0, NULL), RNV_OK);
	second = taken();
	raw_answer(&usual, &first); /* late: the slot has another request now */
	poll_client();
	assert_int_equal(stats().foreign, ++foreign);
	for (uint32_t i = 0; i < 32; i++) {
		wrong = second;
		wrong.id ^= 1u << i;
		raw_answer(&usual, &wrong);
		poll_client();
		wrong = second;
		wrong.epoch ^= 1u << i;
		raw_answer(&usual, &wrong);
		poll_client();
		foreign += 2;
		assert_int_equal(stats().foreign, foreign);
	}
	for (uint32_t i = 0; i < 1000; i++) {
		wrong.epoch = second.epoch;
		wrong.id = i < 64 ? i : random_word();
		foreign += wrong.id == second.id ? 0 : 1;
		raw_answer(&usual, &wrong);
		poll_client();
	}
	assert_int_equal(stats().foreign, foreign);
	assert_int_equal(result_count, 1);
	raw_answer(&usual, &second);
	poll_client();
	assert_int_equal(result_count, 2);
	assert_int_equal(results[1].id, second.id);
	assert_int_equal(stats().foreign, foreign);
}

static void test_responses_in_another_order(void **state)
{
	struct raw_message first, second;

	(void)state;
	format_and_bond();
	assert_int_equal(submit(take_slot(), NULL), RNV_OK);
	assert_int_equal(submit(take_slot(), NULL), RNV_OK);
	first = taken();
	second = taken();
	raw_answer(&usual, &second);
	raw_answer(&usual, &first);
	poll_client();
	assert_int_equal(result_count, 2);
	assert_int_equal(results[0].slot, 1);
	assert_int_equal(results[1].slot, 0);
}

static void test_a_full_ring_takes_nothing_and_loses_nothing(void **state)
{
	uint32_t id;

	(void)state;
	format_and_bond();
	assert_int_equal(submit(take_slot(), &id), RNV_OK);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(rnv_client_cancel(&client, id), RNV_OK);
	}
	doorbells = 0;
	assert_int_equal(rnv_client_cancel(&client, id), RNV_EAGAIN);
	assert_int_equal(rnv_client_status(&client, done, &client), RNV_EAGAIN);
	assert_int_equal(take_slot(), 1);
	assert_int_equal(submit(1, NULL), RNV_EAGAIN);
	assert_int_equal(rnv_client_lookup(&client, 1, "m", 0, done, &client), RNV_EAGAIN);
	assert_int_equal(doorbells, 0);
	assert_int_equal(rnv_client_slot_give(&client, 1), RNV_OK);
	assert_int_equal(take_slot(), 1);
	serve(RNV_OK);
	assert_int_equal(submit(1, NULL), RNV_OK);
	assert_int_equal(submit(1, NULL), RNV_EBUSY);
	poll_client();
	assert_int_equal(result_count, 1);
	assert_int_equal(stats().requests, 2);
	assert_int_equal(stats().broken, 0);
}

/* The slots and the status go round; `next_id` begins shortly before it wraps. */
static void test_numbers_are_never_zero_and_never_one_that_is_under_way(void **state)
{
	uint32_t last = 0, id;

	(void)state;
	format_and_bond();
	take_slot();
	client.next_id = 0u - 64u * 20u;
	for (uint32_t i = 0; i < 40; i++) {
		assert_int_equal(submit(0, &id), RNV_OK);
		assert_int_not_equal(id, 0);
		assert_int_not_equal(id, last);
		last = id;
		serve(RNV_OK);
		poll_client();
	}
	assert_int_equal(stats().responses, 40);
	assert_int_equal(stats().foreign, 0);
}

static void test_all_works_without_a_doorbell(void **state)
{
	(void)state;
	client.config.doorbell = NULL;
	format_and_bond();
	take_slot();
	for (uint32_t i = 0; i < 20; i++) {
		assert_int_equal(submit(0, NULL), RNV_OK);
		serve(RNV_OK);
		assert_int_equal(poll_client(), RNV_CLIENT_BONDED);
		assert_int_equal(result_count, i + 1);
	}
	assert_int_equal(doorbells, 0);
}

static void goes_on(void *context, const struct rnv_client_result *result)
{
	struct rnv_client_job job = {.bytes = 16, .done = goes_on, .context = context};
	uint32_t slot;

	done(context, result);
	assert_int_equal(rnv_client_cancel(&client, result->id), RNV_ENOENT);
	assert_int_equal(rnv_client_slot_give(&client, result->slot), RNV_OK);
	assert_int_equal(rnv_client_slot_take(&client, &slot), RNV_OK);
	if (result_count < 6) {
		assert_int_equal(rnv_client_submit(&client, slot, &job, NULL), RNV_OK);
	}
}

static void test_calls_from_done(void **state)
{
	struct rnv_client_job job = {.bytes = 16, .done = goes_on, .context = &client};

	(void)state;
	format_and_bond();
	assert_int_equal(rnv_client_submit(&client, take_slot(), &job, NULL), RNV_OK);
	for (uint32_t i = 1; i <= 6; i++) {
		serve(RNV_OK);
		poll_client();
		assert_int_equal(result_count, i);
	}
	nothing_is_there();
}

#define TEST(name) cmocka_unit_test_setup(name, begin_test)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_slots),
		TEST(test_a_lookup),
		TEST(test_names),
		TEST(test_a_job),
		TEST(test_jobs_that_are_refused),
		TEST(test_a_cancel),
		TEST(test_a_status),
		TEST(test_responses_to_nothing_that_was_asked),
		TEST(test_responses_in_another_order),
		TEST(test_a_full_ring_takes_nothing_and_loses_nothing),
		TEST(test_numbers_are_never_zero_and_never_one_that_is_under_way),
		TEST(test_all_works_without_a_doorbell),
		TEST(test_calls_from_done),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
