/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The ring: every size and fill level, the wrap of its indices, and indices that are spoilt. */

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "ranvier/ring.h"

#define MOST  64
#define GUARD 2

static struct rnv_message memory[GUARD + MOST + GUARD];
static struct rnv_message *const messages = memory + GUARD;
static uint32_t producer_index, consumer_index;
static struct rnv_ring producer, consumer;

static struct rnv_message message_of(uint32_t number)
{
	return (struct rnv_message){.id = number,
				    .epoch = number * 3u,
				    .type = (uint16_t)number,
				    .status = (int16_t)(0u - number),
				    .offset = ~number,
				    .bytes = number ^ 0x5A5A5A5Au,
				    .args = {number + 1u, number + 2u, number + 3u}};
}

static void is_message(const struct rnv_message *message, uint32_t number)
{
	struct rnv_message expected = message_of(number);

	assert_memory_equal(message, &expected, sizeof(expected));
}

/* Both ends, empty, with indices that begin at `start`. */
static void make(uint32_t entries, uint32_t start)
{
	memset(memory, 0xEE, sizeof(memory));
	producer_index = start;
	consumer_index = ~start;
	assert_int_equal(
		rnv_ring_init(&consumer, &consumer_index, &producer_index, messages, entries),
		RNV_OK);
	assert_int_equal(
		rnv_ring_init(&producer, &producer_index, &consumer_index, messages, entries),
		RNV_OK);
	assert_int_equal(producer_index, start);
	assert_int_equal(consumer_index, start);
}

static void guards_are_whole(uint32_t entries)
{
	const uint8_t *bytes = (const uint8_t *)memory;

	for (uint32_t i = 0; i < sizeof(memory); i++) {
		uint32_t number = i / (uint32_t)sizeof(memory[0]);

		if (number < GUARD || number >= GUARD + entries) {
			assert_int_equal(bytes[i], 0xEE);
		}
	}
}

static int is_power_of_two(uint32_t number)
{
	for (uint32_t power = 1; power != 0; power *= 2) {
		if (power == number) {
			return 1;
		}
	}
	return 0;
}

/* Fill to a level, empty again, from a start index; the next lap begins where this one ended. */
static void fill_and_empty(uint32_t entries, uint32_t level, uint32_t start)
{
	struct rnv_message message;

	make(entries, start);
	for (uint32_t lap = 0; lap < 3; lap++) {
		for (uint32_t i = 0; i < level; i++) {
			message = message_of(lap * MOST + i);
			assert_int_equal(rnv_ring_room(&producer), entries - i);
			assert_int_equal(rnv_ring_push(&producer, &message), RNV_OK);
			assert_int_equal(producer_index, start + lap * level + i + 1u);
		}
		assert_int_equal(rnv_ring_room(&producer), entries - level);
		if (level == entries) {
			assert_int_equal(rnv_ring_push(&producer, &message), RNV_EAGAIN);
			assert_int_equal(producer_index, start + (lap + 1u) * level);
		}
		for (uint32_t i = 0; i < level; i++) {
			memset(&message, 0, sizeof(message));
			assert_int_equal(rnv_ring_pop(&consumer, &message), RNV_OK);
			is_message(&message, lap * MOST + i);
			assert_int_equal(consumer_index, start + lap * level + i + 1u);
		}
		assert_int_equal(rnv_ring_pop(&consumer, &message), RNV_EAGAIN);
		assert_int_equal(rnv_ring_room(&producer), entries);
	}
	guards_are_whole(entries);
}

static void test_every_size_and_fill_level(void **state)
{
	(void)state;
	for (uint32_t entries = 1; entries <= MOST; entries++) {
		if (!is_power_of_two(entries)) {
			assert_int_equal(rnv_ring_init(&producer, &producer_index, &consumer_index,
						       messages, entries),
					 RNV_EINVAL);
			continue;
		}
		for (uint32_t level = 0; level <= entries; level++) {
			fill_and_empty(entries, level, 0);
			fill_and_empty(entries, level, 0x7FFFFFFFu);
		}
	}
}

static void test_the_wrap_at_every_fill_level(void **state)
{
	(void)state;
	for (uint32_t entries = 1; entries <= 16; entries *= 2) {
		for (uint32_t before = 1; before <= 3 * entries; before++) {
			for (uint32_t level = 0; level <= entries; level++) {
				fill_and_empty(entries, level, 0u - before);
			}
		}
	}
}

/* What is in the ring may be anything from one to all; against a counter of each side. */
static void test_random_traffic_over_the_wrap(void **state)
{
	uint32_t random = 1;
	uint32_t pushed = 0, popped = 0;
	struct rnv_message message;

	(void)state;
	make(8, 0u - 1000u);
	for (uint32_t i = 0; i < 20000; i++) {
		random = random * 1664525u + 1013904223u;
		if ((random >> 16 & 1u) != 0u) {
			message = message_of(pushed);
			assert_int_equal(rnv_ring_push(&producer, &message),
					 pushed - popped == 8u ? RNV_EAGAIN : RNV_OK);
			pushed += pushed - popped == 8u ? 0u : 1u;
		} else {
			int status = rnv_ring_pop(&consumer, &message);

			assert_int_equal(status, pushed == popped ? RNV_EAGAIN : RNV_OK);
			if (status == RNV_OK) {
				is_message(&message, popped++);
			}
		}
	}
	assert_true(pushed > 8000 && producer_index < 0x80000000u);
	guards_are_whole(8);
}

