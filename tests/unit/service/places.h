/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef TESTS_UNIT_SERVICE_PLACES_H_
#define TESTS_UNIT_SERVICE_PLACES_H_

/* Wherever the first client is, something happens, and then all has to work again. */

#include "service_fixture.h"

/* Where the first client is when something happens. */
enum {
	ALONE,    /* it has not looked for a server */
	BONDING,  /* it has said hello */
	IDLE,     /* bonded */
	PENDING,  /* a job is on its way to the server */
	QUEUED,   /* taken */
	RUNNING,  /* between two of its steps */
	ENDED,    /* the server has not looked */
	ANSWERED, /* the client has not looked */
	PLACES
};

#define SEED 77

/* From no bond to a place. */
static inline void reach(uint32_t place)
{
	if (place == BONDING) {
		assert_int_equal(poll_client(first), RNV_CLIENT_BONDING);
	}
	if (place >= IDLE) {
		bond(first);
		find_model(first);
		first->count = 0;
	}
	if (place >= PENDING) {
		(void)send_job(first, take_slot(first), 1, SEED);
	}
	if (place >= QUEUED) {
		(void)poll_server(first);
		assert_int_equal(service_stats(first).jobs, 1);
	}
	if (place >= RUNNING) {
		assert_int_equal(rnv_sched_step(&b.sched), 1);
		assert_int_equal(rnv_job_state_get(&b.sched, first->jobs[0].handle),
				 RNV_JOB_RUNNING);
	}
	if (place >= ENDED) {
		rnv_sched_run(&b.sched);
		assert_int_equal(service_stats(first).jobs, 1);
	}
	if (place >= ANSWERED) {
		(void)poll_server(first);
		assert_int_equal(service_stats(first).jobs, 0);
	}
}

/* Slots that nobody works on stay as they are. */
static inline void assert_slots_are_left_alone(void)
{
	uint8_t pattern[SLOTS * SLOT_BYTES];

	memset(pattern, 0x3C, sizeof(pattern));
	memset(slot_memory(first, 0), 0x3C, sizeof(pattern));
	pass(4 * BEAT_US);
	assert_memory_equal(slot_memory(first, 0), pattern, sizeof(pattern));
}

/* Bonded again, without rests: all slots can be had, and are served exactly. */
static inline void assert_works_again(void)
{
	assert_int_equal(poll_client(first), RNV_CLIENT_BONDED);
	assert_slots_are_left_alone();
	for (uint32_t slot = 0; slot < SLOTS; slot++) { /* an owner gives back what is stale */
		(void)rnv_client_slot_give(first->client, slot);
	}
	find_model(first);
	for (uint32_t i = 0; i < SLOTS; i++) {
		assert_int_equal(take_slot(first), i);
		first->count = 0;
		(void)send_job(first, i, 1, i + 5);
		settle(first);
		assert_int_equal(first->count, 1);
		assert_int_equal(last(first).status, RNV_OK);
		assert_slot(first, i, i + 5);
	}
	assert_int_equal(service_stats(first).jobs, 0);
	assert_int_equal(service_stats(first).bonded, 1);
	assert_int_equal(info_of(0).jobs, 0);
}

/* Both clients, the first one in a place, the second one bonded. */
static inline void begin(uint32_t place)
{
	(void)sides_setup(NULL);
	bond(second);
	find_model(second);
	reach(place);
}

#endif /* TESTS_UNIT_SERVICE_PLACES_H_ */
