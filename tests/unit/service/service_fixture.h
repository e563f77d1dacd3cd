/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef TESTS_UNIT_SERVICE_SERVICE_FIXTURE_H_
#define TESTS_UNIT_SERVICE_SERVICE_FIXTURE_H_

/*
 * Two clients, each with a region and a service of its own, at the scheduler of
 * ../sched/sched_fixture.h, in one thread and virtual time. What is shared or of one side only is
 * on the heap, so that the sanitizer sees who leaves it.
 */

#include "../sched/sched_fixture.h"

#include "ipc/region.h"
#include "ranvier/client.h"
#include "ranvier/service.h"
#include "service/internal.h"

#define SIDES        2
#define SLOTS        3
#define ENTRIES      4
#define SLOT_BYTES   128
#define SLOTS_AT     (448 + 2 * ENTRIES * 32)
#define REGION_BYTES (SLOTS_AT + SLOTS * SLOT_BYTES)
#define Y_AT         16 /* x is in front of it */
#define BLOCK_BYTES  (Y_AT + Y_BYTES)
#define BEAT_US      500
#define DEAD_US      5000
#define HELLO_US     1000
#define RESULTS      512

struct side {
	struct rnv_region *region;
	struct rnv_service *service;
	struct rnv_service_job *jobs;
	struct rnv_client *client;
	struct rnv_service_config service_config;
	struct rnv_client_config client_config;
	struct rnv_client_result results[RESULTS];
	uint32_t count;     /* results */
	uint32_t model;     /* handle, of look_up() */
	uint32_t to_server; /* doorbells that rang */
	uint32_t to_client;
	uint32_t woken;
	void (*in_done)(struct side *side, const struct rnv_client_result *result);
};

static struct side sides[SIDES];

static struct side *const first = &sides[0];
static struct side *const second = &sides[1];

/* --- what is called --- */

static void ring_client(void *context)
{
	struct side *side = context;

	assert_int_equal(depth, 0);
	side->to_client++;
}

static void ring_server(void *context)
{
	struct side *side = context;

	side->to_server++;
}

static void wake_service(void *context)
{
	struct side *side = context;

	assert_int_equal(depth, 0);
	side->woken++;
}

static void note(void *context, const struct rnv_client_result *result)
{
	struct side *side = context;

	assert_true(side->count < RESULTS);
	side->results[side->count++] = *result;
	if (side->in_done != NULL) {
		side->in_done(side, result);
	}
}

/* --- set-up --- */

static inline void *fresh(size_t bytes)
{
	void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);

	assert_non_null(memory);
	memset(memory, 0xA5, bytes);
	return memory;
}

/* As after a reset of the server's core: nothing but the shared memory is as it was. */
static inline void start_server(struct side *side)
{
	free(side->service);
	free(side->jobs);
	side->service = fresh(sizeof(*side->service));
	side->jobs = fresh(SLOTS * sizeof(*side->jobs));
	side->service_config.jobs = side->jobs;
	side->woken = 0;
	assert_int_equal(rnv_service_init(side->service, &side->service_config, now_us), RNV_OK);
}

/* As after a reset of the client's core. */
static inline void start_client(struct side *side)
{
	free(side->client);
	side->client = fresh(sizeof(*side->client));
	side->count = 0;
	assert_int_equal(rnv_client_init(side->client, &side->client_config), RNV_OK);
}

static inline void make_side(struct side *side)
{
	memset(side, 0, sizeof(*side));
	side->region = fresh(REGION_BYTES);
	side->service_config = (struct rnv_service_config){.sched = &b.sched,
							   .region = side->region,
							   .layout = {ENTRIES, SLOTS, SLOT_BYTES},
							   .lanes = 0x7,
							   .max_jobs = SLOTS,
							   .dead_us = DEAD_US,
							   .beat_us = BEAT_US,
							   .doorbell = ring_client,
							   .wake = wake_service,
							   .context = side};
	side->client_config = (struct rnv_client_config){.region = side->region,
							 .region_bytes = REGION_BYTES,
							 .doorbell = ring_server,
							 .context = side,
							 .server_dead_us = DEAD_US,
							 .hello_us = HELLO_US};
}

static inline int teardown(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < SIDES; i++) {
		free(sides[i].region);
		free(sides[i].service);
		free(sides[i].jobs);
		free(sides[i].client);
	}
	memset(sides, 0, sizeof(sides));
	return 0;
}

/* --- what happens --- */

static inline int poll_server(struct side *side)
{
	side->woken = 0;
	side->to_server = 0;
	return rnv_service_poll(side->service, now_us);
}

static inline int poll_client(struct side *side)
{
	side->to_client = 0;
	return rnv_client_poll(side->client, now_us);
}

/* As after a reset of the server's core: its jobs are no more, and both clients have no server. */
static inline void reset_server_core(void)
{
	uint64_t now = now_us;

	(void)bench_setup(NULL);
	now_us = now;
	for (uint32_t i = 0; i < SIDES; i++) {
		start_server(&sides[i]);
	}
}

/* All that can happen now has happened. */
static inline void settle(struct side *side)
{
	for (uint32_t turn = 0; turn < 3; turn++) {
		for (uint32_t i = 0; poll_server(side) == 1; i++) {
			assert_true(i < 10);
		}
		rnv_sched_run(&b.sched);
		(void)poll_server(side);
		(void)poll_client(side);
	}
}

