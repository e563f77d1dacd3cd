/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* A service's beginning and end, models that change, doorbells that are lost, a client that takes
 * no answers. */

#include "service_fixture.h"

static void test_init_refuses(void **state)
{
	const struct rnv_service_config good = first->service_config;
	struct rnv_service_config config = good;
	struct rnv_service service;

	(void)state;
	assert_int_equal(rnv_service_init(NULL, &good, 0), RNV_EINVAL);
	assert_int_equal(rnv_service_init(&service, NULL, 0), RNV_EINVAL);
	config.sched = NULL;
	assert_int_equal(rnv_service_init(&service, &config, 0), RNV_EINVAL);
	config = good;
	config.region = NULL;
	assert_int_equal(rnv_service_init(&service, &config, 0), RNV_EINVAL);
	config.region = (uint8_t *)good.region + 32;
	assert_int_equal(rnv_service_init(&service, &config, 0), RNV_EALIGN);
	config = good;
	config.jobs = NULL;
	assert_int_equal(rnv_service_init(&service, &config, 0), RNV_EINVAL);
	config = good;
	config.wake = NULL;
	assert_int_equal(rnv_service_init(&service, &config, 0), RNV_EINVAL);
	config = good;
	config.max_jobs = 0;
	assert_int_equal(rnv_service_init(&service, &config, 0), RNV_EINVAL);
	config.max_jobs = SLOTS + 1;
	assert_int_equal(rnv_service_init(&service, &config, 0), RNV_EINVAL);
	config = good;
	config.layout.entries = SLOTS; /* no power of two, nor more than slots */
	assert_int_equal(rnv_service_init(&service, &config, 0), RNV_EINVAL);
}

/* Without doorbells all goes on, at the polls. */
static void test_without_doorbells(void **state)
{
	(void)state;
	first->service_config.doorbell = NULL;
	first->client_config.doorbell = NULL;
	start_server(first);
	start_client(first);
	bond(first);
	find_model(first);
	infer(first, 1);
	assert_int_equal(rnv_service_end(first->service), RNV_OK);
}

static void test_end(void **state)
{
	(void)state;
	(void)send_job(first, take_slot(first), 1, 1);
	(void)send_job(first, take_slot(first), 1, 2);
	(void)poll_server(first);
	assert_int_equal(rnv_sched_step(&b.sched), 1);
	first->count = 0;
	first->to_client = 0;
	assert_int_equal(rnv_service_end(first->service), RNV_EAGAIN);
	assert_int_equal(first->to_client, 1);
	assert_int_equal(poll_client(first), RNV_CLIENT_ALONE);
	assert_int_equal(first->count, 2);
	assert_int_equal(last(first).status, RNV_ESTALE);
	for (uint32_t i = 0; i < 4;
	     i++) { /* nobody is accepted any more, the region is no region */
		assert_int_equal(poll_server(first), 0);
		assert_int_equal(poll_client(first), RNV_CLIENT_ALONE);
	}
	assert_int_equal(rnv_service_end(first->service), RNV_EAGAIN);
	rnv_sched_run(&b.sched);
	assert_int_equal(poll_server(first), 0);
	assert_int_equal(rnv_service_end(first->service), RNV_OK);
	assert_int_equal(rnv_service_end(first->service), RNV_OK);
	assert_int_equal(service_stats(first).jobs, 0);
	assert_int_equal(service_stats(first).failed, 2);
	assert_second_is_served(1);
	start_server(first); /* and from the beginning */
	settle(first);
	assert_int_equal(rnv_client_slot_give(first->client, 0), RNV_OK);
	assert_int_equal(rnv_client_slot_give(first->client, 1), RNV_OK);
	infer(first, 2);
}

/* How a submit ends with what the client knows of the model. */
static int submit_status(void)
{
	struct rnv_client_job job = job_of(first, 1);

	assert_int_equal(rnv_client_submit(first->client, 0, &job, NULL), RNV_OK);
	settle(first);
	return last(first).status;
}

