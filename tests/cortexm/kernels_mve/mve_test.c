/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Prints "cases N" and "failures N", and the first few failures; exit code 1 where there are any.
 */

#include "mve_test.h"

#include <baremetal/semihosting.h>
#include <string.h>

#include "kernels/mve/tile.h"

#define POOL_BYTES  (256u * 1024u)
#define GUARD_BYTES 32u
#define GUARD       0xA5
#define MAX_BLOCKS  16u
#define MAX_TALK    5u

static uint8_t pool[POOL_BYTES] __attribute__((aligned(16)));
static struct {
	uint8_t *start;
	uint32_t bytes;
} blocks[MAX_BLOCKS];
static uint32_t block_count;
static uint32_t used;
static uint32_t state = 2463534242u;
static uint32_t cases;
static uint32_t failures;

static void print_number(const char *name, uint32_t value)
{
	rnv_semihost_puts(name);
	rnv_semihost_puts(" ");
	rnv_semihost_put_i32((int32_t)value);
	rnv_semihost_puts("\n");
}

uint32_t random_word(void)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

int32_t random_in(int32_t low, int32_t high)
{
	uint32_t range = (uint32_t)high - (uint32_t)low + 1u;

	return (int32_t)((uint32_t)low + ((range == 0u) ? random_word() : random_word() % range));
}

void random_values(int8_t *values, uint32_t count)
{
	uint32_t kind = random_word() % 8u;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t word = random_word();

		if (kind == 0u) {
			values[i] = INT8_MIN;
		} else if (kind == 1u) {
			values[i] = INT8_MAX;
		} else if (kind == 2u) {
			values[i] = ((word & 0x100u) != 0u) ? INT8_MIN : INT8_MAX;
		} else {
			values[i] = (int8_t)(word >> 24);
		}
	}
}

void release_all(void)
{
	block_count = 0;
	used = 0;
}

static int8_t *take_at(uint32_t bytes, uint32_t offset)
{
	uint8_t *start = pool + used + offset;
	uint32_t all = (bytes + 2u * GUARD_BYTES + offset + 15u) & ~UINT32_C(15);

	if (all > POOL_BYTES - used || block_count == MAX_BLOCKS) {
		rnv_semihost_puts("out of memory\n");
		rnv_semihost_exit(2);
	}
	memset(pool + used, GUARD, all);
	used += all;
	blocks[block_count].start = start;
	blocks[block_count].bytes = bytes;
	block_count++;
	return (int8_t *)start + GUARD_BYTES;
}

int8_t *take(uint32_t bytes)
{
	return take_at(bytes, random_word() % 16u);
}

void *take_words(uint32_t bytes)
{
	return take_at(bytes, random_word() % 4u * 4u);
}

static bool guards_hold(void)
{
	for (uint32_t i = 0; i < block_count; i++) {
		const uint8_t *before = blocks[i].start;
		const uint8_t *behind = before + GUARD_BYTES + blocks[i].bytes;

		for (uint32_t j = 0; j < GUARD_BYTES; j++) {
			if (before[j] != GUARD || behind[j] != GUARD) {
				return false;
			}
		}
	}
	return true;
}

void end_case(const char *name, bool equal)
{
	bool whole = guards_hold();

	cases++;
	if (equal && whole) {
		return;
	}
	failures++;
	if (failures <= MAX_TALK) {
		rnv_semihost_puts(equal ? "guard: " : "output: ");
		print_number(name, cases);
	}
}

void random_scaling(struct scaling *s, uint32_t scale, int32_t magnitude)
{
	int32_t bits = 0;

	while ((magnitude >> bits) > 64) { /* outputs of the order of 64 */
		bits++;
	}
	for (uint32_t i = 0; i < 64u; i++) {
		int32_t shift = random_in(-bits - 2, 2 - bits);

		if (scale == RNV_MVE_SCALE_ANY) {
			shift = (random_word() % 2u == 0u) ? random_in(-31, 30)
							   : random_in(-bits - 2, 2);
		} else if (scale == RNV_MVE_SCALE_RIGHT) {
			shift = (shift > -1) ? -1 : shift;
		} else {
			shift = (shift > 0) ? 0 : shift;
		}
		s->shift[i] = (int8_t)((random_word() % 16u == 0u && shift < 0) ? -31 : shift);
		s->multiplier[i] = random_in(1 << 30, INT32_MAX);
		if (random_word() % 8u == 0u) { /* ties of both roundings */
			s->multiplier[i] = 1 << 30;
		} else if (random_word() % 16u == 0u) {
			s->multiplier[i] = (int32_t)(random_word() & INT32_MAX);
		}
		if (shift >= 0 && random_word() % 4u != 0u) { /* or nearly all are out of range */
			s->multiplier[i] = random_in(0, INT32_MAX >> bits);
		}
	}
	s->out_zp = random_in(INT8_MIN, INT8_MAX);
	s->act_min = (scale == RNV_MVE_SCALE_RECTIFIED) ? random_in(s->out_zp, INT8_MAX) : INT8_MIN;
	if (random_word() % 2u == 0u && scale == RNV_MVE_SCALE_RECTIFIED) {
		s->act_min = s->out_zp;
	}
	s->act_max = (random_word() % 2u == 0u) ? INT8_MAX : random_in(s->act_min, INT8_MAX);
}

int32_t requantized(int32_t x, int32_t multiplier, int32_t shift)
{
	int32_t left = (shift > 0) ? shift : 0;
	int64_t wide = (int32_t)((uint32_t)x << left);
	int64_t half = 1;

	wide = (wide * multiplier + ((int64_t)1 << 30)) >> 31;
	if (shift >= 0) {
		return (int32_t)wide;
	}
	half <<= -shift - 1;
	return (int32_t)((wide < 0) ? -((half - wide) >> -shift) : (half + wide) >> -shift);
}

int8_t output_of(const struct scaling *s, uint32_t channel, int32_t sum)
{
	int32_t scaled = requantized(sum, s->multiplier[channel], s->shift[channel]);
	int32_t value = (int32_t)((uint32_t)scaled + (uint32_t)s->out_zp);

	value = (value < s->act_min) ? s->act_min : value;
	return (int8_t)((value > s->act_max) ? s->act_max : value);
}

int main(void)
{
	test_tiles();
	test_cells();
	test_rows();
	print_number("cases", cases);
	print_number("failures", failures);
	return (failures == 0u) ? 0 : 1;
}
