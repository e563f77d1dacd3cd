/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The dump's bytes, read here by the offsets of SPEC.md; its text; what the ring keeps. */

#include "prof_fixture.h"

#include "ranvier/package.h"

#define HEADER     64
#define MODEL      96
#define STEP       32
#define RECORD     16
#define STEPS_AT   (HEADER + SLOTS * MODEL)
#define RECORDS_AT (STEPS_AT + STEPS * STEP)

static uint8_t dump[8192];

static uint32_t u16_at(uint32_t offset)
{
	return (uint32_t)dump[offset] | (uint32_t)dump[offset + 1] << 8;
}

static uint32_t u32_at(uint32_t offset)
{
	return u16_at(offset) | u16_at(offset + 2) << 16;
}

static uint32_t take_dump(struct bench *bench)
{
	int bytes;

	rnv_prof_enable(&bench->prof, 0);
	bytes = rnv_prof_dump(&bench->prof, 0, dump, sizeof(dump));
	assert_true(bytes > 0);
	assert_int_equal(u32_at(8), bytes);
	return (uint32_t)bytes;
}

static void one_job(struct bench *bench)
{
	const struct rnv_job_result result = {.job = 0x01020304,
					      .lane = 2,
					      .missed = 1,
					      .submit_us = 1000,
					      .start_us = 1003,
					      .end_us = 1007,
					      .blocked_us = 2};

	clock_cycles = 0x11223344;
	clock_us = 0xABCDEF0123456789u;
	event(bench, RNV_TRACE_SUBMIT, 2, 0);
	event(bench, RNV_TRACE_START, 2, 0);
	event(bench, RNV_TRACE_STEP_BEGIN, 2, 3);
	clock_cycles += 0x1000;
	event(bench, RNV_TRACE_STEP_END, 2, 3);
	done(bench, &result);
}

static void test_every_byte(void **state)
{
	static struct bench bench;
	const uint32_t model = HEADER + MODEL, step = STEPS_AT + 3 * STEP;
	static const uint32_t times[3] = {3, 2, 7};
	uint32_t at = RECORDS_AT;

	(void)state;
	bench_init(&bench, 8, RNV_PROF_PARALLEL);
	one_job(&bench);
	assert_int_equal(take_dump(&bench), RECORDS_AT + 5 * RECORD);
	assert_memory_equal(dump, "RNVT\x01\x00\x40\x00", 8);
	assert_int_equal(u32_at(12), CYCLES_PER_SECOND);
	assert_int_equal(u32_at(16), 5);
	assert_int_equal(u32_at(20), 0);
	assert_int_equal(u32_at(24), STEPS);
	assert_int_equal(u16_at(28), SLOTS);
	assert_int_equal(u16_at(30), 1);
	for (uint32_t lane = 0; lane < 8; lane++) {
		assert_int_equal(u32_at(32 + 4 * lane), lane == 2 ? 4096 : 0);
	}
	for (uint32_t i = 0; i < MODEL; i++) {
		assert_int_equal(dump[HEADER + i], 0);
	}
	assert_int_equal(u32_at(model), 0xC0FFEE01);
	assert_int_equal(u32_at(model + 4), 4096);
	assert_int_equal(u32_at(model + 8), STEPS);
	assert_int_equal(u32_at(model + 12), 1);
	assert_int_equal(u32_at(model + 16), 0);
	assert_int_equal(u32_at(model + 20), 1);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(u32_at(model + 24 + 24 * i), 1);
		for (uint32_t j = 1; j < 6; j++) {
			assert_int_equal(u32_at(model + 24 + 24 * i + 4 * j), times[i]);
		}
	}
	assert_int_equal(u32_at(step), 0x1000);
	assert_int_equal(u32_at(step + 4), 0);
	assert_int_equal(u32_at(step + 8), 1);
	assert_int_equal(u32_at(step + 12), 0x1000);
	assert_int_equal(u32_at(step + 16), 0x1000);
	assert_int_equal(u32_at(step + 20), 0x1000);
	assert_memory_equal(dump + at, "\x44\x33\x22\x11\x66\0\0\0\x89\x67\x45\x23\x01\0\x41\0",
			    16);
	at += RECORD;
	assert_memory_equal(dump + at, "\x44\x33\x22\x11\x66\0\0\0\0\0\0\0\x01\0\x42\0", 16);
	at += RECORD;
	assert_memory_equal(dump + at, "\x44\x33\x22\x11\x66\0\0\0\3\0\0\0\x01\0\x43\0", 16);
	at += RECORD;
	assert_memory_equal(dump + at, "\x44\x43\x22\x11\x66\0\0\0\3\0\0\0\x01\0\x44\0", 16);
	at += RECORD;
	assert_memory_equal(dump + at, "\x44\x43\x22\x11\4\3\2\1\2\0\0\x80\x01\0\x49\0", 16);
}