/* Time goes on, and everybody's heart beats. */
static inline void pass(uint64_t us)
{
	for (uint64_t end_us = now_us + us; now_us < end_us;) {
		now_us += BEAT_US;
		settle(first);
		settle(second);
	}
}

static inline void bond(struct side *side)
{
	settle(side);
	assert_int_equal(poll_client(side), RNV_CLIENT_BONDED);
}

static inline uint32_t take_slot(struct side *side)
{
	uint32_t slot = 99;

	assert_int_equal(rnv_client_slot_take(side->client, &slot), RNV_OK);
	return slot;
}

static inline uint8_t *slot_memory(struct side *side, uint32_t slot)
{
	return (uint8_t *)side->region + SLOTS_AT + slot * SLOT_BYTES;
}

static inline struct rnv_client_result last(const struct side *side)
{
	assert_true(side->count != 0);
	return side->results[side->count - 1];
}

/* Look a model up on a slot: how that ended. */
static inline int look_up(struct side *side, uint32_t slot, const char *name)
{
	uint32_t count = side->count;
	int status = rnv_client_lookup(side->client, slot, name, 0, note, side);

	if (status != RNV_OK) {
		return status;
	}
	settle(side);
	assert_int_equal(side->count, count + 1);
	assert_int_equal(last(side).slot, slot);
	if (last(side).status == RNV_OK) {
		struct rnv_ipc_model found;

		memcpy(&found, rnv_client_slot_data(side->client, slot, NULL), sizeof(found));
		assert_int_equal(found.bytes, BLOCK_BYTES);
		side->model = found.model;
	}
	return last(side).status;
}

/* An input that is different for each `seed`. */
static inline void make_input(uint32_t seed, int8_t *x)
{
	for (uint32_t i = 0; i < X_BYTES; i++) {
		seed = seed * 1664525u + 1013904223u;
		x[i] = (int8_t)(seed >> 24);
	}
}

static inline struct rnv_client_job job_of(struct side *side, uint32_t lane)
{
	return (struct rnv_client_job){.model = side->model,
				       .bytes = BLOCK_BYTES,
				       .deadline_us = RNV_IPC_NO_DEADLINE,
				       .lane = (uint8_t)lane,
				       .done = note,
				       .context = side};
}

/* Submit on a slot an input made of `seed`; must be under way. Returns the request's number. */
static inline uint32_t send_job(struct side *side, uint32_t slot, uint32_t lane, uint32_t seed)
{
	struct rnv_client_job job = job_of(side, lane);
	uint8_t *memory = rnv_client_slot_data(side->client, slot, NULL);
	uint32_t id = 0;

	assert_ptr_equal(memory, slot_memory(side, slot));
	memset(memory, 0x55, SLOT_BYTES);
	make_input(seed, (int8_t *)memory);
	assert_int_equal(rnv_client_submit(side->client, slot, &job, &id), RNV_OK);
	assert_int_not_equal(id, 0);
	return id;
}

/* A slot has the output for the input made of `seed`, and nothing else was written. */
static inline void assert_slot(struct side *side, uint32_t slot, uint32_t seed)
{
	int8_t expected[SLOT_BYTES];

	memset(expected, 0x55, sizeof(expected));
	make_input(seed, expected);
	expected_output(expected, expected + Y_AT);
	assert_memory_equal(slot_memory(side, slot), expected, SLOT_BYTES);
}

/* From a slot to the exact result and back. */
static inline void infer(struct side *side, uint32_t seed)
{
	uint32_t slot = take_slot(side);
	uint32_t count = side->count;
	uint32_t id = send_job(side, slot, 1, seed);

	settle(side);
	assert_int_equal(side->count, count + 1);
	assert_int_equal(last(side).id, id);
	assert_int_equal(last(side).status, RNV_OK);
	assert_slot(side, slot, seed);
	assert_int_equal(rnv_client_slot_give(side->client, slot), RNV_OK);
}

/* The model's handle, by a slot that is given back. */
static inline void find_model(struct side *side)
{
	uint32_t slot = take_slot(side);

	assert_int_equal(look_up(side, slot, "m0"), RNV_OK);
	assert_int_equal(rnv_client_slot_give(side->client, slot), RNV_OK);
}

static inline struct rnv_service_stats service_stats(const struct side *side)
{
	struct rnv_service_stats stats;

	rnv_service_stats_get(side->service, &stats);
	return stats;
}

/* Both sides of both clients run, not bonded yet. */
static inline int sides_setup(void **state)
{
	(void)bench_setup(state);
	for (uint32_t i = 0; i < SIDES; i++) {
		make_side(&sides[i]);
		start_server(&sides[i]);
		start_client(&sides[i]);
	}
	return 0;
}

/* All are bonded, and know the model. */
static inline int bonded_setup(void **state)
{
	(void)sides_setup(state);
	for (uint32_t i = 0; i < SIDES; i++) {
		bond(&sides[i]);
		find_model(&sides[i]);
	}
	return 0;
}

/* The other client is served as ever, exactly. */
static inline void assert_second_is_served(uint32_t seed)
{
	assert_int_equal(poll_client(second), RNV_CLIENT_BONDED);
	infer(second, seed);
}

#endif /* TESTS_UNIT_SERVICE_SERVICE_FIXTURE_H_ */