static void test_model_is_swapped(void **state)
{
	struct rnv_model_config config = model_config(0, 0);
	uint32_t slot = take_slot(first);
	uint32_t old = first->model;
	struct rnv_diag diag;

	(void)state;
	(void)send_job(first, slot, 1, 1);
	(void)poll_server(first);
	assert_int_equal(rnv_model_drain(&b.sched, b.model[0], RNV_DRAIN_FINISH), RNV_EAGAIN);
	settle(first);
	assert_int_equal(last(first).status, RNV_OK); /* what was queued still runs */
	assert_slot(first, slot, 1);
	assert_int_equal(submit_status(), RNV_ESTATE);
	assert_int_equal(look_up(first, slot, "m0"), RNV_ESTATE);
	assert_int_equal(rnv_model_drain(&b.sched, b.model[0], RNV_DRAIN_FINISH), RNV_OK);
	assert_int_equal(rnv_model_swap(&b.sched, &config, &b.model[0], NULL, &diag), RNV_OK);
	assert_int_equal(submit_status(), RNV_ENOENT);
	assert_int_equal(look_up(first, slot, "m0"), RNV_OK);
	assert_int_equal(first->model, b.model[0]);
	assert_int_not_equal(first->model, old);
	(void)send_job(first, slot, 1, 2);
	settle(first);
	assert_slot(first, slot, 2);
	assert_int_equal(service_stats(first).bonds, 1);
}

static void test_model_is_cancelled_and_closed(void **state)
{
	uint32_t slot = take_slot(first);

	(void)state;
	(void)send_job(first, slot, 1, 1);
	(void)poll_server(first);
	assert_int_equal(rnv_model_drain(&b.sched, b.model[0], RNV_DRAIN_CANCEL), RNV_OK);
	settle(first);
	assert_int_equal(last(first).status, RNV_ECANCELED);
	assert_int_equal(rnv_model_close(&b.sched, b.model[0]), RNV_OK);
	assert_int_equal(submit_status(), RNV_ENOENT);
	assert_int_equal(look_up(first, slot, "m0"), RNV_ENOENT);
	open_model(0, 0x7);
	assert_int_equal(submit_status(), RNV_ENOENT);
	assert_int_equal(look_up(first, slot, "m0"), RNV_OK);
	(void)send_job(first, slot, 1, 2);
	settle(first);
	assert_slot(first, slot, 2);
}

/* --- the client does not take its answers --- */

static void push_status(uint32_t id)
{
	const struct rnv_message message = {
		.id = id, .epoch = first->service->client_epoch, .type = RNV_IPC_STATUS};

	assert_int_equal(rnv_ring_push(&first->client->requests, &message), RNV_OK);
}

static struct rnv_message pop_answer(void)
{
	struct rnv_message message;

	assert_int_equal(rnv_ring_pop(&first->client->responses, &message), RNV_OK);
	return message;
}

/* Nothing is lost, nothing is taken that has no room, and the other client does not notice. */
static void test_answers_are_not_taken(void **state)
{
	uint32_t slot = take_slot(first);
	uint32_t id = send_job(first, slot, 1, 1);
	uint32_t requests;

	(void)state;
	(void)poll_server(first);
	for (uint32_t i = 1; i <= ENTRIES; i++) {
		push_status(i);
	}
	assert_int_equal(poll_server(first), 1); /* as many as the ring has: there may be more */
	assert_int_equal(poll_server(first), 0);
	rnv_sched_run(&b.sched); /* the job has ended, without room for its answer */
	push_status(ENTRIES + 1);
	requests = service_stats(first).requests;
	for (uint32_t i = 1; i < 5; i++) {
		assert_int_equal(poll_server(first), 0);
		assert_int_equal(service_stats(first).held, i);
	}
	assert_int_equal(service_stats(first).requests, requests);
	assert_second_is_served(1);
	assert_int_equal(pop_answer().id, 1);
	(void)poll_server(first); /* room for one */
	for (uint32_t i = 2; i <= ENTRIES; i++) {
		assert_int_equal(pop_answer().id, i);
	}
	assert_int_equal(pop_answer().id, id);
	(void)poll_server(first);
	assert_int_equal(pop_answer().id, ENTRIES + 1);
	assert_int_equal(rnv_ring_pop(&first->client->responses, &(struct rnv_message){0}),
			 RNV_EAGAIN);
	assert_slot(first, slot, 1);
	assert_int_equal(service_stats(first).bonds, 1);
}

