/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Either side stops, or starts again, wherever the other one is. */

#include "places.h"

/* The new client is not accepted while a job of the old one has a slot. */
static void test_client_starts_again(void **state)
{
	(void)state;
	for (uint32_t place = 0; place < PLACES; place++) {
		begin(place);
		start_client(first);
		assert_int_equal(poll_client(first), RNV_CLIENT_BONDING);
		(void)poll_server(first);
		if (place == RUNNING) {
			for (uint32_t i = 0; i < 5; i++) {
				(void)poll_server(first);
				assert_int_equal(poll_client(first), RNV_CLIENT_BONDING);
			}
			assert_int_equal(service_stats(first).jobs, 1);
		}
		settle(first);
		if (place == RUNNING || place == QUEUED || place == ENDED) {
			assert_int_equal(service_stats(first).failed, place != ENDED);
			assert_int_equal(service_stats(first).completed, place == ENDED);
		}
		assert_int_equal(first->count, 0); /* nothing was asked by this one */
		assert_int_equal(service_stats(first).bonds, place >= IDLE ? 2 : 1);
		assert_works_again();
		assert_second_is_served(place);
		(void)teardown(NULL);
	}
}

/* What was under way ends once, with RNV_ESTALE, or with its answer where that was there. */
static void assert_ended_once(uint32_t place)
{
	assert_int_equal(first->count, place >= PENDING ? 1 : 0);
	if (place >= PENDING) {
		assert_int_equal(last(first).status, RNV_ESTALE);
	}
}

static void test_server_core_starts_again(void **state)
{
	(void)state;
	for (uint32_t place = 0; place < PLACES; place++) {
		begin(place);
		reset_server_core();
		settle(first);
		settle(second);
		assert_ended_once(place);
		assert_works_again();
		find_model(second);
		assert_second_is_served(place);
		(void)teardown(NULL);
	}
}

static void test_both_start_again(void **state)
{
	(void)state;
	for (uint32_t place = 0; place < 4 * PLACES; place++) {
		begin(place / 4);
		if (place % 2 == 0) {
			start_client(first);
			if (place % 4 == 0) { /* hello to the server that is gone then */
				(void)poll_client(first);
			}
			reset_server_core();
		} else {
			reset_server_core();
			if (place % 4 == 1) { /* accepts nobody: that client is gone */
				(void)poll_server(first);
			}
			start_client(first);
		}
		pass(2 * HELLO_US);
		settle(second);
		assert_works_again();
		find_model(second);
		assert_second_is_served(place);
		(void)teardown(NULL);
	}
}

/* The shared memory was lost, too, e.g. since it lost its power. */
static void test_region_is_lost(void **state)
{
	(void)state;
	for (uint32_t place = 0; place < 2 * PLACES; place++) {
		begin(place / 2);
		memset(first->region, place % 2 == 0 ? 0 : 0xFF, REGION_BYTES);
		reset_server_core();
		pass(DEAD_US + 2 * HELLO_US);
		settle(second);
		assert_ended_once(place / 2);
		assert_works_again();
		find_model(second);
		assert_second_is_served(place);
		(void)teardown(NULL);
	}
}

/* The client does nothing for too long; then it goes on, without having been reset. */
static void test_client_heart_stops(void **state)
{
	(void)state;
	for (uint32_t place = IDLE; place < PLACES; place++) {
		begin(place);
		for (uint32_t us = 0; us <= DEAD_US + BEAT_US; us += BEAT_US) {
			now_us += BEAT_US;
			(void)poll_server(first);
			if (place != RUNNING) {
				rnv_sched_run(&b.sched);
			}
			(void)poll_server(second);
			(void)poll_client(second);
		}
		assert_int_equal(service_stats(first).dead, 1);
		assert_int_equal(service_stats(first).bonded, 0);
		assert_int_equal(service_stats(first).jobs, place == RUNNING);
		assert_second_is_served(place);
		for (uint32_t i = 0; i < 5; i++) { /* nobody takes that bond up again */
			(void)poll_server(first);
		}
		assert_int_equal(service_stats(first).bonds, 1);
		pass(2 * HELLO_US);
		assert_ended_once(place);
		assert_int_equal(service_stats(first).bonds, 2);
		assert_works_again();
		(void)teardown(NULL);
	}
}

