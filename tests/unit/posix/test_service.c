/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Two clients and their services in threads that know nothing of each other but the shared memory
 * and the doorbells, against both drivers of the scheduler; under ThreadSanitizer. But for one
 * test: somebody who writes at random where another thread reads is a race, and only the other
 * sanitizers are asked what comes of it.
 */

#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "../model/package_fixture.h"

#include "ipc/region.h"
#include "posix/driver.h"
#include "ranvier/client.h"
#include "ranvier/port.h"
#include "ranvier/sched.h"
#include "ranvier/service.h"

#define LANES        3
#define JOBS         8
#define DEPTH        8
#define LANE_BYTES   64
#define SIDES        2
#define SLOTS        3
#define ENTRIES      4
#define SLOT_BYTES   128
#define SLOTS_AT     (448 + 2 * ENTRIES * 32)
#define REGION_BYTES (SLOTS_AT + SLOTS * SLOT_BYTES)
#define Y_AT         16
#define BLOCK_BYTES  (Y_AT + Y_BYTES)
#define RIGHT        1500 /* results that each client waits for */
#define BEAT_US      1000
#define DEAD_US      100000
#define HELLO_US     20000

/* Something to wait for, a beat at the longest. */
struct bell {
	pthread_mutex_t lock;
	pthread_cond_t rung;
	bool is_rung;
};

struct side {
	struct rnv_region *region;
	struct rnv_service service;
	struct rnv_service_job jobs[SLOTS];
	struct rnv_client client;
	struct rnv_client_config config;
	struct bell bell;
	uint32_t model;
	uint32_t seed;
	uint32_t inputs[SLOTS]; /* what was asked on a slot: a seed */
	uint32_t ids[SLOTS];    /* 0: nothing under way */
	uint32_t right;
	uint32_t stale;
	uint32_t cancelled;
};

static struct {
	struct rnv_posix_driver *driver;
	struct rnv_sched sched;
	struct rnv_lane lanes[LANES];
	struct rnv_job jobs[JOBS];
	struct rnv_job *queues[LANES][DEPTH];
	struct rnv_model models[1];
	void *externals[JOBS * 2];
	_Alignas(16) uint8_t arenas[LANES][LANE_BYTES];
	struct rnv_sched_hooks hooks;
	struct image image;
	uint32_t model;
	struct side sides[SIDES];
	struct bell bell; /* the services' */
	pthread_t server;
	_Atomic bool stop;
	_Atomic bool spoil;
	_Atomic int wrong_line; /* last one where something was not as it must be */
	_Atomic int wrong_value;
} t;

/* In other threads than the test's, which alone may fail. */
static void expect_at(int line, bool right, int value)
{
	if (!right) {
		atomic_store(&t.wrong_value, value);
		atomic_store(&t.wrong_line, line);
	}
}

#define EXPECT(right, value) expect_at(__LINE__, right, value)

static void ring(void *context)
{
	struct bell *bell = context;

	(void)pthread_mutex_lock(&bell->lock);
	bell->is_rung = true;
	(void)pthread_cond_signal(&bell->rung);
	(void)pthread_mutex_unlock(&bell->lock);
}

static void wait_for(struct bell *bell)
{
	struct timespec until;

	(void)clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += BEAT_US * 1000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	(void)pthread_mutex_lock(&bell->lock);
	if (!bell->is_rung) {
		(void)pthread_cond_timedwait(&bell->rung, &bell->lock, &until);
	}
	bell->is_rung = false;
	(void)pthread_mutex_unlock(&bell->lock);
}

static void ring_client(void *context)
{
	ring(&((struct side *)context)->bell);
}

static void ring_server(void *context)
{
	(void)context;
	ring(&t.bell);
}

/* --- the server's core --- */

static void *serve(void *unused)
{
	(void)unused;
	while (!atomic_load(&t.stop)) {
		for (uint32_t i = 0; i < SIDES; i++) {
			while (rnv_service_poll(&t.sides[i].service, rnv_now_us()) == 1) {
			}
		}
		wait_for(&t.bell);
	}
	return NULL;
}