/* An immediate answer without room waits, and is not lost. */
static void test_an_answer_waits(void **state)
{
	(void)state;
	for (uint32_t i = 1; i <= ENTRIES; i++) {
		push_status(i);
	}
	assert_int_equal(poll_server(first), 1);
	push_status(ENTRIES + 1);
	push_status(ENTRIES + 2);
	assert_int_equal(poll_server(first), 0); /* takes one, and holds its answer */
	assert_int_equal(poll_server(first), 0);
	assert_int_equal(service_stats(first).held, 1);
	for (uint32_t i = 1; i <= ENTRIES; i++) {
		assert_int_equal(pop_answer().id, i);
	}
	assert_int_equal(poll_server(first), 0);
	assert_int_equal(pop_answer().id, ENTRIES + 1);
	assert_int_equal(pop_answer().id, ENTRIES + 2);
	infer(first, 1);
}

/* A held answer ends with its bond. */
static void test_an_answer_waits_for_a_client_that_is_gone(void **state)
{
	(void)state;
	for (uint32_t i = 1; i <= ENTRIES; i++) {
		push_status(i);
	}
	(void)poll_server(first);
	push_status(9);
	(void)poll_server(first);
	start_client(first);
	bond(first);
	assert_int_equal(first->client->stats.foreign, 0);
	find_model(first);
	infer(first, 1);
}

/* --- doorbells and wakes are lost --- */

static uint32_t rings;
static uint32_t lost; /* number of the one that nobody hears */

static bool is_heard(void)
{
	return rings++ != lost;
}

static void lossy_client_bell(void *context)
{
	if (is_heard()) {
		ring_client(context);
	}
}

static void lossy_server_bell(void *context)
{
	if (is_heard()) {
		ring_server(context);
	}
}

static void lossy_wake(void *context)
{
	if (is_heard()) {
		wake_service(context);
	}
}

/* Only who hears something does something, and all do at each beat: until `count` results. */
static void run_until(uint32_t count)
{
	uint64_t end_us = now_us + 5 * BEAT_US;

	while (first->count < count || poll_client(first) != RNV_CLIENT_BONDED) {
		while (first->to_server + first->to_client + first->woken != 0) {
			if (first->to_server + first->woken != 0) {
				while (poll_server(first) == 1) {
				}
			}
			rnv_sched_run(&b.sched);
			if (first->to_client != 0) {
				(void)poll_client(first);
			}
		}
		if (first->count < count) {
			now_us += BEAT_US;
			(void)poll_server(first);
			(void)poll_client(first);
			rnv_sched_run(&b.sched);
		}
		assert_true(now_us < end_us);
	}
}

static void test_each_doorbell_is_lost(void **state)
{
	(void)state;
	lost = 0;
	do {
		uint32_t slot;
		uint32_t id;

		(void)sides_setup(NULL);
		first->service_config.doorbell = lossy_client_bell;
		first->service_config.wake = lossy_wake;
		first->client_config.doorbell = lossy_server_bell;
		start_server(first);
		start_client(first);
		rings = 0;
		(void)poll_client(first);
		(void)poll_server(first);
		run_until(0);
		slot = take_slot(first);
		assert_int_equal(rnv_client_lookup(first->client, slot, "m0", 0, note, first),
				 RNV_OK);
		run_until(1);
		first->model = b.model[0];
		(void)send_job(first, slot, 1, lost);
		run_until(2);
		assert_slot(first, slot, lost);
		id = send_job(first, slot, 1, lost);
		assert_int_equal(rnv_client_cancel(first->client, id), RNV_OK);
		run_until(3);
		assert_int_equal(last(first).status, RNV_ECANCELED);
		assert_int_equal(service_stats(first).bonds, 1);
		(void)teardown(NULL);
		lost++;
	} while (lost <= rings);
	assert_true(rings > 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_init_refuses, sides_setup, teardown),
		cmocka_unit_test_setup_teardown(test_without_doorbells, sides_setup, teardown),
		cmocka_unit_test_setup_teardown(test_end, bonded_setup, teardown),
		cmocka_unit_test_setup_teardown(test_model_is_swapped, bonded_setup, teardown),
		cmocka_unit_test_setup_teardown(test_model_is_cancelled_and_closed, bonded_setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_answers_are_not_taken, bonded_setup, teardown),
		cmocka_unit_test_setup_teardown(test_an_answer_waits, bonded_setup, teardown),
		cmocka_unit_test_setup_teardown(test_an_answer_waits_for_a_client_that_is_gone,
						bonded_setup, teardown),
		cmocka_unit_test(test_each_doorbell_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