/* The server does nothing for too long; then it goes on. */
static void test_server_heart_stops(void **state)
{
	(void)state;
	for (uint32_t place = IDLE; place < PLACES; place++) {
		begin(place);
		first->service->config.dead_us = 0;
		for (uint32_t us = 0; us <= DEAD_US; us += BEAT_US) {
			now_us += BEAT_US;
			(void)poll_client(first);
			(void)poll_server(second);
			(void)poll_client(second);
		}
		assert_int_not_equal(poll_client(first), RNV_CLIENT_BONDED);
		assert_int_equal(first->count, place >= PENDING);
		pass(2 * HELLO_US);
		assert_int_equal(first->count, place >= PENDING);
		assert_works_again();
		assert_second_is_served(place);
		(void)teardown(NULL);
	}
}

/* A client that says hello over and over is accepted with its last one. */
static void test_hello_again(void **state)
{
	(void)state;
	begin(BONDING);
	for (uint32_t i = 0; i < 10; i++) {
		now_us += HELLO_US;
		assert_int_equal(poll_client(first), RNV_CLIENT_BONDING);
	}
	(void)poll_server(first);
	assert_int_equal(poll_client(first), RNV_CLIENT_BONDED);
	assert_int_equal(service_stats(first).bonds, 1);
	assert_works_again();
	(void)teardown(NULL);
}

/* A hello that was meant for the server before is none. */
static void test_old_hello_is_ignored(void **state)
{
	(void)state;
	begin(BONDING);
	start_server(first);
	for (uint32_t i = 0; i < 5; i++) {
		(void)poll_server(first);
	}
	assert_int_equal(service_stats(first).bonds, 0);
	/* Even where the memory that is left makes it look like one for this server. */
	rnv_shared_store(&first->region->client.hello, first->service->epoch);
	(void)poll_server(first);
	assert_int_equal(service_stats(first).bonds, 0);
	/* Nor is a new epoch whose hello is not stored yet. */
	rnv_shared_store(&first->region->client.hello, first->service->epoch - 1);
	rnv_shared_store(&first->region->client.epoch, 99);
	(void)poll_server(first);
	assert_int_equal(service_stats(first).bonds, 0);
	pass(HELLO_US);
	assert_int_equal(service_stats(first).bonds, 1);
	assert_works_again();
	(void)teardown(NULL);
}

/* An answer that comes late, of a bond that is over, ends no request of the next one. */
static void test_late_answer(void **state)
{
	struct rnv_message late;
	struct rnv_client_stats stats;
	uint32_t id;

	(void)state;
	begin(QUEUED);
	late = (struct rnv_message){.id = first->jobs[0].id,
				    .epoch = first->service->client_epoch,
				    .type = RNV_IPC_SUBMIT,
				    .status = RNV_OK,
				    .offset = SLOTS_AT,
				    .bytes = SLOT_BYTES};
	start_client(first);
	settle(first);
	find_model(first);
	first->count = 0;
	id = send_job(first, take_slot(first), 1, 3);
	(void)poll_server(first);
	assert_int_equal(first->jobs[0].id, id);
	assert_int_equal(rnv_ring_push(&first->service->responses, &late), RNV_OK);
	late.id = id; /* the right number, of the wrong bond */
	assert_int_equal(rnv_ring_push(&first->service->responses, &late), RNV_OK);
	(void)poll_client(first);
	assert_int_equal(first->count, 0);
	rnv_client_stats_get(first->client, &stats);
	assert_int_equal(stats.foreign, 2);
	settle(first);
	assert_int_equal(first->count, 1);
	assert_int_equal(last(first).id, id);
	assert_slot(first, 0, 3);
	(void)teardown(NULL);
}

/* A request of a bond that is over is dropped. */
static void test_late_request(void **state)
{
	struct rnv_message late = {.id = 64,
				   .type = RNV_IPC_SUBMIT,
				   .offset = SLOTS_AT,
				   .bytes = BLOCK_BYTES,
				   .args = {b.model[0], 1u << 16, RNV_IPC_NO_DEADLINE}};

	(void)state;
	begin(IDLE);
	late.args[0] = b.model[0];
	late.epoch = first->service->client_epoch - 1;
	assert_int_equal(rnv_ring_push(&first->client->requests, &late), RNV_OK);
	(void)poll_server(first);
	assert_int_equal(service_stats(first).foreign, 1);
	assert_int_equal(service_stats(first).jobs, 0);
	assert_works_again();
	(void)teardown(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_client_starts_again),
		cmocka_unit_test(test_server_core_starts_again),
		cmocka_unit_test(test_both_start_again),
		cmocka_unit_test(test_region_is_lost),
		cmocka_unit_test(test_client_heart_stops),
		cmocka_unit_test(test_server_heart_stops),
		cmocka_unit_test(test_hello_again),
		cmocka_unit_test(test_old_hello_is_ignored),
		cmocka_unit_test(test_late_answer),
		cmocka_unit_test(test_late_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