static void set_up_sched(uint32_t thread_per_lane)
{
	struct rnv_lane_config lanes[LANES];
	struct rnv_sched_config config = {.lane_configs = lanes,
					  .lanes = t.lanes,
					  .jobs = t.jobs,
					  .models = t.models,
					  .externals = t.externals,
					  .lane_count = LANES,
					  .job_count = JOBS,
					  .model_count = 1,
					  .externals_per_job = 2,
					  .hooks = &t.hooks};
	struct rnv_model_config model = {.data = &t.image, .bytes = sizeof(t.image), .lanes = 0x7};

	for (int i = 0; i < LANES; i++) {
		lanes[i] = (struct rnv_lane_config){.arena = t.arenas[i],
						    .arena_bytes = LANE_BYTES,
						    .queue = t.queues[i],
						    .depth = DEPTH};
	}
	t.driver = rnv_posix_driver_create();
	assert_non_null(t.driver);
	t.hooks = (struct rnv_sched_hooks){
		.wake = rnv_posix_wake, .completed = rnv_posix_completed, .wake_context = t.driver};
	assert_int_equal(rnv_sched_init(&t.sched, &config), RNV_OK);
	image_init(&t.image);
	assert_int_equal(rnv_model_open(&t.sched, &model, &t.model, NULL), RNV_OK);
	assert_int_equal(rnv_posix_driver_start(t.driver, &t.sched, thread_per_lane), RNV_OK);
}

static void set_up_side(struct side *side, uint32_t dead_us)
{
	struct rnv_service_config config = {.sched = &t.sched,
					    .layout = {ENTRIES, SLOTS, SLOT_BYTES},
					    .jobs = side->jobs,
					    .lanes = 0x7,
					    .max_jobs = SLOTS,
					    .dead_us = dead_us,
					    .beat_us = BEAT_US,
					    .doorbell = ring_client,
					    .wake = ring_server,
					    .context = side};

	side->region = aligned_alloc(RNV_IPC_LINE, REGION_BYTES);
	assert_non_null(side->region);
	memset(side->region, 0, REGION_BYTES);
	config.region = side->region;
	side->config = (struct rnv_client_config){.region = side->region,
						  .region_bytes = REGION_BYTES,
						  .doorbell = ring_server,
						  .context = side,
						  .server_dead_us = dead_us,
						  .hello_us = HELLO_US};
	side->seed = (uint32_t)(side - t.sides) + 1u;
	(void)pthread_mutex_init(&side->bell.lock, NULL);
	(void)pthread_cond_init(&side->bell.rung, NULL);
	assert_int_equal(rnv_service_init(&side->service, &config, rnv_now_us()), RNV_OK);
	assert_int_equal(rnv_client_init(&side->client, &side->config), RNV_OK);
}

static void set_up(uint32_t thread_per_lane, uint32_t dead_us)
{
	memset(&t, 0, sizeof(t));
	(void)pthread_mutex_init(&t.bell.lock, NULL);
	(void)pthread_cond_init(&t.bell.rung, NULL);
	set_up_sched(thread_per_lane);
	for (uint32_t i = 0; i < SIDES; i++) {
		set_up_side(&t.sides[i], dead_us);
	}
	assert_int_equal(pthread_create(&t.server, NULL, serve, NULL), 0);
}

static void tear_down(void)
{
	atomic_store(&t.stop, true);
	ring(&t.bell);
	assert_int_equal(pthread_join(t.server, NULL), 0);
	for (uint32_t i = 0; i < SIDES; i++) {
		while (rnv_service_end(&t.sides[i].service) == RNV_EAGAIN) {
		}
	}
	rnv_posix_driver_stop(t.driver);
	rnv_posix_driver_destroy(t.driver);
	for (uint32_t i = 0; i < SIDES; i++) {
		free(t.sides[i].region);
	}
	assert_int_equal(atomic_load(&t.wrong_value), 0);
	assert_int_equal(atomic_load(&t.wrong_line), 0);
}

/* --- a client's core --- */

static uint32_t random_of(struct side *side)
{
	side->seed = side->seed * 1664525u + 1013904223u;
	return side->seed >> 8;
}

static void make_input(uint32_t seed, int8_t *x)
{
	for (uint32_t i = 0; i < X_BYTES; i++) {
		seed = seed * 1664525u + 1013904223u;
		x[i] = (int8_t)(seed >> 24);
	}
}

