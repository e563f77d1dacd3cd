/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The assembly of depthwise_tiles.h against its twins, byte for byte, with the registers that a
 * function must keep. Where there is no assembly, only the copy is tested: the twins are, through
 * the op.
 */

#include "exercise.h"

#include <string.h>

#include "kernels/dsp/depthwise_tiles.h"
#include "support.h"

#define PITCH       RNV_DEPTHWISE_PITCH
#define MAX_ROWS    41
#define MAX_COLUMNS 64

static uint8_t from_pool[MAX_ROWS * 100 + 200];
static uint8_t to_pool[MAX_ROWS * 100 + 200];

static void fill(uint8_t *data, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		data[i] = (uint8_t)(once_in(4) ? 0x80u : random_word() >> 5);
	}
}

/* Columns of a copy as memcpy() makes it. */
static void test_copy(rnv_row_copy_fn *copy_rows, bool checked)
{
	struct rnv_row_copy copy = {.columns = (uint32_t)random_in(1, MAX_COLUMNS),
				    .rows = (uint32_t)random_in(1, 20),
				    .to_pitch = PITCH};
	uintptr_t arguments[6] = {0};
	uintptr_t result;
	struct guarded from;
	struct guarded to;

	copy.from_pitch = copy.columns + (uint32_t)random_in(0, 9);
	from = guard(from_pool, sizeof(from_pool),
		     (copy.rows - 1u) * copy.from_pitch + copy.columns, (size_t)random_in(0, 15));
	to = guard(to_pool, sizeof(to_pool), (copy.rows - 1u) * PITCH + copy.columns,
		   (size_t)random_in(0, 15));
	fill(from.data, from.bytes);
	arguments[0] = (uintptr_t)from.data;
	arguments[1] = (uintptr_t)to.data;
	arguments[2] = (uintptr_t)&copy;
	if (checked) {
		expect(call_checked((any_fn *)copy_rows, arguments, &result), "registers");
	} else {
		copy_rows((int8_t *)from.data, (int8_t *)to.data, &copy);
	}
	for (uint32_t y = 0; y < copy.rows; y++) {
		expect(memcmp(to.data + y * PITCH, from.data + y * copy.from_pitch, copy.columns) ==
			       0,
		       "copy differs");
		for (uint32_t x = copy.columns; x < PITCH && y + 1u < copy.rows; x++) {
			expect(to.data[y * PITCH + x] == 0xA5u, "copied beside the row");
		}
	}
	expect(guard_holds(&to), "copied beside the rows");
}

#if RNV_DSP_ASM

static uint8_t twin_pool[MAX_ROWS * 100 + 200];

static void random_words(uint32_t *w)
{
	for (uint32_t i = 0; i < RNV_DEPTHWISE_WORDS; i++) {
		w[i] = once_in(8) ? 0x80008000u : random_word();
	}
	w[4] &= 0xFFFFu;
	w[6] >>= once_in(2) ? 1 : random_in(1, 20);
	w[7] = once_in(2) ? random_word() : (uint32_t)random_in(-200000, 200000);
}

static void compare(const struct guarded *got, const struct guarded *wanted)
{
	expect(memcmp(got->data, wanted->data, wanted->bytes) == 0, "assembly and twin differ");
	expect(guard_holds(got) && guard_holds(wanted), "written beside the outputs");
}

static void test_rows(rnv_depthwise_fn *assembly, rnv_depthwise_fn *twin, uint32_t stride)
{
	uint32_t tiles = (uint32_t)random_in(1, (stride == 1u) ? 31 : 15);
	uint32_t rows = (uint32_t)random_in(1, 9);
	uint32_t pitch = 2u * tiles - (once_in(2) ? 1u : 0u) + (once_in(2) ? 7u : 0u);
	const struct rnv_depthwise_plan plan = {
		.start = 2u * (tiles - 1u),
		.in_step = 2u * stride * (PITCH + tiles),
		.out_step = 2u * (pitch + tiles),
		.second = pitch + 2u,
		.pairs = rows / 2u * 2u * stride * PITCH,
		.odd = rows % 2u,
	};
	size_t bytes = (rows - 1u) * pitch + 2u * tiles;
	struct guarded out = guard(to_pool, sizeof(to_pool), bytes, 1);
	struct guarded other = guard(twin_pool, sizeof(twin_pool), bytes, 2);
	int8_t *in = (int8_t *)from_pool;
	uint32_t w[RNV_DEPTHWISE_WORDS];
	uintptr_t arguments[6] = {0};
	uintptr_t result;

	fill(from_pool, sizeof(from_pool));
	in += (2u * stride - (uint32_t)(uintptr_t)in) % PITCH;
	random_words(w);
	arguments[0] = (uintptr_t)in;
	arguments[1] = (uintptr_t)out.data;
	arguments[2] = (uintptr_t)w;
	arguments[3] = (uintptr_t)&plan;
	expect(call_checked((any_fn *)assembly, arguments, &result), "registers");
	twin(in, (int8_t *)other.data, w, &plan);
	compare(&out, &other);
}

#endif

void test_tiles(int32_t rounds)
{
	for (int32_t round = 0; round < rounds; round++) {
		begin("tiles", round);
		test_copy(rnv_depthwise_copy_c, false);
#if RNV_DSP_ASM
		test_copy(rnv_depthwise_copy_asm, true);
		test_rows(rnv_depthwise_s1_asm, rnv_depthwise_s1_c, 1);
		test_rows(rnv_depthwise_s2_asm, rnv_depthwise_s2_c, 2);
#endif
	}
}
