/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Parking with the client in a thread: what it must not do in an operation, it does between. */

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ranvier/park.h"
#include "ranvier/port.h"

#define ROUNDS 2000u

static _Alignas(64) uint32_t region[128];
static _Atomic(uint32_t) stop;
static uint32_t content; /* of the flash: written by the one, read by the other, never at once */
static uint32_t released;
static uint32_t gave_up;

static uint32_t asked(void)
{
	return atomic_load_explicit((_Atomic uint32_t *)&region[72 / 4], memory_order_acquire);
}

static void *client(void *spins)
{
	uint32_t seen = 0;

	while (atomic_load(&stop) == 0u) {
		const uint32_t token = asked();

		if (token == 0u) {
			continue;
		}
		if (rnv_park_wait(region, token, *(const uint32_t *)spins) != 0) {
			released++;
			if (content <
			    seen) { /* "executes" from it: under TSan, a race if at once */
				break;
			}
			seen = content;
		} else {
			gave_up++;
		}
	}
	return NULL;
}

static uint64_t now(void *context)
{
	(void)context;
	return rnv_now_us();
}

static struct rnv_park start(pthread_t *thread, uint32_t *spins, uint32_t begin_us)
{
	for (size_t i = 0; i < 128u; i++) {
		region[i] = 0;
	}
	atomic_store(&stop, 0);
	released = 0;
	gave_up = 0;
	assert_int_equal(pthread_create(thread, NULL, client, spins), 0);
	return (struct rnv_park){.region = region, .begin_us = begin_us, .now_us = now};
}

static void join(pthread_t thread)
{
	atomic_store(&stop, 1);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

static void test_written_only_while_parked(void **state)
{
	uint32_t spins = UINT32_MAX;
	pthread_t thread;
	struct rnv_park park = start(&thread, &spins, 60000000);

	(void)state;
	content = 0;
	for (uint32_t i = 0; i < ROUNDS; i++) {
		assert_int_equal(rnv_park_begin(&park), RNV_OK);
		content++;
		assert_int_equal(rnv_park_end(&park), RNV_OK);
	}
	join(thread);
	assert_int_equal(park.parks, ROUNDS);
	assert_int_equal(gave_up, 0);
	assert_true(released > 0u && released <= ROUNDS);
	assert_int_equal(content, ROUNDS);
}

/* The server stops in a park for ever: the client goes on by itself, and is not caught again. */
static void test_a_server_that_dies(void **state)
{
	uint32_t spins = 1000;
	pthread_t thread;
	struct rnv_park park = start(&thread, &spins, 10000);

	(void)state;
	while (rnv_park_begin(&park) != RNV_OK) { /* it may leave before the server looks */
	}
	while (atomic_load((_Atomic uint32_t *)&region[140 / 4]) != ~park.token) {
	}
	join(thread);
	assert_true(gave_up > 0u);
	assert_int_equal(rnv_park_end(&park), RNV_ESTATE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_written_only_while_parked),
		cmocka_unit_test(test_a_server_that_dies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
