/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The port's symbols keep the contract of ranvier/port.h, with the clock of this board and that
 * for 32-bit counters.
 */

#include <stdint.h>

#include <zephyr/irq_offload.h>
#include <zephyr/kernel.h>
#include <zephyr/ztest.h>

#include <ranvier/port.h>

#include "count_wraps.h"

uint64_t now_us_of_32_bits(void);

typedef uint64_t (*clock_fn)(void);

static const clock_fn clocks[] = {rnv_now_us, now_us_of_32_bits};

static volatile int fired;

static void fire(struct k_timer *timer)
{
	ARG_UNUSED(timer);
	fired = 1;
}

static K_TIMER_DEFINE(alarm, fire, NULL);

/* Long enough for the alarm's interrupt to be due. */
static void pass_the_alarm(void)
{
	k_busy_wait(2 * k_ticks_to_us_ceil32(2));
}

ZTEST(ranvier_port, test_critical_sections_nest_and_exclude_interrupts)
{
	uint32_t outer = rnv_critical_enter();
	uint32_t inner = rnv_critical_enter();

	fired = 0;
	k_timer_start(&alarm, K_TICKS(1), K_NO_WAIT);
	pass_the_alarm();
	zassert_equal(fired, 0);
	rnv_critical_exit(inner);
	pass_the_alarm();
	zassert_equal(fired, 0, "the inner exit ended the outer section");
	rnv_critical_exit(outer);
	pass_the_alarm();
	zassert_equal(fired, 1);
}

struct reading {
	clock_fn now;
	uint64_t us;
};

static void read_in_interrupt(const void *argument)
{
	struct reading *reading = (struct reading *)argument;
	uint32_t key = rnv_critical_enter();

	reading->us = reading->now();
	rnv_critical_exit(key);
}

ZTEST(ranvier_port, test_time_never_runs_back)
{
	for (size_t clock = 0; clock < ARRAY_SIZE(clocks); clock++) {
		struct reading reading = {clocks[clock], 0};
		uint64_t last = clocks[clock]();

		for (int i = 0; i < 2000; i++) {
			if (i % 3 == 0) {
				irq_offload(read_in_interrupt, &reading);
			} else if (i % 3 == 1) {
				k_busy_wait(20);
				read_in_interrupt(&reading);
			} else {
				reading.us = clocks[clock]();
			}
			zassert_true(reading.us >= last);
			last = reading.us;
		}
	}
}

ZTEST(ranvier_port, test_time_passes_while_asleep_in_microseconds)
{
	for (size_t clock = 0; clock < ARRAY_SIZE(clocks); clock++) {
		uint64_t before = clocks[clock]();

		k_sleep(K_MSEC(50));
		zassert_true(clocks[clock]() - before >= 50000);
	}
}

ZTEST(ranvier_port, test_time_is_finer_than_a_tick)
{
	uint64_t begin = rnv_now_us();
	uint64_t last = begin;
	int steps = 0;

	while (last - begin < USEC_PER_SEC / CONFIG_SYS_CLOCK_TICKS_PER_SEC) {
		uint64_t now = rnv_now_us();

		if (now == last) {
			k_busy_wait(1); /* simulated time stands still otherwise */
		}
		steps += (now != last) ? 1 : 0;
		last = now;
	}
	zassert_true(steps > 5, "%d values in a tick", steps);
}

/* Without interrupts between the readings. */
ZTEST(ranvier_port, test_time_and_cycles_agree)
{
	const uint64_t hz = rnv_cycles_per_second();

	zassert_true(hz > 0);
	for (size_t clock = 0; clock < ARRAY_SIZE(clocks); clock++) {
		uint32_t key = rnv_critical_enter();
		uint64_t us = clocks[clock]();
		uint32_t cycles = rnv_cycles();

		k_busy_wait(20000);
		us = clocks[clock]() - us;
		cycles = rnv_cycles() - cycles;
		rnv_critical_exit(key);
		zassert_true(us >= 19000);
		zassert_within(us, cycles * (uint64_t)USEC_PER_SEC / hz, us / 100U,
			       "%u us, %u cycles of %u Hz", (uint32_t)us, cycles, (uint32_t)hz);
	}
}

/* On native_sim, where a wrap of the counter takes no time to wait for. */
ZTEST(ranvier_port, test_time_over_wraps_of_32_bits)
{
	if (!IS_ENABLED(CONFIG_ARCH_POSIX)) {
		ztest_test_skip();
	}
	for (size_t clock = 0; clock < ARRAY_SIZE(clocks); clock++) {
		uint64_t before = clocks[clock]();
		int64_t uptime = k_uptime_get();
		int64_t passed;

		k_sleep(K_SECONDS(5 * 4295)); /* 2^32 cycles of 1 us are 4295 s */
		uptime = k_uptime_get() - uptime;
		passed = (int64_t)((clocks[clock]() - before) / 1000U);
		/* Uptime is in ticks. */
		zassert_within(passed, uptime, 2 * MSEC_PER_SEC / CONFIG_SYS_CLOCK_TICKS_PER_SEC,
			       "%lld ms, uptime %lld ms", passed, uptime);
	}
}

ZTEST(ranvier_port, test_wraps_are_counted_and_readings_back_are_not)
{
	struct wraps wraps = {0};

	zassert_equal(count_wraps(&wraps, 0x7000), 0x7000);
	zassert_equal(count_wraps(&wraps, 0x6ffe), 0x7000);
	zassert_equal(count_wraps(&wraps, 0x7001), 0x7001);
	zassert_equal(count_wraps(&wraps, 0xffffff00), 0xffffff00);
	zassert_equal(count_wraps(&wraps, 0xfffffefe), 0xffffff00);
	zassert_equal(count_wraps(&wraps, 0x10), 0x100000010ULL);
	zassert_equal(count_wraps(&wraps, 0x0f), 0x100000010ULL);
	zassert_equal(count_wraps(&wraps, 0x80000000), 0x180000000ULL);
	zassert_equal(count_wraps(&wraps, 0), 0x180000000ULL); /* as far back as can be */
	zassert_equal(count_wraps(&wraps, 0xf0000000), 0x1f0000000ULL);
	zassert_equal(count_wraps(&wraps, 1), 0x200000001ULL);
}

ZTEST_SUITE(ranvier_port, NULL, NULL, NULL, NULL, NULL);