static void test_a_status_and_a_long_block(void **state)
{
	static struct bench bench;
	const struct rnv_job_result result = {
		.job = 7, .lane = 7, .status = RNV_ECANCELED, .blocked_us = 0xFFFFFFFF};
	const struct rnv_trace_event fault = {
		.model = 1, .step = 9, .kind = RNV_TRACE_NPU_END, .status = RNV_ETIMEDOUT};

	(void)state;
	bench_init(&bench, 8, 0);
	done(&bench, &result);
	rnv_prof_trace(&bench.prof, &fault);
	take_dump(&bench);
	assert_memory_equal(dump + RECORDS_AT + 4, "\7\0\0\0\xFF\xFF\xFF\x7F\1\0\xE9\x83", 12);
	assert_memory_equal(dump + RECORDS_AT + RECORD + 8, "\x09\0\0\0\1\0\x06\x92", 8);
}

static void test_the_ring_keeps_the_latest(void **state)
{
	static struct bench bench;
	uint32_t capacity;

	(void)state;
	for (capacity = 1; capacity <= 5; capacity++) {
		for (uint32_t events = 0; events <= 17; events++) {
			const uint32_t kept = events < capacity ? events : capacity;

			bench_init(&bench, capacity, 0);
			for (uint32_t i = 0; i < events; i++) {
				clock_cycles = 1000 + i;
				event(&bench, RNV_TRACE_RESUME, 0, 0);
			}
			assert_int_equal(take_dump(&bench), RECORDS_AT + kept * RECORD);
			assert_int_equal(u32_at(16), kept);
			assert_int_equal(u32_at(20), events - kept);
			for (uint32_t i = 0; i < kept; i++) {
				assert_int_equal(u32_at(RECORDS_AT + i * RECORD),
						 1000 + events - kept + i);
			}
		}
	}
	rnv_prof_reset(&bench.prof);
	take_dump(&bench);
	assert_int_equal(u32_at(16), 0);
	assert_int_equal(u32_at(20), 0);
}

static void test_any_part(void **state)
{
	static struct bench bench;
	uint8_t part[200];
	uint32_t bytes;

	(void)state;
	bench_init(&bench, 8, 0);
	one_job(&bench);
	assert_int_equal(rnv_prof_dump(&bench.prof, 0, part, 1), RNV_ESTATE);
	bytes = take_dump(&bench);
	for (uint32_t size = 0; size <= sizeof(part); size += 1 + size / 8) {
		for (uint32_t offset = 0; offset <= bytes + 3; offset++) {
			const uint32_t left = offset < bytes ? bytes - offset : 0;
			const uint32_t expected = size < left ? size : left;

			memset(part, 0xEE, sizeof(part));
			assert_int_equal(rnv_prof_dump(&bench.prof, offset, part, size), expected);
			assert_memory_equal(part, dump + offset, expected);
			assert_true(expected == sizeof(part) || part[expected] == 0xEE);
		}
	}
}

static uint32_t number_of(const char *digits, uint32_t count)
{
	char text[9] = {0};
	char *end;
	uint32_t number;

	memcpy(text, digits, count);
	number = (uint32_t)strtoul(text, &end, 16);
	assert_ptr_equal(end, text + count);
	return number;
}

static void test_the_text_is_the_dump(void **state)
{
	static struct bench bench;
	char line[RNV_PROF_LINE_BYTES + 1];
	uint8_t payload[4 + 32];
	uint32_t offset = 0, expected = 0, bytes;
	int length;

	(void)state;
	bench_init(&bench, 8, 0);
	one_job(&bench);
	assert_int_equal(rnv_prof_dump_line(&bench.prof, &offset, line), RNV_ESTATE);
	assert_int_equal(offset, 0);
	bytes = take_dump(&bench);
	line[RNV_PROF_LINE_BYTES] = '!';
	while ((length = rnv_prof_dump_line(&bench.prof, &offset, line)) > 0) {
		const uint32_t count = ((uint32_t)length - 23) / 2;

		assert_int_equal(strlen(line), length);
		assert_int_equal(line[RNV_PROF_LINE_BYTES], '!');
		assert_memory_equal(line, "RNVT ", 5);
		assert_int_equal(number_of(line + 5, 8), expected);
		assert_int_equal(line[13], ' ');
		for (uint32_t i = 0; i < 4; i++) {
			payload[i] = (uint8_t)(expected >> (8 * i));
		}
		for (uint32_t i = 0; i < count; i++) {
			payload[4 + i] = (uint8_t)number_of(line + 14 + 2 * i, 2);
		}
		assert_memory_equal(payload + 4, dump + expected, count);
		assert_int_equal(line[14 + 2 * count], ' ');
		assert_int_equal(number_of(line + 15 + 2 * count, 8),
				 rnv_crc32(0, payload, 4 + count));
		expected += count;
		assert_int_equal(offset, expected);
	}
	assert_int_equal(length, 0);
	assert_int_equal(expected, bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_byte),
		cmocka_unit_test(test_a_status_and_a_long_block),
		cmocka_unit_test(test_the_ring_keeps_the_latest),
		cmocka_unit_test(test_any_part),
		cmocka_unit_test(test_the_text_is_the_dump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
