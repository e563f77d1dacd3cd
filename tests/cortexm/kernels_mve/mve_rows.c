/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* add_row.S and columns.S. */

#include <string.h>

#include "kernels/mve/add_row.h"
#include "kernels/mve/columns.h"
#include "mve_test.h"

#define ROUNDS    400u
#define MAX_COUNT 70

/* Ties: of the sum that is scaled to an output, or of a number that is shifted before. */
static void make_ties(struct rnv_mve_add_row *row, bool of_sum)
{
	row->x_multiplier = of_sum ? 1 << 30 : 0;
	row->y_multiplier = 1 << 30;
	row->y_shift = of_sum ? 0 : random_in(-20, -19);
	row->out_multiplier = of_sum ? 1 << 30 : random_in(1 << 30, INT32_MAX);
	row->out_shift = of_sum ? random_in(-20, -19) : -1;
	row->out_zp = 0;
	row->act_min = -128;
	row->act_max = 127;
}

static void test_add(void)
{
	static int8_t want[MAX_COUNT];

	for (uint32_t round = 0; round < ROUNDS; round++) {
		struct rnv_mve_add_row row;
		int32_t zeros[2] = {random_in(-128, 127), random_in(-128, 127)};
		uint32_t count = (uint32_t)random_in(1, MAX_COUNT);
		int8_t *x;
		int8_t *y;

		release_all();
		x = take(count);
		y = take(count);
		random_values(x, count);
		random_values(y, count);
		row.x = x;
		row.y = y;
		row.out = (round % 3u == 0u) ? x : (round % 3u == 1u) ? y : take(count);
		row.count = count;
		row.x_zero = -zeros[0] * (1 << 20);
		row.y_zero = -zeros[1] * (1 << 20);
		row.x_multiplier = (random_word() % 2u == 0u) ? 1 << 30 : random_in(0, INT32_MAX);
		row.y_multiplier = (random_word() % 8u == 0u) ? 1 << 30 : random_in(0, INT32_MAX);
		row.y_shift = (random_word() % 4u == 0u) ? 0 : random_in(-10, -1);
		row.out_multiplier = random_in(1 << 30, INT32_MAX);
		row.out_shift =
			(random_word() % 8u == 0u) ? random_in(-31, -1) : random_in(-21, -16);
		row.out_zp = random_in(-128, 127);
		row.act_min = random_in(-128, 0);
		row.act_max = random_in(row.act_min, 127);
		if (round % 2u == 0u) {
			make_ties(&row, round % 4u == 0u);
		}
		for (uint32_t i = 0; i < count; i++) {
			int32_t a = requantized((x[i] - zeros[0]) * (1 << 20), row.x_multiplier, 0);
			int32_t b = requantized((y[i] - zeros[1]) * (1 << 20), row.y_multiplier,
						row.y_shift);
			int32_t sum =
				requantized(a + b, row.out_multiplier, row.out_shift) + row.out_zp;

			sum = (sum < row.act_min) ? row.act_min : sum;
			want[i] = (int8_t)((sum > row.act_max) ? row.act_max : sum);
		}
		rnv_mve_add_row(&row);
		end_case("add_row", memcmp(row.out, want, count) == 0);
	}
}

/* Only the columns are compared: up to 16 bytes behind a row may be written. */
static void test_columns(void)
{
	for (uint32_t round = 0; round < ROUNDS; round++) {
		uint32_t bytes = (uint32_t)random_in(1, 16);
		uint32_t most = (RNV_MVE_COLUMN_BYTES - 16u + bytes) / bytes;
		uint32_t rows = (uint32_t)random_in(1, (int32_t)most);
		uint32_t step = random_word() % 20u;
		uint32_t pitch = random_word() % 80u;
		uint32_t size = (rows - 1u) * pitch + 2u * step + bytes;
		bool equal = true;
		int8_t *from;
		int8_t *to;

		release_all();
		from = take(size);
		to = take(3u * RNV_MVE_COLUMN_BYTES);
		random_values(from, size);
		rnv_mve_columns_3(to, from, step, pitch, bytes, rows);
		for (uint32_t i = 0; i < 3u; i++) {
			for (uint32_t row = 0; row < rows; row++) {
				equal = equal && memcmp(to + i * RNV_MVE_COLUMN_BYTES + row * bytes,
							from + row * pitch + i * step, bytes) == 0;
			}
			/* What follows is 0 up to the reach of the last row. */
			for (uint32_t k = rows * bytes; k < (rows - 1u) * bytes + 16u; k++) {
				equal = equal && to[i * RNV_MVE_COLUMN_BYTES + k] == 0;
			}
		}
		end_case("columns_3", equal);
	}
}

void test_rows(void)
{
	test_add();
	test_columns();
}
