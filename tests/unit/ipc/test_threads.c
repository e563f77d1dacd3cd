/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The two sides in two threads, also for the thread sanitizer. */

#include "raw.h"

#include <stdatomic.h>

#include "../../ipc/ring_traffic.h"
#include "ipc/region.h"

#define NEAR_THE_WRAP (0u - 1000u)

static struct ring_traffic traffic;

static void test_every_message_comes_once_and_whole(void **state)
{
	static const struct {
		uint32_t entries;
		uint64_t messages;
	} runs[] = {{1, 200000}, {2, 400000}, {4, 400000}, {64, 8000000}, {1024, 1000000}};

	(void)state;
	for (uint32_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		assert_int_equal(ring_traffic_run(&traffic, runs[i].entries, NEAR_THE_WRAP,
						  runs[i].messages),
				 runs[i].messages);
		assert_int_equal(traffic.producer_index,
				 (uint32_t)(NEAR_THE_WRAP + runs[i].messages));
		assert_int_equal(traffic.consumer_index, traffic.producer_index);
	}
}

#define FORMATS 100000u

static _Atomic uint32_t formats;

/* A server that starts again and again, with other sizes each time. */
static void *start_again(void *context)
{
	for (uint32_t i = 1; i <= FORMATS; i++) {
		struct rnv_ipc_layout layout = {i % 2 != 0 ? 4 : 8, i % 2 != 0 ? 2 : 3, 128};

		rnv_region_format(context, &layout, i);
		atomic_store_explicit(&formats, i, memory_order_release);
	}
	return NULL;
}

static void test_a_header_is_read_as_one_server_wrote_it(void **state)
{
	struct rnv_region *shared = (struct rnv_region *)region;
	struct rnv_region_header header;
	pthread_t server;

	(void)state;
	raw_power_on();
	put(HELLO, 0);
	atomic_store_explicit(&formats, 0, memory_order_release);
	assert_int_equal(pthread_create(&server, NULL, start_again, shared), 0);
	while (atomic_load_explicit(&formats, memory_order_acquire) < FORMATS) {
		if (rnv_region_read(shared, 4096, &header)) {
			assert_int_equal(header.epoch, header.beat_us);
			assert_int_equal(header.entries, header.epoch % 2 != 0 ? 4 : 8);
			assert_int_equal(header.slots, header.epoch % 2 != 0 ? 2 : 3);
		}
	}
	pthread_join(server, NULL);
	assert_true(rnv_region_read(shared, 4096, &header));
	assert_int_equal(header.epoch, FORMATS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_message_comes_once_and_whole),
		cmocka_unit_test(test_a_header_is_read_as_one_server_wrote_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
