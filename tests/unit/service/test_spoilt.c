/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The shared memory is spoilt, by a client that went wild or by chance: each word in turn, in each
 * place, and any number of bytes. The sanitizers see who leaves its memory then; the other client
 * is served exactly; and this one, once nobody spoils anything, too.
 */

#include "places.h"

#define WORDS (REGION_BYTES / 4)

static uint32_t seed = 1;

static uint32_t random_word(void)
{
	seed = seed * 1664525u + 1013904223u;
	return seed >> 8 ^ seed << 16;
}

/* A request whose number or epoch was spoilt has no answer: its owner has to start again. */
static bool waits_for_ever(void)
{
	for (uint32_t record = 0; record <= RNV_IPC_MAX_SLOTS; record++) {
		if (first->client->under_way[record].id != 0) {
			return true;
		}
	}
	return false;
}

/* What is spoilt may be noticed with the next request and the next answer only. */
static void assert_recovers(void)
{
	pass(DEAD_US + 3 * HELLO_US);
	if (waits_for_ever()) {
		start_client(first);
	}
	for (uint32_t i = 0; i < 3; i++) {
		pass(DEAD_US + 3 * HELLO_US);
		assert_second_is_served(random_word());
		assert_int_equal(poll_client(first), RNV_CLIENT_BONDED);
		(void)rnv_client_status(first->client, note, first);
	}
	pass(3 * HELLO_US);
	first->count = 0;
	assert_works_again();
}

static uint32_t spoilt(uint32_t word, uint32_t how)
{
	static const uint32_t special[] = {0, 1, UINT32_MAX, 0x80000000, 0x7FFFFFFF};

	if (how < sizeof(special) / sizeof(special[0])) {
		return special[how];
	}
	switch (how) {
	case 5:
		return word + 1;
	case 6:
		return word - 1;
	case 7:
		return word ^ 1u << (random_word() & 31u);
	default:
		return random_word();
	}
}

#define HOWS 9

static void test_each_word(void **state)
{
	(void)state;
	for (uint32_t place = ALONE; place < PLACES; place++) {
		/* Of the slots, two words: any value is an input. */
		for (uint32_t word = 0; word < SLOTS_AT / 4 + 2; word++) {
			for (uint32_t how = 0; how < HOWS; how++) {
				uint32_t *at;

				begin(place);
				at = (uint32_t *)first->region + word;
				*at = spoilt(*at, how);
				assert_recovers();
				(void)teardown(NULL);
			}
		}
	}
}

/* All along, some words, or all, over and over. */
static void spoil_some(void)
{
	uint32_t *words = (uint32_t *)first->region;
	uint32_t count = 1u + random_word() % 8u;

	if (random_word() % 16u == 0u) {
		count = WORDS;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t word = random_word() % (random_word() % 2u == 0u ? 112u : WORDS);

		words[word] = spoilt(words[word], random_word() % HOWS);
	}
}

static void in_each_step(const struct rnv_trace_event *event)
{
	(void)event;
	spoil_some();
	(void)poll_server(first);
	(void)poll_server(second);
}

static void test_any_bytes_at_any_time(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < 1000; round++) {
		begin(random_word() % PLACES);
		b.in_step = in_each_step;
		first->model = b.model[0];
		for (uint32_t turn = 0; turn < 20; turn++) {
			uint32_t slot;

			spoil_some();
			(void)poll_client(first);
			(void)rnv_client_status(first->client, note, first);
			if (rnv_client_slot_take(first->client, &slot) == RNV_OK) {
				struct rnv_client_job job = job_of(first, random_word() % LANES);

				(void)rnv_client_submit(first->client, slot, &job, NULL);
			}
			for (slot = 0; slot < SLOTS; slot++) {
				(void)rnv_client_slot_give(first->client, slot);
			}
			spoil_some();
			pass(BEAT_US);
			(void)poll_client(second);
			infer(second, turn);
			first->count = 0;
			second->count = 0;
		}
		b.in_step = NULL;
		assert_recovers();
		(void)teardown(NULL);
	}
}

/* Well-formed requests of any content, as a wild client may send. */
static struct rnv_message any_request(void)
{
	static const uint32_t offsets[] = {SLOTS_AT,
					   SLOTS_AT + SLOT_BYTES,
					   SLOTS_AT + SLOTS * SLOT_BYTES,
					   SLOTS_AT - SLOT_BYTES,
					   SLOTS_AT + 16,
					   0,
					   SLOTS_AT + 2 * SLOT_BYTES};
	static const uint32_t bytes[] = {BLOCK_BYTES, SLOT_BYTES, SLOT_BYTES + 1, 0, UINT32_MAX};
	struct rnv_message message = {.id = random_word() % 4u,
				      .epoch = first->service->client_epoch,
				      .type = (uint16_t)(random_word() % 6u),
				      .status = (int16_t)random_word(),
				      .offset = offsets[random_word() % 7u],
				      .bytes = bytes[random_word() % 5u]};
	uint32_t lane = random_word() % 4u;
	uint32_t flags = random_word() % 2u == 0u ? 0u : random_word() & RNV_IPC_JOB_FLAGS;

	message.args[0] = random_word() % 3u == 0u ? random_word() % 4u : b.model[0];
	message.args[1] = lane << 16 | flags << 24;
	message.args[2] = random_word() % 2u == 0u ? RNV_IPC_NO_DEADLINE : random_word();
	if (random_word() % 4u == 0u) {
		((uint32_t *)(void *)&message)[random_word() % 8u] = random_word();
	}
	return message;
}

static void test_any_requests(void **state)
{
	uint32_t completed = 0;
	uint32_t refused = 0;

	(void)state;
	begin(IDLE);
	for (uint32_t round = 0; round < 20000; round++) {
		struct rnv_message message = any_request();
		struct rnv_message answer;

		if (random_word() % 8u == 0u) {
			memcpy(slot_memory(first, random_word() % SLOTS), "m0\0", 4);
		}
		(void)rnv_ring_push(&first->client->requests, &message);
		if (random_word() % 3u == 0u) {
			now_us += 3;
			rnv_shared_store(&first->region->client.beat, round);
			(void)poll_server(first);
			(void)rnv_sched_step(&b.sched);
			completed = service_stats(first).completed;
			refused = service_stats(first).refused;
		}
		while (rnv_ring_pop(&first->client->responses, &answer) == RNV_OK) {
		}
		if (round % 1000u == 0u) {
			now_us += 1000; /* the second one's heart */
			settle(second);
			(void)poll_client(second);
			infer(second, round);
		}
	}
	assert_true(completed > 100);
	assert_true(refused > 1000);
	start_client(first);
	assert_recovers();
	(void)teardown(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_word),
		cmocka_unit_test(test_any_bytes_at_any_time),
		cmocka_unit_test(test_any_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