static bool is_right(struct side *side, uint32_t slot)
{
	const int8_t *block = rnv_client_slot_data(&side->client, slot, NULL);
	int8_t x[X_BYTES];
	int8_t y[Y_BYTES];

	make_input(side->inputs[slot], x);
	(void)expected_output(x, y);
	return block != NULL && memcmp(block, x, X_BYTES) == 0 &&
	       memcmp(block + Y_AT, y, Y_BYTES) == 0;
}

static void on_result(void *context, const struct rnv_client_result *result)
{
	struct side *side = context;

	EXPECT(result->slot < SLOTS && side->ids[result->slot] == result->id, (int)result->slot);
	side->ids[result->slot] = 0;
	if (result->status == RNV_OK) {
		EXPECT(is_right(side, result->slot), (int)result->slot);
		side->right++;
	} else if (result->status == RNV_ESTALE) {
		side->stale++;
	} else {
		EXPECT(result->status == RNV_ECANCELED, result->status);
		side->cancelled++;
	}
}

/* Bonded, all slots taken, in the end. */
static void get_ready(struct side *side)
{
	uint32_t slot;

	while (rnv_client_poll(&side->client, rnv_now_us()) != RNV_CLIENT_BONDED) {
		wait_for(&side->bell);
	}
	for (slot = 0; slot < SLOTS; slot++) {
		(void)rnv_client_slot_give(&side->client, slot);
	}
	while (rnv_client_slot_take(&side->client, &slot) == RNV_OK) {
	}
}

static void submit(struct side *side, uint32_t slot)
{
	struct rnv_client_job job = {.model = t.model,
				     .bytes = BLOCK_BYTES,
				     .deadline_us = random_of(side) % 2u == 0u
							    ? RNV_IPC_NO_DEADLINE
							    : random_of(side) % 1000u,
				     .lane = (uint8_t)(random_of(side) % LANES),
				     .done = on_result,
				     .context = side};
	int8_t *block = rnv_client_slot_data(&side->client, slot, NULL);

	if (block == NULL) {
		return;
	}
	side->inputs[slot] = random_of(side);
	make_input(side->inputs[slot], block);
	(void)rnv_client_submit(&side->client, slot, &job, &side->ids[slot]);
}

/* Some requests on whatever slots are free, some cancelled; and now and then its core is reset. */
static void work(struct side *side, bool resets)
{
	get_ready(side);
	while (side->right < RIGHT) {
		for (uint32_t slot = 0; slot < SLOTS; slot++) {
			if (side->ids[slot] == 0u) {
				submit(side, slot);
			} else if (random_of(side) % 16u == 0u) {
				(void)rnv_client_cancel(&side->client, side->ids[slot]);
			}
		}
		if (random_of(side) % 4u != 0u) {
			wait_for(&side->bell);
		}
		if (resets && random_of(side) % 16u == 0u) {
			memset(&side->client, 0xA5, sizeof(side->client));
			EXPECT(rnv_client_init(&side->client, &side->config) == RNV_OK, 0);
			memset(side->ids, 0, sizeof(side->ids));
			get_ready(side);
		}
		if (rnv_client_poll(&side->client, rnv_now_us()) != RNV_CLIENT_BONDED) {
			get_ready(side);
		}
	}
	while (side->ids[0] + side->ids[1] + side->ids[2] != 0u) {
		wait_for(&side->bell);
		(void)rnv_client_poll(&side->client, rnv_now_us());
	}
}

static void *work_steadily(void *context)
{
	work(context, false);
	return NULL;
}

static void *work_with_resets(void *context)
{
	work(context, true);
	return NULL;
}

static void run_two(void *(*one)(void *context), void *(*other)(void *context))
{
	pthread_t threads[SIDES];

	assert_int_equal(pthread_create(&threads[0], NULL, one, &t.sides[0]), 0);
	assert_int_equal(pthread_create(&threads[1], NULL, other, &t.sides[1]), 0);
	for (uint32_t i = 0; i < SIDES; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	}
}

