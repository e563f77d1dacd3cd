/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_TESTS_IPC_CLIENT_FIXTURE_H_
#define RNV_TESTS_IPC_CLIENT_FIXTURE_H_

/* A client of the raw server, and what its requests came to. */

#include "raw.h"

#define HELLO_US 5000

static struct rnv_client client;
static uint32_t doorbells;
static uint64_t now_us;

/* What `done` was told, newest last. */
static struct rnv_client_result results[64];
static uint32_t result_count;

static inline void ring_doorbell(void *context)
{
	(void)context;
	doorbells++;
}

static inline void done(void *context, const struct rnv_client_result *result)
{
	assert_ptr_equal(context, &client);
	assert_true(result_count < 64);
	results[result_count++] = *result;
}

static inline void start_client(void)
{
	struct rnv_client_config config = {.region = region,
					   .region_bytes = 4096,
					   .doorbell = ring_doorbell,
					   .hello_us = HELLO_US};

	assert_int_equal(rnv_client_init(&client, &config), RNV_OK);
}

/* The server is not there yet, the client is made. */
static int begin_test(void **state)
{
	(void)state;
	raw_power_on();
	put(MAGIC, 0);
	doorbells = 0;
	now_us = 1000000;
	result_count = 0;
	start_client();
	return 0;
}

static inline int poll_client(void)
{
	return rnv_client_poll(&client, now_us);
}

static inline void bond(void)
{
	assert_int_equal(poll_client(), RNV_CLIENT_BONDING);
	raw_accept();
	assert_int_equal(poll_client(), RNV_CLIENT_BONDED);
}

static inline void format_and_bond(void)
{
	raw_format(7, &usual);
	bond();
}

static inline uint32_t take_slot(void)
{
	uint32_t slot = 99;

	assert_int_equal(rnv_client_slot_take(&client, &slot), RNV_OK);
	return slot;
}

static inline int submit(uint32_t slot, uint32_t *id)
{
	struct rnv_client_job job = {.model = 0x00030001,
				     .bytes = 200,
				     .deadline_us = 5000,
				     .entry = 0x1122,
				     .lane = 3,
				     .flags = 0x42,
				     .done = done,
				     .context = &client};

	return rnv_client_submit(&client, slot, &job, id);
}

/* The server answers a request that it takes now. */
static inline void serve(int32_t status)
{
	struct raw_message message;

	assert_int_equal(raw_take(&usual, &message), 1);
	message.status = status;
	raw_answer(&usual, &message);
}

static inline struct rnv_client_stats stats(void)
{
	struct rnv_client_stats now;

	rnv_client_stats_get(&client, &now);
	return now;
}

#endif /* RNV_TESTS_IPC_CLIENT_FIXTURE_H_ */