/* Distances of the other index from this end's position. */
static uint32_t distance(uint32_t number)
{
	return number < 200 ? number - 100u : number * 0x01234567u;
}

static void test_a_consumer_believes_no_impossible_index(void **state)
{
	struct rnv_message message;

	(void)state;
	for (uint32_t entries = 1; entries <= MOST; entries *= 2) {
		for (uint32_t i = 0; i < 4000; i++) {
			uint32_t ahead = distance(i);
			int expected = ahead == 0u        ? RNV_EAGAIN
				       : ahead <= entries ? RNV_OK
							  : RNV_EBADMSG;

			make(entries, 0u - i % 5u);
			producer_index += ahead;
			consumer_index = 77; /* never read again by its own side */
			assert_int_equal(rnv_ring_pop(&consumer, &message), expected);
			assert_int_equal(consumer_index, expected == RNV_OK ? 1u - i % 5u : 77u);
		}
	}
}

static void test_a_producer_believes_no_impossible_index(void **state)
{
	struct rnv_message message = message_of(5);

	(void)state;
	for (uint32_t entries = 1; entries <= MOST; entries *= 2) {
		for (uint32_t i = 0; i < 4000; i++) {
			uint32_t behind = distance(i);
			int expected = behind < entries    ? RNV_OK
				       : behind == entries ? RNV_EAGAIN
							   : RNV_EBADMSG;

			make(entries, 0u - i % 5u);
			consumer_index -= behind;
			producer_index = 77;
			assert_int_equal(rnv_ring_room(&producer),
					 behind <= entries ? entries - behind : 0);
			assert_int_equal(rnv_ring_push(&producer, &message), expected);
			assert_int_equal(producer_index, expected == RNV_OK ? 1u - i % 5u : 77u);
			guards_are_whole(entries);
		}
	}
}

/* The other side writes what it likes to everything that is shared: no end leaves the ring. */
static void test_no_end_leaves_the_ring(void **state)
{
	uint32_t random = 99;
	struct rnv_message message = message_of(1);

	(void)state;
	for (uint32_t entries = 1; entries <= MOST; entries *= 2) {
		make(entries, 0u - 100u);
		for (uint32_t i = 0; i < 100000; i++) {
			random = random * 1664525u + 1013904223u;
			switch (random >> 29) {
			case 0:
				producer_index += (random >> 8) % (2 * entries);
				break;
			case 1:
				consumer_index += (random >> 8) % (2 * entries);
				break;
			case 2:
				consumer_index = producer.position - (random >> 8) % entries;
				producer_index = consumer.position + (random >> 8) % entries;
				break;
			case 3:
			case 4:
				rnv_ring_push(&producer, &message);
				break;
			default:
				rnv_ring_pop(&consumer, &message);
			}
			assert_true(rnv_ring_room(&producer) <= entries);
		}
		guards_are_whole(entries);
	}
}

static void test_arguments(void **state)
{
	struct rnv_ring *ring = &producer;
	uint32_t *mine = &producer_index;
	uint32_t *theirs = &consumer_index;
	uint32_t *odd = (uint32_t *)((uintptr_t)memory + 2);

	(void)state;
	assert_int_equal(rnv_ring_init(NULL, mine, theirs, messages, 4), RNV_EINVAL);
	assert_int_equal(rnv_ring_init(ring, NULL, theirs, messages, 4), RNV_EINVAL);
	assert_int_equal(rnv_ring_init(ring, mine, NULL, messages, 4), RNV_EINVAL);
	assert_int_equal(rnv_ring_init(ring, mine, theirs, NULL, 4), RNV_EINVAL);
	assert_int_equal(rnv_ring_init(ring, mine, theirs, messages, 0), RNV_EINVAL);
	assert_int_equal(rnv_ring_init(ring, mine, theirs, messages, 2048), RNV_EINVAL);
	assert_int_equal(rnv_ring_init(ring, mine, theirs, messages, 0x80000000u), RNV_EINVAL);
	assert_int_equal(rnv_ring_init(ring, mine, theirs, messages, 1024), RNV_OK);
	assert_int_equal(rnv_ring_init(ring, odd, theirs, messages, 4), RNV_EALIGN);
	assert_int_equal(rnv_ring_init(ring, mine, odd, messages, 4), RNV_EALIGN);
	assert_int_equal(rnv_ring_init(ring, mine, theirs, (void *)odd, 4), RNV_EALIGN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_size_and_fill_level),
		cmocka_unit_test(test_the_wrap_at_every_fill_level),
		cmocka_unit_test(test_random_traffic_over_the_wrap),
		cmocka_unit_test(test_a_consumer_believes_no_impossible_index),
		cmocka_unit_test(test_a_producer_believes_no_impossible_index),
		cmocka_unit_test(test_no_end_leaves_the_ring),
		cmocka_unit_test(test_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