static void steady(uint32_t thread_per_lane)
{
	set_up(thread_per_lane, 0);
	run_two(work_steadily, work_steadily);
	for (uint32_t i = 0; i < SIDES; i++) {
		assert_int_equal(t.sides[i].stale, 0);
		assert_int_equal(t.sides[i].client.stats.foreign, 0);
	}
	tear_down();
	for (uint32_t i = 0; i < SIDES; i++) {
		const struct rnv_service_stats *stats = &t.sides[i].service.stats;

		assert_int_equal(stats->completed, t.sides[i].right);
		assert_int_equal(stats->failed, t.sides[i].cancelled);
		assert_int_equal(stats->jobs, 0);
		assert_int_equal(stats->bonds, 1);
	}
}

static void test_cooperative(void **state)
{
	(void)state;
	steady(0);
}

static void test_thread_per_lane(void **state)
{
	(void)state;
	steady(1);
}

/* One client's core is reset again and again: the other one loses nothing. */
static void test_resets(void **state)
{
	(void)state;
	set_up(1, 0);
	run_two(work_with_resets, work_steadily);
	assert_true(t.sides[0].service.stats.bonds > 10);
	assert_int_equal(t.sides[0].service.stats.broken, 0);
	assert_int_equal(t.sides[1].stale, 0);
	tear_down();
}

#if !defined(__SANITIZE_THREAD__)

static void *spoil(void *context)
{
	struct side *side = context;
	uint32_t seed = 99;

	while (atomic_load(&t.spoil)) {
		uint32_t word;

		seed = seed * 1664525u + 1013904223u;
		word = seed >> 8;
		word %= (word & 0x800000u) != 0u ? 112u : REGION_BYTES / 4u; /* indices and all */
		rnv_shared_store((uint32_t *)side->region + word,
				 (seed & 0x80u) != 0u ? seed * 2654435761u : seed >> 30);
	}
	return NULL;
}

static void on_any_result(void *context, const struct rnv_client_result *result)
{
	(void)context;
	(void)result;
}

/* A client whose memory somebody else writes: nothing that it is told can be relied on. */
static void *work_in_spoilt_memory(void *context)
{
	struct side *side = context;

	while (atomic_load(&t.spoil)) {
		struct rnv_client_job job = {.model = t.model,
					     .bytes = BLOCK_BYTES,
					     .deadline_us = RNV_IPC_NO_DEADLINE,
					     .lane = (uint8_t)(random_of(side) % LANES),
					     .done = on_any_result};
		uint32_t slot;

		if (random_of(side) % 256u == 0u) {
			(void)rnv_client_init(&side->client, &side->config);
		}
		(void)rnv_client_poll(&side->client, rnv_now_us());
		(void)rnv_client_status(&side->client, on_any_result, NULL);
		for (slot = 0; slot < SLOTS; slot++) {
			(void)rnv_client_slot_give(&side->client, slot);
		}
		if (rnv_client_slot_take(&side->client, &slot) == RNV_OK) {
			(void)rnv_client_submit(&side->client, slot, &job, NULL);
		}
	}
	return NULL;
}

static void *work_and_end_it(void *context)
{
	work(context, false);
	atomic_store(&t.spoil, false);
	return NULL;
}

/* The other client is served exactly, and afterwards this one, too. */
static void test_memory_is_spoilt_all_the_time(void **state)
{
	pthread_t spoiler;

	(void)state;
	set_up(1, DEAD_US);
	t.sides[1].config.server_dead_us = 0;
	t.sides[1].client.config.server_dead_us = 0;
	t.sides[1].service.config.dead_us = 0; /* what is slow here is not dead */
	atomic_store(&t.spoil, true);
	assert_int_equal(pthread_create(&spoiler, NULL, spoil, &t.sides[0]), 0);
	run_two(work_in_spoilt_memory, work_and_end_it);
	assert_int_equal(pthread_join(spoiler, NULL), 0);
	assert_int_equal(t.sides[1].stale, 0);
	assert_int_equal(rnv_client_init(&t.sides[0].client, &t.sides[0].config), RNV_OK);
	(void)work_steadily(&t.sides[0]);
	tear_down();
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cooperative),
		cmocka_unit_test(test_thread_per_lane),
		cmocka_unit_test(test_resets),
#if !defined(__SANITIZE_THREAD__)
		cmocka_unit_test(test_memory_is_spoilt_all_the_time),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
